//! `s`: what each match is replaced by.

use super::text::{Matches, Text};
use crate::standin::address::Range;
use crate::standin::limits::EDIT_CHANGES;
use crate::standin::refusal::{Done, refuse};
use crate::standin::regexp::Regexp;

/// The replacements in `range`: of the match number `which`, and with `all` of those after it.
pub fn substitute(
    text: &Text,
    range: Range,
    regexp: &Regexp,
    replacement: &str,
    which: usize,
    all: bool,
) -> Done<Vec<(Range, String)>> {
    let mut found = Vec::new();
    let mut matches = Matches::new(text, range);
    let within = &text.whole[..matches.end()];
    let with_parts = replacement.contains('\\');
    let mut number = 0;
    while let Some((b0, b1)) = matches.next(regexp) {
        number += 1;
        if number < which {
            continue;
        }
        if found.len() >= EDIT_CHANGES {
            return refuse!("Edit makes more than {EDIT_CHANGES} changes");
        }
        // Finding the parts of a match costs more than finding the match.
        let groups = match with_parts {
            true => regexp.groups(within, (b0, b1)),
            false => vec![Some((b0, b1))],
        };
        found.push((text.range(b0, b1), expand(replacement, within, &groups)));
        if !all {
            break;
        }
    }
    Ok(found)
}

/// `&` is the match, `\1` to `\9` its parts, `\n` a newline; another backslash quotes.
fn expand(replacement: &str, text: &str, groups: &[Option<(usize, usize)>]) -> String {
    let group = |n: usize| groups.get(n).copied().flatten().map_or("", |(b0, b1)| &text[b0..b1]);
    let mut out = String::new();
    let mut runes = replacement.chars();
    while let Some(rune) = runes.next() {
        match rune {
            '&' => out.push_str(group(0)),
            '\\' => match runes.next() {
                Some('n') => out.push('\n'),
                Some(digit @ '1'..='9') => {
                    out.push_str(group(digit.to_digit(10).unwrap_or(0) as usize));
                }
                Some(literal) => out.push(literal),
                None => out.push('\\'),
            },
            literal => out.push(literal),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_quote_the_match() {
        let groups = [Some((0, 3)), Some((1, 2)), None];
        assert_eq!(expand("<&>", "abc", &groups), "<abc>");
        assert_eq!(expand("\\1\\2\\&\\n\\\\", "abc", &groups), "b&\n\\");
    }
}
