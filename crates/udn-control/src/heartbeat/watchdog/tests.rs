//! Who is stuck, by example.

use super::*;

/// Who is stuck after some time, of loops that began at these seconds.
fn check(begun: &[(&'static str, u64)], after: u64, want: &[&str]) {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let loops = Loops(begun.iter().map(|(name, seconds)| (*name, at(*seconds))).collect());
    assert_eq!(loops.stuck(at(after), Duration::from_secs(100)), want, "{begun:?} after {after}");
}

#[test]
fn whoever_is_at_one_thing_for_too_long_is_stuck() {
    check(&[], 1000, &[]);
    check(&[("host", 0)], 99, &[]);
    check(&[("host", 0)], 100, &["host"]);
    check(&[("host", 0), ("zone", 50)], 149, &["host"]);
    check(&[("host", 0), ("zone", 50)], 150, &["host", "zone"]);
    // Clocks of threads may differ by a moment.
    check(&[("host", 10)], 0, &[]);
}

#[test]
fn who_has_ended_is_well_however_long_it_waits_for_the_next_thing() {
    let watchdog = Watchdog::new(Duration::ZERO);
    let late = Instant::now() + Duration::from_secs(3600);
    assert_eq!(watchdog.stuck(late), [""; 0]);
    let work = watchdog.begin("host");
    let clone = watchdog.clone();
    assert_eq!(clone.stuck(late), ["host"]);
    assert_eq!(clone.complaint(late), Some("no progress for 0ns of: host".to_owned()));
    drop(work);
    assert_eq!((clone.stuck(late), clone.complaint(late)), (Vec::new(), None));
}
