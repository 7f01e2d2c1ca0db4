//! What the user may set: switches and choices that commands name.

use super::refusal::{Done, refuse};

/// The settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The window's columns and rows of characters.
    pub size: (u16, u16),
    /// The colour theme.
    pub theme: String,
    /// Where new panes go: `acme` or `pardes`.
    pub placement: String,
    /// What the terminal pane started at the beginning runs.
    pub boot_shell: String,
    /// The directory that dumps name.
    pub dump_dir: String,
    /// The socket that is served.
    pub address: String,
    switches: Vec<(&'static str, bool)>,
}

/// The words that turn something on and off.
pub const SWITCHES: &[&str] = &[
    "Wrap",
    "Tagbottom",
    "Debug",
    "FocusTint",
    "Verbose",
    "Motion",
    "InactiveDim",
    "TreeContext",
    "PdfTint",
    "Mini",
    "Mode",
];

/// The colour themes.
pub const THEMES: &[&str] = &["acme", "paper", "slate", "night"];

impl Default for Settings {
    fn default() -> Self {
        Settings {
            size: (80, 24),
            theme: THEMES[0].into(),
            placement: "acme".into(),
            boot_shell: String::new(),
            dump_dir: String::new(),
            address: String::new(),
            switches: SWITCHES.iter().map(|word| (*word, *word == "Wrap")).collect(),
        }
    }
}

impl Settings {
    /// Turns a switch on or off, or the other way if nothing is said.
    pub fn switch(&mut self, word: &str, to: &str) -> Done<bool> {
        let Some((_, on)) = self.switches.iter_mut().find(|(name, _)| *name == word) else {
            return refuse!("no switch {word}");
        };
        *on = match to {
            "" => !*on,
            "on" | "1" => true,
            "off" | "0" => false,
            other => return refuse!("{word} is on or off, not \"{other}\""),
        };
        Ok(*on)
    }

    /// What stands before the names of dumps: their directory, if one was set.
    pub fn dump_prefix(&self) -> String {
        match self.dump_dir.as_str() {
            "" => String::new(),
            directory => format!("{}/", directory.trim_end_matches('/')),
        }
    }

    /// All switches with what they are.
    pub fn switches(&self) -> &[(&'static str, bool)] {
        &self.switches
    }

    /// Chooses a theme, or the next one if nothing is said.
    pub fn choose_theme(&mut self, name: &str) -> Done {
        let at = if name.is_empty() {
            let now = THEMES.iter().position(|theme| *theme == self.theme).unwrap_or(0);
            Some((now + 1) % THEMES.len())
        } else {
            THEMES.iter().position(|theme| *theme == name)
        };
        let Some(at) = at else { return refuse!("no theme \"{name}\"") };
        self.theme = THEMES[at].into();
        Ok(())
    }
}
