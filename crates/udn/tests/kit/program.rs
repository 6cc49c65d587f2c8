//! `udn apiserver` as a program of its own, to be asked, watched and killed.
//!
//! Reads a folder and arguments; returns a server that is ready.
//! Invariant: the program never outlives its value.

#![allow(dead_code, reason = "each test that uses the program needs another part of it")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

pub(crate) struct Program {
    child: Child,
    address: SocketAddr,
    kubeconfig: PathBuf,
}

impl Program {
    /// Starts a server on any free port, and returns when it is ready.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let kubeconfig = folder.join("kubeconfig");
        let mut child = spawn(folder, arguments);
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut said = String::new();
        lines.read_line(&mut said).expect("it prints text");
        let address = said.trim().strip_prefix("ready on https://").and_then(|it| it.parse().ok());
        let Some(address) = address else {
            let _ = child.kill();
            panic!("it said {said:?} and {:?}", child.wait());
        };
        // What it says later must not block it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self { child, address, kubeconfig }
    }

    /// Starts a server and gives it only so long, whether it is ready by then or not.
    pub(crate) fn start_in_vain(folder: &Path, arguments: &[&str], time: std::time::Duration) {
        let mut child = spawn(folder, arguments);
        // waits: where in its start the program dies is for the clock to say
        std::thread::sleep(time);
        child.kill().expect("it can be ended");
        child.wait().expect("it ends");
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> Kubeconfig {
        let text = fs::read_to_string(&self.kubeconfig).expect("it is written before it is ready");
        Kubeconfig::from_yaml(&text).expect("it is a kubeconfig")
    }

    pub(crate) async fn client(&self) -> Client {
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(self.kubeconfig(), &options).await;
        Client::try_from(config.expect("it is whole")).expect("it is usable")
    }

    /// The memory it holds now, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<usize>().ok());
        kibibytes.expect("every program has some") << 10
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_udn"))
        .args(["apiserver", "--bare", "--listen", "127.0.0.1:0", "--kubeconfig"])
        .arg(folder.join("kubeconfig"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts")
}
