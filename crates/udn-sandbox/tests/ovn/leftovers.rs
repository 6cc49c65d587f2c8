//! Nothing stays behind of a sandbox, however its process ends; and if even the janitor is killed,
//! the next sandbox in the same folder takes everything away first.
//!
//! The tests start this same program again as a victim, look at what it made, end it, and then look
//! for every single thing.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use udn_lab::janitor::settle;
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_model::ClusterSettings;
use udn_sandbox::{Inventory, Sandbox, SandboxError, SandboxSettings};

use crate::rig::Print;
use crate::rig::manifests::first_light;

const LIMIT: Duration = Duration::from_secs(60);
/// Where the victim is to work; set only by the tests that end one.
const WORKPLACE: &str = "UDN_SANDBOX_VICTIM";
/// What the victim writes there once its sandbox stands.
const READY: &str = "ready";
/// What makes the victim panic as soon as it is there.
const PANIC: &str = "panic";

#[test]
fn nothing_stays_after_sigkill() {
    check(|victim| signal("KILL", &victim.process.id().to_string()));
}

#[test]
fn nothing_stays_after_ctrl_c() {
    // A terminal sends it to everybody in the foreground.
    check(|victim| signal("INT", &format!("-{}", victim.process.id())));
}

#[test]
fn nothing_stays_after_a_panic() {
    check(|victim| fs::write(victim.workplace.path().join(PANIC), "").expect("it can be written"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_sandbox_removes_what_nobody_else_could() {
    let mut victim = Victim::start();
    let things = victim.things();
    assert_eq!(things.gone(), BTreeSet::new(), "everything stands");
    let settings = settings(&victim.folder());
    let refused = Sandbox::open(settings.clone()).await.map(|_| ());
    assert!(matches!(refused, Err(SandboxError::Running { .. })), "{refused:?}");
    signal("KILL", &victim.janitor());
    signal("KILL", &victim.process.id().to_string());
    victim.wait();
    assert_eq!(things.gone(), BTreeSet::new(), "nobody was there to remove anything");
    let next = Sandbox::open(settings).await.expect("the next sandbox opens");
    let mut left = things.left();
    left.remove(&format!("folder {}", victim.folder().display()));
    assert_eq!(left, BTreeSet::new(), "the next sandbox removed everything");
    drop(next);
    assert!(!victim.folder().exists());
}

/// By itself an ordinary end; as a victim, the end that the other tests give it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_stays_after_an_ordinary_end() {
    let told = env::var_os(WORKPLACE).map(PathBuf::from);
    // A victim has no time to remove a folder of its own.
    let own = told.is_none().then(|| tempfile::tempdir().expect("a folder can be made"));
    let workplace = told.clone().or_else(|| own.as_ref().map(|it| it.path().to_owned()));
    let workplace = workplace.expect("one of them is there");
    let folder = workplace.join("sandbox");
    let mut sandbox = Sandbox::open(settings(&folder)).await.expect("a sandbox opens");
    sandbox.apply(&first_light(), &mut Print).await.expect("the example is applied");
    if told.is_some() {
        fs::write(workplace.join(READY), "").expect("it can be written");
        let order = workplace.join(PANIC);
        let _ = wait_for("the end", Duration::from_secs(600), || order.exists().then_some(()));
        panic!("the victim panics as it was told to");
    }
    let things = Things::of(&folder);
    assert_eq!(things.gone(), BTreeSet::new(), "everything stands");
    drop(sandbox);
    assert_eq!(things.left(), BTreeSet::new());
}

/// Ends a victim, and expects that all of its sandbox goes.
fn check(end: impl Fn(&Victim)) {
    let mut victim = Victim::start();
    let things = victim.things();
    assert_eq!(things.gone(), BTreeSet::new(), "everything stands while its owner lives");
    end(&victim);
    victim.wait();
    let gone = || things.left().is_empty().then_some(());
    let outcome = wait_for("the sandbox's end", Duration::from_secs(30), gone);
    assert!(outcome.is_ok(), "left behind: {:#?}", things.left());
}

fn settings(folder: &Path) -> SandboxSettings {
    SandboxSettings::new(folder.to_owned(), ClusterSettings::default())
}

fn signal(name: &str, whom: &str) {
    run(Command::new("kill").args([&format!("-{name}"), "--", whom])).expect("it lives");
}

/// A process of ours with a sandbox.
struct Victim {
    process: Child,
    workplace: TempDir,
}

impl Victim {
    fn start() -> Self {
        let workplace = tempfile::tempdir().expect("a folder can be made");
        // Whoever runs the tests in the background may have switched Ctrl-C off for all below it.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT").arg(env::current_exe().expect("a test has a program"));
        command.args(["--exact", "leftovers::nothing_stays_after_an_ordinary_end"]);
        command.env(WORKPLACE, workplace.path()).process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut victim = Self { process: command.spawn().expect("the victim starts"), workplace };
        let ready = victim.workplace.path().join(READY);
        let outcome = wait_for("the victim's sandbox", LIMIT, || {
            let ended = victim.process.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "the victim ended too early: {ended:?}");
            ready.exists().then_some(())
        });
        outcome.expect("the victim's sandbox stands");
        victim
    }

    fn folder(&self) -> PathBuf {
        self.workplace.path().join("sandbox")
    }

    fn things(&self) -> Things {
        Things::of(&self.folder())
    }

    /// The process of its janitor, which leads a session of its own.
    fn janitor(&self) -> String {
        let pattern = ["-f", "udn-janitor$", "-P", &self.process.id().to_string()];
        let setsid = run(Command::new("pgrep").args(pattern)).expect("it has a janitor");
        // setsid waits for the shell, if it had to begin a process for it.
        let shell = Command::new("pgrep").args(["-P", &setsid]).output().expect("pgrep runs");
        let shell = String::from_utf8_lossy(&shell.stdout).trim().to_owned();
        if shell.is_empty() { setsid } else { shell }
    }

    fn wait(&mut self) {
        let ended = wait_for("the victim's end", LIMIT, || self.process.try_wait().ok().flatten());
        ended.expect("the victim ends");
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // Only a test that failed leaves anything; whatever it is, it goes.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = settle(&self.folder().join("book"));
    }
}

/// Everything that a sandbox made, as `namespace …`, `program …`, `folder …`.
struct Things {
    all: BTreeSet<String>,
}

impl Things {
    /// By the janitor's book and, independently, by what is seen in the namespaces of the inventory.
    fn of(folder: &Path) -> Self {
        let book = fs::read_to_string(folder.join("book")).expect("there is a book");
        let owed = book.lines().map(|line| match line.strip_prefix("program ") {
            Some(program) => format!("program {}", program.split(' ').next().unwrap_or_default()),
            None => line.to_owned(),
        });
        let mut all: BTreeSet<String> = owed.collect();
        let inventory = Inventory::read(folder).expect("there is an inventory");
        let Inventory { nodes, pods, hosts, .. } = inventory;
        assert_eq!((nodes.len(), pods.len(), hosts.len()), (3, 8, 2));
        for path in nodes.values().chain(pods.values()).chain(hosts.values()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let pids = run(Command::new("ip").args(["netns", "pids", &name])).expect("ip answers");
            all.extend(pids.split_whitespace().map(|pid| format!("program {pid}")));
            all.insert(format!("namespace {name}"));
        }
        Self { all }
    }

    fn left(&self) -> BTreeSet<String> {
        self.all.iter().filter(|thing| stands(thing)).cloned().collect()
    }

    fn gone(&self) -> BTreeSet<String> {
        self.all.iter().filter(|thing| !stands(thing)).cloned().collect()
    }
}

fn stands(thing: &str) -> bool {
    match thing.split_once(' ') {
        Some(("program", pid)) => is_alive(pid),
        Some(("namespace", name)) => Path::new("/run/netns").join(name).exists(),
        Some(("link", name)) => Path::new("/sys/class/net").join(name).exists(),
        Some(("folder", path)) => Path::new(path).exists(),
        Some(("mount", path)) => {
            fs::read_to_string("/proc/self/mounts").is_ok_and(|all| all.contains(path))
        }
        _ => panic!("the victim made a {thing}"),
    }
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}
