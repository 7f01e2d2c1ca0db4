//! How often a mutation takes what, in percent: all its numbers in one place.

/// Calls that go to libFuzzer's own mutations of bytes.
pub const OWN: u32 = 10;
/// Calls for a crossover that get one; the rest go on to a mutation.
pub const CROSSED: u32 = 40;
/// Inputs that get a long new end before they are changed.
pub const ANOTHER_END: u32 = 40;
/// Calls that change more than one thing.
pub const MORE_CHANGES: u32 = 30;

/// What is changed: steps come, go, come twice, swap, move, are redrawn in one of their parts, go to
/// another step's pane; the rest is the follower.
pub const CHANGES: [u32; 7] = [32, 12, 8, 5, 5, 33, 4];

/// Inputs that lose their talks with shells before they are changed. A talk waits longer than dozens
/// of other steps together, and libFuzzer keeps inputs for it without regard to time.
pub const TALKS_GO: u32 = 75;

/// Steps that come from the dictionary, and whole stories; the rest is generated.
pub const FROM_PAST: u32 = 30;
pub const STORY: u32 = 6;
/// Steps that come and go to the pane of one that is there.
pub const SAME_PANE: u32 = 50;
/// Steps that come after all others.
pub const AT_END: u32 = 40;

/// Changes of a step that write it out as the op it stands for, whose fields then take any value.
pub const LITERAL: u32 = 4;
/// A part that is another's, drawn anew, changed a little; the rest gets a word.
pub const WITHIN: [u32; 3] = [40, 20, 30];
/// Where another's part is from: the same input, the dictionary; the rest is from a generated step.
pub const DONORS: [u32; 2] = [35, 30];
/// Lists that lose items, get new ones, have one doubled; the rest have two swapped.
pub const LISTS: [u32; 3] = [30, 35, 25];
/// Bytes that are changed in place, that come, that go; the rest are doubled.
pub const BYTES: [u32; 3] = [35, 20, 25];
/// Words that take the place of all bytes; the rest go in between.
pub const WHOLE_WORD: u32 = 40;

/// Crossovers at one point, and at two; the rest interleave.
pub const CROSSOVERS: [u32; 2] = [40, 35];
