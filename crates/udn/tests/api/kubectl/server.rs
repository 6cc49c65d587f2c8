//! `udn apiserver` as a process of its own.
//!
//! Invariant: it ends with the test, however that ends.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A running server.
pub(crate) struct Ours {
    child: Child,
    kubeconfig: PathBuf,
    /// Kept open: it says more after it is ready.
    _output: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Ours {
    /// Starts it and waits until it says that it is ready.
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().expect("a folder");
        let kubeconfig = folder.path().join("kubeconfig");
        let mut child = Command::new(env!("CARGO_BIN_EXE_udn"))
            .args(["apiserver", "--bare", "--rbac", "--listen", "127.0.0.1:0", "--kubeconfig"])
            .arg(&kubeconfig)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut said = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut said).expect("readable");
        assert!(said.starts_with("ready on "), "the server says {said:?}");
        Self { child, kubeconfig, _output: output, _folder: folder }
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
