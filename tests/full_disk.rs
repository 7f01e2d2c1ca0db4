//! A disk that is full, and one that may not be written to: a clear error, and nothing is lost.

mod common;

use common::disk::on_small_disk;

/// A bug is found, and the disk is changed; then nothing can be written, and nothing changes.
fn nothing_is_lost(test: &str, change: &str, error: &str) {
    let script = r#"
all() { find o -type f -exec cksum {} + | sort -k 3; }
"$M9P" run --seed 3 --steps 400 --first --minimize-seconds 5 --out o; echo "found: $?"
before=$(all)
CHANGE
"$M9P" run --seed 4 --steps 400 --first --minimize-seconds 5 --out o; echo "no log: $?"
record=$(echo o/bugs/one_failure_rule-*/record.jsonl)
"$M9P" minimize "$record" --seconds 5 --output o/other.jsonl; echo "no minimum: $?"
"$M9P" replay "$record"; echo "replayed: $?"
[ "$before" = "$(all)" ] && echo the same
"#;
    let Some((_, said)) = on_small_disk(test, "256k", &script.replace("CHANGE", change)) else {
        return;
    };
    for want in [
        "found: 1\n",
        &format!("o/runs/seed-4/ops.jsonl: {error}"),
        "no log: 2\n",
        &format!("o/other.jsonl: {error}"),
        "no minimum: 2\n",
        "replayed: 1\n",
        "the same\n",
    ] {
        assert!(said.contains(want), "{want}: {said}");
    }
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    // The directories are there: what has no room is what is in the files.
    let full = "mkdir o/runs/seed-4; dd if=/dev/zero of=fill bs=1k 2>&-";
    nothing_is_lost("a_full_disk_is_told_and_loses_nothing", full, "No space left on device");
}

#[test]
fn a_read_only_disk_is_told_and_loses_nothing() {
    let read_only = "mkdir o/runs/seed-4; mount -o remount,ro \"$PWD\"";
    let test = "a_read_only_disk_is_told_and_loses_nothing";
    nothing_is_lost(test, read_only, "Read-only file system");
}

/// The disk fills up between the finding and its record.
#[test]
fn a_finding_without_room_for_its_record_is_told() {
    let test = "a_finding_without_room_for_its_record_is_told";
    let script = r#"
mkdir -p o/bugs
mount -t tmpfs -o size=4k none o/bugs && dd if=/dev/zero of=o/bugs/fill bs=4k 2>&-
"$M9P" run --seed 3 --steps 400 --first --minimize-seconds 5 --out o; echo "found: $?"
find o/bugs -name '.tmp*' | sed 's/^/left: /'
"$M9P" replay o/runs/seed-3/ops.jsonl; echo "replayed: $?"
"#;
    let Some((_, said)) = on_small_disk(test, "256k", script) else { return };
    for want in [
        "FAIL one_failure_rule: ",
        "o/bugs: No space left on device",
        "found: 1\n",
        "replayed: 1\n",
    ] {
        assert!(said.contains(want), "{want}: {said}");
    }
    assert!(!said.contains("left: "), "{said}");
}
