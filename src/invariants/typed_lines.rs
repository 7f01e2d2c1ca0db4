//! The lines typed to a shell, as far as what each prints is known.

/// A line whose output is known, or known to be none of what the rules look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Numbers from the first to the last, a line each.
    Numbers(u64, u64),
    /// One word.
    Echo(&'a [u8]),
    /// Little, and neither lone numbers nor a word again.
    Plain,
}

/// Lines that print little and repeat nothing; those that read swallow lines, or print them as they
/// are.
const PLAIN: [&[u8]; 17] = [
    b"",
    b"true",
    b"false",
    b"sleep 1",
    b"cat nonexist",
    b"printf abc",
    b"printf %s",
    b"exit",
    b"exit 3",
    b"date",
    b"pwd",
    b"wc",
    b"cat",
    b"head -n 1",
    b"nosuchcommand",
    b"stty -echo",
    b"echo",
];
/// The longest number of which all digits are told apart from any other's.
const DIGITS: usize = 9;
/// What a line prints that is said to print little, a prompt included, at the most.
const PLAIN_OUTPUT_BYTES: u64 = 512;
const END_OF_FILE: u8 = 4;

/// All lines of `typed`, the one not yet ended among them; nothing if there is one of which it is not
/// known what it does.
pub fn lines(typed: &[u8]) -> Option<Vec<Line<'_>>> {
    typed.split(|&byte| byte == b'\n' || byte == b'\r').map(line).collect()
}

/// What `lines` print together, at the most, in bytes, without what the terminal echoes.
pub fn output_bytes(lines: &[Line<'_>]) -> u64 {
    let bytes = |line: &Line<'_>| match line {
        Line::Numbers(first, last) => {
            last.saturating_sub(*first).saturating_add(1).saturating_mul(DIGITS as u64 + 2)
        }
        Line::Echo(word) => word.len() as u64,
        Line::Plain => 0,
    };
    lines.iter().map(bytes).fold(0, |sum, one| sum.saturating_add(one + PLAIN_OUTPUT_BYTES))
}

/// A number as `seq` prints it.
pub fn number(text: &[u8]) -> Option<u64> {
    let plain = text.len() <= DIGITS && text.iter().all(u8::is_ascii_digit);
    let leading = text.len() > 1 && text[0] == b'0';
    std::str::from_utf8(text).ok().filter(|_| plain && !leading)?.parse().ok()
}

fn line(mut line: &[u8]) -> Option<Line<'_>> {
    // An end of file that did not end the shell ended what it ran.
    while let [END_OF_FILE, rest @ ..] = line {
        line = rest;
    }
    if PLAIN.contains(&line) {
        return Some(Line::Plain);
    }
    let safe = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_');
    let words: Vec<&[u8]> =
        line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).collect();
    match words[..] {
        _ if !line.iter().all(safe) => None,
        [b"seq", first, last] => Some(Line::Numbers(number(first)?, number(last)?)),
        [b"echo", word] => Some(Line::Echo(word)),
        [b"echo", ref words @ ..] if words.iter().all(|word| word[0] != b'-') => Some(Line::Plain),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_known_are_taken() {
        let typed = b"echo hi\nseq 10 20\r\x04echo a b\nstty -echo\n";
        let known =
            [Line::Echo(b"hi"), Line::Numbers(10, 20), Line::Plain, Line::Plain, Line::Plain];
        assert_eq!(lines(typed).unwrap(), known);
        assert!(lines(b"").is_some());
        for unknown in [
            "ls",
            "env",
            "seq -w 1 5",
            "seq 5",
            "seq 01 5",
            "seq 1 2 9",
            "1005",
            "fc -s echo",
            "for i in a b",
            "echo -n a",
            "echo a\x03",
            "echo hise\\",
            "seq 1 9999999999",
            "eval echo a",
            "stty sane",
            "echo \u{e9}",
            "ech",
        ] {
            assert_eq!(lines(unknown.as_bytes()), None, "{unknown:?}");
            assert_eq!(lines(format!("true\n{unknown}\n").as_bytes()), None, "{unknown:?}");
        }
    }

    #[test]
    fn output_has_a_bound_that_holds() {
        let bytes = |typed: &str| output_bytes(&lines(typed.as_bytes()).unwrap());
        assert!(bytes("seq 1 20000\n") > 20_000 * 7);
        assert!(bytes("seq 1000 1255\n") < 8_192);
        assert!(bytes("seq 5 1\n") < 2_048);
        assert!(bytes("seq 0 999999999\n") > 1 << 32);
    }
}
