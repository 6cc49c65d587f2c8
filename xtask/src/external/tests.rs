use std::process::Command;
use std::time::Duration;

use super::stream_within;
use crate::verdict::Verdict;

fn shell(script: &str) -> (Verdict, Vec<String>) {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    let mut lines = Vec::new();
    let verdict =
        stream_within(Duration::from_millis(200), command, |line| lines.push(line.to_owned()))
            .unwrap();
    (verdict, lines)
}

#[test]
fn both_streams_arrive_in_the_order_written() {
    let (verdict, lines) = shell("echo one; echo two >&2; echo three");
    assert_eq!(verdict, Verdict::Pass);
    assert_eq!(lines, ["one", "two", "three"]);
}

#[test]
fn a_failing_program_is_a_verdict() {
    assert_eq!(shell("exit 3"), (Verdict::Fail, vec![]));
}

#[test]
fn a_process_left_behind_is_told_and_not_waited_for() {
    let (verdict, lines) = shell("sleep 4 & echo done");
    assert_eq!(verdict, Verdict::Pass);
    assert_eq!(lines.len(), 2);
    assert!(lines[1].contains("left behind"));
}
