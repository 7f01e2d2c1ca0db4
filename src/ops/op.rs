//! What one step asks of the server.

use serde::{Serialize, Serializer};

use super::{Latin1, Reach, WireStep, guard};

/// One operation, in the JSON that logs of this program and of the script it grew from share. Paths
/// may hold the tokens `{pN}` and `{cN}`: the N-th pane or column alive when the op runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase", remote = "Self")]
pub enum Op {
    /// Open `path`, write `data` in pieces, clunk.
    Write {
        /// What to open.
        path: Latin1,
        /// What to write.
        data: Latin1,
        /// The open's mode byte.
        mode: u8,
        /// How the data is cut into Twrites.
        #[serde(skip_serializing_if = "Chunks::is_whole")]
        chunks: Chunks,
        /// Every Twrite's offset; the running one where absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
        /// Whether a refused piece ends the writing.
        #[serde(skip_serializing_if = "is_true")]
        stop_on_error: bool,
    },
    /// Open `path`, read up to `reads` times, clunk.
    Read {
        /// What to open.
        path: Latin1,
        /// Each Tread's count, in bytes; the script bounds it by the msize.
        count: u32,
        /// Where the first read begins.
        offset: u64,
        /// The open's mode byte.
        #[serde(skip_serializing_if = "is_zero")]
        mode: u8,
        /// How many reads at the most; an empty or refused one ends them.
        reads: u32,
    },
    /// Walk to `path` and stat it.
    Stat {
        /// What to stat.
        path: Latin1,
    },
    /// Walk to `path` and remove it.
    Remove {
        /// What to remove.
        path: Latin1,
    },
    /// Create `name` in `path`.
    Create {
        /// The directory.
        path: Latin1,
        /// The new file's name: one path element, whatever it holds.
        name: Latin1,
        /// Permission bits and DMDIR.
        perm: u32,
        /// The open's mode byte.
        mode: u8,
    },
    /// Open `path` and keep the fid under the handle `h`.
    Hold {
        /// The handle's name.
        h: Latin1,
        /// What to open.
        path: Latin1,
        /// The open's mode byte.
        mode: u8,
    },
    /// One Twrite on a handle, where its last one ended.
    Hwrite {
        /// The handle's name.
        h: Latin1,
        /// What to write.
        data: Latin1,
    },
    /// One Tread on a handle.
    Hread {
        /// The handle's name.
        h: Latin1,
        /// The Tread's count, in bytes; the script bounds it by the msize.
        count: u32,
        /// Where to read; where the handle's last request ended, if absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    /// Clunk a handle.
    Clunk {
        /// The handle's name.
        h: Latin1,
    },
    /// Write a Restore line to /ctl, and connect again if it was taken.
    Restore {
        /// The line.
        data: Latin1,
    },
    /// Change a file in the target's HOME behind its back.
    Host {
        /// Write or remove.
        action: HostAction,
        /// The file's name: one path element.
        name: Latin1,
        /// What to write.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Latin1>,
    },
    /// Several ops as one step.
    Seq {
        /// The ops, in order.
        ops: Vec<Op>,
    },
    /// Ops on files, one after the other, on the session's second connection, so that two clients
    /// work on the same panes; a handle opened there stays there. Only this program's logs have it;
    /// the script refuses it by name.
    Second {
        /// The ops, in order.
        ops: Vec<Op>,
    },
    /// A script of raw messages on a connection of its own. Only this program's logs have it; the
    /// script refuses it by name.
    Wire {
        /// The messages, waits and the hang-up, in order.
        steps: Vec<WireStep>,
    },
    /// Bring the target back to the baseline, as between two inputs. Only this program's logs have
    /// it; the script refuses it by name.
    Reset {
        /// Whether the log is followed on a second connection from then on.
        follower: bool,
    },
    /// End the target and start another.
    Fresh {
        /// Whether the log is followed on a second connection.
        follower: bool,
    },
}

/// How a write's data is cut into Twrites: in a log `"whole"`, `"bytes"` or a list of sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Chunks {
    /// As few as the msize allows.
    #[default]
    Whole,
    /// One byte each.
    Bytes,
    /// These sizes in turn, then the rest as with `Whole`.
    Sizes(Vec<u32>),
}

impl Chunks {
    /// Whether this is the default.
    pub fn is_whole(&self) -> bool {
        *self == Chunks::Whole
    }

    /// The sizes of the Twrites that `length` bytes take when none may pass `cap` (at least 1).
    /// Empty data is one empty Twrite.
    pub fn sizes(&self, length: usize, cap: usize) -> Vec<usize> {
        if length == 0 {
            return vec![0];
        }
        let listed: &[u32] = match self {
            Chunks::Bytes => return vec![1; length],
            Chunks::Whole => &[],
            Chunks::Sizes(sizes) => sizes,
        };
        let mut out = Vec::new();
        let mut left = length;
        for &size in listed {
            if left == 0 {
                break;
            }
            let size = (size as usize).clamp(1, cap.min(left));
            out.push(size);
            left -= size;
        }
        while left > 0 {
            out.push(left.min(cap));
            left -= left.min(cap);
        }
        out
    }
}

/// An op that only the kernel level takes stands within one of a kind that the script does not know:
/// it would run it where nothing holds what it starts.
#[derive(Serialize)]
struct Wild<'a> {
    op: &'static str,
    ops: [Within<'a>; 1],
}

/// The kind that such an op stands within.
pub(super) const WILD: &str = "wild";

struct Within<'a>(&'a Op);

impl Serialize for Within<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Op::serialize(self.0, serializer)
    }
}

impl Serialize for Op {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_for_the_kernel_level() {
            true => Wild { op: WILD, ops: [Within(self)] }.serialize(serializer),
            false => Op::serialize(self, serializer),
        }
    }
}

impl Serialize for Chunks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Chunks::Whole => serializer.serialize_str("whole"),
            Chunks::Bytes => serializer.serialize_str("bytes"),
            Chunks::Sizes(sizes) => sizes.serialize(serializer),
        }
    }
}

/// What a `host` op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HostAction {
    /// Write the file.
    Write,
    /// Remove it, if it is there.
    Rm,
}

impl Op {
    /// The kind, as logs name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Op::Write { .. } => "write",
            Op::Read { .. } => "read",
            Op::Stat { .. } => "stat",
            Op::Remove { .. } => "remove",
            Op::Create { .. } => "create",
            Op::Hold { .. } => "hold",
            Op::Hwrite { .. } => "hwrite",
            Op::Hread { .. } => "hread",
            Op::Clunk { .. } => "clunk",
            Op::Restore { .. } => "restore",
            Op::Host { .. } => "host",
            Op::Seq { .. } => "seq",
            Op::Second { .. } => "second",
            Op::Wire { .. } => "wire",
            Op::Reset { .. } => "reset",
            Op::Fresh { .. } => "fresh",
        }
    }

    /// Whether it is an op on a file, by its path or by a handle.
    pub fn is_on_a_file(&self) -> bool {
        let by_handle = matches!(self, Op::Hwrite { .. } | Op::Hread { .. } | Op::Clunk { .. });
        by_handle || self.path().is_some()
    }

    /// Whether it is a single op that every other level refuses.
    pub fn is_for_the_kernel_level(&self) -> bool {
        !matches!(self, Op::Seq { .. } | Op::Second { .. } | Op::Wire { .. })
            && guard(self, Reach::Confined).is_err()
            && guard(self, Reach::Open).is_ok()
    }

    /// The path it names, if it names one.
    pub fn path(&self) -> Option<&Latin1> {
        match self {
            Op::Write { path, .. }
            | Op::Read { path, .. }
            | Op::Stat { path }
            | Op::Remove { path }
            | Op::Create { path, .. }
            | Op::Hold { path, .. } => Some(path),
            _ => None,
        }
    }
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}
