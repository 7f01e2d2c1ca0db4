//! What a program prints to a terminal, as the text of a body: control sequences are left out.

use super::runes::Partial;

/// How far inside a control sequence the output is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// `ESC [`, up to a letter.
    Control,
    /// `ESC ]`, up to BEL or `ESC \`.
    Title,
    TitleEscape,
}

/// Turns output into text, piece by piece.
#[derive(Debug, Default)]
pub struct Printed {
    partial: Partial,
    state: State,
}

impl Printed {
    /// The text of the next piece of output.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        for rune in self.partial.push(bytes).chars() {
            if let Some(rune) = self.next(rune) {
                text.push(rune);
            }
        }
        text
    }

    fn next(&mut self, rune: char) -> Option<char> {
        self.state = match (self.state, rune) {
            (State::Text, '\x1b') => State::Escape,
            (State::Text, '\n' | '\t') => return Some(rune),
            (State::Text, c) if c.is_ascii_control() => return None,
            (State::Text, c) => return Some(c),
            (State::Escape, '[') => State::Control,
            (State::Escape, ']') => State::Title,
            (State::Escape, _) => State::Text,
            (State::Control, '@'..='~') => State::Text,
            (State::Control, _) => State::Control,
            (State::Title, '\x07') => State::Text,
            (State::Title, '\x1b') => State::TitleEscape,
            (State::Title, _) => State::Title,
            (State::TitleEscape, _) => State::Text,
        };
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_are_left_out_wherever_output_is_cut() {
        let output = b"\x1b[1mbold\x1b[0m\r\n\x1b]0;title\x07a\x08b\x07 \xe6\x97\xa5\n";
        for cut in 0..output.len() {
            let mut printed = Printed::default();
            let text = printed.push(&output[..cut]) + &printed.push(&output[cut..]);
            assert_eq!(text, "bold\nab 日\n", "cut at {cut}");
        }
    }
}
