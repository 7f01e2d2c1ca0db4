//! Attempts to use up what the machine has.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::Expected::{Blocked, Open};
use super::Moment::Settled;
use super::{Attempt, By};
use crate::sandbox::{descendants, limits};

pub const ALL: &[Attempt] = &[
    Attempt {
        name: "fork-bomb",
        tries: "to have more processes than it may",
        by: By::Role(&["fork", "{processes}"]),
        judged: |tried| {
            let alive = tried.target().map_or(0, |target| descendants(target).len());
            let over = alive as u64 > limits::PROCESSES;
            Ok(over.then(|| format!("it has {alive} processes")))
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "full-disk",
        tries: "to fill more space than it may",
        by: By::Shell(
            "{free}i=0; while [ $i -lt {pieces} ]; do head -c {piece} /dev/zero > $HOME/fill$i; \
             i=$((i+1)); done",
        ),
        judged: |tried| {
            let bytes = sum(&tried.here()?.home, |meta| meta.blocks() * 512);
            Ok((bytes > limits::SPACE_BYTES).then(|| format!("it has filled {bytes} bytes")))
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "many-files",
        tries: "to make more files than it may",
        by: By::Shell(
            "{free}i=0; while [ $i -lt {files} ]; do : > $HOME/file$i || exit; i=$((i+1)); done",
        ),
        judged: |tried| {
            let files = sum(&tried.here()?.home, |_| 1);
            Ok((files > limits::SPACE_FILES).then(|| format!("it has made {files} files")))
        },
        moment: Settled,
        landlock: Open,
        environment: Open,
    },
    Attempt {
        name: "endless-file",
        tries: "to write a longer file than it may",
        by: By::Shell("dd if=/dev/zero of=$HOME/long bs=1 count=1 seek={length}"),
        judged: |tried| {
            let path = tried.here()?.home.join("long");
            let long = fs::metadata(path).map_or(0, |meta| meta.len());
            Ok((long > limits::FILE_BYTES).then(|| format!("a file has {long} bytes")))
        },
        moment: Settled,
        landlock: Blocked,
        environment: Blocked,
    },
];

/// Over the files in a directory.
fn sum(directory: &Path, of: impl Fn(&fs::Metadata) -> u64) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|meta| of(&meta)).sum()
}
