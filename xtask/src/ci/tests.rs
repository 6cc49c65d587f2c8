use std::time::Duration;

use super::{STEPS, Timed, summary};
use crate::verdict::Verdict;

fn done(verdicts: &[Verdict]) -> Vec<Timed> {
    let timed = |(step, verdict): (&super::Step, &Verdict)| Timed {
        name: step.name,
        verdict: *verdict,
        time: Duration::from_secs(2),
    };
    STEPS.iter().zip(verdicts).map(timed).collect()
}

#[test]
fn the_steps_stand_in_the_order_people_are_told() {
    let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    assert_eq!(
        names,
        ["fmt", "clippy", "doc", "setup", "gen", "tidy", "deny", "test", "requirements"]
    );
}

#[test]
fn a_failure_is_named_and_what_was_left_is_told() {
    let text = summary(&done(&[Verdict::Pass, Verdict::Fail]));
    assert!(text.contains("clippy        FAIL"), "{text}");
    assert!(text.contains("test          not run"), "{text}");
    assert!(text.ends_with("ci failed at clippy after 4.0 s\n"), "{text}");
}

#[test]
fn what_could_not_be_checked_is_told_and_stops_nothing() {
    let text = summary(&done(&[Verdict::Unchecked; 9]));
    assert!(text.contains("deny          NOT CHECKED"), "{text}");
    assert!(text.contains("ci passed"), "{text}");
}

#[test]
fn a_green_run_says_so() {
    let text = summary(&done(&[Verdict::Pass; 9]));
    assert!(text.ends_with("ci passed in 18.0 s\n"), "{text}");
}
