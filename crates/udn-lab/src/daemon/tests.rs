//! A server that fails says why, and one that is stopped is gone.

use super::*;

fn start(script: &str) -> (Daemon, Janitor) {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let log = janitor.folder().expect("a folder can be made").join("log");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    let daemon = Daemon::start(&janitor, "server", &command, &log).expect("a shell starts");
    (daemon, janitor)
}

#[test]
fn a_server_that_ends_early_shows_its_log() {
    let (mut daemon, _janitor) = start("echo no such port >&2; exit 4");
    let error = daemon.wait_ready(|| None::<()>).expect_err("it never gets ready");
    assert!(error.to_string().contains("no such port"), "{error}");
}

#[test]
fn a_server_may_end_in_its_own_way_when_stopped() {
    let (mut daemon, _janitor) =
        start("trap 'echo bye; exit' TERM; echo ready; while :; do sleep 0.01; done");
    let log = daemon.log().to_owned();
    let ready = || fs::read_to_string(&log).ok()?.contains("ready").then_some(());
    daemon.wait_ready(ready).expect("it gets ready");
    daemon.stop();
    assert!(!daemon.is_running());
    assert!(daemon.log_tail().contains("bye"));
}

#[test]
fn arguments_environment_and_folder_pass_the_gate() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo \"$1|$WORD|$(pwd)\"", "sh", "two words"]);
    command.env("WORD", "a  b").current_dir(&folder);
    let log = folder.join("log");
    let mut daemon = Daemon::start(&janitor, "echo", &command, &log).expect("a shell starts");
    daemon.child.wait().unwrap();
    assert_eq!(daemon.log_tail(), format!("two words|a  b|{}", folder.display()));
}
