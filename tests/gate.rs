//! The gate, driven with worlds that are not as they should be: a refusal, never a launch.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use monkey9p::sandbox::{LaunchPlan, Layout, Level, prove, tokened};

/// A sandbox, its plan spoiled, and the gate's answer.
fn refusal(spoil: impl FnOnce(&mut LaunchPlan, &mut Layout, &mut String)) -> String {
    let launcher = common::launcher(None);
    let sandbox = launcher.sandbox().unwrap();
    let mut plan = launcher.target.plan(sandbox.layout(), sandbox.token());
    let mut layout = sandbox.layout().clone();
    let mut token = sandbox.token().to_owned();
    spoil(&mut plan, &mut layout, &mut token);
    let answer = prove(plan, &layout, &token);
    // The first process, and the one around it, are all that ever ran here.
    let around = usize::from(sandbox.level() == Level::Kernel);
    assert_eq!(tokened(sandbox.token()).len(), 1 + around);
    sandbox.teardown().unwrap();
    match answer {
        Ok(_) => "it was not refused".into(),
        Err(why) => why.to_string(),
    }
}

fn set(plan: &mut LaunchPlan, name: &str, value: &str) {
    plan.environment.retain(|(variable, _)| variable != name);
    plan.environment.push((name.into(), value.into()));
}

fn assert_refused(want: &str, spoil: impl FnOnce(&mut LaunchPlan, &mut Layout, &mut String)) {
    let why = refusal(spoil);
    assert!(why.starts_with("isolation is not proven") && why.contains(want), "{want}: {why}");
}

#[test]
fn a_sound_world_is_proven() {
    let sandbox = common::launcher(None).sandbox().unwrap();
    let plan = common::launcher(None).target.plan(sandbox.layout(), sandbox.token());
    let proven = prove(plan, sandbox.layout(), sandbox.token()).unwrap();
    assert_eq!(proven.evidence().len(), 4, "{:?}", proven.evidence());
    let root = sandbox.layout().root.clone();
    assert!(root.is_dir());
    sandbox.teardown().unwrap();
    assert!(!root.exists());
}

#[test]
fn variables_must_be_there_and_lead_inside() {
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "TMPDIR", "M9P_TOKEN"] {
        assert_refused(&format!("{name} is not set"), |plan, _, _| {
            plan.environment.retain(|(variable, _)| variable != name);
        });
    }
    assert_refused("HOME is outside the root", |plan, _, _| set(plan, "HOME", "/var"));
    assert_refused("HOME is a relative path", |plan, _, _| set(plan, "HOME", "home"));
    assert_refused("HOME is a relative path", |plan, _, _| set(plan, "HOME", ""));
    assert_refused("no plain path", |plan, layout, _| {
        set(plan, "HOME", &format!("{}/../../var", layout.home.display()));
    });
    assert_refused("HOME is outside the root", |plan, layout, _| {
        set(plan, "HOME", &layout.root.to_string_lossy());
    });
    assert_refused("XDG_STATE_HOME is outside the root", |plan, layout, _| {
        let link = layout.home.join("out");
        symlink("/var", &link).unwrap();
        set(plan, "XDG_STATE_HOME", &link.join("tmp").to_string_lossy());
    });
    assert_refused("M9P_TOKEN is", |plan, _, _| set(plan, "M9P_TOKEN", "another"));
}

#[test]
fn no_other_variable_gets_in() {
    for name in ["PARDES_SECRET", "NINE_MOUNT", "NAMESPACE", "LD_PRELOAD", "SSH_AUTH_SOCK"] {
        assert_refused(&format!("the variable {name} is neither"), |plan, _, _| {
            set(plan, name, "x")
        });
    }
    assert_refused("NAMESPACE is outside the root", |plan, _, _| {
        plan.own_variables.push("NAMESPACE".into());
        set(plan, "NAMESPACE", "/tmp/ns.someone");
    });
    assert_refused("PARDES_DUMP is outside the root", |plan, _, _| {
        set(plan, "PARDES_DUMP", "/var/x")
    });
    assert_refused("the variable HOME is set 2 times", |plan, layout, _| {
        plan.environment.push(("HOME".into(), layout.home.to_string_lossy().into()));
    });
}

#[test]
fn the_root_must_be_this_runs_own() {
    assert_refused("has no marker", |_, layout, _| {
        fs::remove_file(layout.root.join(".monkey9p-sandbox")).unwrap();
    });
    assert_refused("bears the marker of another run", |_, layout, _| {
        fs::write(layout.root.join(".monkey9p-sandbox"), "another\n").unwrap();
    });
    assert_refused("has mode 755", |_, layout, _| {
        fs::set_permissions(&layout.root, fs::Permissions::from_mode(0o755)).unwrap();
    });
    assert_refused("is a link to", |_, layout, _| {
        let link = Path::new("/tmp").join(format!("m9p.link{}", std::process::id()));
        symlink(&layout.root, &link).unwrap();
        *layout = Layout::new(&link);
    });
    let _ = fs::remove_file(format!("/tmp/m9p.link{}", std::process::id()));
    assert_refused("No such file", |_, layout, _| {
        *layout = Layout::new(Path::new("/tmp/m9p.gone"))
    });
    assert_refused("is a relative path", |_, layout, _| *layout = Layout::new(Path::new("m9p.x")));
    // A sandbox in a sandbox, or in anybody's home.
    assert_refused("directly below /tmp", |_, layout, _| {
        let inner = layout.home.join("m9p.inner");
        fs::create_dir(&inner).unwrap();
        *layout = Layout::new(&inner);
    });
}

#[test]
fn the_socket_must_be_free_short_and_inside() {
    assert_refused("the socket is there already", |plan, _, _| {
        fs::write(&plan.socket, "").unwrap()
    });
    assert_refused("the socket is there already", |plan, layout, _| {
        symlink(layout.runtime.join("nothing"), &plan.socket).unwrap();
    });
    assert_refused("the socket's path has", |plan, layout, _| {
        plan.socket = layout.runtime.join("x".repeat(120));
    });
    assert_refused("the socket is outside the root", |plan, _, _| {
        plan.socket = "/tmp/s.sock".into()
    });
}

#[test]
fn the_rest_of_a_launch_must_be_inside_too() {
    assert_refused("the working directory is outside", |plan, _, _| plan.directory = "/".into());
    assert_refused("standard error is outside", |plan, _, _| plan.stderr = "/tmp/err".into());
    assert_refused("no executable file", |plan, _, _| plan.program = "/etc/passwd".into());
    assert_refused("the program /nowhere", |plan, _, _| plan.program = "/nowhere".into());
    assert_refused("the program is a relative path", |plan, _, _| plan.program = "sh".into());
}
