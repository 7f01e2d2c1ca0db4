//! sam's addresses: parsing them, and finding what they name in a text.

use ropey::Rope;

use super::limits::EDIT_DEPTH;
use super::refusal::{Done, refuse};
use super::regexp::{Patterns, Regexp};
use super::scan::Scan;

/// A substring, in runes; `q0 <= q1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Where it begins.
    pub q0: usize,
    /// Where it ends.
    pub q1: usize,
}

impl Range {
    /// From `q0` to `q1`.
    pub fn new(q0: usize, q1: usize) -> Self {
        Range { q0, q1 }
    }

    /// The null string at `q`.
    pub fn at(q: usize) -> Self {
        Range { q0: q, q1: q }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.q0 == self.q1
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            write!(f, "#{}", self.q0)
        } else {
            write!(f, "#{},#{}", self.q0, self.q1)
        }
    }
}

/// A parsed address.
#[derive(Clone, Debug)]
pub enum Address {
    /// One of the simple ones.
    Simple(Simple),
    /// `a1+a2` and `a1-a2`; what is missing is dot, or one line.
    Relative(Option<Box<Address>>, bool, Option<Simple>),
    /// `a1,a2`, and `a1;a2` which sets dot to `a1` in between.
    Pair(Option<Box<Address>>, bool, Option<Box<Address>>),
}

/// An address of one part.
#[derive(Clone, Debug)]
pub enum Simple {
    /// `#n`
    Rune(usize),
    /// `n`
    Line(usize),
    /// `n:c`, the rune `c` of line `n`
    Column(usize, usize),
    /// `/re/`, or `?re?` which looks backwards
    Search(String, bool),
    /// `.`
    Dot,
    /// `$`
    End,
    /// `'`
    Mark,
}

/// What addresses are relative to.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The text.
    pub text: &'a Rope,
    /// The selection.
    pub dot: Range,
    /// What `'` names.
    pub mark: Range,
    /// The part of the text that searches look at.
    pub limit: Option<Range>,
    /// The regular expressions used before.
    pub patterns: &'a mut Patterns,
}

impl Address {
    /// Parses a text that is one address and nothing else; the empty one is dot.
    pub fn parse(text: &str) -> Done<Address> {
        let mut scan = Scan::new(text.trim_matches(['\n', '\r', ' ', '\t']));
        let address = Address::scan(&mut scan)?.unwrap_or(Address::Simple(Simple::Dot));
        scan.skip_blanks();
        if !scan.is_done() {
            return Err("bad address syntax".into());
        }
        Ok(address)
    }

    /// Parses as much as is an address; nothing if there is none.
    pub fn scan(scan: &mut Scan) -> Done<Option<Address>> {
        compound(scan, 0)
    }

    /// What the address names in `scope`.
    pub fn find(&self, scope: &mut Scope<'_>) -> Done<Range> {
        match self {
            Address::Simple(simple) => find(simple, scope, None),
            Address::Relative(left, back, right) => {
                let from = match left {
                    Some(left) => left.find(scope)?,
                    None => scope.dot,
                };
                let right = right.as_ref().unwrap_or(&Simple::Line(1));
                find(right, scope, Some((from, *back)))
            }
            Address::Pair(left, sets_dot, right) => {
                let from = match left {
                    Some(left) => left.find(scope)?,
                    None => Range::at(0),
                };
                if *sets_dot {
                    scope.dot = from;
                }
                let to = match right {
                    Some(right) => right.find(scope)?,
                    None => Range::at(scope.text.len_chars()),
                };
                if from.q0 > to.q1 {
                    return Err("addresses out of order".into());
                }
                Ok(Range::new(from.q0, to.q1))
            }
        }
    }
}

fn compound(scan: &mut Scan, depth: usize) -> Done<Option<Address>> {
    if depth > EDIT_DEPTH {
        return refuse!("address nests deeper than {EDIT_DEPTH}");
    }
    let left = relative(scan)?;
    scan.skip_blanks();
    let sets_dot = match scan.peek() {
        Some(',') => false,
        Some(';') => true,
        _ => return Ok(left),
    };
    scan.next();
    let right = compound(scan, depth + 1)?;
    Ok(Some(Address::Pair(left.map(Box::new), sets_dot, right.map(Box::new))))
}

fn relative(scan: &mut Scan) -> Done<Option<Address>> {
    scan.skip_blanks();
    let mut left = simple(scan)?.map(Address::Simple);
    for depth in 0.. {
        scan.skip_blanks();
        let back = match scan.peek() {
            Some('+') => Some(false),
            Some('-') => Some(true),
            _ => None,
        };
        if back.is_some() {
            scan.next();
            scan.skip_blanks();
        }
        let right = if back.is_some() || left.is_some() { simple(scan)? } else { None };
        if back.is_none() && right.is_none() {
            break;
        }
        if depth > EDIT_DEPTH {
            return refuse!("address nests deeper than {EDIT_DEPTH}");
        }
        left = Some(Address::Relative(left.map(Box::new), back.unwrap_or(false), right));
    }
    Ok(left)
}

fn simple(scan: &mut Scan) -> Done<Option<Simple>> {
    let Some(rune) = scan.peek() else { return Ok(None) };
    let simple = match rune {
        '#' => {
            scan.next();
            Simple::Rune(scan.number().unwrap_or(1))
        }
        '0'..='9' => {
            let line = scan.number().unwrap_or(0);
            let column =
                scan.peek() == Some(':') && scan.peek_second().is_some_and(|c| c.is_ascii_digit());
            if column {
                scan.next();
                Simple::Column(line, scan.number().unwrap_or(0))
            } else {
                Simple::Line(line)
            }
        }
        '/' | '?' => {
            scan.next();
            Simple::Search(scan.pattern(rune), rune == '?')
        }
        '.' => {
            scan.next();
            Simple::Dot
        }
        '$' => {
            scan.next();
            Simple::End
        }
        '\'' => {
            scan.next();
            Simple::Mark
        }
        '"' => return Err("addresses in other files are not served".into()),
        _ => return Ok(None),
    };
    Ok(Some(simple))
}

/// What `simple` names; `from` is what it is relative to, and whether backwards.
fn find(simple: &Simple, scope: &mut Scope<'_>, from: Option<(Range, bool)>) -> Done<Range> {
    let end = scope.text.len_chars();
    match *simple {
        Simple::Rune(n) => {
            let q = match from {
                None => Some(n),
                Some((range, false)) => range.q1.checked_add(n),
                Some((range, true)) => range.q0.checked_sub(n),
            };
            let q = q.filter(|q| *q <= end).ok_or("address out of range")?;
            Ok(Range::at(q))
        }
        Simple::Line(n) => match from {
            None => line_ahead(scope.text, n, 0),
            Some((range, false)) => line_ahead(scope.text, n, range.q1),
            Some((range, true)) => line_back(scope.text, n, range.q0),
        },
        Simple::Column(line, column) => {
            let line = line_ahead(scope.text, line, 0)?;
            let q = line.q0.saturating_add(column.saturating_sub(1));
            if q > line.q1 {
                return Err("address out of range".into());
            }
            Ok(Range::at(q))
        }
        Simple::Search(ref pattern, backwards) => {
            let (range, back) = from.unwrap_or((scope.dot, false));
            search(scope, pattern, range, back != backwards)
        }
        Simple::Dot => Ok(scope.dot),
        Simple::End => Ok(Range::at(end)),
        Simple::Mark => Ok(scope.mark),
    }
}

/// The `n`-th line from the rune `p` on, sam's way: from within a line, that line's end is first.
fn line_ahead(text: &Rope, n: usize, p: usize) -> Done<Range> {
    let end = text.len_chars();
    if n == 0 {
        if p == 0 {
            return Ok(Range::at(0));
        }
        let at_start = text.char(p - 1) == '\n';
        return Ok(Range::new(p, if at_start { p } else { line_end(text, p) }));
    }
    let at_start = p == 0 || text.char(p - 1) == '\n';
    let newlines = n - usize::from(at_start);
    let line = text.char_to_line(p).saturating_add(newlines);
    if line >= text.len_lines() {
        return Err("address out of range".into());
    }
    let q0 = if newlines == 0 { p } else { text.line_to_char(line) };
    Ok(Range::new(q0, if q0 == end { end } else { line_end(text, q0) }))
}

/// The `n`-th line before the rune `p`.
fn line_back(text: &Rope, n: usize, p: usize) -> Done<Range> {
    let line = text.char_to_line(p);
    if n == 0 {
        return Ok(Range::new(text.line_to_char(line), p));
    }
    if n > line + 1 {
        return Err("address out of range".into());
    }
    if n == line + 1 {
        return Ok(Range::at(0));
    }
    Ok(Range::new(text.line_to_char(line - n), text.line_to_char(line - n + 1)))
}

fn line_end(text: &Rope, p: usize) -> usize {
    let line = text.char_to_line(p) + 1;
    if line >= text.len_lines() { text.len_chars() } else { text.line_to_char(line) }
}

fn search(scope: &mut Scope<'_>, pattern: &str, from: Range, back: bool) -> Done<Range> {
    let regexp = scope.patterns.compile(pattern)?;
    let end = scope.text.len_chars();
    let limit = scope.limit.unwrap_or(Range::new(0, end));
    let limit = Range::new(limit.q0.min(end), limit.q1.min(end));
    let within = scope.text.slice(limit.q0..limit.q1);
    let text = within.to_string();
    let byte = |q: usize| within.char_to_byte(q.clamp(limit.q0, limit.q1) - limit.q0);
    let found = if back {
        before(&regexp, &text, byte(from.q0))
    } else {
        after(&regexp, &text, byte(from.q1))
    };
    let (b0, b1) = found.ok_or("no match for regular expression")?;
    Ok(Range::new(limit.q0 + within.byte_to_char(b0), limit.q0 + within.byte_to_char(b1)))
}

/// The next match, around the end if need be; a null one just where the search begins is passed by.
fn after(regexp: &Regexp, text: &str, from: usize) -> Option<(usize, usize)> {
    let found = regexp.find_at(text, from);
    let found = match found {
        Some((b0, b1)) if b0 == b1 && b0 == from => {
            let step = text[from..].chars().next().map_or(0, char::len_utf8);
            let next = if step == 0 { 0 } else { from + step };
            regexp.find_at(text, next)
        }
        other => other,
    };
    found.or_else(|| regexp.find_at(text, 0))
}

fn before(regexp: &Regexp, text: &str, to: usize) -> Option<(usize, usize)> {
    let found = regexp.find_before(text, to);
    let found = match found {
        Some((b0, b1)) if b0 == b1 && b1 == to => {
            let step = text[..to].chars().next_back().map_or(0, char::len_utf8);
            let next = if step == 0 { text.len() } else { to - step };
            regexp.find_before(text, next)
        }
        other => other,
    };
    found.or_else(|| regexp.find_before(text, text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "alpha beta\nsecond\n\nlast";

    fn eval(address: &str, dot: Range) -> Done<Range> {
        let text = Rope::from_str(TEXT);
        let mut patterns = Patterns::default();
        let mark = Range::new(6, 10);
        let mut scope = Scope { text: &text, dot, mark, limit: None, patterns: &mut patterns };
        Address::parse(address)?.find(&mut scope)
    }

    fn named(address: &str) -> String {
        match eval(address, Range::new(11, 17)) {
            Ok(range) => range.to_string(),
            Err(_) => "refused".into(),
        }
    }

    #[test]
    fn addresses_name_what_sam_says() {
        for (address, range) in [
            ("0", "#0"),
            ("1", "#0,#11"),
            ("2", "#11,#18"),
            ("3", "#18,#19"),
            ("4", "#19,#23"),
            ("5", "refused"),
            ("$", "#23"),
            (".", "#11,#17"),
            ("'", "#6,#10"),
            ("", "#11,#17"),
            ("#3", "#3"),
            ("#3,#5", "#3,#5"),
            ("#24", "refused"),
            (",", "#0,#23"),
            ("2,1", "#11"),
            ("3,1", "refused"),
            ("1,$", "#0,#23"),
            ("+", "#18,#19"),
            ("-", "#0,#11"),
            ("-2", "#0"),
            ("-3", "refused"),
            ("+#1", "#18"),
            ("-#1", "#10"),
            ("#99999", "refused"),
            ("/a/", "#20,#21"),
            ("?a?", "#9,#10"),
            ("-/a/", "#9,#10"),
            ("0/a/", "#0,#1"),
            ("0/a//a/", "#4,#5"),
            ("/zz/", "refused"),
            ("/[/", "refused"),
            ("1;/b/", "#0,#7"),
            ("2:3", "#13"),
            ("2:99", "refused"),
            ("1:1", "#0"),
            ("0:0", "#0"),
            ("3x", "refused"),
            ("garbage", "refused"),
            ("+-", "#11,#18"),
            ("-+", "#11,#18"),
            ("//", "refused"),
            ("99999999999999999999999", "refused"),
        ] {
            assert_eq!(named(address), range, "{address}");
        }
    }

    #[test]
    fn a_limit_keeps_searches_inside() {
        let text = Rope::from_str(TEXT);
        let limit = Some(Range::new(11, 17));
        let mut patterns = Patterns::default();
        let mut scope = Scope {
            text: &text,
            dot: Range::at(0),
            mark: Range::at(0),
            limit,
            patterns: &mut patterns,
        };
        let found = Address::parse("/o/").unwrap().find(&mut scope).unwrap();
        assert_eq!(found, Range::new(14, 15));
        assert!(Address::parse("/l/").unwrap().find(&mut scope).is_err());
    }

    proptest! {
        #[test]
        fn no_address_panics_or_leaves_the_text(
            address in "[0-9#/?.,;+$':ab\\[\\]*^ -]{0,16}", q0 in 0usize..24, len in 0usize..24,
        ) {
            let q0 = q0.min(23);
            let dot = Range::new(q0, (q0 + len).min(23));
            if let Ok(found) = eval(&address, dot) {
                prop_assert!(found.q0 <= found.q1 && found.q1 <= 23);
            }
        }
    }
}
