//! `udn sandbox` as people use it: from two terminals, with Ctrl-C, and where it cannot run.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use udn_lab::kubernetes::programs::Programs;

fn udn(folder: &Path) -> Command {
    // Whoever runs the tests in the background may have switched Ctrl-C off for all below it.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_udn"));
    command.arg("sandbox").env("UDN_SANDBOX", folder);
    command
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light")
}

fn text(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

/// A running sandbox in the first terminal; ended even if the test fails.
struct Terminal {
    child: Child,
    said: String,
}

impl Terminal {
    /// Starts a sandbox and reads along until it says that it stays.
    fn open(folder: &Path) -> Self {
        let mut child = udn(folder).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        while !said.contains("Ctrl-C ends it") {
            let read = lines.read_line(&mut said).expect("readable");
            assert!(read > 0, "the sandbox ended early:\n{said}");
        }
        // What it says later must not block it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self { child, said }
    }

    /// Presses Ctrl-C and waits.
    fn interrupt(mut self) -> bool {
        let pid = i32::try_from(self.child.id()).expect("a process number");
        kill(Pid::from_raw(pid), Signal::SIGINT).expect("it runs");
        self.child.wait().expect("it ends").success()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Already ended in the ordinary case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// proves: X-17
#[test]
fn a_sandbox_is_shown_changed_and_removed() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("sandbox");
    let terminal = Terminal::open(&folder);
    assert!(terminal.said.contains("pings are as they must be"), "{}", terminal.said);
    assert!(terminal.said.contains("s from set-up to here"), "{}", terminal.said);
    let kubectl = format!("kubectl --kubeconfig {}", folder.join("kubeconfig").display());
    assert!(terminal.said.contains(&kubectl), "{}", terminal.said);

    let inside = udn(&folder).args(["exec", "red-1", "--", "ip", "route"]).output().expect("runs");
    assert!(text(&inside).contains("default via 10.10.0.1 dev ovn-udn1"), "{}", text(&inside));
    let nobody = udn(&folder).args(["exec", "nobody", "--", "true"]).output().expect("runs");
    assert!(text(&nobody).contains("there is no pod nobody"), "{}", text(&nobody));

    a_pod_that_kubectl_makes_is_plugged(&folder);

    let same = udn(&folder).args(["apply", "-f"]).arg(example()).output().expect("runs");
    assert!(text(&same).contains("nothing to do"), "{}", text(&same));
    let fewer = root.path().join("fewer");
    fs::create_dir(&fewer).expect("a folder");
    for file in ["00-nodes.yaml", "20-vlan.yaml"] {
        fs::copy(example().join(file), fewer.join(file)).expect("copied");
    }
    let changed = udn(&folder).args(["apply", "-f"]).arg(&fewer).output().expect("runs");
    let changed = text(&changed);
    assert!(changed.contains("- Logical_Switch cluster_udn_red_ovn_layer2_switch"), "{changed}");

    let second = udn(&folder).arg("--once").output().expect("runs");
    assert!(text(&second).contains("a sandbox is running already"), "{}", text(&second));
    assert!(terminal.interrupt(), "Ctrl-C is an ordinary end");
    assert!(!folder.exists(), "the folder is removed");
}

/// While the sandbox runs, without anybody asking it.
fn a_pod_that_kubectl_makes_is_plugged(folder: &Path) {
    let kubectl = |words: &[&str]| {
        let mut kubectl = Programs::find().expect("kubectl is prepared").command("kubectl");
        kubectl.arg("--kubeconfig").arg(folder.join("kubeconfig")).args(words);
        let output = kubectl.env("HOME", folder).output().expect("kubectl runs");
        assert!(output.status.success(), "{}", text(&output));
    };
    let pod = folder.join("red-9.yaml");
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: red-9, namespace: red}\n\
                    spec: {nodeName: node-3, containers: [{name: main, image: any}]}\n";
    fs::write(&pod, manifest).expect("a file");
    kubectl(&["apply", "-f", &pod.to_string_lossy()]);
    kubectl(&["wait", "-n", "red", "--for=condition=Ready", "--timeout=60s", "pod/red-9"]);
    let inside = udn(folder).args(["exec", "red-9", "--", "ip", "route"]).output().expect("runs");
    assert!(text(&inside).contains("default via 10.10.0.1 dev ovn-udn1"), "{}", text(&inside));
    kubectl(&["delete", "-n", "red", "--timeout=60s", "pod/red-9"]);
}

#[test]
fn what_is_missing_is_one_sentence_that_offers_explain() {
    let root = tempfile::tempdir().expect("a folder");
    let said = text(&as_nobody(root.path()).args(["sandbox", "--once"]).output().expect("runs"));
    assert!(said.starts_with("error: the sandbox needs root"), "{said}");
    assert!(said.contains("udn explain -f") && said.lines().count() == 1, "{said}");

    // No programs to install with, and nothing in the cache.
    let mut bare = Command::new(env!("CARGO_BIN_EXE_udn"));
    bare.args(["sandbox", "--once"]).env("PATH", "/nowhere");
    bare.env("UDN_CACHE", root.path().join("cache"));
    let said = text(&bare.output().expect("runs"));
    assert!(said.starts_with("error: the sandbox needs"), "{said}");
    assert!(said.contains("udn explain -f") && said.lines().count() == 1, "{said}");
}

/// A copy of the program that everybody can run, run by a user without rights.
fn as_nobody(folder: &Path) -> Command {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("our own folder");
    let program = folder.join("udn");
    fs::copy(env!("CARGO_BIN_EXE_udn"), &program).expect("copied");
    let mut command = Command::new(program);
    command.uid(65534).gid(65534).env("HOME", folder);
    command
}

#[test]
fn without_a_sandbox_other_terminals_are_told_so() {
    let root = tempfile::tempdir().expect("a folder");
    for arguments in [vec!["exec", "red-1", "--", "true"], vec!["apply", "-f", "/"]] {
        let output = udn(root.path()).args(arguments).output().expect("runs");
        assert!(
            text(&output).starts_with("error: no sandbox is running here"),
            "{}",
            text(&output)
        );
    }
}
