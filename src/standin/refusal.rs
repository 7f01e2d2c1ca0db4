//! Why something asked of the server was not done.

use std::borrow::Cow;
use std::fmt;

/// A reason, as the client and the log are told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(Cow<'static, str>);

/// What is done, or refused.
pub type Done<T = ()> = Result<T, Refusal>;

/// Refuses with a reason made as by `format!`.
macro_rules! refuse {
    ($($text:tt)*) => { Err($crate::standin::refusal::Refusal::from(format!($($text)*))) };
}
pub(crate) use refuse;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&'static str> for Refusal {
    fn from(why: &'static str) -> Self {
        Refusal(Cow::Borrowed(why))
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Refusal(Cow::Owned(why))
    }
}

impl From<std::io::Error> for Refusal {
    fn from(why: std::io::Error) -> Self {
        Refusal(Cow::Owned(why.to_string()))
    }
}

impl From<nix::errno::Errno> for Refusal {
    fn from(why: nix::errno::Errno) -> Self {
        Refusal(Cow::Borrowed(why.desc()))
    }
}
