//! A listing read in pieces is the listing read whole.

use super::{Basis, Breach, Invariant};
use crate::session::{Content, Listing, Needs, Outcome};
use crate::target::file_kind;

/// Reads at successive offsets within one open see one file.
pub const INVARIANT: Invariant = Invariant {
    name: "chunked_equals_whole",
    cites: "read(9P): reads at successive offsets see the one file (the script's chunked_equals_whole)",
    basis: Basis::Protocol,
    needs: Needs { listing: true, undisturbed: true, ..Needs::NOTHING },
    false_positive: "a file that is made anew at offset 0 and changed by itself between the two reads",
    check,
};

/// How much of a listing is shown, in bytes.
const SHOWN_BYTES: usize = 200;

fn check(outcome: &Outcome) -> Option<Breach> {
    let Listing { path, count, content } = outcome.listing.as_ref()?;
    let detail = match content {
        Content::File(whole, pieces) if whole != pieces => {
            format!("whole {}, in pieces {}", start(whole), start(pieces))
        }
        Content::Directory(whole, pieces) if whole != pieces => {
            format!("whole {whole:?}, in pieces {pieces:?}")
        }
        _ => return None,
    };
    let kind = file_kind(path);
    Some(Breach {
        why: format!("{kind} read in pieces is not {kind} read whole"),
        detail: format!("{path}, {count} bytes a piece: {detail}"),
    })
}

fn start(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes[..bytes.len().min(SHOWN_BYTES)].escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(content: Content) -> Outcome {
        let listing = Listing { path: "/pane/3/tag".into(), count: 7, content };
        Outcome { listing: Some(listing), ..Outcome::default() }
    }

    #[test]
    fn the_same_is_fine_and_anything_else_is_not() {
        let file = |whole: &'static str, pieces: &'static str| {
            check(&listing(Content::File(whole.into(), pieces.into())))
        };
        assert_eq!(file("abc", "abc"), None);
        assert_eq!(
            file("abc", "ac").unwrap().why,
            "/pane/N/tag read in pieces is not /pane/N/tag read whole"
        );
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let directory =
            |whole, pieces| check(&listing(Content::Directory(names(whole), names(pieces))));
        assert_eq!(directory(&["a", "b"], &["a", "b"]), None);
        assert!(directory(&["a", "b"], &["b", "a"]).is_some());
        assert!(directory(&["a", "b"], &["a"]).is_some());
        assert_eq!(check(&Outcome::default()), None);
    }
}
