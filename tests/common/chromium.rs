//! A page opened in headless Chromium, and what is to be seen of it.

use std::path::Path;
use std::process::{Command, Stdio};

/// The browser, by the names that it goes by.
pub fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    })
}

/// Opens a page in a frame of that width, runs a script over its document `d` and its window `w`, and
/// gives what the script does.
pub fn seen(browser: &str, page: &Path, width: u32, scheme: u8, script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let around = folder.path().join("around.html");
    let text = format!(
        "<iframe id=f width={width} height=900 src=\"file://{}\"></iframe><pre id=o></pre><script>
f.onload = () => {{ const d = f.contentDocument, w = f.contentWindow; o.textContent = '[' + ({script}) + ']' }}
</script>",
        page.display()
    );
    std::fs::write(&around, text).unwrap();
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"])
        .arg("--virtual-time-budget=10000")
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(["--dump-dom".into(), format!("file://{}", around.display())]);
    let done = command.output().unwrap();
    let dom = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = dom.split_once("<pre id=\"o\">[").and_then(|(_, rest)| rest.split_once("]</pre>"));
    let why = || panic!("{dom} {}", String::from_utf8_lossy(&done.stderr));
    said.map_or_else(why, |(said, _)| said.to_owned())
}
