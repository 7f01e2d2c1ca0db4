//! Which kinds of feedback are given: all of them, unless an experiment wants less.

use std::sync::OnceLock;

/// The environment variable that names the kinds, apart by commas, or `none`.
pub const FEEDBACK_VARIABLE: &str = "M9P_FEEDBACK";

/// The kinds that are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What was asked and answered.
    pub behaviour: bool,
    /// The counters of the target, where it has any.
    pub coverage: bool,
}

impl Choice {
    const ALL: Choice = Choice { behaviour: true, coverage: true };
    const NONE: Choice = Choice { behaviour: false, coverage: false };

    fn parse(text: &str) -> Result<Choice, String> {
        let mut choice = Choice::NONE;
        for name in text.split(',').map(str::trim) {
            match name {
                "behaviour" => choice.behaviour = true,
                "coverage" => choice.coverage = true,
                "none" if text.trim() == name => {}
                _ => {
                    return Err(format!(
                        "{FEEDBACK_VARIABLE}={text}: expected behaviour, coverage, both with a \
                         comma between them, or none"
                    ));
                }
            }
        }
        Ok(choice)
    }
}

/// What the environment chose when it was first asked; everything, if it says nothing, or nothing
/// that can be understood.
pub fn choice() -> Choice {
    *chosen().as_ref().unwrap_or(&Choice::ALL)
}

/// What is wrong with what the environment says, if anything is.
pub fn wrong_choice() -> Option<&'static str> {
    chosen().as_ref().err().map(String::as_str)
}

fn chosen() -> &'static Result<Choice, String> {
    static CHOICE: OnceLock<Result<Choice, String>> = OnceLock::new();
    CHOICE.get_or_init(|| match std::env::var_os(FEEDBACK_VARIABLE) {
        Some(text) => Choice::parse(&text.to_string_lossy()),
        None => Ok(Choice::ALL),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_and_others_are_refused() {
        let parse = |text| Choice::parse(text);
        assert_eq!(parse("behaviour,coverage"), Ok(Choice::ALL));
        assert_eq!(parse("coverage, behaviour"), Ok(Choice::ALL));
        assert_eq!(parse("none"), Ok(Choice::NONE));
        assert_eq!(parse("coverage"), Ok(Choice { behaviour: false, coverage: true }));
        assert_eq!(parse("behaviour"), Ok(Choice { behaviour: true, coverage: false }));
        for wrong in ["", "cov", "none,coverage", "coverage,", "Behaviour"] {
            assert!(parse(wrong).unwrap_err().contains(FEEDBACK_VARIABLE), "{wrong}");
        }
    }
}
