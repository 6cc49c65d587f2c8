//! One of several candidates leads: after crashes, partitions and releases, at an API server.
//!
//! Time is made up and stands still while anybody works, so seconds pass in no time.
//! Invariant: no test waits for real time.

mod rig;

use std::time::Duration;

use kube_embedded::{Fault, Planned};
use tokio::time::{Instant, timeout};

use rig::Rig;

const fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[tokio::test(start_paused = true)]
async fn one_leads_and_the_other_waits() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    assert_eq!(rig.holder().await, "one");
    let other = rig.candidate("two");
    assert!(timeout(millis(60_000), other.lead()).await.is_err(), "there is a leader");
    assert!(timeout(millis(60_000), leader.lost()).await.is_err(), "it still leads");
    assert_eq!(rig.holder().await, "one");
}

#[tokio::test(start_paused = true)]
async fn a_leader_knows_the_version_that_made_it_one() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    assert_eq!(leader.version(), rig.version().await);
    assert!(leader.version() > 0);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_other_leads_when_the_lease_is_over_and_not_before() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    let other = rig.candidate("two");
    let next = tokio::spawn(async move { other.lead().await });
    // Some renewals, so that the lease is not the first one.
    assert!(timeout(millis(7_300), leader.lost()).await.is_err());
    let crash = Instant::now();
    drop(leader);
    let next = next.await.expect("it leads");
    let gap = crash.elapsed();
    // From the last renewal, which was up to a second before the crash, and seen up to half later.
    assert!(gap >= millis(4_000), "{gap:?}");
    assert!(gap <= millis(5_700), "{gap:?}");
    assert_eq!(rig.holder().await, "two");
    next.release().await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_given_back_is_taken_at_once() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    let other = rig.candidate("two");
    let next = tokio::spawn(async move { other.lead().await });
    assert!(timeout(millis(2_100), leader.lost()).await.is_err());
    leader.release().await;
    assert_eq!(rig.holder().await, "");
    let released = Instant::now();
    let next = next.await.expect("it leads");
    assert!(released.elapsed() <= millis(510), "{:?}", released.elapsed());
    assert_eq!(rig.transitions().await, 1);
    drop(next);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_stops_before_the_other_starts() {
    let rig = Rig::start().await;
    let cut_off = rig.candidate("one");
    let leader = cut_off.lead().await;
    let other = rig.candidate("two");
    let next = tokio::spawn(async move {
        let leadership = other.lead().await;
        (Instant::now(), leadership)
    });
    assert!(timeout(millis(3_700), leader.lost()).await.is_err());
    cut_off.cut();
    let cut = Instant::now();
    leader.lost().await;
    let lost = Instant::now();
    let (took_over, next) = next.await.expect("it leads");
    assert!(lost - cut <= millis(3_000), "{:?}", lost - cut);
    assert!(took_over - lost >= millis(1_000), "{:?}", took_over - lost);
    drop(next);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_is_not_waited_for() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    let hangs = Instant::now();
    for _ in 0..20 {
        rig.plan(Planned {
            verb: "update".into(),
            resource: "leases".into(),
            after: 0,
            fault: Fault::Delay(millis(60_000)),
        });
    }
    leader.lost().await;
    assert!(hangs.elapsed() <= millis(3_000), "{:?}", hangs.elapsed());
}

#[tokio::test(start_paused = true)]
async fn lost_answers_and_refusals_end_no_leadership() {
    for fault in [Fault::CutAfter, Fault::CutBefore, Fault::Refuse(503), Fault::Conflict] {
        let rig = Rig::start().await;
        let leader = rig.candidate("one").lead().await;
        rig.plan(Planned { verb: "update".into(), resource: "leases".into(), after: 2, fault });
        assert!(timeout(millis(20_000), leader.lost()).await.is_err(), "{fault:?}");
        assert_eq!(rig.pending(), 0, "{fault:?} happened");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_the_first_write_costs_no_time() {
    let rig = Rig::start().await;
    let (verb, resource) = ("create".into(), "leases".into());
    rig.plan(Planned { verb, resource, after: 0, fault: Fault::CutAfter });
    let start = Instant::now();
    let leader = rig.candidate("one").lead().await;
    assert!(start.elapsed() <= millis(600), "{:?}", start.elapsed());
    drop(leader);
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_is_told_to_stop_stops() {
    let rig = Rig::start().await;
    let leader = rig.candidate("one").lead().await;
    let other = rig.candidate("two");
    other.stop();
    assert!(other.try_lead().await.is_none());
    leader.release().await;
}
