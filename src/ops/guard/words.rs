//! The words that are never sent, and how they are found in data.

use super::Fault;

/// Commands that leave the session, reach another program or another session, or open what is not
/// served; `Restore` has an op of its own.
const COMMANDS: [&str; 32] = [
    "Exit",
    "Attach",
    "Detach",
    "Mount",
    "Unmount",
    "Tty9p",
    "ClipYank",
    "ClipYankMain",
    "ClipPaste",
    "ClipPasteBefore",
    "ClipReplace",
    "Shell",
    "ThemeFile",
    "EffectCode",
    "Help",
    "Tutor",
    "Changelog",
    "Rename",
    "Hover",
    "CodeAction",
    "SelectRefs",
    "Symbols",
    "Diagnostics",
    "WsDiagnostics",
    "Callers",
    "Callees",
    "Supertypes",
    "Subtypes",
    "WsSymbols",
    "Lspinfo",
    "Lspwhy",
    "Restore",
];

/// Programs that need no shell metacharacter to harm what is outside the sandbox: `kill -9 -1`
/// ends every process of the user.
const PROGRAMS: [&str; 17] = [
    "kill",
    "killall",
    "killall5",
    "pkill",
    "skill",
    "xkill",
    "reboot",
    "shutdown",
    "halt",
    "poweroff",
    "init",
    "telinit",
    "systemctl",
    "sudo",
    "su",
    "doas",
    "pkexec",
];

/// Whether an editor command is never sent.
pub fn is_denied_command(word: &[u8]) -> bool {
    COMMANDS.iter().any(|denied| denied.as_bytes() == word)
}

/// Whether a program's name is never sent.
pub fn is_denied_program(word: &[u8]) -> bool {
    PROGRAMS.iter().any(|denied| denied.as_bytes() == word)
}

/// The runs of letters and digits in data: what stands between them varies from parser to parser.
pub fn data_words(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether more letters could make `word` a denied command, or a program's name.
pub(super) fn begins_command(word: &[u8]) -> bool {
    let begins = |denied: &&str| denied.as_bytes().starts_with(word);
    !word.is_empty() && (COMMANDS.iter().any(begins) || "Edit".as_bytes().starts_with(word))
}

/// Refuses data that ends in the beginning of a denied program's name.
pub(super) fn no_program_begun(data: &[u8]) -> Result<(), Fault> {
    let start = data.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let last = &data[start..];
    let begun =
        !last.is_empty() && PROGRAMS.iter().any(|denied| denied.as_bytes().starts_with(last));
    if begun { Err(Fault::Unfinished(String::from_utf8_lossy(last).into())) } else { Ok(()) }
}
