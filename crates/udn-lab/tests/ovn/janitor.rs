//! Nothing stays behind: a whole rig vanishes when it is dropped, and after a panic, Ctrl-C and
//! SIGKILL of its owner.
//!
//! The tests start this same program again as a victim, let it build a rig and report what it
//! made, end it, and then look for every single thing.

use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use udn_lab::janitor::Janitor;
use udn_lab::node::{Fabric, Node};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_lab::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(60);
/// Where the victim is to report; set only by the tests that end one.
const REPORT: &str = "UDN_LAB_VICTIM_REPORT";
/// Set when the victim is to panic.
const PANIC: &str = "UDN_LAB_VICTIM_PANICS";

/// Things of each kind that a rig made.
struct Report {
    text: String,
}

impl Report {
    fn of(&self, kind: &str) -> Vec<&str> {
        let things: Vec<&str> = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))
            .collect();
        assert!(!things.is_empty(), "the victim made no {kind}:\n{}", self.text);
        things
    }

    fn leftovers(&self) -> Vec<String> {
        let kinds = ["program", "namespace", "link", "mount", "folder"];
        let stays = |kind: &str| {
            let things = self.of(kind).into_iter().filter(|thing| stands(kind, thing));
            things.map(|thing| format!("{kind} {thing}")).collect::<Vec<_>>()
        };
        kinds.into_iter().flat_map(stays).collect()
    }
}

/// Whether a thing of this kind is there.
fn stands(kind: &str, thing: &str) -> bool {
    match kind {
        "program" => is_alive(thing),
        "namespace" => Path::new("/run/netns").join(thing).exists(),
        "link" => Path::new("/sys/class/net").join(thing).exists(),
        "mount" => fs::read_to_string("/proc/self/mounts").is_ok_and(|all| all.contains(thing)),
        "folder" => Path::new(thing).exists(),
        other => panic!("the victim made a {other}"),
    }
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// Runs a victim, ends it by `end` once its rig stands, and expects that all of it goes.
fn check(panics: bool, end: impl Fn(&Child)) {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let path = janitor.folder().expect("a folder can be made").join("report");
    // Whoever runs the tests in the background may have switched Ctrl-C off for all below it.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(env::current_exe().expect("a test knows its program"));
    command.args(["--exact", "janitor::nothing_stays_after_an_ordinary_end"]).env(REPORT, &path);
    if panics {
        command.env(PANIC, "yes");
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut victim = command.spawn().expect("the victim starts");
    let text = wait_for("the victim's report", LIMIT, || fs::read_to_string(&path).ok());
    let report = Report { text: text.expect("the victim builds its rig") };
    if !panics {
        assert!(!report.leftovers().is_empty(), "the rig stands while its owner lives");
    }
    end(&victim);
    let ended = wait_for("the victim's end", LIMIT, || victim.try_wait().ok().flatten());
    if ended.is_err() {
        send(&victim, Signal::SIGKILL);
        panic!("the victim did not end by itself");
    }
    let gone = || report.leftovers().is_empty().then_some(());
    let outcome = wait_for("the rig's end", Duration::from_secs(20), gone);
    assert!(outcome.is_ok(), "left behind: {:#?}", report.leftovers());
}

fn send(victim: &Child, signal: Signal) {
    let group = Pid::from_raw(i32::try_from(victim.id()).expect("a pid fits into pid_t"));
    killpg(group, signal).expect("the victim lives");
}

#[test]
fn nothing_stays_after_sigkill() {
    check(false, |victim| send(victim, Signal::SIGKILL));
}

#[test]
fn nothing_stays_after_ctrl_c() {
    check(false, |victim| send(victim, Signal::SIGINT));
}

#[test]
fn nothing_stays_after_a_panic() {
    check(true, |_| ());
}

/// By itself an ordinary end; as a victim, the end that the other tests give it.
#[test]
fn nothing_stays_after_an_ordinary_end() {
    let rig = Rig::build();
    let report = Report { text: rig.report() };
    if let Some(path) = env::var_os(REPORT).map(PathBuf::from) {
        // By a rename, so that the report is read only when it is whole.
        fs::write(path.with_extension("part"), &report.text).expect("the report can be written");
        fs::rename(path.with_extension("part"), path).expect("the report can be renamed");
        assert!(env::var_os(PANIC).is_none(), "the victim panics as it was told to");
        loop {
            std::thread::park();
        }
    }
    assert!(!report.leftovers().is_empty(), "the rig stands while its owner lives");
    drop(rig);
    assert_eq!(report.leftovers(), Vec::<String>::new());
}

/// One thing of every kind.
struct Rig {
    node: Node,
    fabric: Fabric,
    link: String,
    mount: PathBuf,
    folder: PathBuf,
    _janitor: Janitor,
}

impl Rig {
    fn build() -> Self {
        let janitor = Janitor::hire().expect("a janitor can be hired");
        let folder = janitor.folder().expect("a folder can be made");
        let link = add_link(&janitor);
        let mount = add_mount(&janitor, &folder);
        let root = OvnRoot::find().expect("the OVN root is set up");
        let fabric = Fabric::create().expect("a fabric can be made");
        let node = Node::start(&root, &fabric, "victim", [172, 18, 0, 9].into());
        let node = node.expect("the node starts");
        Self { node, fabric, link, mount, folder, _janitor: janitor }
    }

    fn report(&self) -> String {
        let Self { node, fabric, link, mount, folder, .. } = self;
        let mut text =
            format!("link {link}\nmount {}\nfolder {}\n", mount.display(), folder.display());
        for namespace in [fabric.namespace(), node.namespace()] {
            text += &format!("namespace {}\n", namespace.name());
        }
        for pid in node.namespace().pids().expect("the namespace can be asked") {
            text += &format!("program {pid}\n");
        }
        for server in [node.northbound(), node.southbound(), node.open_vswitch()] {
            text += &format!("folder {}\n", server.folder().display());
        }
        text
    }
}

fn add_link(janitor: &Janitor) -> String {
    let link = format!("udnv{}", std::process::id());
    janitor.owe_link(&link).expect("the janitor hears");
    run(Command::new("ip").args(["link", "add", &link, "type", "bridge"])).expect("a link is made");
    link
}

fn add_mount(janitor: &Janitor, folder: &Path) -> PathBuf {
    let mount = folder.join("mount");
    fs::create_dir(&mount).expect("the folder is ours");
    janitor.owe_mount(&mount).expect("the janitor hears");
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "udn-lab"]).arg(&mount);
    run(&mut command).expect("a tmpfs is mounted");
    mount
}
