//! `explain`: what a log, a record or an artifact does, in words and then in numbers.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::CLEAN;
use super::common::read_any;
use super::tally::tally;
use crate::record::story;

#[derive(Debug, Args)]
pub struct Arguments {
    /// An ops log, a bug record or a libFuzzer artifact
    file: PathBuf,
}

pub fn main(arguments: &Arguments) -> Result<i32> {
    let file = read_any(&arguments.file)?;
    for key in ["story", "kind", "why", "detail", "signature", "verdict", "seed", "step", "target"]
    {
        match file.header.get(key) {
            None | Some(serde_json::Value::Null) => {}
            Some(serde_json::Value::String(text)) if text.is_empty() => {}
            Some(serde_json::Value::String(text)) => say!("{key}: {text}"),
            Some(value) => say!("{key}: {value}"),
        }
    }
    say_on!("{}\n{}", story(&file.ops), tally(&file.ops));
    Ok(CLEAN)
}
