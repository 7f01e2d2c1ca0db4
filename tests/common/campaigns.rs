//! A checkout of its own for a test's campaigns, which end with it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use monkey9p::sandbox::{roots, tokened};
use serde_json::Value;
use tempfile::TempDir;

/// How long anything that a campaign does may take here.
pub const SOON: Duration = Duration::from_secs(180);

pub struct Checkout {
    folder: TempDir,
    fuzzer: PathBuf,
    plant: Option<&'static str>,
}

impl Checkout {
    /// With the committed seeds, and nothing else of the project's.
    pub fn new(fuzzer: PathBuf, plant: Option<&'static str>) -> Checkout {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus/monkey9p");
        fs::create_dir_all(&corpus).unwrap();
        for name in ["seeds", "fuzz"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("fuzz/Cargo.toml"), "").unwrap();
        for seed in fs::read_dir(super::project().join("corpus/monkey9p")).unwrap().flatten() {
            if seed.file_name().to_string_lossy().starts_with("seed-") {
                fs::copy(seed.path(), corpus.join(seed.file_name())).unwrap();
            }
        }
        Checkout { folder, fuzzer, plant }
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(super::executable());
        command.args(arguments).current_dir(self.folder.path());
        command.env_remove("PARDES").env("STANDIN_PLANT", self.plant.unwrap_or_default());
        command.output().unwrap()
    }

    pub fn start(&self, name: &str, arguments: &[&str]) -> Output {
        let fuzzer = self.fuzzer.to_str().unwrap();
        let all = [&["campaign", "start", "--name", name, "--fuzzer", fuzzer], arguments].concat();
        self.run(&all)
    }

    /// The same, where it must go well.
    pub fn started(&self, name: &str, arguments: &[&str]) {
        let done = self.start(name, arguments);
        assert!(done.status.success(), "{}", said(&done));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("campaigns").join(name)
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().into()
    }

    pub fn status(&self, name: &str) -> Value {
        let done = self.run(&["campaign", "status", name, "--json"]);
        serde_json::from_slice(&done.stdout).unwrap_or_else(|why| panic!("{why}: {}", said(&done)))
    }

    pub fn state(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name).join("state.json")).unwrap()).unwrap()
    }

    pub fn token(&self, name: &str) -> String {
        self.state(name)["token"].as_str().unwrap().to_owned()
    }

    pub fn events(&self, name: &str) -> String {
        fs::read_to_string(self.path(name).join("events.jsonl")).unwrap_or_default()
    }

    /// Waits until its status is as it should be.
    pub fn wait(&self, name: &str, what: &str, done: impl Fn(&Value) -> bool) {
        let seen = super::wait_until(SOON, || done(&self.status(name)));
        assert!(seen, "{what}: {} {}", self.status(name), self.events(name));
    }

    /// Nothing that a campaign started is there any more.
    pub fn left(&self, token: &str) -> Option<String> {
        let (processes, roots) = (tokened(token), roots(token).unwrap());
        let any = !processes.is_empty() || !roots.is_empty();
        any.then(|| format!("{processes:?} {roots:?}"))
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let all = fs::read_dir(self.folder.path().join("campaigns"));
        for campaign in all.into_iter().flatten().flatten() {
            self.run(&["campaign", "stop", campaign.file_name().to_str().unwrap()]);
        }
    }
}

pub fn said(done: &Output) -> String {
    [&done.stdout, &done.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat()
}
