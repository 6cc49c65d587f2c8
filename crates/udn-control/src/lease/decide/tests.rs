use std::time::Duration;

use super::{Candidate, Record, Step, Timing};

const fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn held_by(holder: &str, renewed: i64) -> Option<Record> {
    let (holder, duration) = (holder.to_owned(), at(5000));
    Some(Record { holder, acquired: Some(7), renewed: Some(renewed), duration })
}

fn candidate() -> Candidate {
    Candidate::new("me", Timing::default())
}

/// One whose write of term 7 was sent at 0 and answered.
fn leader() -> Candidate {
    let mut candidate = candidate();
    candidate.acquires(7);
    candidate.wrote(held_by("me", 0).expect("it is held"), at(0), at(10));
    candidate
}

/// What follows from a look at the first time and another at the second one.
fn after_looks(first: Option<Record>, second: Option<Record>, moments: [u64; 2]) -> Candidate {
    let mut candidate = candidate();
    candidate.saw(first, at(moments[0]), at(moments[0]));
    candidate.saw(second, at(moments[1]), at(moments[1]));
    candidate
}

#[test]
fn a_newcomer_looks_first() {
    assert_eq!(candidate().step(at(0)), Step::Look);
}

#[test]
fn a_lease_that_nobody_holds_is_taken_at_once() {
    for free in [None, held_by("", 3)] {
        let mut candidate = candidate();
        candidate.saw(free, at(0), at(1));
        assert_eq!(candidate.step(at(1)), Step::Acquire);
    }
}

#[test]
fn the_lease_of_another_ends_by_time_that_passed_here() {
    let candidate = after_looks(held_by("other", 1), held_by("other", 1), [100, 4900]);
    assert_eq!(candidate.step(at(5099)), Step::Wait(at(5100)));
    assert_eq!(candidate.step(at(5100)), Step::Acquire);
}

#[test]
fn a_renewal_starts_the_wait_again() {
    let candidate = after_looks(held_by("other", 1), held_by("other", 2), [100, 4900]);
    assert_eq!(candidate.step(at(5100)), Step::Wait(at(5400)));
    assert_eq!(candidate.step(at(9900)), Step::Acquire);
}

#[test]
fn a_holder_that_asks_for_more_time_gets_it() {
    let longer = held_by("other", 1).map(|it| Record { duration: at(60_000), ..it });
    let candidate = after_looks(longer.clone(), longer, [0, 50_000]);
    assert_eq!(candidate.step(at(59_999)), Step::Look);
    assert_eq!(candidate.step(at(60_000)), Step::Acquire);
}

#[test]
fn a_deleted_lease_binds_as_long_as_it_would_have() {
    let candidate = after_looks(held_by("other", 1), None, [0, 1000]);
    assert_eq!(candidate.step(at(1001)), Step::Wait(at(1500)));
    assert_eq!(candidate.step(at(5000)), Step::Acquire);
}

#[test]
fn one_of_our_name_is_another() {
    let mut candidate = candidate();
    candidate.saw(held_by("me", 1), at(0), at(0));
    assert_eq!(candidate.step(at(1)), Step::Wait(at(500)));
}

#[test]
fn a_write_whose_answer_was_lost_is_written_again() {
    let mut candidate = candidate();
    candidate.acquires(7);
    candidate.failed(at(1000));
    candidate.saw(held_by("me", 1), at(1250), at(1260));
    assert!(!candidate.is_leading(at(1260)), "only an answered write makes a leader");
    assert_eq!(candidate.step(at(1260)), Step::Acquire);
}

#[test]
fn a_leader_renews_in_time() {
    assert_eq!(leader().step(at(999)), Step::Wait(at(1000)));
    assert_eq!(leader().step(at(1000)), Step::Renew);
}

#[test]
fn a_leader_gives_up_before_others_take_over() {
    let mut leader = leader();
    leader.failed(at(2900));
    assert_eq!(leader.step(at(2950)), Step::Wait(at(3000)));
    assert!(leader.is_leading(at(2999)));
    assert!(!leader.is_leading(at(3000)));
    assert_eq!(leader.step(at(3000)), Step::Lost);
}

#[test]
fn no_request_of_a_leader_outlasts_its_lease() {
    assert_eq!(leader().patience(at(1000)), at(1000));
    assert_eq!(leader().patience(at(2700)), at(300));
    assert_eq!(leader().patience(at(4000)), at(0));
    assert_eq!(candidate().patience(at(4000)), at(1000));
}

#[test]
fn a_leader_whose_write_was_refused_looks_who_wrote() {
    let mut leader = leader();
    leader.was_late();
    assert_eq!(leader.step(at(1000)), Step::Look);
    let mut still = leader.clone();
    still.saw(held_by("me", 0), at(1000), at(1001));
    assert_eq!(still.step(at(1001)), Step::Renew);
    for gone in [held_by("other", 0), held_by("", 0), None] {
        let mut leader = leader.clone();
        leader.saw(gone, at(1000), at(1001));
        assert_eq!(leader.step(at(1001)), Step::Lost);
    }
}
