//! sam's command language, as `Edit` takes it.
//!
//! As in acme, all changes are found in the text as it is before the first of them, and made at
//! the end: an Edit that is refused anywhere has changed nothing.

mod alone;
mod changes;
mod parse;
mod printed;
mod run;
mod substitute;
mod text;

pub use parse::parse;
pub use run::run;
