//! The cluster controller and three zones write the same pods: nobody loses an entry of another.
//!
//! Invariant: what was published of a pod stays as it is until the pod is gone, whoever writes, crashes
//! or is late.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

use play::Play;

mod actors;
mod play;
mod store;

/// How many histories are played.
const HISTORIES: u32 = 60;

/// What happens next.
#[derive(Debug, Clone)]
enum Step {
    /// A user makes a pod in a namespace, on a node, with networks of its choice.
    Create(u8, u8, u8, u8),
    /// A pod is deleted, or ends.
    Delete(Index),
    End(Index),
    /// An actor hears some of what it has not heard yet.
    Hear(u8, u8),
    /// An actor does one thing; with `true` it dies before it reads the answer.
    Act(u8, bool),
}

/// How often the interesting things happened.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    patches: usize,
    conflicts: usize,
    crashes: usize,
    entries: usize,
    pods: usize,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..3_u8, 0..6_u8, 1..4_u8, 0..4_u8).prop_map(|(a, b, c, d)| Step::Create(a, b, c, d)),
        2 => any::<Index>().prop_map(Step::Delete),
        1 => any::<Index>().prop_map(Step::End),
        8 => (0..4_u8, 1..6_u8).prop_map(|(actor, count)| Step::Hear(actor, count)),
        16 => (0..4_u8, prop::bool::weighted(0.4)).prop_map(|(actor, dies)| Step::Act(actor, dies)),
    ]
}

#[allow(clippy::disallowed_macros, reason = "a soak counts what was drawn")]
#[test]
fn no_writer_loses_an_entry_of_another() {
    let persistence = FileFailurePersistence::WithSource("regressions");
    let config = Config {
        cases: HISTORIES,
        failure_persistence: Some(Box::new(persistence)),
        source_file: Some(file!()),
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    let steps = prop::collection::vec(step(), 1..120);
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        let mut play = Play::new();
        steps.into_iter().for_each(|it| play.step(it));
        play.finish();
        let mut all = tally.borrow_mut();
        all.patches += play.tally.patches;
        all.conflicts += play.tally.conflicts;
        all.crashes += play.tally.crashes;
        all.entries += play.tally.entries;
        all.pods += play.tally.pods;
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let tally = tally.into_inner();
    println!("drew: {HISTORIES} histories");
    println!("{tally:?}");
    assert!(tally.patches > 200 && tally.conflicts > 20 && tally.crashes > 30, "{tally:?}");
    assert!(tally.entries > tally.pods && tally.pods > 100, "{tally:?}");
}
