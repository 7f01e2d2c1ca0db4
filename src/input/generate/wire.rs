//! Scripts of raw messages: mostly a story, then messages that collide with it.

use super::draw::{Draw, from_table};
use crate::input::weights::percent;
use crate::input::wire::{
    Script, WireCount, WireData, WireFid, WireMessage, WireMode, WireMsize, WireName, WireOffset,
    WirePath, WireRaw, WireStory, WireTag, WireVersion, WireWhat,
};

/// Messages after the story at the most.
const MESSAGES: u32 = 10;

pub fn script(draw: &mut Draw) -> Script {
    let story = match draw.percent(percent::WIRE_STORY) {
        true => draw.pick(WireStory::ALL),
        false => WireStory::Nothing,
    };
    let mut rest = Vec::new();
    for _ in 0..draw.below(MESSAGES + 1) {
        rest.push(message(draw));
        if draw.percent(percent::WIRE_WAIT) {
            rest.push(WireMessage { tag: WireTag(0), cut: None, what: WireWhat::Wait });
        }
    }
    Script { story, rest }
}

fn message(draw: &mut Draw) -> WireMessage {
    let own = draw.percent(percent::WIRE_OWN_TAG);
    WireMessage {
        tag: if own { WireTag(0) } else { from_table!(draw, WireTag) },
        cut: draw.percent(percent::WIRE_CUT).then(|| draw.byte() % 16),
        what: what(draw),
    }
}

fn what(draw: &mut Draw) -> WireWhat {
    let fid = from_table!(draw, WireFid);
    match draw.below(30) {
        0..=6 => WireWhat::Walk {
            fid: if draw.coin() { WireFid(0) } else { fid },
            newfid: from_table!(draw, WireFid),
            path: from_table!(draw, WirePath),
        },
        7..=9 => WireWhat::Open { fid, mode: from_table!(draw, WireMode) },
        10..=13 => WireWhat::Read {
            fid,
            offset: from_table!(draw, WireOffset),
            count: from_table!(draw, WireCount),
        },
        14..=15 => WireWhat::Write {
            fid,
            offset: from_table!(draw, WireOffset),
            data: from_table!(draw, WireData),
        },
        16..=17 => WireWhat::Clunk(fid),
        18 => WireWhat::Remove(fid),
        19..=20 => WireWhat::Stat(fid),
        21 => WireWhat::Wstat(fid),
        22..=23 => WireWhat::Flush { oldtag: from_table!(draw, WireTag) },
        24 => WireWhat::Attach { fid, afid: from_table!(draw, WireFid) },
        25 => WireWhat::Auth { afid: fid },
        26 => WireWhat::Version {
            msize: from_table!(draw, WireMsize),
            version: from_table!(draw, WireVersion),
        },
        27 => WireWhat::Create { fid, name: from_table!(draw, WireName) },
        28 => WireWhat::Raw(from_table!(draw, WireRaw)),
        _ if draw.percent(20) => WireWhat::Hangup,
        _ => WireWhat::Wait,
    }
}
