//! Every command whose output nobody reads any more, as with `| head`, ends quietly.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What shells show of a program that SIGPIPE ended.
const READER_LEFT: i32 = 141;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light")
}

/// Runs a command whose reader has left; checks its exit code, and that it says nothing of it.
fn check(arguments: &[&str]) {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(arguments).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
    let output = command.spawn().expect("it starts").wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_quiet = !["panicked", "error", "ipe", "output"].iter().any(|word| said.contains(word));
    assert!(is_quiet, "{arguments:?} said: {said}");
    assert_eq!(output.status.code(), Some(READER_LEFT), "{arguments:?} said: {said}");
}

#[test]
fn explain_ends_quietly() {
    let example = example();
    let folder = example.to_str().expect("text");
    for stage in ["intent", "grants", "sheet", "plan"] {
        check(&["explain", "-f", folder, "--stage", stage]);
        check(&["explain", "-f", folder, "--stage", stage, "-o", "json"]);
    }
}

#[test]
fn validate_ends_quietly_and_never_as_if_all_were_well() {
    let example = example();
    let folder = example.to_str().expect("text");
    for output in ["text", "json"] {
        check(&["validate", "-f", folder, "-o", output]);
    }
    let bad = tempfile::tempdir().expect("a folder");
    let text = "apiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\nmetadata: {name: x}\n";
    fs::write(bad.path().join("bad.yaml"), text).expect("written");
    check(&["validate", "-f", bad.path().to_str().expect("text")]);
}

#[test]
fn crds_end_quietly() {
    check(&["crds"]);
    for part in ["crds", "policies", "rbac", "default-network"] {
        check(&["crds", "--only", part]);
    }
}

#[test]
fn help_and_version_end_quietly() {
    check(&["--version"]);
    check(&["--help"]);
    check(&["help"]);
    for command in ["validate", "crds", "explain", "controller", "apiserver", "sandbox"] {
        check(&[command, "--help"]);
    }
    for command in ["up", "exec", "ping", "apply"] {
        check(&["sandbox", command, "--help"]);
    }
}

#[test]
fn an_api_server_ends_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("kubeconfig");
    let kubeconfig = kubeconfig.to_str().expect("text");
    check(&["apiserver", "--bare", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig]);
}

#[test]
fn complaints_that_nobody_reads_change_no_exit_code() {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad.yaml"), "kind: [\n").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["explain", "--stage", "intent", "-f"]).arg(folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(writer).spawn().expect("it starts");
    let mut said = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut said).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "{said}");
}
