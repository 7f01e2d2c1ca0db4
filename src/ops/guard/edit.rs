//! A scanner of sam's command language without the commands that reach files or shells.

/// What an Edit command that the scanner does not follow may not hold at all: the commands that
/// reach files or shells, by their letters.
pub const EDIT_BANNED: &[u8] = b"werfbBDn!<>|";

/// How much of an Edit command stands on its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditShape {
    /// All of it.
    Line,
    /// Text follows, up to a line that is a single dot.
    Text,
    /// Commands follow, up to a closing brace.
    Group,
}

/// The shape of an Edit command's first line, if it is of the safe grammar beyond doubt. Where
/// servers may differ over where a delimited text ends, it is not.
pub fn edit_shape(command: &[u8]) -> Option<EditShape> {
    let mut scan = Scan { rest: command };
    loop {
        scan.address()?;
        let Some(letter) = scan.next() else {
            return Some(EditShape::Line);
        };
        match letter {
            b'x' | b'y' | b'g' | b'v' => scan.delimited(b'/')?,
            b's' => {
                scan.digits();
                scan.delimited(b'/')?;
                // The text between the second and the third delimiter.
                scan.until(b'/')?;
                if scan.rest.first() == Some(&b'g') {
                    scan.next();
                }
                return scan.end(EditShape::Line);
            }
            b'a' | b'c' | b'i' if scan.at_end() => return Some(EditShape::Text),
            b'a' | b'c' | b'i' => {
                scan.delimited(b'/')?;
                return scan.end(EditShape::Line);
            }
            b'd' | b'k' | b'p' | b'=' | b'u' => {
                scan.digits();
                return scan.end(EditShape::Line);
            }
            b'm' | b't' => {
                scan.address()?;
                return scan.end(EditShape::Line);
            }
            b'{' => return scan.end(EditShape::Group),
            _ => return None,
        }
    }
}

/// Whether all of `text` is an address of sam's.
pub(super) fn is_address(text: &[u8]) -> bool {
    let mut scan = Scan { rest: text };
    scan.address().is_some() && scan.at_end()
}

struct Scan<'a> {
    rest: &'a [u8],
}

impl Scan<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn at_end(&self) -> bool {
        self.rest.iter().all(|byte| b" \t\r".contains(byte))
    }

    fn end(&self, shape: EditShape) -> Option<EditShape> {
        self.at_end().then_some(shape)
    }

    fn digits(&mut self) {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[digits..];
    }

    /// Any run of address signs, well formed or not: none of them is a command.
    fn address(&mut self) -> Option<()> {
        while let Some(&byte) = self.rest.first() {
            match byte {
                b'0'..=b'9'
                | b'#'
                | b'$'
                | b'.'
                | b','
                | b';'
                | b'+'
                | b'-'
                | b':'
                | b' '
                | b'\t'
                | b'\r' => {
                    self.next();
                }
                b'/' | b'?' => self.delimited(byte)?,
                _ => break,
            }
        }
        Some(())
    }

    /// A delimiter, a text, the delimiter again.
    fn delimited(&mut self, delimiter: u8) -> Option<()> {
        if self.next() != Some(delimiter) {
            return None;
        }
        self.until(delimiter)
    }

    /// A text up to its delimiter. An escaped delimiter, or one in brackets that may still be open,
    /// ends the text for some parsers and not for others.
    fn until(&mut self, delimiter: u8) -> Option<()> {
        let length = self.rest.iter().position(|&byte| byte == delimiter)?;
        let text = &self.rest[..length];
        let opens = text.iter().rposition(|&byte| byte == b'[');
        let closes = text.iter().rposition(|&byte| byte == b']');
        let doubtful = [b"\\]".as_slice(), b"[]", b"[^]"];
        let has = |part: &&[u8]| text.windows(part.len()).any(|window| window == *part);
        if text.ends_with(b"\\") || opens > closes || doubtful.iter().any(has) {
            return None;
        }
        self.rest = &self.rest[length + 1..];
        Some(())
    }
}
