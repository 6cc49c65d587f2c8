//! Pools by example.

use super::Pool;

#[test]
fn numbers_come_in_turn_and_rest_when_given_back() {
    let mut pool = Pool::new(2..=5, &[4..=4]);
    let mut take = |holder: u8| {
        let number = pool.next()?;
        pool.hold_in_turn(number, holder);
        Some(number)
    };
    assert_eq!(take(1), Some(2));
    assert_eq!(take(2), Some(3));
    assert!(pool.give_back(2, 1));
    let mut take = |holder: u8| {
        let number = pool.next()?;
        pool.hold_in_turn(number, holder);
        Some(number)
    };
    assert_eq!(take(3), Some(5), "4 is barred and 2 rests");
    assert_eq!(take(4), Some(2), "the pool has gone round");
    assert_eq!(take(5), None);
    assert_eq!((pool.free(), pool.total(), pool.held()), (0, 3, 3));
}

#[test]
fn only_the_holder_gives_a_number_back() {
    let mut pool = Pool::new(0..=9, &[]);
    pool.hold(3, 'a');
    assert!(!pool.give_back(3, 'b'));
    assert_eq!(pool.holder_of(3), Some('a'));
    assert!(pool.give_back(3, 'a') && !pool.give_back(3, 'a'));
}

#[test]
fn a_barred_number_can_be_held_and_never_comes_in_turn() {
    let mut pool = Pool::new(0..=2, &[0..=1]);
    pool.hold(0, 'a');
    assert_eq!((pool.free(), pool.held()), (1, 1));
    assert!(pool.give_back(0, 'a'));
    assert_eq!(pool.next(), Some(2));
    pool.hold_in_turn(2, 'b');
    assert_eq!(pool.next(), None);
}

#[test]
fn the_largest_pools_count_and_go_round() {
    let mut pool = Pool::new(0..=u128::MAX, &[0..=0, u128::MAX - 1..=u128::MAX]);
    assert_eq!(pool.total(), u128::MAX - 3);
    pool.hold_in_turn(u128::MAX - 2, 'a');
    assert_eq!(pool.next(), Some(1));
    assert_eq!(pool.next_behind(u128::MAX), None);
}
