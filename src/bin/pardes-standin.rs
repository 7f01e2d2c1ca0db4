//! The stand-in server under pardes's command line.
fn main() {}
