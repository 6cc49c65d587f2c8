//! Pools by example.

use super::{NumberPool, Refusal};

#[test]
fn numbers_are_given_in_turn_and_rest_when_given_back() {
    let mut pool = NumberPool::new(2..=4);
    assert_eq!(pool.grant(&"a"), Some(2));
    assert_eq!(pool.grant(&"a"), Some(2), "a holder keeps its number");
    pool.release(&"a");
    assert_eq!(pool.grant(&"b"), Some(3));
    assert_eq!(pool.grant(&"c"), Some(4));
    assert_eq!(pool.grant(&"d"), Some(2), "the pool has gone round");
    assert_eq!(pool.grant(&"e"), None);
}

#[test]
fn a_held_number_is_not_given_to_another() {
    let mut pool = NumberPool::new(0..=9);
    assert_eq!(pool.hold(&"a", 3), Ok(()));
    assert_eq!(pool.hold(&"b", 3), Err(Refusal::HeldBy("a")));
    assert_eq!(pool.hold(&"b", 10), Err(Refusal::Blocked));
    assert_eq!(pool.hold(&"a", 5), Ok(()), "a holder that moves leaves its number");
    assert_eq!(pool.hold(&"b", 3), Ok(()));
}
