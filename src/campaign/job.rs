//! One fuzzing process of a campaign: its start, what it says, its end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::libfuzzer::{Ending, Said};
use super::limits::{INPUT_SECONDS, LOG_BYTES, POLL_MS};
use super::lines::bounded_line;
use super::manifest::Manifest;
use super::totals::{read_json, told_path};
use crate::runner::{OUT_VARIABLE, TOLD_VARIABLE, Told};

/// How long what a process said last may take to arrive once it is gone, in milliseconds.
const LAST_WORDS_MS: u64 = 500;

/// Where fuzzing processes run, and with what.
#[derive(Clone, Debug)]
pub struct Site {
    /// The campaign's directory.
    pub directory: PathBuf,
    /// Where jobs tell of themselves.
    pub jobs: PathBuf,
    /// What the campaign was started as.
    pub manifest: Manifest,
    /// The variable and value that have every process ended with the campaign.
    pub token: (&'static str, String),
}

/// A process, until it has been seen to end.
#[derive(Debug)]
pub struct Job {
    /// Which of the campaign's jobs it is of, counted from 1.
    pub number: u32,
    /// Its how many-eth process.
    pub run: u32,
    /// When it began.
    pub began: Instant,
    child: Child,
    heard: Arc<Mutex<Heard>>,
    told: PathBuf,
}

/// What its standard error brought.
#[derive(Debug, Default)]
struct Heard {
    said: Said,
    /// Why its log could not be written.
    log_failed: Option<String>,
    ended: bool,
}

impl Site {
    /// The fuzz target with the campaign's environment, in its directory: names in it are without
    /// blanks, which libFuzzer does not quote when it starts itself again.
    pub fn fuzzer(&self) -> Command {
        let mut command = Command::new(self.directory.join(super::FUZZER));
        command.current_dir(&self.directory).env(self.token.0, &self.token.1);
        self.manifest.set_environment(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

impl Job {
    /// Starts the process `run` of the job `number`.
    pub fn start(site: &Site, number: u32, run: u32) -> io::Result<Job> {
        let told = told_path(&site.jobs, number, run);
        let mut command = site.fuzzer();
        command
            .arg(super::CORPUS)
            .arg(format!("-artifact_prefix={}/", super::ARTIFACTS))
            .arg(format!("-timeout={INPUT_SECONDS}"))
            .arg(format!("-mutation_graph_file={}/lineage-{number}.dot", super::JOBS))
            .args(["-reload=1", "-print_final_stats=1", "-print_funcs=0"])
            .args(&site.manifest.flags)
            .env(OUT_VARIABLE, &site.directory)
            .env(TOLD_VARIABLE, &told);
        let mut child = command.spawn()?;
        let heard = Arc::new(Mutex::new(Heard::default()));
        if let Some(stderr) = child.stderr.take() {
            let log = Log::open(&site.directory.join(format!("job-{number}.log")));
            let into = Arc::clone(&heard);
            std::thread::spawn(move || listen(stderr, log, &into));
        }
        Ok(Job { number, run, began: Instant::now(), child, heard, told })
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said.
    pub fn said(&self) -> Said {
        lock(&self.heard).said.clone()
    }

    /// What it told of itself last; libFuzzer's count of inputs if that is further.
    pub fn told(&self) -> Told {
        let mut told: Told = read_json(&self.told).unwrap_or_default();
        told.executions = told.executions.max(lock(&self.heard).said.executions);
        told
    }

    /// Why its log is not written, if it is not.
    pub fn log_failed(&self) -> Option<String> {
        lock(&self.heard).log_failed.clone()
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> io::Result<Option<Ending>> {
        let Some(status) = self.child.try_wait()? else { return Ok(None) };
        let deadline = Instant::now() + Duration::from_millis(LAST_WORDS_MS);
        while !lock(&self.heard).ended && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(POLL_MS));
        }
        Ok(Some(Ending::of(status)))
    }

    /// Asks it to end, as libFuzzer ends when it is interrupted.
    pub fn ask_to_end(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Kills it.
    pub fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// It is this process's child and not reaped, so its number is nobody else's.
    fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), signal);
    }
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(|held| held.into_inner())
}

/// Reads to the end, whatever becomes of the log: a process must not wait for its reader.
fn listen(stderr: ChildStderr, mut log: Log, heard: &Mutex<Heard>) {
    let mut from = BufReader::new(stderr);
    let mut line = Vec::new();
    while let Ok(true) = bounded_line(&mut from, &mut line) {
        let written = log.line(&line);
        let mut heard = lock(heard);
        heard.said.line(&String::from_utf8_lossy(&line));
        if let Err(why) = written {
            heard.log_failed.get_or_insert(format!("{}: {why}", log.path.display()));
        }
    }
    lock(heard).ended = true;
}

/// A log that is begun anew when it has grown long.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl Log {
    fn open(path: &Path) -> Log {
        Log { path: path.into(), file: None, bytes: 0 }
    }

    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.bytes > LOG_BYTES {
            self.file = None;
            fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = OpenOptions::new().create(true).append(true).open(&self.path)?;
                self.bytes = file.metadata()?.len();
                self.file.insert(file)
            }
        };
        self.bytes += line.len() as u64 + 1;
        file.write_all(&[line, b"\n"].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_begun_anew_and_the_one_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job-1.log");
        let line = vec![b'x'; 1 << 20];
        let mut log = Log::open(&path);
        (0..10).for_each(|_| log.line(&line).unwrap());
        drop(log);
        let lengths = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len() >> 20;
        assert_eq!((lengths("job-1.log.1"), lengths("job-1.log")), (8, 2));
        // Another process of the same job goes on in it.
        Log::open(&path).line(&line).unwrap();
        assert_eq!(lengths("job-1.log"), 3);
        let mut nowhere = Log::open(Path::new("/dev/full"));
        assert!(nowhere.line(b"x").is_err());
    }
}
