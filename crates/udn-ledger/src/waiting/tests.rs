//! Who is woken, by example.

use udn_model::ObjectName;

use super::{Need, Waiting};
use crate::addresses::Waiter;

fn pod(name: &str) -> Waiter {
    Waiter::Pod(ObjectName::new("ns", name))
}

fn address(text: &str) -> Need {
    Need::Address(text.parse().unwrap())
}

#[test]
fn as_many_are_called_as_there_is_room_for_in_the_order_of_their_coming() {
    let mut waiting = Waiting::default();
    for name in ["c", "a", "b"] {
        waiting.put(&pod(name), Need::AnyAddress);
    }
    assert_eq!(waiting.call(0, 9), []);
    assert_eq!(waiting.call(1, 9), [pod("c")]);
    assert_eq!(waiting.call(1, 9), [], "one was called and has not come yet");
    assert_eq!(waiting.call(2, 9), [pod("a")]);
    waiting.withdraw(&pod("c"));
    assert_eq!(waiting.call(2, 9), [pod("b")], "who leaves passes its turn on");
    waiting.withdraw(&pod("a"));
    waiting.withdraw(&pod("b"));
    assert!(waiting.is_empty());
}

#[test]
fn all_who_wait_for_one_number_are_woken() {
    let mut waiting = Waiting::default();
    waiting.put(&pod("a"), address("10.0.0.5"));
    waiting.put(&pod("b"), address("10.0.0.5"));
    waiting.put(&pod("c"), address("10.0.0.6"));
    waiting.met(&address("10.0.0.5"));
    assert_eq!(waiting.call(9, 9), [pod("a"), pod("b")]);
    waiting.withdraw(&pod("c"));
    waiting.met(&address("10.0.0.6"));
    assert_eq!(waiting.call(9, 9), []);
    assert!(waiting.is_empty());
}

#[test]
fn who_leaves_the_line_is_not_called() {
    let mut waiting = Waiting::default();
    for number in 0..100 {
        waiting.put(&pod(&format!("{number:02}")), Need::AnyAddress);
    }
    for number in 0..99 {
        waiting.withdraw(&pod(&format!("{number:02}")));
    }
    assert!(waiting.addresses.line.len() < 20, "the line forgets who left");
    assert_eq!(waiting.call(5, 5), [pod("99")]);
}

#[test]
fn a_change_wakes_everybody() {
    let mut waiting = Waiting::default();
    waiting.put(&pod("a"), address("10.0.0.5"));
    waiting.put(&pod("b"), Need::AnyAddress);
    waiting.put(&pod("c"), Need::Change);
    waiting.wake_all();
    assert_eq!(waiting.call(0, 0), [pod("a"), pod("b"), pod("c")]);
    assert!(waiting.is_empty());
}
