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

    pods_have_tools_that_the_host_lacks(root.path(), &folder);
    pods_ping_each_other(&folder);
    a_reader_that_leaves_is_no_trouble(&folder);
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

/// On a host whose search path has a way into namespaces and nothing else.
fn pods_have_tools_that_the_host_lacks(root: &Path, folder: &Path) {
    let path = root.join("path");
    fs::create_dir(&path).expect("a folder");
    std::os::unix::fs::symlink("/usr/bin/nsenter", path.join("nsenter")).expect("a link");
    let exec = |command: &[&str]| {
        let mut udn = Command::new(env!("CARGO_BIN_EXE_udn"));
        udn.args(["sandbox", "exec", "red-1", "--"]).args(command);
        udn.env("UDN_SANDBOX", folder).env("PATH", &path).output().expect("runs")
    };
    let check = |command: &[&str], want: &str| {
        let output = exec(command);
        assert!(output.status.success(), "{command:?}: {}", text(&output));
        assert!(text(&output).contains(want), "{command:?}: {}", text(&output));
    };
    check(&["ip", "route"], "default via 10.10.0.1 dev ovn-udn1");
    check(&["ping", "-n", "-c", "1", "-W", "3", "10.10.0.1"], "1 received");
    check(&["tcpdump", "--list-interfaces"], "ovn-udn1");
    check(&["nc", "-h"], "OpenBSD netcat");
    // Through another program too, as the tools are on the search path.
    check(&["/bin/sh", "-c", "ip route"], "default via 10.10.0.1 dev ovn-udn1");
    let missing = exec(&["no-such-tool"]);
    assert!(!missing.status.success(), "{}", text(&missing));
}

/// `sandbox ping` answers by its exit code, and says what stands in the way.
fn pods_ping_each_other(folder: &Path) {
    let check = |arguments: &[&str], code: i32, want: &[&str]| {
        let output = udn(folder).arg("ping").args(arguments).output().expect("runs");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output));
        for want in want {
            assert!(text(&output).contains(want), "{arguments:?} lacks {want}: {}", text(&output));
        }
        text(&output).lines().count()
    };
    let both = ["red/red-1 → red/red-3 10.10.0.", "red/red-1 → red/red-3 fd10::", "answered"];
    assert_eq!(check(&["red-1", "red-3"], 0, &both), 2);
    assert_eq!(check(&["-4", "red/red-1", "red-3"], 0, &both[..1]), 1);
    assert_eq!(check(&["-6", "red-1", "red/red-3"], 0, &both[1..]), 1);
    check(&["--network", "red", "red-1", "red-2"], 0, &["on cluster_udn_red: answered"]);
    let other = "do not share blue; they share cluster_udn_red";
    check(&["--network", "blue", "red-1", "red-2"], 1, &[other]);
    let none = "red/red-1 and blue/blue-1 share no network: red/red-1 is on cluster_udn_red, ";
    check(&["red-1", "blue-1"], 1, &[none]);
    check(&["red-1", "nobody"], 1, &["there is no pod nobody; the sandbox runs "]);
    check(&["-4", "-6", "red-1", "red-2"], 2, &["cannot be used with"]);
    let ignores_pings = |value: &str| {
        let write = format!("echo {value} > /proc/sys/net/ipv4/icmp_echo_ignore_all");
        let words = ["exec", "red-4", "--", "/bin/sh", "-c", &write];
        let output = udn(folder).args(words).output().expect("runs");
        assert!(output.status.success(), "{}", text(&output));
    };
    ignores_pings("1");
    check(&["red-1", "red-4"], 1, &["no answer within 3 s", "answered after"]);
    ignores_pings("0");
}

/// Another terminal that is closed ends its own command alone.
fn a_reader_that_leaves_is_no_trouble(folder: &Path) {
    let example = example().display().to_string();
    for arguments in [vec!["ping", "red-1", "red-2"], vec!["apply", "-f", &example]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = udn(folder);
        let output = command
            .args(&arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = output.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(141), "{arguments:?}: {}", text(&output));
        assert_eq!(text(&output), "", "{arguments:?}");
    }
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
    for kind in [&["--once"][..], &["--once", "--kubernetes"]] {
        let mut nobody = as_nobody(root.path());
        let said = text(&nobody.arg("sandbox").args(kind).output().expect("runs"));
        assert!(said.starts_with("error: the sandbox needs root"), "{said}");
        assert!(said.contains("udn explain -f") && said.lines().count() == 1, "{said}");

        // No programs to install with, and nothing in the cache.
        let mut bare = Command::new(env!("CARGO_BIN_EXE_udn"));
        bare.arg("sandbox").args(kind).env("PATH", "/nowhere");
        bare.env("UDN_CACHE", root.path().join("cache"));
        let said = text(&bare.output().expect("runs"));
        assert!(said.starts_with("error: the sandbox needs"), "{said}");
        assert!(said.contains("udn explain -f") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn a_real_kubernetes_says_what_it_lacks_before_it_starts() {
    let root = tempfile::tempdir().expect("a folder");
    let refused = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.arg("sandbox").args(arguments).env("UDN_SANDBOX", root.path().join("sandbox"));
        let output = command.output().expect("runs");
        assert!(!output.status.success(), "{}", text(&output));
        text(&output)
    };
    let program = root.path().join("udn");
    fs::copy(env!("CARGO_BIN_EXE_udn"), &program).expect("copied");
    let said = refused(&program, &["--kubernetes", "--nodes", "1"]);
    assert!(said.contains("needs the CNI plugin ovn-k8s-cni-overlay beside"), "{said}");
    let own = Path::new(env!("CARGO_BIN_EXE_udn"));
    let said = refused(own, &["--nodes", "3"]);
    assert!(said.contains("--kubernetes"), "{said}");
    let said = refused(own, &["--kubernetes", "--nodes", "0"]);
    assert!(said.contains("1..=20"), "{said}");
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
    let commands =
        [vec!["exec", "red-1", "--", "true"], vec!["ping", "a", "b"], vec!["apply", "-f", "/"]];
    for arguments in commands {
        let output = udn(root.path()).args(arguments).output().expect("runs");
        assert!(
            text(&output).starts_with("error: no sandbox is running here"),
            "{}",
            text(&output)
        );
    }
}
