//! Who waits, who is under way, and who rests for how long.

use udn_cluster::Affair;
use udn_model::NodeName;

use super::*;

fn affair(name: &str) -> Affair {
    Affair::Node(NodeName::new(name))
}

#[test]
fn who_is_touched_under_way_waits_again_afterwards() {
    let mut queue = Queue::default();
    queue.touch(affair("a"));
    assert_eq!(queue.next(), Some(affair("a")));
    queue.touch(affair("a"));
    assert_eq!(queue.next(), None, "no affair has two turns at a time");
    queue.done(affair("a"));
    assert_eq!(queue.next(), Some(affair("a")));
    queue.done(affair("a"));
    assert_eq!(queue.next(), None, "one touch is one turn");
}

#[test]
fn who_waits_is_touched_once() {
    let mut queue = Queue::default();
    for name in ["b", "a", "b"] {
        queue.touch(affair(name));
    }
    assert_eq!([queue.next(), queue.next()], [Some(affair("b")), Some(affair("a"))]);
    assert_eq!((queue.next(), queue.under_way()), (None, 2));
}

#[test]
fn who_failed_rests_longer_each_time_and_wakes() {
    let (mut queue, mut now) = (Queue::default(), Instant::now());
    queue.touch(affair("a"));
    let mut rests = Vec::new();
    for _ in 0..20 {
        assert_eq!(queue.next(), Some(affair("a")));
        queue.failed(affair("a"), now);
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
    queue.done(affair("a"));
    queue.touch(affair("a"));
    queue.next();
    queue.failed(affair("a"), now);
    assert_eq!(queue.wakes(), Some(now + FIRST_REST), "a turn that went well is a new start");
}
