//! The corpus at a campaign's end: merged and minimized by libFuzzer, beside the one that grew.

use std::fs;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use super::job::Site;
use super::limits::TICK_MS;
use super::lines::bounded_line;
use super::{CORPUS, MERGED, files};
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
    let done = match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            let last = listener.and_then(|listener| listener.join().ok()).unwrap_or_default();
            Err(io::Error::other(format!("{status}: {last}")))
        }
        Err(why) => Err(io::Error::other(why)),
    };
    remove(&at(ASIDE))?;
    if let Err(why) = done {
        remove(&at(HALF))?;
        return Err(why);
    }
    remove(&at(MERGED))?;
    fs::rename(at(HALF), at(MERGED))?;
    Ok((files(&at(CORPUS)).len(), files(&at(MERGED)).len()))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
        _ => Ok(()),
    }
}
