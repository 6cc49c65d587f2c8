//! Who waits, who is under way, and who rests for how long.

use udn_cluster::WorkItem;
use udn_model::NodeName;

use super::*;

fn item(name: &str) -> WorkItem {
    WorkItem::Node(NodeName::new(name))
}

#[test]
fn who_is_touched_under_way_waits_again_afterwards() {
    let mut queue = Queue::default();
    queue.touch(item("a"));
    assert_eq!(queue.next(), Some(item("a")));
    queue.touch(item("a"));
    assert_eq!(queue.next(), None, "no item is reconciled twice at a time");
    queue.done(item("a"));
    assert_eq!(queue.next(), Some(item("a")));
    queue.done(item("a"));
    assert_eq!(queue.next(), None, "one touch is one reconcile");
}

#[test]
fn who_waits_is_touched_once() {
    let mut queue = Queue::default();
    for name in ["b", "a", "b"] {
        queue.touch(item(name));
    }
    assert_eq!([queue.next(), queue.next()], [Some(item("b")), Some(item("a"))]);
    assert_eq!((queue.next(), queue.under_way()), (None, 2));
}

#[test]
fn who_failed_rests_longer_each_time_and_wakes() {
    let (mut queue, mut now) = (Queue::default(), Instant::now());
    queue.touch(item("a"));
    let mut rests = Vec::new();
    for _ in 0..20 {
        assert_eq!(queue.next(), Some(item("a")));
        queue.failed(item("a"), now);
        let wakes = queue.wakes().expect("it rests");
        rests.push(wakes - now);
        queue.wake(now);
        assert_eq!(queue.next(), None, "it rests still");
        now = wakes;
        queue.wake(now);
    }
    assert_eq!((rests[0], rests[19]), (FIRST_REST, LONGEST_REST));
    assert!(rests.is_sorted(), "{rests:?}");
    queue.next();
    queue.done(item("a"));
    queue.touch(item("a"));
    queue.next();
    queue.failed(item("a"), now);
    assert_eq!(queue.wakes(), Some(now + FIRST_REST), "a reconcile that went well is a new start");
}
