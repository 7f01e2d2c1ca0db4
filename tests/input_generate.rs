//! What the generator makes: everything there is, within its bounds, the same for the same seed.

use std::collections::BTreeSet;
use std::fmt::Debug;

use monkey9p::input::payload::{EditCommand, Verb};
use monkey9p::input::*;
use monkey9p::ops::Op;
use monkey9p::target::every_kind;

const SEEDS: u64 = 100;
const STEPS: usize = 500;

fn steps(seed: u64, count: usize) -> Vec<Step> {
    let mut generator = Generator::new(seed);
    (0..count).map(|_| generator.next_step()).collect()
}

fn all_steps() -> impl Iterator<Item = Step> {
    (0..SEEDS).flat_map(|seed| steps(seed, STEPS))
}

/// Names what of `wanted` does not occur among `seen`.
fn assert_all<T: Ord + Copy + Debug>(what: &str, wanted: &[T], seen: impl Iterator<Item = T>) {
    let seen: BTreeSet<T> = seen.collect();
    let missing: Vec<&T> = wanted.iter().filter(|one| !seen.contains(one)).collect();
    assert!(missing.is_empty(), "{what} that never occurred: {missing:?}");
}

#[test]
fn the_same_seed_makes_the_same_steps() {
    assert_eq!(steps(7, 300), steps(7, 300));
    assert_ne!(steps(7, 300), steps(8, 300));
}

#[test]
fn every_family_occurs() {
    let wanted: Vec<Family> =
        Family::ALL.iter().copied().filter(|&family| family != Family::Exact).collect();
    assert_all("families", &wanted, all_steps().map(|step| step.family()));
}

#[test]
fn every_file_is_read_and_every_file_is_written() {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for step in all_steps() {
        match step {
            Step::Read { place: Place::Tree(path), .. } => read.push(path),
            Step::Write { path, .. } => written.push(path),
            _ => {}
        }
    }
    for paths in [&read, &written] {
        assert_all(
            "pane files",
            PaneFile::ALL,
            paths.iter().filter_map(|path| match path {
                Path::File { file, .. } => Some(*file),
                _ => None,
            }),
        );
        assert_all(
            "root files",
            RootFile::ALL,
            paths.iter().filter_map(|path| match path {
                Path::Root(file) => Some(*file),
                _ => None,
            }),
        );
        assert_all(
            "column files",
            ColumnFile::ALL,
            paths.iter().filter_map(|path| match path {
                Path::ColumnFile { file, .. } => Some(*file),
                _ => None,
            }),
        );
        let kinds = paths.iter().map(|path| match path {
            Path::File { .. } => 0,
            Path::Dir(_) => 1,
            Path::Root(_) => 2,
            Path::ColumnFile { .. } => 3,
            Path::ColumnDir(_) => 4,
            Path::Weird { .. } => 5,
            Path::Lost(_) => 6,
        });
        assert_all("kinds of path", &[0, 1, 2, 3, 4, 5, 6], kinds);
    }
}

#[test]
fn every_reference_to_a_pane_occurs() {
    let live = |step: &Step| match step {
        Step::Write { path: Path::File { pane, .. }, .. } => Some(*pane),
        _ => None,
    };
    let panes: Vec<PaneRef> = all_steps().filter_map(|step| live(&step)).collect();
    assert!(panes.iter().any(|pane| matches!(pane, PaneRef::Gone(_))));
    assert_all(
        "impossible panes",
        ImpossiblePane::ALL,
        panes.iter().filter_map(|pane| match pane {
            PaneRef::Impossible(which) => Some(*which),
            _ => None,
        }),
    );
    let all: Vec<u8> = (0..64).collect();
    assert_all(
        "live panes",
        &all,
        panes.iter().filter_map(|pane| match pane {
            PaneRef::Live(index) => Some(*index),
            _ => None,
        }),
    );
}

#[test]
fn every_mode_and_every_chunking_occurs() {
    let mut modes = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    let mut chunkings = Vec::new();
    for step in all_steps() {
        match step {
            Step::Write { mode, chunks, .. } => {
                modes[0].push(mode);
                chunkings.push(match chunks {
                    Chunking::Whole => 0,
                    Chunking::Bytes => 1,
                    Chunking::Sizes(_) => 2,
                });
            }
            Step::Read { mode, .. } => modes[1].push(mode),
            Step::Hold { mode, .. } => modes[2].push(mode),
            Step::Create { mode, .. } => modes[3].push(mode),
            _ => {}
        }
    }
    for modes in modes {
        assert_all("modes", Mode::ALL, modes.into_iter());
    }
    assert_all("chunkings", &[0, 1, 2], chunkings.into_iter());
}

/// Every file of the tree, directories among them, in every mode.
#[test]
fn every_file_is_opened_in_every_mode() {
    let mut seen = BTreeSet::new();
    for step in all_steps() {
        let (path, mode) = match step {
            Step::Write { path, mode, .. } | Step::Hold { path, mode, .. } => (path, mode),
            Step::Read { place: Place::Tree(path), mode, .. } => (path, mode),
            _ => continue,
        };
        let file = match path {
            Path::File { file, .. } => format!("/pane/N/{}", file.value()),
            Path::Dir(_) => "/pane/N".into(),
            Path::Root(file) => format!("/{}", file.value()),
            Path::ColumnFile { file, .. } => format!("/col/N/{}", file.value()),
            Path::ColumnDir(_) => "/col/N".into(),
            Path::Weird { .. } | Path::Lost(_) => continue,
        };
        seen.insert((file, mode));
    }
    let mut missing = Vec::new();
    for file in every_kind() {
        let lacks = |mode: &&Mode| !seen.contains(&(file.clone(), **mode));
        missing.extend(Mode::ALL.iter().filter(lacks).map(|mode| (file.clone(), *mode)));
    }
    assert!(missing.is_empty(), "never opened so: {missing:?}");
}

#[test]
fn every_reference_to_a_column_occurs() {
    let columns: Vec<ColRef> = all_steps()
        .filter_map(|step| match step {
            Step::Write { path: Path::ColumnFile { column, .. }, .. } => Some(column),
            Step::Remove(Path::ColumnDir(column)) => Some(column),
            _ => None,
        })
        .collect();
    let impossible = columns.iter().filter_map(|column| match column {
        ColRef::Impossible(which) => Some(*which),
        ColRef::Live(_) => None,
    });
    assert_all("impossible columns", ImpossibleColumn::ALL, impossible);
    let live = columns.iter().filter_map(|column| match column {
        ColRef::Live(index) => Some(*index),
        ColRef::Impossible(_) => None,
    });
    assert_all("live columns", &(0..16).collect::<Vec<u8>>(), live);
    // What is said of serials in so many words: nothing, all ones, one more, less than nothing.
    let serials: Vec<&str> = ImpossiblePane::ALL.iter().map(|which| which.value()).collect();
    let numbers: Vec<&str> = ImpossibleColumn::ALL.iter().map(|which| which.value()).collect();
    for wanted in ["0", "4294967295", "4294967296", "-1"] {
        assert!(serials.contains(&wanted) && numbers.contains(&wanted), "{wanted}");
    }
}

#[test]
fn every_change_of_a_scene_occurs() {
    let mut acts = [Vec::new(), Vec::new()];
    let mut chunkings = Vec::new();
    for step in all_steps() {
        match step {
            Step::History(scene) => acts[0].extend(scene.acts),
            Step::Watch(scene) => acts[1].extend(scene.acts),
            Step::Kept(scene) => chunkings.push(match scene.chunks {
                Chunking::Whole => 0,
                Chunking::Bytes => 1,
                Chunking::Sizes(_) => 2,
            }),
            _ => {}
        }
    }
    let kind = |act: &Act| match act {
        Act::Edit(_) => 0,
        Act::Append(_) => 1,
        Act::Replace(_) => 2,
        Act::Undo => 3,
        Act::Redo => 4,
    };
    for acts in &acts {
        assert_all("changes", &[0, 1, 2, 3, 4], acts.iter().map(kind));
    }
    assert_all("chunkings", &[0, 1, 2], chunkings.into_iter());
}

#[test]
fn every_way_of_a_talk_and_of_a_reload_occurs() {
    let (mut talks, mut named) = (Vec::new(), Vec::new());
    for step in all_steps() {
        match step {
            Step::Talk(scene) => talks.push(scene),
            Step::Reload { named: its } => named.push(its),
            _ => {}
        }
    }
    let line = |talk: &Talk| match talk.line {
        TalkLine::Numbers { .. } => 0,
        TalkLine::Word { .. } => 1,
    };
    assert_all("lines", &[0, 1], talks.iter().map(line));
    assert_all("ends", TalkEnd::ALL, talks.iter().map(|talk| talk.end));
    assert_all("starts", &[false, true], talks.iter().map(|talk| talk.start));
    assert_all("reloads", &[false, true], named.into_iter());
}

#[test]
fn every_step_of_a_second_client_occurs() {
    let steps = all_steps().filter_map(|step| match step {
        Step::Second(steps) => Some(steps),
        _ => None,
    });
    let kind = |step: ClientStep| match step {
        ClientStep::Write { .. } => 0,
        ClientStep::Read { .. } => 1,
        ClientStep::NewPane(NewPane::Read) => 2,
        ClientStep::NewPane(NewPane::Hold { .. }) => 3,
        ClientStep::Remove(_) => 4,
        ClientStep::Edit { .. } => 5,
        ClientStep::Hold { .. } => 6,
    };
    assert_all("client steps", &[0, 1, 2, 3, 4, 5, 6], steps.flatten().map(kind));
}

#[test]
fn every_use_of_an_address_occurs() {
    let (mut kinds, mut read, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for step in all_steps() {
        let Step::Addr { then, .. } = step else { continue };
        kinds.push(match then {
            AfterAddr::Nothing => 0,
            AfterAddr::Read { file, .. } => {
                read.push(file);
                1
            }
            AfterAddr::Write { file, truncate, .. } => {
                written.push((file, truncate));
                2
            }
        });
    }
    assert_all("uses", &[0, 1, 2], kinds.into_iter());
    assert_all("files read", AddrFile::ALL, read.into_iter());
    let ways: Vec<(DataFile, bool)> =
        DataFile::ALL.iter().flat_map(|&file| [(file, false), (file, true)]).collect();
    assert_all("files written", &ways, written.into_iter());
}

#[test]
fn every_kind_of_payload_occurs_plain_and_mutated() {
    let payloads: Vec<Payload> = all_steps()
        .filter_map(|step| match step {
            Step::Write { payload, .. } | Step::HandleWrite { payload, .. } => Some(payload),
            _ => None,
        })
        .collect();
    let (plain, mutated): (Vec<&Payload>, Vec<&Payload>) =
        payloads.iter().partition(|payload| payload.edits.is_empty());
    assert_all("plain payloads", PayloadKind::ALL, plain.iter().map(|p| p.base.kind()));
    assert_all("mutated payloads", PayloadKind::ALL, mutated.iter().map(|p| p.base.kind()));
}

#[test]
fn every_kind_of_edit_command_occurs() {
    let verb = |command: &EditCommand| match command.verb {
        Verb::Select => 0,
        Verb::Simple(_) => 1,
        Verb::Text { .. } => 2,
        Verb::Copy { .. } => 3,
        Verb::Substitute { .. } => 4,
        Verb::Block { .. } => 5,
        Verb::Group { .. } => 6,
    };
    let verbs = all_steps().filter_map(|step| match step {
        Step::Edit { command, .. } => Some(verb(&command)),
        _ => None,
    });
    assert_all("verbs", &[0, 1, 2, 3, 4, 5, 6], verbs);
}

/// Every form of what the kernel level alone takes, and every entry of its tables.
#[test]
fn every_open_step_occurs() {
    use monkey9p::input::payload::*;
    let steps: Vec<Open> = (0..SEEDS)
        .flat_map(|seed| {
            let off = Family::ALL.iter().filter(|&&one| one != Family::Open && one != Family::Wire);
            let weights = off.fold(Weights::default(), |weights, &one| weights.with(one, 0));
            let mut generator = Generator::with_weights(seed, weights.with(Family::Wire, 1));
            (0..200).map(|_| generator.next_step()).collect::<Vec<_>>()
        })
        .filter_map(|step| match step {
            Step::Open(what) => Some(what),
            _ => None,
        })
        .collect();
    let (mut lines, mut verbs, mut files, mut acts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut ways, mut builtins, mut paths, mut scripts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for step in &steps {
        match step {
            Open::Shell { way, start, line, .. } => {
                ways.push((*way, *start));
                lines.push(line);
            }
            Open::Edit { command, .. } => match &command.verb {
                OpenVerb::File { verb, name } => files.push((*verb, name.value())),
                OpenVerb::Shell { verb, .. } => verbs.push((*verb, 0)),
                OpenVerb::Program { verb, .. } => verbs.push((*verb, 1)),
            },
            Open::Builtin { builtin, .. } => builtins.push(builtin.value()),
            Open::Host { path, act } => {
                paths.push(path.value());
                acts.push(match act {
                    HostAct::Write { .. } => 0,
                    HostAct::Remove => 1,
                    HostAct::Create { .. } => 2,
                });
            }
            Open::Wire { file, together, .. } => scripts.push((*file, *together)),
        }
    }
    let both = |of: &[bool], way| of.iter().map(|&is| (way, is)).collect::<Vec<_>>();
    let all: Vec<_> = OpenWay::ALL.iter().flat_map(|&way| both(&[true, false], way)).collect();
    assert_all("ways", &all, ways.into_iter());
    let all: Vec<_> = ShellVerb::ALL.iter().flat_map(|&verb| [(verb, 0), (verb, 1)]).collect();
    assert_all("shell verbs", &all, verbs.into_iter());
    assert_all("file verbs", FileVerb::ALL, files.iter().map(|(verb, _)| *verb));
    assert_all("names", EditName::TABLE, files.iter().map(|(_, name)| *name));
    assert_all("builtins", OpenBuiltin::TABLE, builtins.into_iter());
    assert_all("paths", OpenPath::TABLE, paths.into_iter());
    assert_all("acts", &[0, 1, 2], acts.into_iter());
    let all: Vec<_> = OpenFile::ALL.iter().flat_map(|&it| [(it, true), (it, false)]).collect();
    assert_all("scripts", &all, scripts.into_iter());
    assert_all_lines(&lines);
}

fn assert_all_lines(lines: &[&payload::OpenLine]) {
    use monkey9p::input::payload::{Joint, OpenLine, OpenWords, Redirection, Wrap};
    let (mut words, mut joints, mut redirections, mut wraps) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        match line {
            OpenLine::Wild(line) => words.push(line.value()),
            OpenLine::Joined { joint, .. } => joints.push(joint.value()),
            OpenLine::Redirected { to, .. } => redirections.push(to.value()),
            OpenLine::Wrapped { wrap, .. } => wraps.push(*wrap),
        }
    }
    assert_all("wild words", OpenWords::TABLE, words.into_iter());
    assert_all("joints", Joint::TABLE, joints.into_iter());
    assert_all("redirections", Redirection::TABLE, redirections.into_iter());
    assert_all("wraps", Wrap::ALL, wraps.into_iter());
}

/// Each is let through where the target is held, and a weight of zero for scripts holds for those of
/// this family too.
#[test]
fn open_steps_pass_the_open_guard() {
    use monkey9p::ops::{Reach, guard};
    let off = Family::ALL.iter().filter(|&&one| one != Family::Open);
    let weights = off.fold(Weights::default(), |weights, &one| weights.with(one, 0));
    let mut generator = Generator::with_weights(5, weights);
    let (mut passed, mut texts) = (0, 0);
    for _ in 0..2_000 {
        let step = generator.next_step();
        let op = Renderer::default().step(&step);
        assert!(!matches!(op, Op::Wire { .. }), "{step:?}");
        match guard(&op, Reach::Open) {
            Ok(()) => passed += 1,
            Err(_) if matches!(step, Step::Open(Open::Host { .. })) => texts += 1,
            Err(why) => panic!("{why}: {step:?}"),
        }
    }
    assert!(passed > 1_900, "{passed} passed, {texts} texts did not");
}

#[test]
fn every_story_and_every_kind_of_message_occurs() {
    let scripts: Vec<Script> = all_steps()
        .filter_map(|step| match step {
            Step::Wire(script) => Some(script),
            _ => None,
        })
        .collect();
    assert_all("stories", WireStory::ALL, scripts.iter().map(|script| script.story));
    let messages = || scripts.iter().flat_map(|script| &script.rest);
    let kind = |message: &WireMessage| match message.what {
        WireWhat::Version { .. } => 0,
        WireWhat::Auth { .. } => 1,
        WireWhat::Attach { .. } => 2,
        WireWhat::Flush { .. } => 3,
        WireWhat::Walk { .. } => 4,
        WireWhat::Open { .. } => 5,
        WireWhat::Create { .. } => 6,
        WireWhat::Read { .. } => 7,
        WireWhat::Write { .. } => 8,
        WireWhat::Clunk(_) => 9,
        WireWhat::Remove(_) => 10,
        WireWhat::Stat(_) => 11,
        WireWhat::Wstat(_) => 12,
        WireWhat::Raw(_) => 13,
        WireWhat::Wait => 14,
        WireWhat::Hangup => 15,
    };
    let kinds: Vec<i32> = (0..16).collect();
    assert_all("messages", &kinds, messages().map(kind));
    assert_all("tags", WireTag::TABLE, messages().map(|message| message.tag.value()));
    assert!(messages().any(|message| message.cut.is_some()));
}

/// What the tables hold for scripts is what the guard lets through, on its own at least.
#[test]
fn every_raw_message_is_sendable() {
    for index in 0..WireRaw::TABLE.len() {
        let what = WireWhat::Raw(WireRaw(index as u8));
        let message = WireMessage { tag: WireTag(0), cut: None, what };
        let script = Script { story: WireStory::Nothing, rest: vec![message] };
        let input = Input { follower: false, steps: vec![Step::Wire(script)] };
        let Op::Wire { steps } = &input.render()[1] else { panic!() };
        assert_eq!(steps.len(), 1, "{:?}", WireRaw::TABLE[index].escape_ascii().to_string());
    }
}

#[test]
fn handles_are_mostly_used_while_they_are_open() {
    let mut open = BTreeSet::new();
    let (mut hits, mut misses) = (0, 0);
    for step in steps(3, 5000) {
        let slot = match step {
            Step::Hold { slot, .. } | Step::Event { slot, .. } => {
                open.insert(slot.render());
                continue;
            }
            Step::NewPane(NewPane::Hold { slot, .. }) => {
                open.insert(slot.render());
                continue;
            }
            Step::HandleWrite { slot, .. } | Step::HandleRead { slot, .. } => slot.render(),
            _ => continue,
        };
        if open.contains(&slot) { hits += 1 } else { misses += 1 }
    }
    assert!(hits > 10 * misses && misses < hits, "{hits} on open handles, {misses} not");
}

#[test]
fn a_weight_of_zero_turns_a_family_off() {
    let weights = Weights::default().with(Family::Write, 0);
    let mut generator = Generator::with_weights(1, weights);
    assert!((0..2000).all(|_| generator.next_step().family() != Family::Write));
}

/// A few bytes a step ask for 128 KiB each; all of them together get no more than their share.
#[test]
fn a_small_input_cannot_ask_for_endless_data() {
    use monkey9p::input::payload::{Ending, Fill, Size, Text, TextBody};
    let size = Size::of(&131_072).unwrap();
    let body = TextBody::Sized { fill: Fill::Lines, size };
    let payload = Payload::plain(Base::Text(Text { body, end: Ending::Nothing }));
    let input =
        Input { follower: false, steps: vec![Step::HandleWrite { slot: Slot(0), payload }; 600] };
    let length = |op: &Op| if let Op::Hwrite { data, .. } = op { data.len() } else { 0 };
    let lengths: Vec<usize> = input.render()[1..].iter().map(length).collect();
    assert_eq!(lengths[0], 131_072);
    let total: usize = lengths.iter().sum();
    assert!(total <= INPUT_DATA_BYTES + 2 * lengths.len(), "{total} bytes");
    let mut renderer = Renderer::default();
    assert!(input.steps[..9].iter().all(|step| length(&renderer.step(step)) == 131_072));
}
