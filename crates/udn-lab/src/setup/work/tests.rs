//! A folder in the making: whole under its final name, or not there at all.

use super::*;

fn place() -> (Janitor, PathBuf) {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    (janitor, folder.join("part-0123"))
}

#[test]
fn a_finished_draft_stands_under_its_final_name() {
    let (_janitor, target) = place();
    let draft = Draft::begin(target.clone(), &[]).expect("a draft can be begun");
    fs::write(draft.folder().join("file"), "text").unwrap();
    assert!(!target.exists());
    draft.finish().expect("the draft is finished");
    assert!(target.join("file").exists());
    assert!(drafts_of(&target).is_empty());
}

#[test]
fn an_abandoned_draft_vanishes() {
    let (_janitor, target) = place();
    let draft = Draft::begin(target.clone(), &["proc"]).expect("a draft can be begun");
    assert_eq!(drafts_of(&target), [draft.folder()]);
    drop(draft);
    assert!(drafts_of(&target).is_empty());
}

#[test]
fn what_an_earlier_run_left_is_cleared_and_strangers_are_kept() {
    let (_janitor, target) = place();
    let stale = target.with_extension("abcdefg.part");
    let stranger = target.with_file_name("part-4567.abcdefg.part");
    for folder in [&stale, &stranger] {
        fs::create_dir_all(folder.join("deep")).unwrap();
    }
    let _draft = Draft::begin(target, &[]).expect("a draft can be begun");
    assert!(!stale.exists());
    assert!(stranger.exists());
}

#[test]
fn lines_are_reported_and_the_last_words_kept() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo one; echo two >&2; exit 3"]);
    let mut lines = Vec::new();
    let outcome = perform(&janitor, &command, &mut |line| lines.push(line.to_owned()));
    assert_eq!(lines, ["one", "two"]);
    let Err(SetupError::Failed { words, .. }) = outcome else { panic!("exit 3 is a failure") };
    assert_eq!(words, "one\ntwo");
}
