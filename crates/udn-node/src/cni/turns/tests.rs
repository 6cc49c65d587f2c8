//! Who is next, by example.

use std::time::Duration;

use tokio::time::timeout;

use super::*;

/// Whether something is still waited for.
async fn waits<T>(future: impl Future<Output = T>) -> bool {
    timeout(Duration::ZERO, future).await.is_err()
}

#[tokio::test]
async fn one_sandbox_is_served_in_order_and_others_beside_it() {
    let turns = Turns::default();
    let first = turns.take("a").await;
    let second = turns.take("a");
    tokio::pin!(second);
    assert!(waits(&mut second).await);
    let third = turns.take("a");
    tokio::pin!(third);
    assert!(waits(&mut third).await);
    drop(turns.take("b").await);
    drop(first);
    assert!(waits(&mut third).await, "the second came before it");
    drop(second.await);
    drop(third.await);
    assert!(turns.lines().is_empty(), "nothing is kept of those who are done");
}

#[tokio::test]
async fn who_has_the_turn_hears_of_a_del_of_its_own_interface_alone() {
    let turns = Turns::default();
    let turn = turns.take("a").await;
    let other = turns.take_to_remove("a", "net1");
    tokio::pin!(other);
    assert!(waits(&mut other).await);
    assert!(waits(turn.is_leaving("eth0")).await);
    let del = turns.take_to_remove("a", "eth0");
    tokio::pin!(del);
    assert!(waits(&mut del).await);
    assert!(!waits(turn.is_leaving("eth0")).await);
    drop(turn);
    drop(other.await);
    let turn = del.await;
    assert!(waits(turn.is_leaving("eth0")).await, "its own DEL is no reason to give up");
    drop(turn);
    assert!(turns.lines().is_empty());
}

#[tokio::test]
async fn who_gives_up_waiting_leaves_no_place_behind() {
    let turns = Turns::default();
    let first = turns.take("a").await;
    assert!(waits(turns.take("a")).await);
    drop(first);
    assert!(turns.lines().is_empty());
}
