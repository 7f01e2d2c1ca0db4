//! The names a tree like pardes's is made of.

/// What is at the root.
pub const ROOT_FILES: [&str; 17] = [
    "README",
    "index",
    "status",
    "focus",
    "ctl",
    "commands",
    "recent",
    "look",
    "exec",
    "log",
    "screen",
    "listeners",
    "layout",
    "tag",
    "tagexec",
    "pane",
    "col",
];
/// What is in a pane's directory.
pub const PANE_FILES: [&str; 23] = [
    "name",
    "body",
    "tag",
    "ctl",
    "addr",
    "dot",
    "limit",
    "data",
    "xdata",
    "sel",
    "dirty",
    "mark",
    "scroll",
    "errors",
    "event",
    "look",
    "exec",
    "tagexec",
    "pty",
    "pty/run",
    "pty/data",
    "pty/ctl",
    "pty/status",
];
/// What is in a column's directory.
pub const COLUMN_FILES: [&str; 3] = ["tag", "ctl", "exec"];

/// The kind of file a path names: serials become `N`, names that the tree does not have `?`, so
/// that few kinds remain whatever paths are thrown at it.
pub fn file_kind(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => "/".into(),
        ["os" | "src", ..] => format!("/{}/?", parts[0]),
        [name] if ROOT_FILES.contains(&name) => format!("/{name}"),
        ["pane", "new"] => "/pane/new".into(),
        ["pane", serial] if is_number(serial) => "/pane/N".into(),
        ["col", number] if is_number(number) => "/col/N".into(),
        ["pane", serial, ref rest @ ..] if is_number(serial) => {
            let rest = rest.join("/");
            format!("/pane/N/{}", if PANE_FILES.contains(&&*rest) { &rest } else { "?" })
        }
        ["col", number, name] if is_number(number) && COLUMN_FILES.contains(&name) => {
            format!("/col/N/{name}")
        }
        ["pane", ..] => "/pane/?".into(),
        ["col", ..] => "/col/?".into(),
        _ => "/?".into(),
    }
}

/// Every kind of file that the tree has, directories among them; not the kinds of lost paths.
pub fn every_kind() -> Vec<String> {
    let root = ROOT_FILES.iter().map(|name| format!("/{name}"));
    let pane = PANE_FILES.iter().map(|name| format!("/pane/N/{name}"));
    let column = COLUMN_FILES.iter().map(|name| format!("/col/N/{name}"));
    let others = ["/", "/pane/new", "/pane/N", "/col/N"].map(String::from);
    others.into_iter().chain(root).chain(pane).chain(column).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{COLUMN_FILES, PANE_FILES, ROOT_FILES, every_kind, file_kind};

    #[test]
    fn few_kinds_remain() {
        for (path, kind) in [
            ("", "/"),
            ("//", "/"),
            ("/index/", "/index"),
            ("/pane/12/pty/run", "/pane/N/pty/run"),
            ("/pane/12", "/pane/N"),
            ("/pane/12/bogus", "/pane/N/?"),
            ("/pane/-1/body", "/pane/?"),
            ("/col/1/tag", "/col/N/tag"),
            ("/col/1/x", "/col/?"),
            ("/os/etc/hosts", "/os/?"),
            ("/who/knows", "/?"),
        ] {
            assert_eq!(file_kind(path), kind, "{path}");
        }
    }
    #[test]
    fn every_kind_is_the_kind_of_a_path() {
        for kind in every_kind() {
            assert_eq!(file_kind(&kind.replace("/N", "/7")), kind);
        }
        assert_eq!(
            every_kind().len(),
            ROOT_FILES.len() + PANE_FILES.len() + COLUMN_FILES.len() + 4
        );
    }
}
