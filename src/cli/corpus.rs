//! `corpus regen` and `corpus check`: the encodings of the readable seeds.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};

use super::common::project;
use super::{CLEAN, FOUND};
use crate::input::Input;
use crate::ops::read_ops;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write corpus/monkey9p/seed-NAME for each seeds/NAME.jsonl
    Regen,
    /// Compare them, and fail if one is missing, stale or without a source
    Check,
}

/// What the names of seeds' encodings begin with; grown entries have none of it.
const PREFIX: &str = "seed-";

pub fn main(arguments: &Arguments) -> Result<i32> {
    let project = project()?;
    let corpus = project.join("corpus/monkey9p");
    let wanted = encodings(&project.join("seeds"))?;
    match arguments.command {
        Command::Regen => regen(&corpus, &wanted),
        Command::Check => check(&corpus, &wanted),
    }
}

/// Each seed's file name in the corpus, and its encoding.
fn encodings(seeds: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(seeds).with_context(|| seeds.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            bail!("{}: expected a name in UTF-8", path.display());
        };
        all.insert(format!("{PREFIX}{name}"), Input::from_ops(&read_ops(&path)?.ops).encode());
    }
    if all.is_empty() {
        bail!("{}: expected seeds, NAME.jsonl", seeds.display());
    }
    Ok(all)
}

fn committed(corpus: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(corpus).with_context(|| corpus.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(PREFIX) {
            all.insert(name, entry.path());
        }
    }
    Ok(all)
}

fn regen(corpus: &Path, wanted: &BTreeMap<String, Vec<u8>>) -> Result<i32> {
    fs::create_dir_all(corpus).with_context(|| corpus.display().to_string())?;
    for (name, path) in committed(corpus)? {
        if !wanted.contains_key(&name) {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
            say!("removed {name}: its seed is gone");
        }
    }
    for (name, bytes) in wanted {
        let path = corpus.join(name);
        if fs::read(&path).is_ok_and(|there| there == *bytes) {
            continue;
        }
        let mut beside = tempfile::NamedTempFile::new_in(corpus)?;
        beside.write_all(bytes)?;
        beside.persist(&path).with_context(|| path.display().to_string())?;
        say!("wrote {name}, {} bytes", bytes.len());
    }
    say!("{} seeds in {}", wanted.len(), corpus.display());
    Ok(CLEAN)
}

fn check(corpus: &Path, wanted: &BTreeMap<String, Vec<u8>>) -> Result<i32> {
    let there = committed(corpus)?;
    let mut wrong = Vec::new();
    for (name, bytes) in wanted {
        match there.get(name).map(fs::read) {
            None => wrong.push(format!("{name}: missing")),
            Some(Ok(found)) if found == *bytes => {}
            Some(Ok(_)) => wrong.push(format!("{name}: not the encoding of its seed")),
            Some(Err(why)) => wrong.push(format!("{name}: {why}")),
        }
    }
    wrong.extend(
        there
            .keys()
            .filter(|name| !wanted.contains_key(*name))
            .map(|name| format!("{name}: no such seed")),
    );
    for line in &wrong {
        say!("{line}");
    }
    match wrong.is_empty() {
        true => say!("{} seeds, each with its encoding", wanted.len()),
        false => say!("run monkey9p corpus regen, and look at what changes"),
    }
    Ok(if wrong.is_empty() { CLEAN } else { FOUND })
}
