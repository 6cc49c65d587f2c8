//! Names and rests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kube::Client;
use kube::client::Body;
use udn_model::NodeName;

use super::{Heartbeat, HeartbeatSettings, Watchdog, lease_name, node_of, whole_seconds};

/// A heartbeat that never reaches a server.
fn heartbeat(node: &str) -> Heartbeat {
    let nowhere = tower::service_fn(|_: hyper::Request<Body>| async {
        Err::<hyper::Response<Body>, _>(std::io::Error::other("there is no server"))
    });
    Heartbeat::new(&Client::new(nowhere, "default"), HeartbeatSettings::new(NodeName::new(node)))
}

#[test]
fn a_lease_tells_its_node() {
    for node in ["n1", "node.example.org", "udn-node.x"] {
        let node = NodeName::new(node);
        assert_eq!(node_of(&lease_name(&node)), Some(node));
    }
    assert_eq!(node_of("n1"), None);
    assert_eq!(node_of("udn-controller"), None);
}

#[tokio::test]
async fn rests_differ_and_are_never_too_long() {
    let (mut one, mut other) = (heartbeat("n1"), heartbeat("n2"));
    let rests: Vec<[Duration; 2]> = (0..50).map(|_| [one.next(), other.next()]).collect();
    let allowed = Duration::from_secs(9)..=Duration::from_secs(10);
    assert!(rests.iter().flatten().all(|it| allowed.contains(it)), "{rests:?}");
    assert!(rests.iter().filter(|[one, other]| one != other).count() > 40, "{rests:?}");
}

#[tokio::test]
async fn after_a_failure_it_tries_again_soon() {
    let mut heartbeat = heartbeat("n1");
    assert_eq!(heartbeat.beat().await, heartbeat.settings.timing.pause);
    assert!(heartbeat.complaint.is_some());
}

#[tokio::test]
async fn an_agent_that_is_stuck_does_not_even_ask() {
    let asked = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&asked);
    let server = tower::service_fn(move |_: hyper::Request<Body>| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Err::<hyper::Response<Body>, _>(std::io::Error::other("it only counts")) }
    });
    let watchdog = Watchdog::new(Duration::ZERO);
    let settings = HeartbeatSettings {
        watchdog: watchdog.clone(),
        ..HeartbeatSettings::new(NodeName::new("n1"))
    };
    let mut heartbeat = Heartbeat::new(&Client::new(server, "default"), settings);
    let work = watchdog.begin("host loop");
    assert_eq!(heartbeat.beat().await, heartbeat.settings.timing.pause);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let complaint = heartbeat.complaint.clone().unwrap_or_default();
    assert!(complaint.contains("host loop"), "{complaint}");
    drop(work);
    heartbeat.beat().await;
    assert_ne!(asked.load(Ordering::Relaxed), 0, "it moves again, and renews again");
}

#[test]
fn a_lease_lasts_a_second_at_least() {
    assert_eq!(whole_seconds(Duration::from_millis(300)), 1);
    assert_eq!(whole_seconds(Duration::from_secs(40)), 40);
}
