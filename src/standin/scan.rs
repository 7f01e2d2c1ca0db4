//! Reads the language of addresses and Edit commands rune by rune.

/// A text and how far it is read.
#[derive(Debug)]
pub struct Scan {
    runes: Vec<char>,
    at: usize,
}

impl Scan {
    /// The beginning of `text`.
    pub fn new(text: &str) -> Self {
        Scan { runes: text.chars().collect(), at: 0 }
    }

    /// The next rune, left where it is.
    pub fn peek(&self) -> Option<char> {
        self.runes.get(self.at).copied()
    }

    /// The rune after the next.
    pub fn peek_second(&self) -> Option<char> {
        self.runes.get(self.at + 1).copied()
    }

    /// Takes the next rune.
    pub fn next(&mut self) -> Option<char> {
        let rune = self.peek()?;
        self.at += 1;
        Some(rune)
    }

    /// Takes the next rune if it is `rune`.
    pub fn take(&mut self, rune: char) -> bool {
        let is = self.peek() == Some(rune);
        self.at += usize::from(is);
        is
    }

    /// Passes over blanks and tabs.
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    /// Passes over blanks, tabs and newlines.
    pub fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// A decimal number, if one is next; one that is too large to be true stays so.
    pub fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let so_far: usize = number.unwrap_or(0);
            number = Some(so_far.saturating_mul(10).saturating_add(digit as usize));
            self.at += 1;
        }
        number
    }

    /// The rest of the line, its newline taken and left out.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        while let Some(rune) = self.next() {
            if rune == '\n' {
                break;
            }
            line.push(rune);
        }
        line
    }

    /// Whether everything is read.
    pub fn is_done(&self) -> bool {
        self.at >= self.runes.len()
    }

    /// A regular expression up to its delimiter, which is taken; a newline or the end will do.
    /// A backslash before the delimiter is taken off, others stay for the expression itself.
    pub fn pattern(&mut self, delimiter: char) -> String {
        let mut pattern = String::new();
        while let Some(rune) = self.peek() {
            if rune == '\n' {
                break;
            }
            self.at += 1;
            match rune {
                c if c == delimiter => break,
                '\\' => match self.peek() {
                    Some(c) if c == delimiter => {
                        // The delimiter as a literal, even if it is an operator besides.
                        self.at += 1;
                        if !c.is_alphanumeric() && c != '/' {
                            pattern.push('\\');
                        }
                        pattern.push(c);
                    }
                    Some('\n') | None => pattern.push('\\'),
                    Some(c) => {
                        self.at += 1;
                        pattern.push('\\');
                        pattern.push(c);
                    }
                },
                c => pattern.push(c),
            }
        }
        pattern
    }
}
