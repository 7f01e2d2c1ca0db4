//! A small disk of a test's own, that can be filled.

use std::process::{Command, Output};

/// Runs a script at the top of a file system of that size, and nothing else sees it: with `$M9P` the
/// executable, and a planted defect. None where there may be no such file system.
pub fn on_small_disk(test: &str, size: &str, script: &str) -> Option<(Option<i32>, String)> {
    let disk = tempfile::tempdir().unwrap();
    let inside = |script: &str| {
        let mount = format!("mount -t tmpfs -o size={size} none \"$1\" && cd \"$1\" || exit 125");
        let mut unshare = Command::new("unshare");
        unshare
            .args(["--map-root-user", "--mount", "sh", "-uc", &format!("{mount}\n{script}"), "sh"])
            .arg(disk.path())
            .env_remove("PARDES")
            .env("STANDIN_PLANT", "err-missing")
            .env("M9P", super::executable());
        unshare.output()
    };
    let said = |done: &Output| {
        [&done.stdout, &done.stderr].map(|out| String::from_utf8_lossy(out).into_owned()).concat()
    };
    match inside("true") {
        Ok(done) if done.status.success() => {}
        Ok(done) => {
            super::skip(test, &format!("no disk to fill: {}", said(&done).trim()));
            return None;
        }
        Err(why) => {
            super::skip(test, &format!("no disk to fill: unshare: {why}"));
            return None;
        }
    }
    let done = inside(script).unwrap();
    Some((done.status.code(), said(&done)))
}
