//! The rows of the table: each a defect that the code asks for in one place.

use super::Plant;

/// Declares the defects and their rows at once, so that neither can be without the other.
macro_rules! table {
    ($($variant:ident $name:literal $invariant:literal $min_ops:literal
        $breaks:literal $seen:literal)*) => {
        /// Which defect is on, for the code that has it in it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::standin) enum Defect { $($variant),* }

        pub(super) const PLANTS: &[Plant] = &[$(Plant {
            name: $name,
            breaks: $breaks,
            invariant: $invariant,
            min_ops: $min_ops,
            seen: $seen,
            defect: Defect::$variant,
        }),*];
    };
}

table! {
    // Crashes.
    CrashOnRegex "crash-on-regex" "crash" 1
        "A regular expression whose class has no end, in an address or an Edit, ends the server."
        "parsers that index past the end of a class"
    CrashDeepUndo "crash-deep-undo" "crash" 10
        "The fifth Undo of one text in a row ends the server."
        "undo logs with a bound that is checked too late"
    CrashOddRune "crash-odd-rune" "crash" 2
        "A read of data that ends inside a rune of four bytes ends the server."
        "strings sliced at a byte that is no boundary"
    CrashFarOffset "crash-far-offset" "crash" 1
        "A read of a text file at 2^63 or beyond ends the server."
        "offsets taken as signed numbers"
    CrashOnRmessage "crash-on-rmessage" "crash" 1
        "A message of a reply's type ends the server."
        "a client's R-message, an assertion: the server ends (user report)"
    CrashDoubleClunk "crash-double-clunk" "crash" 1
        "A clunk of a fid that is not in use ends the server."
        "the same fid clunked twice, a crash (user report)"
    CrashCountOverflow "crash-count-overflow" "crash" 1
        "A read whose count is within 16 of 2^32 ends the server."
        "count plus header overflows, an assertion ends the server (user report)"
    CrashRedoCollapsed "crash-redo-collapsed" "crash" 5
        "Redo in a collapsed pane that has a limit ends the server."
        "a state that no one drew; it takes five ops in order"
    CrashLongLife "crash-long-life" "crash" 77
        "The fortieth pane closed in a session's life ends the server."
        "tables that grow with what is gone; it needs what earlier inputs left"
    CrashFileLives "crash-file-lives" "alive" 1
        "A refused write to a pane's mark leaves a crash file, and the server goes on."
        "servers that catch the panic of each request"
    CrashWideTag "crash-wide-tag" "crash" 2
        "A screen with a wide rune at the right edge of a tag ends the server."
        "cells and runes taken for one another"
    // Hangs and hang-ups.
    HangOnFlush "hang-on-flush" "hang" 1
        "A flush of a read that waits is never answered."
        "a blocked read of a log, flushed: the reader is never woken (user report)"
    HangFlushUnknown "hang-flush-unknown" "hang" 1
        "A flush of a tag that is not in use is never answered."
        "Tflush of an unknown tag refused, or fatal (seen)"
    HangOnLock "hang-on-lock" "hang" 3
        "A word written to the ctl of a pane that another fid has locked is never answered."
        "a lock waited for by the one thread that could release it"
    HangOnWatched "hang-on-watched" "hang" 2
        "Removing a pane whose event file is open is never answered."
        "teardown that waits for a reader to go"
    DropOnLongName "drop-on-long-name" "dropped" 1
        "A walk to a name of more than 255 bytes hangs up the connection."
        "a limit of the file system taken for one of the protocol"
    // The log.
    ErrTwice "err-twice" "one_failure_rule" 1
        "A refused write to a pane's dot or limit is logged twice."
        "an error logged where it arises and again where it is answered"
    ErrMissing "err-missing" "one_failure_rule" 1
        "A refused write to an addr file is not logged."
        "an early return past the logging"
    ErrFlaky "err-flaky" "one_failure_rule" 1
        "A refused write to a scroll file is not logged, one time in three."
        "races; it is by chance on purpose"
    ErrAndMsg "err-and-msg" "one_failure_rule" 1
        "A refused write to a tagexec logs a msg as well."
        "a user interface that also shows what the log tells"
    ErrWrongSerial "err-wrong-serial" "err_names_its_pane" 2
        "A refused write to a dirty file is logged with the serial of the focused pane."
        "the current pane taken for the one written to"
    ErrAnsweredDone "err-answered-done" "one_failure_rule" 1
        "A refused Edit of more than 60 bytes is answered as done."
        "long commands run later, their answer given before"
    LookTwice "look-twice" "one_failure_rule" 1
        "A look that finds nothing in a pane is logged twice."
        "an error logged where it arises and again where it is answered"
    MsgFromFailed "msg-from-failed" "one_failure_rule" 1
        "What the lines before a refused one said is logged all the same."
        "messages logged at once, failures at the end"
    CloseRunsTwice "close-runs-twice" "one_failure_rule" 1
        "A line left over when a tagexec is closed runs twice."
        "a flush on close, and a close after it"
    CountOffByOne "count-off-by-one" "one_failure_rule" 1
        "The log counts one too many of a record said again."
        "a counter raised before and after"
    FollowerCountShort "follower-count-short" "follower_sees_the_log" 1
        "A follower is told one repetition too few of a record said again."
        "a counter read before it is raised"
    FollowerMisses "follower-misses" "follower_sees_the_log" 32
        "A follower is not told of every 32nd record."
        "a ring's slot overwritten between two reads of it"
    CloseFailsBody "close-fails-body" "close_runs_only_line_files" 1
        "A write to a body without a newline at its end logs an err when the fid is closed."
        "write-back caches that tell of a failure only at the close"
    // Listings.
    IndexMissesPane "index-misses-pane" "index_matches_pane_dirs" 2
        "The index leaves out the newest pane when there are more than four."
        "two listings kept by hand in two places"
    PaneDirMissesView "pane-dir-misses-view" "index_matches_pane_dirs" 1
        "The directory of panes leaves out second views of a text."
        "listings made from texts rather than from panes"
    ChunkSkipsByte "chunk-skips-byte" "chunked_equals_whole" 1
        "A read of a generated text at an offset that is a multiple of 64 skips a byte."
        "offsets kept by the server as well as sent by the client"
    DirOrderChanges "dir-order-changes" "chunked_equals_whole" 1
        "A directory read a second time from its beginning is in another order."
        "hash tables listed as they are; fails when read again from offset 0 (seen)"
    DirEntryLost "dir-entry-lost" "chunked_equals_whole" 2
        "A directory read in pieces loses an entry at each piece but the first."
        "directory reads that lose an entry (seen)"
    DirEntrySplit "dir-entry-split" "directory_reads_are_whole" 1
        "A directory read ends inside an entry if the count does."
        "directory reads that split an entry (seen)"
    // Text.
    RuneSplit "rune-split" "bytes_survive" 2
        "A rune split over two writes to a body comes out broken."
        "a rune split over two writes comes out broken (user report)"
    CrlfEaten "crlf-eaten" "bytes_survive" 1
        "A file with CRLF is shown without its CR."
        "text modes of file libraries"
    BadUtf8Replaced "bad-utf8-replaced" "bytes_survive" 1
        "Bytes that are no UTF-8 are shown as U+FFFD."
        "lossy conversions"
    DataSkipsRune "data-skips-rune" "data_equals_body" 2
        "A read of data that does not reach the end of the text passes over the next rune."
        "an address advanced before and after"
    XdataPastEnd "xdata-past-end" "data_equals_body" 2
        "A read of xdata gives one rune beyond the address."
        "ranges taken as closed"
    AddrPastEnd "addr-past-end" "addresses_inside" 2
        "An address at the end of a text of more than 40 runes is told as one rune beyond it."
        "ends counted from one"
    EditNotAtomic "edit-not-atomic" "edit_is_atomic" 1
        "A refused Edit leaves the changes that came before the one at fault."
        "changes made as they are found"
    UndoForgets "undo-forgets" "undo_redo" 2
        "Undo of several changes made together leaves the last of them."
        "undo logs that group by time"
    RedoSurvives "redo-survives" "undo_redo" 4
        "A change at a text's end does not forget what Undo had taken back: Redo does it again."
        "two stacks, one of them never emptied"
    DumpTrims "dump-trims" "dump_restore" 3
        "A dump keeps no blank lines at a text's end."
        "formats that end a text by a blank line"
    RestoreLosesPane "restore-loses-pane" "dump_restore" 3
        "Restore loses the last pane of a column of four or more."
        "loops with one bound too few"
    // Leaks.
    ShellOutlives "shell-outlives" "shells_end_with_their_pane" 2
        "A shell goes on after its pane is closed."
        "only the terminal closed, and a shell that ignores the hang-up"
    OutputAfterEnd "output-after-end" "shell_output_ends" 6
        "When the end of a shell's output was read, the next read gives its last bytes again."
        "an end that is told before the last of the data"
    EventKept "event-kept" "what_was_held_is_free" 4
        "An event file stays in use when it is closed with events unread."
        "cleanup skipped on a path that returns early"
    LockKept "lock-kept" "what_was_held_is_free" 1
        "A pane stays locked when the fid that locked it is clunked."
        "locks released by name only"
    FidKeptByRemove "fid-kept-by-remove" "wire_clunk" 1
        "A refused remove does not free its fid."
        "a refused Tremove that keeps the fid (seen), a failed remove that does not clunk (user report)"
    ClunkFreesNothing "clunk-frees-nothing" "wire_clunk" 1
        "A clunk of a fid that was never opened does not free it."
        "clunk that frees nothing (seen)"
    // The protocol.
    WalkBindsPartial "walk-binds-partial" "wire_walk" 1
        "A walk that goes only part of its way makes the new fid."
        "new fid bound although the walk was partial (seen, user report)"
    WalkEmptyDone "walk-empty-done" "walk_is_a_prefix" 1
        "A walk whose first name is missing is answered by no qids, and the new fid is made."
        "walk of a missing first name answered with Rwalk of no qids (seen)"
    NewFidInUse "new-fid-in-use" "wire_fids" 1
        "A walk to a new fid that is in use is accepted."
        "a new fid already in use accepted (seen)"
    WalkSeventeen "walk-seventeen" "wire_walk" 1
        "A walk of more than sixteen names is accepted."
        "more than 16 names accepted (seen)"
    WalkFromOpen "walk-from-open" "wire_open" 1
        "A walk from a fid that is open is accepted."
        "open state not tracked (user report)"
    OpenTwice "open-twice" "wire_open" 1
        "A fid that is open is opened again."
        "open state not tracked (user report)"
    ReadUnopened "read-unopened" "wire_open" 1
        "A read on a fid that was never opened gives data."
        "a read on a fid that was never opened gives data (seen)"
    WriteOnReadFid "write-on-read-fid" "wire_open" 1
        "A write on a fid opened for reading is accepted."
        "a write on a fid opened for reading accepted (seen)"
    MsizeExceeded "msize-exceeded" "wire_counts" 1
        "A read's answer is longer than the message size agreed on, if the count is."
        "a count beyond msize answered beyond msize (seen)"
    WriteOvercount "write-overcount" "write_within_sent" 1
        "An empty write is answered as one byte written."
        "counts that include a terminator"
    FlushAlsoErrors "flush-also-errors" "wire_flush" 1
        "A read that is flushed gets an error after the flush was answered."
        "the flushed tag gets an error reply too (user report)"
    VersionKeepsFids "version-keeps-fids" "wire_version" 1
        "A Tversion in mid-session keeps the fids."
        "Tversion in mid-session that keeps the fids (seen)"
    UnknownVersion "unknown-version" "wire_version" 1
        "An unknown version is answered as if it were known."
        "unknown version answered as if known (seen)"
    TagTwice "tag-twice" "wire_tags" 2
        "A second request with the tag of a read that waits is accepted."
        "two requests with one tag (seen)"
    ErrorExtraBytes "error-extra-bytes" "dropped" 1
        "An error of more than 40 bytes has four bytes more than its text."
        "an Rerror that carries 4 extra bytes (seen)"
    SegmentLost "segment-lost" "wire_hang_up" 1
        "A message that arrives in two pieces is lost."
        "messages split over two segments are lost (seen)"
    QidDiffers "qid-differs" "qid_is_one" 1
        "The qid of a pane's body differs between walk and stat."
        "qids made in two places"
    // Streams.
    EventsSwapped "events-swapped" "events_tell_the_text" 2
        "Two events of one replacement are told in the wrong order."
        "a queue filled from its other end"
    OutputSkips "output-skips" "shell_output_arrives" 3
        "A reader of a shell's output in pieces misses a byte between two of them."
        "a count of what was read that is one too many"
    TypedTwice "typed-twice" "typed_once" 3
        "What is typed to a shell in more than 64 bytes arrives twice."
        "a write tried again after it had succeeded in part"
}
