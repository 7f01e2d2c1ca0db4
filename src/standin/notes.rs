//! The one rule for what fails: a refused write leaves one record, its reason, and no other; what
//! a done one has said on its way is logged once it is known to be done.

use super::editor::Editor;
use super::pane::Serial;
use super::plants::Defect;
use super::refusal::Done;

/// What a write said besides being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A message to the user.
    Msg(Option<Serial>, String),
    /// A look that found nothing: no failure, but logged as one.
    Nothing(Option<Serial>, &'static str, String),
}

impl Editor {
    /// Logs what a write said if it was `done`, else only why it was not.
    pub fn settle(&mut self, done: &Done, serial: Option<Serial>, file: &str) {
        let notes = std::mem::take(&mut self.notes);
        if let Err(why) = done {
            return self.log_refusal(&why.to_string(), serial, file, notes);
        }
        self.log_notes(notes);
    }

    fn log_notes(&mut self, notes: Vec<Note>) {
        for note in notes {
            match note {
                Note::Msg(serial, text) => self.log.msg(serial, &text),
                Note::Nothing(serial, file, why) => self.log.err(serial, file, &why),
            }
        }
    }

    /// Logs the one record of a refused write, or what a planted defect makes of it.
    fn log_refusal(&mut self, why: &str, serial: Option<Serial>, file: &str, notes: Vec<Note>) {
        if self.plant == Some(Defect::CrashFileLives) && file == "mark" {
            crate::standin::crash::leave("a panic that was caught");
        }
        let missing = match file {
            "addr" => self.planted(Defect::ErrMissing),
            "scroll" => self.planted(Defect::ErrFlaky) && one_time_in_three(),
            _ => false,
        };
        if missing {
            return;
        }
        if self.planted(Defect::MsgFromFailed) {
            self.log_notes(notes);
        }
        let wrong = self.planted(Defect::ErrWrongSerial) && file == "dirty";
        let serial = if wrong { Some(self.focus) } else { serial };
        self.log.err(serial, file, why);
        if self.planted(Defect::ErrTwice) && matches!(file, "dot" | "limit") {
            self.log.err(serial, file, why);
        }
        if self.planted(Defect::ErrAndMsg) && file == "tagexec" {
            self.log.msg(serial, why);
        }
    }
}

fn one_time_in_three() -> bool {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed();
    now.is_ok_and(|now| now.subsec_micros().is_multiple_of(3))
}
