//! What the janitor removes, and what it leaves alone.

use std::time::Duration;

use super::*;
use crate::daemon::Daemon;
use crate::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(20);

fn sleeper() -> Command {
    let mut command = Command::new("sleep");
    command.arg("1000");
    command
}

fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

#[test]
fn a_folder_goes_with_its_content() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    fs::create_dir_all(folder.join("a b/c")).unwrap();
    fs::write(folder.join("a b/c/file"), "text").unwrap();
    drop(janitor);
    assert!(!folder.exists());
}

#[test]
fn the_last_clone_decides() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    let clone = janitor.clone();
    drop(janitor);
    assert!(folder.exists());
    drop(clone);
    assert!(!folder.exists());
}

#[test]
fn a_program_is_ended_with_all_its_children() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let log = janitor.folder().expect("a folder can be made").join("log");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "sleep 1000 & echo $!; wait"]);
    let daemon = Daemon::start(&janitor, "parent", &command, &log).expect("a shell starts");
    let child = wait_for("the child's number", LIMIT, || {
        fs::read_to_string(&log).ok()?.trim().parse::<u32>().ok()
    });
    let child = child.expect("the child starts");
    let parent = daemon.pid();
    // Forgotten, so that only the janitor can end it.
    std::mem::forget(daemon);
    drop(janitor);
    assert!(is_gone(parent), "the parent lives");
    wait_for("the child's end", LIMIT, || is_gone(child).then_some(())).expect("the child ends");
}

#[test]
fn a_program_with_another_start_time_is_left_alone() {
    let keeper = Janitor::hire().expect("a janitor can be hired");
    let log = keeper.folder().expect("a folder can be made").join("log");
    let mut other = Daemon::start(&keeper, "other", &sleeper(), &log).expect("sleep starts");
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let start = Stat::of(other.pid()).expect("the program runs").start;
    janitor.owe(format_args!("program {} {}", other.pid(), start - 1)).expect("the janitor hears");
    drop(janitor);
    assert!(other.is_running());
}

#[test]
fn a_program_does_nothing_before_it_is_owed() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    // The janitor dies, so the next debt cannot be taken.
    let mut shell = janitor.shell.child.lock().unwrap();
    shell.kill().unwrap();
    shell.wait().unwrap();
    drop(shell);
    let mut command = Command::new("touch");
    command.arg(folder.join("trace"));
    let refused = Daemon::start(&janitor, "touch", &command, &folder.join("log"));
    assert!(refused.is_err());
    assert!(!folder.join("trace").exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_name_with_a_line_break_is_refused() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let refused = janitor.owe_folder(Path::new("/tmp/a\nfolder /home"));
    assert!(matches!(refused, Err(JanitorError::LineBreak { .. })));
}

#[test]
fn names_are_fresh() {
    let names: std::collections::BTreeSet<String> = (0..1000).map(|_| fresh_name()).collect();
    assert_eq!(names.len(), 1000);
    assert!(names.iter().all(|name| name.len() == 7));
}

#[test]
fn a_book_outlives_the_janitor() {
    let keeper = Janitor::hire().expect("a janitor can be hired");
    let book = keeper.folder().expect("a folder can be made").join("book");
    let janitor = Janitor::hire_with_book(&book).expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    // The janitor is killed together with its owner: nobody is left to sweep.
    janitor.shell.child.lock().unwrap().kill().expect("our own child can be killed");
    drop(janitor);
    assert!(folder.exists(), "a killed janitor sweeps nothing");
    settle(&book).expect("the debts can be paid");
    assert!(!folder.exists());
    assert!(!book.exists());
    settle(&book).expect("a second time there is nothing to do");
}

#[test]
fn a_book_has_one_keeper_at_a_time() {
    let keeper = Janitor::hire().expect("a janitor can be hired");
    let book = keeper.folder().expect("a folder can be made").join("book");
    let first = Janitor::hire_with_book(&book).expect("a janitor can be hired");
    let second = Janitor::hire_with_book(&book);
    assert!(matches!(second, Err(JanitorError::Busy { .. })), "{second:?}");
    drop(first);
    // A program that another test starts has the lock too, until it has become that program.
    let free = || Janitor::hire_with_book(&book).ok();
    drop(wait_for("the book to be free", LIMIT, free).expect("the first has left"));
}
