//! `udn controller` as programs that are stopped, killed and cut off, beside each other.
//!
//! Invariant: every test waits for what a program says, never for an amount of time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use k8s_openapi::api::coordination::v1::Lease;
use kube::config::KubeConfigOptions;
use kube::{Api, Client, Config};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::program::Program;

const LIMIT: Duration = Duration::from_secs(120);

/// A controller, and what it logs.
struct Controller {
    child: Child,
    lines: Receiver<Value>,
}

impl Controller {
    fn start(kubeconfig: &Path, identity: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_udn"))
            .args(["controller", "--log-format", "json", "--listen-metrics", "127.0.0.1:0"])
            .args(["--identity", identity, "--kubeconfig"])
            .arg(kubeconfig)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (sender, lines) = channel();
        let log = BufReader::new(child.stderr.take().expect("piped"));
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap_or(Value::from(line)));
            }
        });
        Self { child, lines }
    }

    /// Returns when it says this.
    #[track_caller]
    fn says(&self, message: &str) -> Value {
        let end = Instant::now() + LIMIT;
        let mut said = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            if line["message"] == message {
                return line;
            }
            said.push(line);
        }
        panic!("it did not say {message:?} but {said:#?}");
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("it is small"));
        kill(pid, signal).expect("it runs");
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

/// Who leads, as the lease says.
#[tokio::main(flavor = "current_thread")]
async fn holder(server: &Program) -> String {
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(server.kubeconfig(), &options).await;
    let client = Client::try_from(config.expect("it is whole")).expect("it is usable");
    let leases: Api<Lease> = Api::namespaced(client, "kube-system");
    let lease = leases.get("udn-controller").await.expect("it is there");
    lease.spec.and_then(|it| it.holder_identity).unwrap_or_default()
}

/// A server, a leader and one who stands by.
fn rig(folder: &Path) -> (Program, Controller, Controller) {
    let (server, kubeconfig) = (Program::start(folder, &[]), folder.join("kubeconfig"));
    let leader = Controller::start(&kubeconfig, "one");
    leader.says("leading");
    let other = Controller::start(&kubeconfig, "two");
    other.says("standing by");
    (server, leader, other)
}

#[test]
fn a_leader_that_is_stopped_hands_over_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Program::start(folder.path(), &[]);
    let kubeconfig = folder.path().join("kubeconfig");
    let mut leader = Controller::start(&kubeconfig, "one");
    leader.says("leading");
    assert_eq!(holder(&server), "one");
    leader.signal(Signal::SIGTERM);
    assert_eq!(leader.exit_code(), Some(0));
    assert_eq!(holder(&server), "", "whoever stands by need not wait");
    Controller::start(&kubeconfig, "two").says("leading");
}

#[test]
fn a_leader_that_is_killed_is_replaced_when_its_lease_is_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, leader, other) = rig(folder.path());
    leader.signal(Signal::SIGKILL);
    let killed = Instant::now();
    other.says("leading");
    assert!(killed.elapsed() > Duration::from_millis(3_500), "{:?}", killed.elapsed());
}

#[test]
fn a_leader_without_a_server_ends_and_asks_to_be_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, mut leader, _other) = rig(folder.path());
    drop(server);
    leader.says("lost the lease");
    assert_eq!(leader.exit_code(), Some(1));
}

#[test]
fn leader_and_stand_by_tell_how_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let _server = Program::start(folder.path(), &[]);
    let kubeconfig = folder.path().join("kubeconfig");
    let mut controllers = Vec::new();
    for (identity, is_leader) in [("one", 1), ("two", 0)] {
        let controller = Controller::start(&kubeconfig, identity);
        let line = controller.says("serving health and metrics");
        let address = line["address"].as_str().expect("it is a text").to_owned();
        controller.says(if is_leader == 1 { "leading" } else { "standing by" });
        let metrics = ask(&address, "/metrics");
        let want = format!("\nudn_controller_is_leader {is_leader}\n");
        assert!(metrics.contains(&want), "{metrics}");
        assert!(ask(&address, "/healthz").starts_with("HTTP/1.1 200 "));
        if is_leader == 0 {
            assert!(ask(&address, "/readyz").starts_with("HTTP/1.1 200 "));
        }
        controllers.push(controller);
    }
}
