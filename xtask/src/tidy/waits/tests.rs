use super::check;
use crate::text_file::TextFile;

// In halves, so that this file does not sleep in the eyes of the check.
const SLEEP: &str = concat!("std::thread::sl", "eep(PAUSE);");
const SLEEP_UNTIL: &str = concat!("sl", "eep_until(then).await;");

fn judge(path: &str, text: &str) -> usize {
    check(&[TextFile::new(path, text)]).len()
}

#[test]
fn a_test_that_sleeps_is_a_problem() {
    for text in [SLEEP, SLEEP_UNTIL] {
        assert_eq!(judge("crates/ovn/src/plan/tests.rs", text), 1, "{text}");
        assert_eq!(judge("crates/ovn/tests/ovn_plan.rs", text), 1, "{text}");
        assert_eq!(judge("crates/ovsdb-net/src/backoff.rs", text), 0, "{text}");
    }
}

#[test]
fn a_wait_with_a_reason_is_in_order() {
    let path = "crates/ovn/tests/ovn_plan.rs";
    assert_eq!(judge(path, &format!("{SLEEP} // waits: RAFT elects by wall clock")), 0);
    assert_eq!(judge(path, &format!("// waits: RAFT elects by wall clock\n{SLEEP}")), 0);
    assert_eq!(judge(path, &format!("{SLEEP} // waits:")), 1);
}

#[test]
fn other_names_are_no_sleep() {
    assert_eq!(judge("crates/ovn/tests/ovn_plan.rs", "no_sleep(x); asleep(y); sleepy(z);"), 0);
}

#[test]
fn a_test_switched_off_is_a_problem_anywhere() {
    let attribute = concat!("    #[ign", "ore = \"slow\"]");
    assert_eq!(judge("crates/ovn/src/plan.rs", attribute), 1);
    assert_eq!(judge("crates/ovn/src/plan.rs", concat!("/// ```ign", "ore")), 1);
}
