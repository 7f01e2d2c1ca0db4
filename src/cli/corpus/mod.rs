//! `corpus`: the readable seeds and their encodings.

mod grown;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::Map;

use super::common::{project, read_any};
use super::{CLEAN, FOUND};
use crate::input::Input;
use crate::ops::{read_ops, write_ops, write_whole};
use crate::runner::input_ops;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write corpus/monkey9p/seed-NAME for each seeds/NAME.jsonl
    Regen,
    /// Make a seed of a record, a log or an artifact: seeds/NAME.jsonl and its encoding
    Import {
        /// A bug record, an ops log or a libFuzzer artifact
        file: PathBuf,
        /// The seed's name; the file's otherwise
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// What the seed shows, in a sentence: kept in its first line
        #[arg(long, value_name = "TEXT")]
        story: Option<String>,
    },
    /// Bring in what a campaign's inputs add to the features of the corpus; seeds stay as they are
    Merge {
        /// Its name
        campaign: String,
        /// The fuzz target's executable, instead of building it
        #[arg(long, value_name = "PATH")]
        fuzzer: Option<PathBuf>,
    },
    /// Say what the corpus holds, or a campaign's
    Stats {
        /// Its name
        campaign: Option<String>,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Compare them, and fail if one is missing, stale or without a source
    Check,
}

/// What the names of seeds' encodings begin with; grown entries have none of it.
const PREFIX: &str = "seed-";

pub fn main(arguments: &Arguments) -> Result<i32> {
    let project = project()?;
    let corpus = project.join("corpus/monkey9p");
    let seeds = project.join("seeds");
    match &arguments.command {
        Command::Regen => regen(&corpus, &encodings(&seeds)?),
        Command::Import { file, name, story } => {
            import(file, name.as_deref(), story.as_deref(), &seeds, &corpus)
        }
        Command::Merge { campaign, fuzzer } => {
            grown::merge(&project, &corpus, campaign, fuzzer.as_deref())
        }
        Command::Stats { campaign, json } => {
            grown::stats(&project, &corpus, campaign.as_deref(), *json)
        }
        Command::Check => check(&corpus, &encodings(&seeds)?),
    }
}

/// Writes the seed and its encoding; never over another seed.
fn import(
    file: &Path,
    name: Option<&str>,
    story: Option<&str>,
    seeds: &Path,
    corpus: &Path,
) -> Result<i32> {
    let read = read_any(file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.unwrap_or(&stem);
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        bail!("{name:?}: expected a name of small letters, digits and -: give one with --name");
    }
    let seed = seeds.join(format!("{name}.jsonl"));
    if seed.exists() {
        bail!("{}: a seed of that name is there already", seed.display());
    }
    let mut header = Map::new();
    let told = ["why", "signature"].iter().find_map(|key| read.header.get(*key)?.as_str());
    let story = story.or(told).unwrap_or("imported");
    header.insert("story".into(), story.into());
    let input = Input::from_ops(&read.ops);
    let (ops, run) = (input.render(), input_ops(&input).len());
    if run < ops.len() {
        bail!("{}: an input runs {run} ops, and these are {}", file.display(), ops.len());
    }
    let bytes = input.encode();
    fs::create_dir_all(corpus).with_context(|| corpus.display().to_string())?;
    write_ops(&seed, &header, &ops).with_context(|| seed.display().to_string())?;
    let encoding = corpus.join(format!("{PREFIX}{name}"));
    write_whole(&encoding, &bytes).with_context(|| encoding.display().to_string())?;
    say!("{}: {} ops, {} bytes in {}", seed.display(), ops.len(), bytes.len(), encoding.display());
    Ok(CLEAN)
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
        write_whole(&path, bytes).with_context(|| path.display().to_string())?;
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
