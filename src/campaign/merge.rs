//! The corpus at a campaign's end: merged and minimized by libFuzzer, beside the one that grew.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::job::Site;
use super::limits::{MERGE_MS, TICK_MS};
use super::lines::bounded_line;
use super::manifest::Manifest;
use super::{CORPUS, Campaign, CampaignError, FUZZER, MERGED, files};
use crate::runner::{OUT_VARIABLE, TOLD_VARIABLE, VERDICT_VARIABLE};

/// Where the new one is made; and where what fails on the way leaves its records, which are of
/// nothing new.
const HALF: &str = "merged.new";
const ASIDE: &str = "merge.tmp";

/// Makes `merged/` from `corpus/`: gives how many inputs each holds. An error says why there is none;
/// whatever there was before stays then. `enough` is asked whether to give up.
pub fn merge(
    site: &Site,
    within: Duration,
    mut enough: impl FnMut() -> bool,
) -> io::Result<(usize, usize)> {
    let at = |name: &str| site.directory.join(name);
    remove(&at(HALF))?;
    remove(&at(ASIDE))?;
    fs::create_dir(at(HALF))?;
    fs::create_dir(at(ASIDE))?;
    let mut command = site.fuzzer();
    command
        .args(["-merge=1", HALF, CORPUS])
        .arg(format!("-artifact_prefix={ASIDE}/"))
        .arg(format!("-merge_control_file={ASIDE}/control"))
        .env(OUT_VARIABLE, ASIDE)
        .env(VERDICT_VARIABLE, "0")
        .env_remove(TOLD_VARIABLE);
    let done = run(&mut command, within, &mut enough);
    remove(&at(ASIDE))?;
    if let Err(why) = done {
        remove(&at(HALF))?;
        return Err(why);
    }
    remove(&at(MERGED))?;
    fs::rename(at(HALF), at(MERGED))?;
    Ok((files(&at(CORPUS)).len(), files(&at(MERGED)).len()))
}

/// Brings into `corpus` what of a campaign's inputs adds features there: gives how many inputs it has
/// more, of how many there are. Nothing that is there is changed or removed. `token` has what is
/// started ended with this program.
pub fn bring_in(
    campaign: &Campaign,
    fuzzer: &Path,
    corpus: &Path,
    token: (&str, &str),
) -> Result<(usize, usize), CampaignError> {
    let manifest = campaign.manifest()?;
    let merged = campaign.directory.join(MERGED);
    let from = if merged.is_dir() { merged } else { campaign.directory.join(CORPUS) };
    let before = files(corpus).len();
    let there = files(&from).len();
    campaign.io(CORPUS, merge_into(&manifest, [fuzzer, corpus, &from], token))?;
    Ok((files(corpus).len().saturating_sub(before), there))
}

fn merge_into(
    manifest: &Manifest,
    [fuzzer, into, from]: [&Path; 3],
    token: (&str, &str),
) -> io::Result<()> {
    // libFuzzer starts itself again by way of a shell, and quotes nothing: so all is linked to here.
    let folder = tempfile::tempdir()?;
    for (link, path) in [(FUZZER, fuzzer), ("into", into)] {
        symlink(path.canonicalize()?, folder.path().join(link))?;
    }
    // What is there by another name would come in again if it ever did a thing that it does not always.
    let there: BTreeSet<Vec<u8>> = files(into).iter().flat_map(fs::read).collect();
    let other = folder.path().join("from");
    fs::create_dir(&other)?;
    for path in files(from) {
        if !there.contains(&fs::read(&path)?) {
            fs::copy(&path, other.join(path.file_name().unwrap_or_default()))?;
        }
    }
    let mut command = Command::new(folder.path().join(FUZZER));
    manifest.set_environment(&mut command);
    command
        .current_dir(folder.path())
        .args(["-merge=1", "-merge_control_file=control", "into", "from"])
        .env(token.0, token.1)
        .env(OUT_VARIABLE, folder.path())
        .env(VERDICT_VARIABLE, "0")
        .env_remove(TOLD_VARIABLE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    run(&mut command, Duration::from_millis(MERGE_MS), &mut || false)
}

/// Runs libFuzzer at a merge to its end, or until there is no more time or somebody has `enough`.
fn run(
    command: &mut Command,
    within: Duration,
    enough: &mut dyn FnMut() -> bool,
) -> io::Result<()> {
    let mut child = command.spawn()?;
    let listener = child.stderr.take().map(|stderr| {
        std::thread::spawn(move || {
            let (mut from, mut line, mut last) =
                (BufReader::new(stderr), Vec::new(), String::new());
            while let Ok(true) = bounded_line(&mut from, &mut line) {
                if line.starts_with(b"MERGE-OUTER: ") || line.starts_with(b"monkey9p: ") {
                    last = String::from_utf8_lossy(&line).into_owned();
                }
            }
            last
        })
    });
    let deadline = Instant::now() + within;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Ok(status);
        }
        let late = Instant::now() > deadline;
        if late || enough() {
            // What it started itself is ended by the token.
            child.kill()?;
            child.wait()?;
            break Err(if late { "it took too long" } else { "stopped" });
        }
        std::thread::sleep(Duration::from_millis(TICK_MS));
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let last = listener.and_then(|listener| listener.join().ok()).unwrap_or_default();
            Err(io::Error::other(format!("{status}: {last}")))
        }
        Err(why) => Err(io::Error::other(why)),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    }
}
