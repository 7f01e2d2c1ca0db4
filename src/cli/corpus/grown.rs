//! What grew besides the seeds: what there is of it, and how it comes into the corpus.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::super::tally::tally;
use super::super::{CLEAN, fuzz};
use super::PREFIX;
use crate::campaign::{CORPUS, Campaign, MERGED, bring_in, files};
use crate::input::Input;
use crate::runner::input_ops;
use crate::sandbox::Warden;

/// Brings a campaign's inputs into the corpus, those that add features.
pub fn merge(project: &Path, corpus: &Path, name: &str, fuzzer: Option<&Path>) -> Result<i32> {
    let campaign = Campaign::open(&project.join("campaigns"), name)?;
    fs::create_dir_all(corpus).with_context(|| corpus.display().to_string())?;
    let fuzzer = match fuzzer {
        Some(path) => path.into(),
        None => fuzz::build(project)?,
    };
    let warden = Warden::start().context("the warden")?;
    let brought = bring_in(&campaign, &fuzzer, corpus, warden.token());
    warden.end()?;
    let (brought, of) = brought?;
    say!("{brought} of {of} inputs add features: {}", corpus.display());
    Ok(CLEAN)
}

/// How many inputs a directory holds and how large they are, and what their ops touch.
pub fn stats(project: &Path, corpus: &Path, campaign: Option<&str>, as_json: bool) -> Result<i32> {
    let directory = match campaign {
        None => corpus.to_owned(),
        Some(name) => {
            let campaign = Campaign::open(&project.join("campaigns"), name)?;
            let merged = campaign.directory().join(MERGED);
            if merged.is_dir() { merged } else { campaign.directory().join(CORPUS) }
        }
    };
    let (mut seeds, mut sizes, mut none, mut ops) = (0, Vec::new(), 0, Vec::new());
    for path in files(&directory) {
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        seeds += usize::from(name.starts_with(PREFIX));
        sizes.push(bytes.len());
        match Input::decode(&bytes) {
            Some(input) => ops.extend(input_ops(&input)),
            None => none += 1,
        }
    }
    sizes.sort_unstable();
    let (bytes, inputs): (usize, usize) = (sizes.iter().sum(), sizes.len());
    let middle = sizes.get(inputs / 2).copied().unwrap_or(0);
    let largest = sizes.last().copied().unwrap_or(0);
    if as_json {
        let value = json!({
            "directory": directory, "inputs": inputs, "seeds": seeds, "grown": inputs - seeds,
            "bytes": bytes, "median_bytes": middle, "largest_bytes": largest,
            "undecodable": none, "ops": ops.len(),
        });
        say!("{value}");
        return Ok(CLEAN);
    }
    say!("{}: {inputs} inputs, {seeds} of them seeds", directory.display());
    say!("{bytes} bytes; the middle one has {middle}, the largest {largest}");
    if none > 0 {
        say!("{none} decode to no input");
    }
    say_on!("{}", tally(&ops));
    Ok(CLEAN)
}
