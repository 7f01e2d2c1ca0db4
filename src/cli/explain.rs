//! `explain`: what a log, a record or an artifact does, in words and then in numbers.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::common::{TargetArguments, read_any};
use super::tally::tally;
use super::{CLEAN, FOUND};
use crate::record::{story, walkthrough};
use crate::runner::retell;

#[derive(Debug, Args)]
pub struct Arguments {
    /// An ops log, a bug record or a libFuzzer artifact
    file: PathBuf,
    /// Run it, and tell each step's answers and log records, and how to see it again
    #[arg(long)]
    run: bool,
    #[command(flatten)]
    target: TargetArguments,
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
    if !arguments.run {
        say_on!("{}\n{}", story(&file.ops), tally(&file.ops));
        return Ok(CLEAN);
    }
    let retold = retell(&mut arguments.target.runner()?, &file.ops)?;
    say_on!("{}", walkthrough(&retold.told, &arguments.file.display().to_string()));
    Ok(if retold.found.is_some() { FOUND } else { CLEAN })
}
