//! Tests of this module.

use super::*;

fn delays(seed: u64) -> Vec<Duration> {
    let (first, cap) = (Duration::from_millis(100), Duration::from_secs(8));
    let mut backoff = Backoff::new(BackoffSettings { first, cap, seed });
    (0..40).map(|_| backoff.next_delay()).collect()
}

#[test]
fn delays_grow_to_the_cap() {
    for (failures, delay) in delays(1).into_iter().enumerate() {
        let step = Duration::from_millis(100 << failures.min(10)).min(Duration::from_secs(8));
        assert!(delay >= step / 2 && delay <= step, "{failures}: {delay:?} for {step:?}");
    }
}

#[test]
fn clients_differ_and_each_repeats_itself() {
    assert_eq!(delays(1), delays(1));
    assert_ne!(delays(1), delays(2));
}

#[test]
fn success_begins_anew() {
    let mut backoff = Backoff::new(BackoffSettings::new(&[]));
    let before = backoff.next_delay();
    backoff.next_delay();
    backoff.reset();
    assert_eq!(backoff.next_delay(), before);
}
