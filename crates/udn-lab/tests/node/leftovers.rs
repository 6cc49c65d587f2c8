//! Nothing stays behind: a cluster with running pods vanishes when it is dropped, and when its
//! owner is killed.
//!
//! The second test starts this same program again as a victim, lets it report what it made, kills
//! it, and then looks for every single thing.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use udn_lab::janitor::Janitor;
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_lab::wait::wait_for;

use crate::scene::{LIMIT, apply, deployment, start, wait_pods_ready};

/// Where the victim is to report; set only by the test that kills it.
const REPORT: &str = "UDN_LAB_VICTIM_REPORT";

/// What a cluster made, each with its kind.
#[derive(Debug)]
struct Traces(BTreeSet<String>);

impl Traces {
    fn of(cluster: &RealCluster) -> Self {
        let mut traces = BTreeSet::new();
        let mut add = |kind: &str, thing: &str| traces.insert(format!("{kind} {thing}"));
        let [fabric, outside] = [cluster.fabric().namespace(), cluster.outside().namespace()];
        for namespace in
            [fabric, outside].into_iter().chain(cluster.nodes().iter().map(RealNode::namespace))
        {
            add("namespace", namespace.name());
        }
        for pid in cluster.control_plane().pids() {
            add("program", &begun(&pid.to_string()));
        }
        add("folder", &cluster.control_plane().folder().to_string_lossy());
        add("cgroup", cluster.cgroup());
        for node in cluster.nodes() {
            add("folder", &node.folder().to_string_lossy());
            let root = node.root();
            let first = root.parent().expect("it lies in /proc");
            for pid in pids_on(first, cluster.cgroup()) {
                add("program", &begun(&pid));
            }
        }
        Self(traces)
    }

    fn parse(text: &str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    /// Expects that what was made is there; a probe's program may have ended since.
    fn check_standing(&self) {
        let standing = self.standing();
        let (programs, others): (Vec<&str>, Vec<&str>) =
            standing.iter().partition(|line| line.starts_with("program "));
        // The control plane's four; on each of two nodes the first process and its sleep,
        // containerd, kubelet, and two pods with a shim, a pause and a server each.
        assert!(programs.len() >= 4 + 2 * (4 + 2 * 3), "{programs:#?}");
        let made = self.0.iter().filter(|line| !line.starts_with("program ")).count();
        assert_eq!(others.len(), made, "{others:#?}");
    }

    /// What is still there.
    fn standing(&self) -> Vec<&str> {
        let mounts = fs::read_to_string("/proc/self/mounts").expect("the kernel tells");
        let stands = |line: &&String| {
            let (kind, thing) = line.split_once(' ').expect("a kind and a thing");
            match kind {
                "namespace" => Path::new("/run/netns").join(thing).exists(),
                "program" => lives(thing),
                "folder" => Path::new(thing).exists() || mounts.contains(thing),
                "cgroup" => hierarchies().any(|path| path.join(thing).exists()),
                other => panic!("the cluster made a {other}"),
            }
        };
        self.0.iter().filter(stands).map(String::as_str).collect()
    }
}

/// The programs in the same process namespace as `first`: all that runs on a node, pods included.
fn pids_on(first: &Path, cgroup: &str) -> Vec<String> {
    let namespace = fs::read_link(first.join("ns/pid_for_children")).expect("the node runs");
    let entries = fs::read_dir("/proc").expect("the kernel tells").flatten();
    let is_there = |path: &Path| {
        // A container has a process namespace below that of its node, and so has its own mounts.
        let own = fs::read_link(path.join("ns/pid")).is_ok_and(|own| own == namespace);
        own || fs::read_to_string(path.join("cgroup")).is_ok_and(|text| text.contains(cgroup))
    };
    let there = entries.filter(|entry| is_there(&entry.path()));
    let names = there.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.parse::<u32>().is_ok()).collect()
}

/// A program's number with its start time, because numbers are used again.
fn begun(pid: &str) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let start = stat.rsplit_once(')').and_then(|(_, fields)| fields.split_whitespace().nth(19));
    format!("{pid} {}", start.unwrap_or("ended"))
}

fn lives(program: &str) -> bool {
    let pid = program.split(' ').next().expect("a program has a number");
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ") && begun(pid) == program
}

fn hierarchies() -> impl Iterator<Item = PathBuf> {
    let root = PathBuf::from("/sys/fs/cgroup");
    let below = fs::read_dir(&root).expect("cgroups are mounted").flatten();
    [root].into_iter().chain(below.map(|entry| entry.path()))
}

fn cluster_with_pods() -> RealCluster {
    let cluster = start(2);
    apply(&cluster, &deployment("web", 4));
    wait_pods_ready(&cluster, "app=web", 4);
    cluster
}

/// By itself an ordinary end; as a victim, it waits to be killed.
#[test]
fn nothing_stays_after_a_drop() {
    let cluster = cluster_with_pods();
    let traces = Traces::of(&cluster);
    if let Some(path) = env::var_os(REPORT).map(PathBuf::from) {
        let text: String = traces.0.iter().map(|line| format!("{line}\n")).collect();
        // By a rename, so that the report is read only when it is whole.
        fs::write(path.with_extension("part"), text).expect("the report can be written");
        fs::rename(path.with_extension("part"), path).expect("the report can be renamed");
        loop {
            std::thread::park();
        }
    }
    traces.check_standing();
    let begun = Instant::now();
    drop(cluster);
    println!("removed within {:?}", begun.elapsed());
    assert_eq!(traces.standing(), Vec::<&str>::new());
}

#[test]
fn nothing_stays_after_sigkill() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let path = janitor.folder().expect("a folder can be made").join("report");
    let mut command = Command::new(env::current_exe().expect("a test knows its program"));
    command.args(["--exact", "leftovers::nothing_stays_after_a_drop"]).env(REPORT, &path);
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut victim = command.spawn().expect("the victim starts");
    let text = wait_for("the victim's report", LIMIT, || fs::read_to_string(&path).ok());
    let group = Pid::from_raw(i32::try_from(victim.id()).expect("a pid fits into pid_t"));
    let traces = text.as_deref().map(Traces::parse);
    let stood = traces.as_ref().map(|traces| panic::catch_unwind(|| traces.check_standing()));
    let stood = stood.is_ok_and(|outcome| outcome.is_ok());
    killpg(group, Signal::SIGKILL).expect("the victim lives");
    victim.wait().expect("it is ours");
    let traces = traces.expect("the victim builds its cluster");
    assert!(stood, "all of it stood");
    let gone = || traces.standing().is_empty().then_some(());
    let outcome = wait_for("the cluster's end", LIMIT, gone);
    assert!(outcome.is_ok(), "left behind: {:#?}", traces.standing());
}
