use std::time::{Duration, Instant};

use udn_lab::setup::{Part, Progress};

use super::Face;

const PART: Part = Part::OvnRoot;

fn begin(is_terminal: bool, now: Instant) -> (Face, Option<String>) {
    let mut face = Face { is_terminal, work: None };
    let text = face.take(Progress::Begun { part: PART }, now);
    (face, text)
}

#[test]
fn a_log_tells_beginning_life_and_end() {
    let now = Instant::now();
    let (mut face, begun) = begin(false, now);
    assert_eq!(begun.as_deref(), Some("set-up: OVN root: begins\n"));
    assert_eq!(face.take(Progress::Line { part: PART, text: " Unpacking b " }, now), None);
    let life = face.tick(now + Duration::from_secs(25));
    assert_eq!(life.as_deref(), Some("set-up: OVN root: 25.0 s: Unpacking b\n"));
    let done = Progress::Done { part: PART, took: Duration::from_secs(61) };
    let done = face.take(done, now);
    assert_eq!(done.as_deref(), Some("set-up: OVN root: ready after 1 min 01 s\n"));
    assert_eq!(face.tick(now), None);
}

#[test]
fn time_runs_while_the_program_is_silent() {
    let now = Instant::now();
    let (mut face, _) = begin(false, now);
    assert_eq!(face.take(Progress::Line { part: PART, text: "  " }, now), None);
    let life = face.tick(now + Duration::from_secs(90));
    assert_eq!(life.as_deref(), Some("set-up: OVN root: 1 min 30 s: at work\n"));
}

#[test]
fn a_terminal_line_is_rewritten_and_never_wraps() {
    let now = Instant::now();
    let (mut face, _) = begin(true, now);
    face.take(Progress::Line { part: PART, text: &"long ".repeat(40) }, now);
    let line = face.tick(now).unwrap();
    assert!(line.starts_with("\r\u{1b}[K") && !line.ends_with('\n'));
    assert!(line.trim_start_matches("\r\u{1b}[K").chars().count() <= super::WIDTH);
}

#[test]
fn work_that_failed_leaves_no_line() {
    let now = Instant::now();
    let (mut on_terminal, _) = begin(true, now);
    assert_eq!(on_terminal.clear().as_deref(), Some("\r\u{1b}[K"));
    assert_eq!(on_terminal.clear(), None);
    let (mut in_log, _) = begin(false, now);
    assert_eq!(in_log.clear(), None);
}
