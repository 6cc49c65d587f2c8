//! What counts as programmed, and when.

use udn_blueprint::names::Prefix;
use udn_model::{NetworkName, Reason};

use super::{Progress, Trouble};

fn red() -> Prefix {
    Prefix::of(&NetworkName::new("red"))
}

fn blue() -> Prefix {
    Prefix::of(&NetworkName::new("blue"))
}

fn trouble() -> Trouble {
    Trouble { reason: Reason::RowConflict, message: "somebody else's".to_owned() }
}

/// Two networks that NADs of these versions ask for; nothing is committed.
fn two_networks() -> Progress {
    let mut progress = Progress::default();
    progress.heard(7);
    progress.touched(&red(), 5);
    progress.touched(&blue(), 7);
    progress
}

fn commit(progress: &mut Progress, network: &Prefix, trouble: Option<Trouble>) {
    progress.begun(network);
    progress.committed(network, trouble);
}

/// Asks, and is answered.
fn confirm(progress: &mut Progress, number: i64) {
    progress.asked(number);
    assert!(progress.confirmed(number));
}

fn troubled(progress: &Progress) -> Vec<&str> {
    progress.troubled().keys().map(Prefix::as_str).collect()
}

#[test]
fn nothing_is_programmed_before_it_is_confirmed() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), None);
    commit(&mut progress, &blue(), None);
    assert!(progress.wants_confirmation());
    assert_eq!(progress.programmed_up_to(), 0);
    progress.asked(3);
    assert_eq!((progress.programmed_up_to(), progress.awaited()), (0, Some(3)));
    assert!(!progress.confirmed(2));
    assert_eq!((progress.programmed_up_to(), progress.is_quiet()), (0, false));
    assert!(progress.confirmed(3));
    assert_eq!((progress.programmed_up_to(), progress.is_quiet()), (7, true));
    assert!(!progress.wants_confirmation());
}

#[test]
fn what_is_not_committed_is_not_asked_about() {
    let mut progress = two_networks();
    assert!(progress.wants_confirmation(), "what came before version 5");
    commit(&mut progress, &red(), None);
    confirm(&mut progress, 1);
    assert_eq!(progress.programmed_up_to(), 6);
    progress.begun(&blue());
    assert!(!progress.wants_confirmation());
    progress.committed(&blue(), None);
    assert!(progress.wants_confirmation());
    confirm(&mut progress, 2);
    assert_eq!(progress.programmed_up_to(), 7);
}

#[test]
fn what_is_committed_during_a_question_is_in_the_next() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), None);
    progress.asked(1);
    commit(&mut progress, &blue(), None);
    assert!(!progress.wants_confirmation(), "one question at a time");
    assert!(progress.confirmed(1));
    assert_eq!(progress.programmed_up_to(), 6);
    assert!(progress.wants_confirmation());
}

#[test]
fn the_first_version_that_asked_is_the_one_that_waits() {
    let mut progress = Progress::default();
    progress.heard(9);
    progress.touched(&red(), 9);
    progress.touched(&red(), 4);
    progress.touched(&red(), 8);
    confirm(&mut progress, 1);
    assert_eq!(progress.programmed_up_to(), 3);
}

#[test]
fn a_network_in_trouble_holds_up_no_other() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    commit(&mut progress, &blue(), None);
    confirm(&mut progress, 1);
    assert_eq!((progress.programmed_up_to(), troubled(&progress)), (7, vec!["red_"]));
    // Neither does one that could not be committed at all.
    progress.heard(8);
    progress.touched(&blue(), 8);
    progress.begun(&blue());
    progress.trouble(&blue(), trouble());
    confirm(&mut progress, 2);
    assert_eq!((progress.programmed_up_to(), troubled(&progress)), (8, vec!["blue_", "red_"]));
}

#[test]
fn a_mend_counts_once_it_is_confirmed() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    commit(&mut progress, &blue(), None);
    confirm(&mut progress, 1);
    commit(&mut progress, &red(), None);
    assert_eq!(troubled(&progress), ["red_"]);
    assert!(progress.wants_confirmation());
    confirm(&mut progress, 2);
    assert_eq!((troubled(&progress).len(), progress.is_quiet()), (0, true));
}

#[test]
fn a_mend_during_a_question_waits_for_the_next() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    commit(&mut progress, &blue(), None);
    progress.asked(1);
    commit(&mut progress, &red(), None);
    assert!(progress.confirmed(1));
    assert_eq!(troubled(&progress), ["red_"]);
    assert!(progress.wants_confirmation());
    confirm(&mut progress, 2);
    assert_eq!(troubled(&progress).len(), 0);
}

#[test]
fn trouble_during_a_question_outlives_the_answer() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    commit(&mut progress, &red(), None);
    progress.asked(1);
    progress.trouble(&red(), trouble());
    assert!(progress.confirmed(1));
    assert_eq!(troubled(&progress), ["red_"]);
    assert!(!progress.wants_confirmation(), "blue waits, and nothing was mended");
}

#[test]
fn a_lost_question_is_asked_again() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    commit(&mut progress, &red(), None);
    commit(&mut progress, &blue(), None);
    progress.asks();
    assert_eq!(progress.awaited(), Some(i64::MAX));
    progress.forget_question();
    assert_eq!((progress.awaited(), progress.programmed_up_to()), (None, 0));
    assert!(progress.wants_confirmation());
    confirm(&mut progress, 4);
    assert_eq!((progress.programmed_up_to(), troubled(&progress).len()), (7, 0));
}

#[test]
fn a_question_is_answered_by_its_own_number_alone() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), None);
    progress.asks();
    // The number is not told yet; what the node confirmed before answers nothing.
    assert!(!progress.confirmed(41));
    progress.numbered(42);
    assert!(!progress.confirmed(41));
    assert!(progress.confirmed(42));
    progress.numbered(43);
    assert_eq!(progress.awaited(), None);
    assert!(!progress.confirmed(50), "nobody asked");
}

#[test]
fn a_database_made_anew_counts_from_the_beginning() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), None);
    commit(&mut progress, &blue(), None);
    confirm(&mut progress, 900);
    // All rows are gone: that is trouble, and its mend is asked about with a small number.
    progress.trouble(&red(), trouble());
    progress.trouble(&blue(), trouble());
    commit(&mut progress, &red(), None);
    commit(&mut progress, &blue(), None);
    assert_eq!((progress.programmed_up_to(), troubled(&progress).len()), (7, 2));
    progress.asked(1);
    assert!(!progress.confirmed(0));
    assert!(progress.confirmed(1));
    assert_eq!((progress.programmed_up_to(), troubled(&progress).len()), (7, 0));
}

#[test]
fn a_network_that_is_gone_is_not_in_trouble() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), Some(trouble()));
    progress.begun(&blue());
    progress.gone(&red());
    progress.gone(&blue());
    assert_eq!(troubled(&progress).len(), 0);
    confirm(&mut progress, 1);
    assert_eq!((progress.programmed_up_to(), progress.is_quiet()), (7, true));
}

#[test]
fn what_is_touched_while_under_way_still_waits() {
    let mut progress = two_networks();
    commit(&mut progress, &blue(), None);
    progress.begun(&red());
    progress.heard(9);
    progress.touched(&red(), 9);
    progress.committed(&red(), None);
    confirm(&mut progress, 1);
    assert_eq!(progress.programmed_up_to(), 8);
    assert!(!progress.is_quiet());
    commit(&mut progress, &red(), None);
    confirm(&mut progress, 2);
    assert_eq!(progress.programmed_up_to(), 9);
}

#[test]
fn an_attempt_that_was_overtaken_is_under_way_until_it_is_committed() {
    let mut progress = two_networks();
    commit(&mut progress, &blue(), None);
    // Version 5 is not committed when version 9 comes and a new attempt begins.
    progress.begun(&red());
    progress.heard(9);
    progress.touched(&red(), 9);
    progress.begun(&red());
    confirm(&mut progress, 1);
    assert_eq!(progress.programmed_up_to(), 4);
    progress.committed(&red(), None);
    confirm(&mut progress, 2);
    assert_eq!(progress.programmed_up_to(), 9);
}

#[test]
fn what_was_confirmed_stays_so() {
    let mut progress = two_networks();
    commit(&mut progress, &red(), None);
    commit(&mut progress, &blue(), None);
    confirm(&mut progress, 1);
    // A list tells of NADs of any age.
    progress.touched(&red(), 1);
    assert!(!progress.wants_confirmation());
    confirm(&mut progress, 2);
    assert_eq!(progress.programmed_up_to(), 7);
}
