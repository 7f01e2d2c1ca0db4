//! The steps of a script of raw messages in words.

use super::{opened, shown};
use crate::ops::{Latin1, WireStep, wire_verb};
use crate::wire::msg::{NOFID, NOTAG, Tmsg};

/// One step.
pub(super) fn tell_step(step: &WireStep) -> String {
    match step {
        WireStep::Send { tag, cut, message } => {
            let tag = match tag {
                None => String::new(),
                Some(NOTAG) => ", tag NOTAG".into(),
                Some(tag) => format!(", tag {tag}"),
            };
            let cut = cut.map_or(String::new(), |cut| format!(", pausing after {cut} bytes"));
            format!("T{}{}{tag}{cut}", wire_verb(message), tell_message(message))
        }
        WireStep::Raw { bytes } => format!("the bytes {}", shown(bytes)),
        WireStep::Wait => "wait for the answers".into(),
        WireStep::Hangup => "hang up".into(),
    }
}

fn tell_message(message: &Tmsg) -> String {
    match message {
        Tmsg::Version { msize, version } => format!(" {} with msize {msize}", shown(version)),
        Tmsg::Auth { afid, .. } => format!(" as fid {}", fid(*afid)),
        Tmsg::Attach { fid: new, afid, .. } => {
            let afid = if *afid == NOFID { String::new() } else { format!(", afid {afid}") };
            format!(" as fid {}{afid}", fid(*new))
        }
        Tmsg::Flush { oldtag } => format!(" of tag {oldtag}"),
        Tmsg::Walk { fid: from, newfid, names } => {
            let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
            let names = if names.is_empty() { "no names".into() } else { names.join(", ") };
            format!(" from fid {} to fid {} by {names}", fid(*from), fid(*newfid))
        }
        Tmsg::Open { fid: of, mode } => format!(" of fid {} {}", fid(*of), opened(*mode)),
        Tmsg::Create { fid: of, name, perm, .. } => {
            format!(" of {} in fid {}, permissions {perm:o}", shown(name), fid(*of))
        }
        Tmsg::Read { fid: of, offset, count } => {
            format!(" of {count} bytes of fid {} at {offset}", fid(*of))
        }
        Tmsg::Write { fid: of, offset, data } => {
            format!(" of {} to fid {} at {offset}", shown(&Latin1(data.to_vec())), fid(*of))
        }
        Tmsg::Clunk { fid: of } | Tmsg::Remove { fid: of } | Tmsg::Stat { fid: of } => {
            format!(" of fid {}", fid(*of))
        }
        Tmsg::Wstat { fid: of, .. } => format!(" of fid {} that asks for no change", fid(*of)),
    }
}

fn fid(fid: u32) -> String {
    if fid == NOFID { "NOFID".into() } else { fid.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_as_messages() {
        let names = vec!["pane".into(), "{p0}".into()];
        let walk = Tmsg::Walk { fid: 1, newfid: NOFID, names };
        let step = WireStep::Send { tag: Some(3), cut: Some(5), message: walk };
        assert_eq!(
            tell_step(&step),
            "Twalk from fid 1 to fid NOFID by \"pane\", \"{p0}\", tag 3, pausing after 5 bytes"
        );
        let flush = WireStep::send(Tmsg::Flush { oldtag: 3 });
        assert_eq!(tell_step(&flush), "Tflush of tag 3");
        let raw = WireStep::Raw { bytes: vec![3, 0, 0, 0].into() };
        assert_eq!(tell_step(&raw), "the bytes \"\\x03\\x00\\x00\\x00\"");
    }
}
