//! A bug in words, for someone who has never seen this project: what broke, step by step, and how to
//! see it again.

use super::commands::commands;
use super::story::{shown_text, tell};
use super::{Circumstances, Finding, Verdict};
use crate::ops::{Op, is_wild};

/// What a step said, when it was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The op, its references resolved; nothing if it never ran.
    pub op: Option<Op>,
    /// Requests and their answers, in order.
    pub answers: Vec<Answer>,
    /// The log records it caused.
    pub log: Vec<String>,
}

/// A request and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was asked: `Write /pane/3/ctl`.
    pub asked: String,
    /// `ok`, the error's text, or that it was held.
    pub answer: String,
}

/// The rule that broke, where it was one.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Where it comes from.
    pub cites: &'static str,
    /// `documented`, `protocol` or `inferred`.
    pub basis: &'static str,
}

/// Requests of one step that are shown at the most.
const ANSWERS: usize = 20;
/// Lines of a target's crash text that are shown at the most.
const CRASH_LINES: usize = 40;

/// The whole as a page of Markdown. `told` is what each of the ops said when they were run once more;
/// `replay` is the file that holds them.
pub fn report(
    finding: &Finding,
    circumstances: &Circumstances,
    rule: Option<Rule>,
    told: &[Told],
    replay: &str,
) -> String {
    let Finding { kind, why, detail, crash } = finding;
    let mut page = format!("# {kind}: {}\n\n", first_line(why));
    page += &match rule {
        Some(Rule { cites, basis }) => {
            format!("A rule was broken, `{kind}` ({basis}). It comes from: {cites}.\n")
        }
        None => format!("{}\n", failure(kind)),
    };
    if !detail.is_empty() {
        page += &format!("\nWhat was seen:\n\n{}\n", indented(detail));
    }
    let Circumstances { binary, launched, target, level, verdict, evidence, .. } = circumstances;
    page += &format!("\n- server: {target} ({binary})\n");
    if !launched.is_empty() {
        page += &format!("- launched with: {launched}\n");
    }
    if !level.is_empty() {
        page += &format!("- held by: a sandbox at the {level} level\n");
    }
    page += &format!("- found by: monkey9p {}\n", env!("CARGO_PKG_VERSION"));
    if let Some(verdict) = verdict {
        page += &format!("- it happens again: {}\n", again(*verdict));
    }
    if !evidence.is_empty() {
        page += &format!("- replays: {evidence}\n");
    }
    page += &walkthrough(told, replay);
    if !crash.is_empty() {
        let lines: Vec<&str> = crash.lines().take(CRASH_LINES).collect();
        page += &format!("\n## What the server left\n\n{}\n", indented(&lines.join("\n")));
    }
    page
}

/// The steps with their answers, then how to run them again, as Markdown.
pub fn walkthrough(told: &[Told], replay: &str) -> String {
    let mut page =
        String::from("\n## Steps\n\nEach with its answers, and with what the server logged.\n\n");
    for (number, step) in told.iter().enumerate() {
        page += &steps(number, step);
    }
    let ops: Vec<Op> = told.iter().filter_map(|step| step.op.clone()).collect();
    page += "\n## To see it again\n\n";
    page += &format!("Exactly, each step checked:\n\n    monkey9p replay {replay}\n");
    page += &match script_line(&ops, replay) {
        Ok(line) => format!("\nWith the older script in Python:\n\n    {line}\n"),
        Err(why) => format!("\nThe older script in Python cannot: {why}.\n"),
    };
    if ops.iter().any(needs_kernel_level) {
        page += WARNING;
    }
    page += "\nBy hand, with plan9port's `9p`, `S` set to the server's address (`unix!/path/to/socket`):\n\n";
    page += &indented(&commands(&ops));
    page
}

/// What a person is told who may do by hand what nothing then holds.
const WARNING: &str = "
**Some of these steps let a shell remove or end whatever the server can get at.** `monkey9p replay` holds them, at the kernel level
alone; by hand they are for a machine that may be lost.
";

/// Whether an op, or one in it, is refused at every other level.
fn needs_kernel_level(op: &Op) -> bool {
    match op {
        Op::Seq { ops } | Op::Second { ops } => ops.iter().any(needs_kernel_level),
        Op::Wire { .. } => is_wild(op),
        _ => op.is_for_the_kernel_level(),
    }
}

/// The line that has the older script replay `file`, or why it cannot.
pub fn script_line(ops: &[Op], file: &str) -> Result<String, String> {
    fn unknown(op: &Op) -> Option<&'static str> {
        match op {
            Op::Second { .. } | Op::Wire { .. } | Op::Reset { .. } => Some(op.kind()),
            Op::Seq { ops } => ops.iter().find_map(unknown),
            _ => None,
        }
    }
    if ops.iter().any(needs_kernel_level) {
        return Err("nothing holds what these steps may reach there".into());
    }
    match ops.iter().find_map(unknown) {
        Some(kind) => Err(format!("it does not know the op {kind:?}")),
        None => Ok(format!("python3 monkey9p.py SERVER --replay {file}")),
    }
}

fn steps(number: usize, step: &Told) -> String {
    let told = step.op.as_ref().map_or("(not run)".to_owned(), tell);
    let mut text = format!("{}. {}\n", number + 1, told.replace(";\n      ", ";\n   "));
    for Answer { asked, answer } in step.answers.iter().take(ANSWERS) {
        text += &format!("   - {} → {}\n", shown_text(asked), shown_text(answer));
    }
    if step.answers.len() > ANSWERS {
        text += &format!("   - and {} more\n", step.answers.len() - ANSWERS);
    }
    for line in step.log.iter().take(ANSWERS) {
        text += &format!("   - log: `{}`\n", shown_text(line));
    }
    text
}

fn again(verdict: Verdict) -> String {
    match verdict {
        Verdict::Alone => "each time, by these steps alone".into(),
        Verdict::WithHistory => {
            "each time, by these steps; some of them are from before the input that showed it"
                .into()
        }
        Verdict::Flaky { failed, tried } => format!("sometimes: {failed} of {tried} times"),
    }
}

/// What the failures mean that are of no rule.
fn failure(kind: &str) -> &'static str {
    match kind {
        "crash" => "The server ended, and not by a clean quit.",
        "hang" => {
            "A request was not answered within its time; any server answers, with an error if need be."
        }
        "dropped" => {
            "The server hung up, or sent what is no 9P message, in the middle of legal requests."
        }
        "log" => "The server's log did not do what it must for failures to be told apart.",
        _ => "The harness could not go on.",
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_broke_and_how_to_see_it() {
        let finding = Finding {
            kind: "one_failure_rule".into(),
            why: "1 failed writes logged 0 err records".into(),
            detail: "failed: Write".into(),
            crash: "panic: no\nat x".into(),
        };
        let circumstances = Circumstances {
            binary: "/bin/server".into(),
            target: "pardes".into(),
            verdict: Some(Verdict::Flaky { failed: 2, tried: 7 }),
            ..Circumstances::default()
        };
        let rule = Rule { cites: "fs.md", basis: "documented" };
        let told = Told {
            op: Some(Op::Stat { path: "/pane/3".into() }),
            answers: vec![Answer { asked: "Stat /pane/3".into(), answer: "Rerror: no".into() }],
            log: vec!["err 3 x: no".into()],
        };
        let page = report(&finding, &circumstances, Some(rule), &[told], "r.jsonl");
        for want in [
            "# one_failure_rule: 1 failed",
            "(documented). It comes from: fs.md.",
            "    failed: Write\n",
            "2 of 7 times",
            "1. stat /pane/3\n   - Stat /pane/3 → Rerror: no\n   - log: `err 3 x: no`\n",
            "monkey9p replay r.jsonl",
            "--replay r.jsonl",
            "9p -a \"$S\" stat pane/3",
            "    at x\n",
        ] {
            assert!(page.contains(want), "{want}: {page}");
        }
    }

    #[test]
    fn the_script_is_not_promised_what_it_does_not_know() {
        let reset = Op::Seq { ops: vec![Op::Reset { follower: false }] };
        assert!(script_line(&[reset], "f").unwrap_err().contains("reset"));
        assert!(script_line(&[Op::Clunk { h: "h".into() }], "f").is_ok());
    }

    #[test]
    fn who_would_do_by_hand_what_nothing_holds_is_warned() {
        let told = |path: &str| {
            let op = Op::Seq { ops: vec![Op::Remove { path: path.into() }] };
            assert_eq!(
                script_line(std::slice::from_ref(&op), "f").is_err(),
                path.starts_with("/os"),
                "{path}"
            );
            walkthrough(&[Told { op: Some(op), ..Told::default() }], "f")
        };
        assert!(told("/os/x").contains(WARNING.trim()));
        assert!(!told("/pane/3").contains(WARNING.trim()));
    }
}
