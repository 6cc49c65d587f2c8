//! The plugin as a container runtime starts it: a program, an environment, stdin and stdout.
//!
//! Invariant: nothing of the test's own environment reaches it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A configuration that every command can work with.
pub(crate) const CONF: &str = r#"{"cniVersion":"1.1.0","name":"n","type":"ovn-k8s-cni-overlay",
    "prevResult":{"cniVersion":"1.1.0"},"cni.dev/valid-attachments":[]}"#;

/// One start of the plugin.
pub(crate) struct Plugin {
    program: PathBuf,
    variables: Vec<(String, String)>,
    conf: Vec<u8>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) exit_code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Plugin {
    /// With all that kubelet and containerd set for this command.
    pub(crate) fn new(command: &str) -> Self {
        let plugin = Self {
            program: env!("CARGO_BIN_EXE_ovn-k8s-cni-overlay").into(),
            variables: Vec::new(),
            conf: CONF.into(),
        };
        plugin
            .with("CNI_COMMAND", command)
            .with("CNI_CONTAINERID", "0a1b")
            .with("CNI_NETNS", "/run/netns/x")
            .with("CNI_IFNAME", "eth0")
            .with("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;K8S_POD_UID=u")
            .with("CNI_PATH", "/opt/cni/bin")
    }

    pub(crate) fn with(mut self, key: &str, value: &str) -> Self {
        self.variables.retain(|(known, _)| known != key);
        self.variables.push((key.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn conf(mut self, conf: impl Into<Vec<u8>>) -> Self {
        self.conf = conf.into();
        self
    }

    /// Started by this path instead.
    pub(crate) fn program(mut self, path: PathBuf) -> Self {
        self.program = path;
        self
    }

    /// At a node whose server listens there.
    pub(crate) fn at(self, socket: &Path) -> End {
        self.with("OVN_CNI_SOCKET", socket.to_str().unwrap()).run()
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.variables.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self) -> End {
        let mut child = self.command().spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // It need not read what it does not want.
        let _ = stdin.write_all(&self.conf);
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        End {
            exit_code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl End {
    /// It succeeded and said nothing.
    pub(crate) fn is_silent_success(&self) -> bool {
        self.exit_code == 0 && self.stdout.is_empty() && self.stderr.is_empty()
    }

    /// What it printed as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("it prints JSON")
    }

    /// It failed, and printed an error with this code; returns the message.
    pub(crate) fn refusal(&self, code: u32) -> String {
        assert_eq!(self.exit_code, 1, "{self:?}");
        let json = self.json();
        assert_eq!(json["code"], code, "{json}");
        assert!(!self.stderr.is_empty());
        json["msg"].as_str().expect("an error has a message").to_owned()
    }
}
