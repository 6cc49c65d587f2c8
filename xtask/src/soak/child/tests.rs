use std::process::Command;
use std::time::{Duration, Instant};

use udn_lab::wait::wait_for;

use super::{End, run};

fn check(script: &str, limit: Duration) -> (End, Vec<String>) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    let mut lines = Vec::new();
    let end = run(command, Instant::now() + limit, |line| lines.push(line.to_owned())).unwrap();
    (end, lines)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_program_passes_or_fails_by_its_exit_code() {
    assert_eq!(check("echo a; echo b >&2", LONG), (End::Passed, vec!["a".into(), "b".into()]));
    assert_eq!(check("exit 3", LONG).0, End::Failed);
}

#[test]
fn a_program_and_its_children_are_ended_at_the_deadline() {
    let start = Instant::now();
    let (end, lines) = check("while :; do :; done & echo $!; wait", Duration::from_millis(300));
    assert_eq!(end, End::OutOfTime);
    assert!(start.elapsed() < LONG);
    wait_for("the child to end", LONG, || is_over(&lines[0]).then_some(())).unwrap();
}

/// Whoever inherits a process may not have waited for it yet.
fn is_over(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z ")
}
