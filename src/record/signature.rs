//! What makes two failures the same bug.

use once_cell::sync::Lazy;
use regex::Regex;
use sha1::{Digest as _, Sha1};

/// The longest reason a signature holds, in characters.
const REASON_CHARS: usize = 300;
/// The length of a signature's hash in names, in hexadecimal digits.
const HASH_DIGITS: usize = 8;

fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant")
}

static DOUBLE: Lazy<Regex> = Lazy::new(|| constant("\"[^\"]*\""));
static SINGLE: Lazy<Regex> = Lazy::new(|| constant("'[^']*'"));
static HOME: Lazy<Regex> = Lazy::new(|| constant(r"/home/\S*"));
static ADDRESS: Lazy<Regex> = Lazy::new(|| constant("0x[0-9a-fA-F]+"));
static NUMBER: Lazy<Regex> = Lazy::new(|| constant(r"\d+"));

/// The kind and the reason, blurred: the same function as the script's that came before, so that
/// the records of both fall together.
pub fn signature(kind: &str, why: &str) -> String {
    let reason: String = blur(why).chars().take(REASON_CHARS).collect();
    format!("{kind}:{reason}")
}

/// A text without what differs from one occurrence to the next: numbers, quoted words, paths.
pub fn blur(text: &str) -> String {
    let text = DOUBLE.replace_all(text, "\"\"");
    // A list of log records is full of lone apostrophes.
    let text = match text.contains("window=") {
        true => text,
        false => SINGLE.replace_all(&text, "''").into_owned().into(),
    };
    let text = HOME.replace_all(&text, "PATH");
    // An address differs in its letters too.
    let text = ADDRESS.replace_all(&text, "N");
    NUMBER.replace_all(&text, "N").into_owned()
}

/// A signature's hash: the first digits of its SHA-1.
pub fn hash(signature: &str) -> String {
    let digest = Sha1::digest(signature.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..HASH_DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_blurred() {
        for (why, want) in [
            ("pane 12 of 7", "k:pane N of N"),
            ("a \"b c\" d 'e' f", "k:a \"\" d '' f"),
            ("it's window=['a'] 3", "k:it's window=['a'] N"),
            ("at /tmp/x/home/m9p.dump: no", "k:at /tmp/xPATH no"),
            ("at 0x7f3a1b2c and 0xFE", "k:at N and N"),
        ] {
            assert_eq!(signature("k", why), want);
        }
        assert_eq!(signature("k", &"é".repeat(400)).chars().count(), 302);
        assert_eq!(hash("crash:x"), "105c9bc1");
    }
}
