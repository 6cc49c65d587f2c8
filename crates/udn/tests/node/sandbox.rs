//! `udn sandbox --kubernetes` as people use it, with kubectl beside it; afterwards nothing is left.
//!
//! Others may start and end clusters on this machine meanwhile, so that what is ours is told by what
//! every program of ours inherits, and by the sandbox's own book.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use udn_lab::kubernetes::programs::Programs;
use udn_lab::run::run;
use udn_lab::wait::wait_for;

use crate::stand::{LIMIT, turn};

/// The variable that says where a sandbox keeps its folder, which all its programs inherit.
const FOLDER: &str = "UDN_SANDBOX";

/// The sandbox in the first terminal; ended even if the test fails.
struct Terminal {
    child: Child,
    folder: PathBuf,
    said: String,
}

impl Terminal {
    /// Starts a sandbox and reads along until it has said something.
    fn open(folder: &Path, arguments: &[&str], until: &str) -> Self {
        // Whoever runs the tests in the background may have switched Ctrl-C off for all below it.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_udn"));
        command.args(["sandbox", "--kubernetes"]).args(arguments).env(FOLDER, folder);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        while !said.contains(until) {
            let read = lines.read_line(&mut said).expect("readable");
            assert!(read > 0, "the sandbox ended early:\n{said}");
        }
        // What it says later must not block it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self { child, folder: folder.to_owned(), said }
    }

    /// Sends a signal and waits for the end.
    fn end(&mut self, signal: Signal) -> ExitStatus {
        let pid = i32::try_from(self.child.id()).expect("a process number");
        kill(Pid::from_raw(pid), signal).expect("it runs");
        self.child.wait().expect("it ends")
    }

    /// What the sandbox has made so far.
    fn traces(&self) -> Traces {
        Traces::read(&self.folder)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Already ended in the ordinary case; the janitor removes what is left.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a sandbox has made outside of its nodes, as its book has it.
struct Traces {
    folder: PathBuf,
    namespaces: Vec<String>,
    folders: Vec<PathBuf>,
    cgroups: Vec<String>,
}

impl Traces {
    fn read(folder: &Path) -> Self {
        let book = fs::read_to_string(folder.join("book")).expect("a sandbox keeps a book");
        let of = |kind: &str| -> Vec<String> {
            let debts = book.lines().filter_map(|line| line.strip_prefix(kind));
            debts.map(|it| it.trim_start().to_owned()).collect()
        };
        Self {
            folder: folder.to_owned(),
            namespaces: of("namespace"),
            folders: of("folder").into_iter().map(PathBuf::from).collect(),
            cgroups: of("cgroup"),
        }
    }

    /// All of it that is there, for a person to read.
    fn left(&self) -> BTreeSet<String> {
        let named = |kind: &str, path: &Path| format!("{kind} {}", path.display());
        let namespaces = self.namespaces.iter().map(|name| Path::new("/run/netns").join(name));
        let namespaces = namespaces.filter(|it| it.exists()).map(|it| named("namespace", &it));
        let folders = self.folders.iter().filter(|it| it.exists()).map(|it| named("folder", it));
        let groups = self.cgroups.iter().flat_map(|name| cgroups(name));
        let groups = groups.map(|it| named("cgroup", &it));
        let programs = self.programs().into_iter().map(|it| format!("program {it}"));
        namespaces.chain(folders).chain(groups).chain(programs).collect()
    }

    /// The names of the programs that a sandbox started: they inherit where its folder is, but for
    /// those in containers, which are in its control groups.
    fn programs(&self) -> BTreeSet<String> {
        let mark = format!("{FOLDER}={}", self.folder.display());
        let mut programs = BTreeSet::new();
        for entry in fs::read_dir("/proc").expect("there are programs").flatten() {
            let file = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let (environment, groups) = (file("environ"), file("cgroup"));
            let groups = String::from_utf8_lossy(&groups);
            let inherits = environment.split(|byte| *byte == 0).any(|it| it == mark.as_bytes());
            let is_inside = self.cgroups.iter().any(|it| groups.contains(&format!("/{it}/")));
            if inherits || is_inside {
                let name = file("comm");
                programs.insert(String::from_utf8_lossy(&name).trim().to_owned());
            }
        }
        programs
    }

    /// Waits until nothing is left; what the janitor does after a crash nobody waits for.
    fn until_gone(&self) {
        let is_gone = || self.left().is_empty().then_some(());
        if wait_for("the janitor", LIMIT, is_gone).is_err() {
            panic!("left behind: {:#?}", self.left());
        }
    }
}

fn cgroups(name: &str) -> Vec<PathBuf> {
    let tops = fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten();
    let tops = tops.map(|entry| entry.path()).chain(["/sys/fs/cgroup".into()]);
    tops.map(|top| top.join(name)).filter(|it| it.exists()).collect()
}

/// Links and mounts of the machine itself. Named namespaces are mounts that others make too; ours
/// are looked for by their names.
fn machine() -> BTreeSet<String> {
    let links = fs::read_dir("/sys/class/net").expect("there are links").flatten();
    let links = links.map(|entry| format!("link {}", entry.file_name().to_string_lossy()));
    let mounts = fs::read_to_string("/proc/self/mounts").expect("there are mounts");
    let is_machines = |line: &&str| !line.contains("/netns/");
    let mounts = mounts.lines().filter(is_machines).map(|line| format!("mount {line}"));
    links.chain(mounts.collect::<Vec<_>>()).collect()
}

fn kubectl(kubeconfig: &Path, words: &[&str]) -> String {
    let mut kubectl = Programs::find().expect("kubectl is prepared").command("kubectl");
    kubectl.arg("--kubeconfig").arg(kubeconfig);
    kubectl.arg("--cache-dir").arg(kubeconfig.with_file_name("kubectl-cache"));
    run(kubectl.args(words)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_real_kubernetes_is_shown_used_and_removed() {
    let _turn = turn();
    let root = tempfile::tempdir().expect("a folder");
    let (folder, before) = (root.path().join("sandbox"), machine());
    let mut terminal = Terminal::open(&folder, &["--nodes", "2"], "Ctrl-C ends it");
    let said = terminal.said.clone();
    for step in ["etcd", "kube-apiserver", "node1:", "node2:", "nodes Ready", "pods Ready", "ping"]
    {
        assert!(said.lines().any(|it| it.contains('✓') && it.contains(step)), "{step}:\n{said}");
    }
    assert!(said.contains("pings are as they must be"), "{said}");
    assert!(said.contains("4 of 4 networks, 6 of 6 pods Ready"), "{said}");
    pods_are_ready_on_both_nodes(&folder, &said);
    nodes_are_entered_and_pods_are_left_to_kubectl(&folder);

    let traces = terminal.traces();
    let programs = traces.programs();
    for program in ["kube-apiserver", "kubelet", "containerd", "udn", "httpd"] {
        assert!(programs.contains(program), "{program} is no trace: {programs:?}");
    }
    assert!(traces.namespaces.len() >= 4 && traces.left().len() > programs.len(), "all is seen");
    let status = terminal.end(Signal::SIGINT);
    assert!(status.success(), "Ctrl-C is an ordinary end: {status}");
    // It is gone when the program is, without anybody's waiting.
    assert_eq!(traces.left(), BTreeSet::new());
    assert_eq!(machine(), before);
}

/// As kubectl tells it, with what the sandbox says of where it is.
fn pods_are_ready_on_both_nodes(folder: &Path, said: &str) {
    let kubeconfig = folder.join("kubeconfig");
    assert!(said.contains(&format!("KUBECONFIG={}", kubeconfig.display())), "{said}");
    let kubectl = |words: &[&str]| kubectl(&kubeconfig, words);
    kubectl(&["wait", "pods", "-A", "--all", "--for=condition=Ready", "--timeout=30s"]);
    let line = "{range .items[*]}{.metadata.name} {.spec.nodeName}{\"\\n\"}{end}";
    let pods = kubectl(&["get", "pods", "-A", "-o", &format!("jsonpath={line}")]);
    let pods: Vec<(&str, &str)> = pods.lines().filter_map(|it| it.split_once(' ')).collect();
    let names: BTreeSet<&str> = pods.iter().map(|(pod, _)| *pod).collect();
    let wanted = ["factory-0", "factory-1", "office-0", "office-1", "plain-0", "plain-1"];
    assert_eq!(names, wanted.into(), "{pods:?}");
    let nodes: BTreeSet<&str> = pods.iter().map(|(_, node)| *node).collect();
    assert_eq!(nodes, ["node1", "node2"].into());
    let addresses = kubectl(&["exec", "-n", "office", "office-0", "--", "ip", "address"]);
    assert!(addresses.contains("ovn-udn1") && addresses.contains("10.20.0."), "{addresses}");
    let addresses = kubectl(&["exec", "-n", "plain", "plain-1", "--", "ip", "address"]);
    assert!(addresses.contains("10.50.0.") && addresses.contains("10.60.0."), "{addresses}");
    // A folder of one's own in the sandbox's goes with it.
    assert!(fs::exists(folder.join("kubectl-cache")).expect("readable"));
}

fn nodes_are_entered_and_pods_are_left_to_kubectl(folder: &Path) {
    let udn = |words: &[&str]| {
        let mut udn = Command::new(env!("CARGO_BIN_EXE_udn"));
        run(udn.arg("sandbox").args(words).env(FOLDER, folder))
    };
    let bridges = udn(&["exec", "node1", "--", "ovs-vsctl", "list-br"]).expect("it is a node");
    assert!(bridges.contains("br-ex") && bridges.contains("br-int"), "{bridges}");
    let switches = udn(&["exec", "node2", "--", "ovn-nbctl", "ls-list"]).expect("it is a node");
    assert!(switches.contains("office_net"), "{switches}");
    let own = folder.join("bin/kubectl");
    let own = own.to_str().expect("text");
    for words in
        [&["exec", "office-0", "--", "true"][..], &["ping", "a", "b"], &["apply", "-f", "/"]]
    {
        let refused = udn(words).expect_err("kubectl does that").to_string();
        assert!(refused.contains(own), "{words:?}: {refused}");
    }
    run(Command::new(own).args(["get", "--raw", "/readyz"])).expect("it finds its cluster");
    let second = udn(&["--kubernetes", "--once"]).expect_err("one at a time").to_string();
    assert!(second.contains("a sandbox is running already"), "{second}");
}

#[test]
fn a_start_that_is_interrupted_or_killed_leaves_nothing() {
    let _turn = turn();
    let root = tempfile::tempdir().expect("a folder");
    let (folder, before) = (root.path().join("sandbox"), machine());
    let start = |until| Terminal::open(&folder, &["--nodes", "1", "--ip-family", "ipv4"], until);

    let mut terminal = start("✓ etcd");
    let traces = terminal.traces();
    assert_eq!(terminal.end(Signal::SIGINT).code(), Some(130));
    assert_eq!(traces.left(), BTreeSet::new(), "programs that were begun meanwhile end too");

    let mut terminal = start("✓ networks and pods Ready");
    let traces = terminal.traces();
    assert!(traces.programs().contains("httpd"), "{:?}", traces.left());
    terminal.end(Signal::SIGKILL);
    traces.until_gone();
    assert_eq!(machine(), before);
}
