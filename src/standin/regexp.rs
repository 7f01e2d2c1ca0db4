//! Plan 9 regular expressions (regexp(7)) on engines that take linear time.
//!
//! sam matches the leftmost longest text. `regex` finds where the leftmost match begins, but among
//! alternatives it takes the first; how far the longest goes from there, an automaton says that
//! follows all alternatives at once. What `\1` to `\9` quote is of the first, not of the longest.

use std::cell::RefCell;
use std::rc::Rc;

use regex::{Regex, RegexBuilder};
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::limits::{REGEXP_BYTES, REGEXP_RUNES, REGEXPS_KEPT};
use super::plants::Defect;
use super::refusal::{Done, refuse};

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Regexp {
    regex: Regex,
    longest: Option<Rc<Longest>>,
}

/// Finds how far the longest match from a place goes.
#[derive(Debug)]
struct Longest {
    automaton: DFA,
    cache: RefCell<Cache>,
}

impl Regexp {
    /// Compiles `pattern`, its delimiters already taken off.
    pub fn new(pattern: &str) -> Done<Regexp> {
        if pattern.chars().count() > REGEXP_RUNES {
            return refuse!("regular expression longer than {REGEXP_RUNES} runes");
        }
        let translated = translate(pattern)?;
        let regex = RegexBuilder::new(&translated)
            .multi_line(true)
            .size_limit(REGEXP_BYTES)
            .dfa_size_limit(REGEXP_BYTES)
            .build()
            .map_err(|why| reason(&why))?;
        // Without one of these there is but one way to match.
        let choices = pattern.contains(['|', '*', '+', '?']);
        let longest = if choices { Longest::new(&translated).map(Rc::new) } else { None };
        Ok(Regexp { regex, longest })
    }

    /// The first match at or after the byte `from`, as byte offsets.
    pub fn find_at(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let first = self.regex.find_at(text, from)?;
        let longest = self.longest.as_ref().and_then(|longest| longest.end(text, first.start()));
        Some((first.start(), longest.unwrap_or(first.end())))
    }

    /// The last match that ends at or before the byte `to`.
    pub fn find_before(&self, text: &str, to: usize) -> Option<(usize, usize)> {
        let text = &text[..to];
        let mut last = None;
        let mut from = 0;
        while let Some((b0, b1)) = self.find_at(text, from) {
            last = Some((b0, b1));
            from = b1;
            if b0 == b1 {
                let Some(rune) = text[b1..].chars().next() else { break };
                from += rune.len_utf8();
            }
        }
        last
    }

    /// Whether `text` holds a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The parts of the match from `b0` to `b1`, itself first.
    pub fn groups(&self, text: &str, (b0, b1): (usize, usize)) -> Vec<Option<(usize, usize)>> {
        let found = self.regex.captures_at(text, b0);
        let parts = found.iter().flat_map(|found| found.iter().skip(1));
        let parts = parts.map(|part| part.map(|m| (m.start(), m.end())));
        std::iter::once(Some((b0, b1))).chain(parts).collect()
    }
}

impl Longest {
    /// Nothing if the automaton is too big: the first alternative will do then.
    fn new(translated: &str) -> Option<Longest> {
        let automaton = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(REGEXP_BYTES)
                    .skip_cache_capacity_check(true),
            )
            .syntax(syntax::Config::new().multi_line(true))
            .thompson(thompson::Config::new().nfa_size_limit(Some(REGEXP_BYTES)))
            .build(translated)
            .ok()?;
        let cache = RefCell::new(automaton.create_cache());
        Some(Longest { automaton, cache })
    }

    /// Where the longest match from the byte `from` ends.
    fn end(&self, text: &str, from: usize) -> Option<usize> {
        let input = Input::new(text).range(from..).anchored(Anchored::Yes);
        let found = self.automaton.try_search_fwd(&mut self.cache.borrow_mut(), &input);
        found.ok().flatten().map(|end| end.offset())
    }
}

/// The expressions of a session: the empty one stands for the last that was used, and a loop
/// that uses one again and again compiles it once.
#[derive(Debug, Default)]
pub struct Patterns {
    /// The last ones used, the latest at the end.
    recent: Vec<(String, Regexp)>,
    plant: Option<Defect>,
}

impl Patterns {
    /// None used yet.
    pub fn new(plant: Option<Defect>) -> Self {
        Patterns { recent: Vec::new(), plant }
    }

    /// Compiles `pattern`, or the last one again if it is empty.
    pub fn compile(&mut self, pattern: &str) -> Done<Regexp> {
        if pattern.is_empty() {
            let last = self.recent.last().ok_or("no regular expression was used before")?;
            return Ok(last.1.clone());
        }
        let known = self.recent.iter().position(|(text, _)| text == pattern);
        let entry = match known {
            Some(at) => self.recent.remove(at),
            None => (pattern.to_string(), self.compile_new(pattern)?),
        };
        let regexp = entry.1.clone();
        self.recent.push(entry);
        if self.recent.len() > REGEXPS_KEPT {
            self.recent.remove(0);
        }
        Ok(regexp)
    }

    fn compile_new(&self, pattern: &str) -> Done<Regexp> {
        let regexp = Regexp::new(pattern);
        let odd = regexp.is_err() && pattern.contains('[');
        assert!(!odd || self.plant != Some(Defect::CrashOnRegex), "index past the class");
        regexp
    }
}

/// Plan 9's notation in the engine's.
fn translate(pattern: &str) -> Done<String> {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut runes = pattern.chars().peekable();
    let mut operand = false;
    while let Some(rune) = runes.next() {
        if matches!(rune, '*' | '+' | '?') && !operand {
            return refuse!("regular expression has a {rune} with nothing before it");
        }
        operand = !matches!(rune, '(' | '|');
        match rune {
            '\\' => match runes.next() {
                None => return Err("regular expression ends in a backslash".into()),
                Some('n') => out.push_str("\\n"),
                Some(literal) => push_literal(&mut out, literal),
            },
            '[' => push_class(&mut out, &mut runes)?,
            '.' | '*' | '+' | '?' | '(' | ')' | '|' | '^' | '$' => out.push(rune),
            literal => push_literal(&mut out, literal),
        }
    }
    Ok(out)
}

fn push_literal(out: &mut String, rune: char) {
    out.push_str(&regex::escape(rune.encode_utf8(&mut [0; 4])));
}

fn push_class(out: &mut String, runes: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Done {
    let negated = runes.next_if_eq(&'^').is_some();
    // A negated class never matches a newline.
    out.push_str(if negated { "[^\\n" } else { "[" });
    let mut empty = true;
    loop {
        let first = match runes.next() {
            None => return Err("regular expression has a [ without its ]".into()),
            Some(']') => break,
            Some(rune) => class_rune(rune, runes)?,
        };
        empty = false;
        push_class_rune(out, first);
        if runes.peek() != Some(&'-') {
            continue;
        }
        runes.next();
        let last = match runes.next() {
            None | Some(']') => return Err("regular expression has a range without its end".into()),
            Some(rune) => class_rune(rune, runes)?,
        };
        if last < first {
            return Err("regular expression has a range out of order".into());
        }
        out.push('-');
        push_class_rune(out, last);
    }
    if empty {
        return Err("regular expression has an empty class".into());
    }
    out.push(']');
    Ok(())
}

fn class_rune(rune: char, runes: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Done<char> {
    if rune != '\\' {
        return Ok(rune);
    }
    match runes.next() {
        None => Err("regular expression ends in a backslash".into()),
        Some('n') => Ok('\n'),
        Some(literal) => Ok(literal),
    }
}

fn push_class_rune(out: &mut String, rune: char) {
    out.push_str(&format!("\\x{{{:x}}}", u32::from(rune)));
}

fn reason(why: &regex::Error) -> String {
    match why {
        regex::Error::CompiledTooBig(_) => "regular expression is too big".into(),
        // The engine draws the place over several lines; its last line says what is wrong.
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!("regular expression: {}", last.trim_start_matches("error: "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(pattern: &str, text: &str) -> Option<String> {
        let (from, to) = Regexp::new(pattern).unwrap().find_at(text, 0)?;
        Some(text[from..to].to_string())
    }

    #[test]
    fn what_is_no_operator_in_plan_9_is_a_literal() {
        assert_eq!(found("a{2}", "a{2}").as_deref(), Some("a{2}"));
        assert_eq!(found("\\d", "5d").as_deref(), Some("d"));
        assert_eq!(found("a&&b~", "a&&b~").as_deref(), Some("a&&b~"));
        assert!(Regexp::new("(?i)x").is_err());
    }

    #[test]
    fn the_longest_of_the_leftmost_is_matched() {
        assert_eq!(found("a|ab", "xab").as_deref(), Some("ab"));
        assert_eq!(found("(a|ab)(c|bcd)", "abcd").as_deref(), Some("abcd"));
        assert_eq!(found("a?(ab)?", "ab").as_deref(), Some("ab"));
        assert_eq!(found("b|ab", "ab").as_deref(), Some("ab"));
        assert_eq!(found("x*", "ax").as_deref(), Some(""));
        let regexp = Regexp::new("(a|ab)(c|bcd)?").unwrap();
        assert_eq!(regexp.find_before("abcd ab", 7), Some((5, 7)));
        assert_eq!(regexp.groups("abcd", (0, 4))[0], Some((0, 4)));
        assert_eq!(Regexp::new("^b|^$").unwrap().find_at("ab\n\nb", 1), Some((3, 3)));
    }

    #[test]
    fn classes_are_plan_9s() {
        assert_eq!(found("[^ab]+", "ab\ncd\n").as_deref(), Some("cd"));
        assert_eq!(found("[a\\]]+", "]a").as_deref(), Some("]a"));
        assert_eq!(found("[[&~]+", "~[&").as_deref(), Some("~[&"));
        assert_eq!(found("[\\n]", "a\nb").as_deref(), Some("\n"));
        for bad in ["[", "[]", "[a-", "[z-a]", "[a-]", "a\\", "(", "*"] {
            assert!(Regexp::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lines_have_beginnings_and_ends() {
        assert_eq!(found("^b$", "a\nb\nc").as_deref(), Some("b"));
        assert_eq!(found("a.b", "a\nb"), None);
    }

    #[test]
    fn a_pattern_that_would_blow_up_is_refused_or_linear() {
        let deep = "(".repeat(3_000) + "a" + &")".repeat(3_000);
        assert!(Regexp::new(&deep).is_err());
        let slow = Regexp::new("(a*)*b").unwrap();
        assert!(!slow.is_match(&"a".repeat(100_000)));
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in ".{0,40}", text in ".{0,40}") {
            if let Ok(regexp) = Regexp::new(&pattern) {
                regexp.find_at(&text, 0);
                regexp.find_before(&text, text.len());
            }
        }
    }
}
