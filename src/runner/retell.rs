//! One more replay, for what each step said.

use super::{End, RunError, Runner};
use crate::ops::Op;
use crate::record::{Answer, Finding, Told};
use crate::session::{Answered, Asked, Outcome, Session};

/// What a sequence said step by step, up to its failure if it had one.
#[derive(Debug, Default)]
pub struct Retold {
    /// Each step's op, answers and log records.
    pub told: Vec<Told>,
    /// The failure and the step it happened at, counting from 0.
    pub found: Option<(usize, Finding)>,
}

/// Runs `ops` in fresh sessions and ends them.
pub fn retell(runner: &mut Runner, ops: &[Op]) -> Result<Retold, RunError> {
    runner.end()?;
    let mut retold = Retold::default();
    for (step, op) in ops.iter().enumerate() {
        let end = runner.step(op)?;
        let is_start = matches!(op, Op::Fresh { .. } | Op::Reset { .. });
        let resolved = runner.session().map(Session::resolved).filter(|_| !is_start);
        let mut told = Told { op: Some(resolved.unwrap_or(op).clone()), ..Told::default() };
        match end {
            End::Done(outcome) => tell(&outcome, &mut told),
            End::Quit => {
                told.answers.push(Answer { asked: "the server".into(), answer: "quit".into() })
            }
            End::Found(finding) => {
                if let Some(outcome) = runner.broke() {
                    tell(outcome, &mut told);
                }
                let answer = format!("FAILED: {}", finding.why);
                told.answers.push(Answer { asked: finding.kind.clone(), answer });
                retold.found = Some((step, finding));
            }
        }
        retold.told.push(told);
        if retold.found.is_some() {
            break;
        }
    }
    runner.end()?;
    Ok(retold)
}

/// A step's answers and records, as reports have them.
fn tell(outcome: &Outcome, told: &mut Told) {
    if let Some(note) = &outcome.note {
        told.answers.push(Answer { asked: "not run".into(), answer: note.clone() });
    }
    told.answers.extend(outcome.requests.iter().map(|asked| Answer {
        asked: format!("{:?} {}", asked.what, asked.path),
        answer: answer(asked),
    }));
    told.log = outcome.window.clone().unwrap_or_default();
}

fn answer(asked: &Asked) -> String {
    match &asked.answer {
        Answered::Done if asked.data.is_empty() => "ok".into(),
        Answered::Done => format!("ok, {} bytes", asked.data.len()),
        Answered::Refused(why) => format!("Rerror: {why}"),
        Answered::Held => "held, then flushed".into(),
    }
}
