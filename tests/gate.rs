//! The gate, driven with worlds that are not as they should be: a refusal, never a launch.

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{shell_launcher, skip};
use monkey9p::sandbox::{Exit, LaunchPlan, Layout, Level, Sandbox, SandboxError, tokened};
use monkey9p::session::Launcher;

/// What a launch is made of, to be spoiled.
struct World {
    plan: LaunchPlan,
    /// Where things lie, as the target has it.
    layout: Layout,
    token: String,
    /// The same directories, as this process reaches them.
    here: Layout,
}

impl World {
    fn set(&mut self, name: &str, value: &str) {
        self.plan.environment.retain(|(variable, _)| variable != name);
        self.plan.environment.push((name.into(), value.into()));
    }
}

/// Each kind of gate there is: one that looks from within namespaces, and one that does not.
const LEVELS: [Level; 2] = [Level::Kernel, Level::Environment];

fn sandbox_at(level: Level) -> Option<(Launcher, Sandbox)> {
    let launcher = Launcher { level: Some(level), ..common::launcher(None) };
    match launcher.sandbox() {
        Ok(sandbox) => Some((launcher, sandbox)),
        Err(SandboxError::Refused(why)) => {
            skip("gate", &why.to_string());
            None
        }
        Err(why) => panic!("{why}"),
    }
}

/// A sandbox, its plan spoiled, and the gate's answer.
fn refusal(level: Level, spoil: impl Fn(&mut World)) -> Option<String> {
    let (launcher, mut sandbox) = sandbox_at(level)?;
    let mut world = World {
        plan: launcher.target.plan(sandbox.layout(), sandbox.token()),
        layout: sandbox.layout().clone(),
        token: sandbox.token().to_owned(),
        here: sandbox.reached().clone(),
    };
    // Something that was proven before is no excuse.
    let sound = sandbox.prove(world.plan.clone()).unwrap();
    spoil(&mut world);
    let answer = sandbox.prove_at(world.plan, world.layout.root, world.token);
    let why = match answer {
        Ok(_) => "it was not refused".into(),
        Err(why) => why.to_string(),
    };
    let launched = sandbox.launch(sound).unwrap_err().to_string();
    assert!(launched.contains("nothing was proven"), "{launched}");
    assert_eq!(sandbox.target(), None);
    // The first process, and the one around it, are all that ever ran here.
    let around = usize::from(sandbox.level() == Level::Kernel);
    assert_eq!(tokened(sandbox.token()).len(), 1 + around);
    sandbox.teardown().unwrap();
    Some(why)
}

fn assert_refused(want: &str, spoil: impl Fn(&mut World)) {
    LEVELS.into_iter().for_each(|level| assert_refused_at(level, want, &spoil));
}

fn assert_refused_at(level: Level, want: &str, spoil: impl Fn(&mut World)) {
    if let Some(why) = refusal(level, spoil) {
        assert!(why.starts_with("isolation is not proven") && why.contains(want), "{want}: {why}");
    }
}

#[test]
fn a_sound_world_is_proven() {
    for level in LEVELS {
        let Some((launcher, mut sandbox)) = sandbox_at(level) else { continue };
        let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
        let proven = sandbox.prove(plan).unwrap();
        assert_eq!(proven.evidence().len(), 4, "{:?}", proven.evidence());
        let (root, here) = (sandbox.layout().root.clone(), sandbox.reached().root.clone());
        // At the kernel level there is nothing outside that could be left.
        assert_eq!(root.is_dir(), level != Level::Kernel);
        assert!(here.is_dir());
        sandbox.teardown().unwrap();
        assert!(!root.exists());
    }
}

/// What was proven for one sandbox launches nothing in another.
#[test]
fn what_is_proven_is_what_is_launched() {
    let (launcher, mut one) = sandbox_at(Level::Environment).unwrap();
    let (_, mut other) = sandbox_at(Level::Environment).unwrap();
    let plan = launcher.target.plan(one.layout(), one.token());
    let proven = one.prove(plan).unwrap();
    assert!(other.launch(proven).unwrap_err().to_string().contains("nothing was proven"));
    one.teardown().unwrap();
    other.teardown().unwrap();
}

#[test]
fn variables_must_be_there_and_lead_inside() {
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "TMPDIR", "M9P_TOKEN"] {
        assert_refused(&format!("{name} is not set"), |world| {
            world.plan.environment.retain(|(variable, _)| variable != name);
        });
    }
    assert_refused("HOME is outside the root", |world| world.set("HOME", "/var"));
    assert_refused("HOME is a relative path", |world| world.set("HOME", "home"));
    assert_refused("HOME is a relative path", |world| world.set("HOME", ""));
    assert_refused("no plain path", |world| {
        world.set("HOME", &format!("{}/../../var", world.layout.home.display()));
    });
    assert_refused("HOME is outside the root", |world| {
        let root = world.layout.root.to_string_lossy().into_owned();
        world.set("HOME", &root);
    });
    assert_refused("XDG_STATE_HOME is outside the root", |world| {
        symlink("/var", world.here.home.join("out")).unwrap();
        world.set("XDG_STATE_HOME", &world.layout.home.join("out/tmp").to_string_lossy());
    });
    assert_refused("M9P_TOKEN is", |world| world.set("M9P_TOKEN", "another"));
}

/// The person's own directories, whether they can be seen from where the gate looks or not.
#[test]
fn a_home_in_the_persons_is_refused() {
    let home = std::env::var_os("HOME").map_or_else(|| "/root".into(), PathBuf::from);
    for inside in [home.clone(), home.join(".config"), home.join("m9p.sandbox/home")] {
        assert_refused("HOME", |world| world.set("HOME", &inside.to_string_lossy()));
        assert_refused("XDG_CONFIG_HOME", |world| {
            world.set("XDG_CONFIG_HOME", &inside.to_string_lossy());
        });
    }
    assert_refused("the root", |world| world.layout = Layout::new(&home.join("m9p.x")));
}

#[test]
fn no_other_variable_gets_in() {
    for name in ["PARDES_SECRET", "NINE_MOUNT", "NAMESPACE", "LD_PRELOAD", "SSH_AUTH_SOCK"] {
        assert_refused(&format!("the variable {name} is neither"), |world| world.set(name, "x"));
    }
    assert_refused("NAMESPACE is outside the root", |world| {
        world.plan.own_variables.push("NAMESPACE".into());
        world.set("NAMESPACE", "/tmp/ns.someone");
    });
    assert_refused("PARDES_DUMP is outside the root", |world| world.set("PARDES_DUMP", "/var/x"));
    assert_refused("the variable HOME is set 2 times", |world| {
        let home = world.layout.home.to_string_lossy().into_owned();
        world.plan.environment.push(("HOME".into(), home));
    });
}

#[test]
fn the_root_must_be_this_runs_own() {
    assert_refused("has no marker", |world| {
        fs::remove_file(world.here.root.join(".monkey9p-sandbox")).unwrap();
    });
    assert_refused("bears the marker of another run", |world| {
        fs::write(world.here.root.join(".monkey9p-sandbox"), "another\n").unwrap();
    });
    assert_refused("has mode 755", |world| {
        fs::set_permissions(&world.here.root, fs::Permissions::from_mode(0o755)).unwrap();
    });
    // Where there is nothing else in /tmp, there is no link either.
    let link = Path::new("/tmp").join(format!("m9p.link{}", std::process::id()));
    assert_refused_at(Level::Environment, "is a link to", |world| {
        symlink(&world.layout.root, &link).unwrap();
        world.layout = Layout::new(&link);
    });
    let _ = fs::remove_file(&link);
    assert_refused("No such file", |world| {
        world.layout = Layout::new(Path::new("/tmp/m9p.gone"));
    });
    assert_refused("is a relative path", |world| world.layout = Layout::new(Path::new("m9p.x")));
}

#[test]
fn no_sandbox_is_in_another() {
    assert_refused("directly below /tmp", |world| {
        fs::create_dir(world.here.home.join("m9p.inner")).unwrap();
        world.layout = Layout::new(&world.layout.home.join("m9p.inner"));
    });
    // With all that makes it one.
    assert_refused("directly below /tmp", |world| {
        let here = world.here.home.join("m9p.inner");
        fs::create_dir(&here).unwrap();
        fs::set_permissions(&here, fs::Permissions::from_mode(0o700)).unwrap();
        Layout::new(&here).make(&world.token).unwrap();
        world.layout = Layout::new(&world.layout.home.join("m9p.inner"));
    });
}

#[test]
fn the_socket_must_be_free_short_and_inside() {
    let name = |world: &World| world.plan.socket.file_name().unwrap().to_owned();
    assert_refused("the socket is there already", |world| {
        fs::write(world.here.runtime.join(name(world)), "").unwrap();
    });
    assert_refused("the socket is there already", |world| {
        symlink("nothing", world.here.runtime.join(name(world))).unwrap();
    });
    assert_refused("the socket's path has", |world| {
        world.plan.socket = world.layout.runtime.join("x".repeat(120));
    });
    assert_refused("the socket is outside the root", |world| {
        world.plan.socket = "/tmp/s.sock".into();
    });
}

#[test]
fn the_rest_of_a_launch_must_be_inside_too() {
    assert_refused("the working directory is outside", |world| world.plan.directory = "/".into());
    assert_refused("standard error is outside", |world| world.plan.stderr = "/tmp/err".into());
    assert_refused("no executable file", |world| world.plan.program = "/etc/passwd".into());
    assert_refused("the program /nowhere", |world| world.plan.program = "/nowhere".into());
    assert_refused("the program is a relative path", |world| world.plan.program = "sh".into());
}

/// What the target has is what was looked at, value for value.
#[test]
fn what_was_looked_at_is_what_the_target_gets() {
    for level in LEVELS {
        let script = "tr '\\0' '\\n' < /proc/self/environ > $HOME/got; pwd > $HOME/where";
        let launcher = Launcher { level: Some(level), ..shell_launcher(script) };
        let Ok(mut sandbox) = launcher.sandbox() else {
            skip("what_was_looked_at_is_what_the_target_gets", &format!("no level {level}"));
            continue;
        };
        let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
        let mut want: Vec<String> =
            plan.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let proven = sandbox.prove(plan).unwrap();
        sandbox.launch(proven).unwrap();
        assert_eq!(sandbox.exit(Duration::from_secs(10)).unwrap(), Some(Exit::Code(0)));
        let got = fs::read_to_string(sandbox.reached().home.join("got")).unwrap();
        // What a shell adds for itself.
        let own = |line: &&str| !["PWD=", "OLDPWD=", "_="].iter().any(|own| line.starts_with(own));
        let mut got: Vec<String> = got.lines().filter(own).map(str::to_owned).collect();
        got.sort();
        want.sort();
        assert_eq!(got, want, "{level}");
        let place = fs::read_to_string(sandbox.reached().home.join("where")).unwrap();
        assert_eq!(Path::new(place.trim()), sandbox.layout().home);
        sandbox.teardown().unwrap();
    }
}

/// A harness that is itself a target: where it is held, it can make no world of its own, and says so.
#[test]
fn a_sandbox_within_a_sandbox_is_refused_where_it_cannot_hold() {
    for level in [Level::Kernel, Level::Landlock] {
        let program = common::executable();
        let script = format!("{} drill --json > told 2> why; echo $? > code", program.display());
        let mut launcher = Launcher { level: Some(level), ..shell_launcher(&script) };
        launcher.executable = program;
        let Ok(mut sandbox) = launcher.sandbox() else {
            skip("a_sandbox_within_a_sandbox", &format!("no level {level}"));
            continue;
        };
        let plan = launcher.target.plan(sandbox.layout(), sandbox.token());
        let proven = sandbox.prove(plan).unwrap();
        sandbox.launch(proven).unwrap();
        assert_eq!(sandbox.exit(Duration::from_secs(30)).unwrap(), Some(Exit::Code(0)));
        let read = |name| fs::read_to_string(sandbox.reached().home.join(name)).unwrap();
        let told = read("told");
        assert_eq!(read("code").trim(), "1", "{level}: {told} {}", read("why"));
        let reports: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(reports.as_array().unwrap().len(), 1, "{told}");
        assert_eq!(reports[0]["verdict"], "FAIL", "{told}");
        assert!(told.contains("nothing was launched"), "{told}");
        sandbox.teardown().unwrap();
    }
}

/// Whatever the harness itself is told by its environment: the same world is proven, and the drill's
/// launch is held in it.
#[test]
fn a_hostile_environment_of_the_harness_changes_nothing() {
    let person = tempfile::tempdir_in("/tmp").unwrap();
    let (home, link) = (person.path().join("home"), person.path().join("link"));
    fs::create_dir(&home).unwrap();
    symlink("/etc", &link).unwrap();
    let (home, link) = (home.to_str().unwrap(), link.to_str().unwrap());
    let hostile: [&[(&str, &str)]; 8] = [
        &[("HOME", "")],
        &[("HOME", "relative/home")],
        &[("HOME", "/")],
        &[("HOME", "/tmp"), ("TMPDIR", "/nowhere")],
        &[("HOME", home), ("XDG_RUNTIME_DIR", home), ("XDG_CONFIG_HOME", "relative")],
        &[("HOME", link), ("XDG_STATE_HOME", link), ("TMPDIR", link)],
        &[("PARDES_DUMP", "/etc/dump"), ("PARDES_SECRET", "x"), ("NAMESPACE", home)],
        &[("M9P_TOKEN", "another"), ("NINE_MOUNT", "/"), ("PATH", "/nowhere:.")],
    ];
    for variables in hostile {
        let mut drill = Command::new(common::executable());
        drill.args(["drill", "--steps", "0,1"]).current_dir("/").env_remove("HOME");
        let done = drill.envs(variables.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(done.status.code(), Some(0), "{variables:?}: {said}");
        assert!(said.contains("every path in them is below the root"), "{said}");
    }
    let done = Command::new(common::executable())
        .args(["drill", "--steps", "0"])
        .env_remove("HOME")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(fs::read_dir(home).unwrap().count(), 0);
}
