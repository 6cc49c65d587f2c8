//! Programs that are followed, and the end of who follows them.

use std::io::{BufRead, BufReader};
use std::thread::sleep;
use std::time::Instant;

use super::*;

/// In whose environment this is, the test is the one that follows and is killed.
const FOLLOWER: &str = "UDN_TEST_FOLLOWER";
/// The name of that test.
const OWN: &str = "program::tests::a_program_that_is_followed_ends_with_whoever_is_killed";
/// Before the number of the program that is followed.
const MARK: &str = "follows process ";

/// Whether a process is the program; one that has ended has no command line any more.
fn is_program(process: u32) -> bool {
    let line = std::fs::read(format!("/proc/{process}/cmdline"));
    line.is_ok_and(|it| it.starts_with(b"sleep\0"))
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LIMIT, "waited in vain for {what}");
        sleep(Duration::from_millis(5)); // waits: for another process
    }
}

/// Follows a program until somebody kills this process.
fn follow() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    let child = Program::new("sleep").follow(&["1000"]).unwrap();
    let process = child.id().unwrap();
    until("the program", || is_program(process));
    println!("\n{MARK}{process}");
    sleep(LIMIT); // waits: to be killed
}

#[test]
fn a_program_that_is_followed_ends_with_whoever_is_killed() {
    if std::env::var_os(FOLLOWER).is_some() {
        return follow();
    }
    let mut follower = Command::new(std::env::current_exe().unwrap());
    follower.args(["--exact", OWN, "--nocapture"]).env(FOLLOWER, "1");
    let mut follower = follower.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let process = lines.find_map(|line| line.ok()?.strip_prefix(MARK)?.parse().ok()).unwrap();
    follower.kill().unwrap();
    follower.wait().unwrap();
    until("its end", || !is_program(process));
}

#[tokio::test]
async fn a_program_that_is_followed_ends_when_nobody_cares() {
    let child = Program::new("sleep").follow(&["1000"]).unwrap();
    let process = child.id().unwrap();
    until("the program", || is_program(process));
    drop(child);
    until("its end", || !is_program(process));
}

#[tokio::test]
async fn a_program_that_is_not_there_says_so() {
    let mut child = Program::new("/nowhere/no-such-program").follow(&[]).unwrap();
    assert!(!child.wait().await.unwrap().success());
}
