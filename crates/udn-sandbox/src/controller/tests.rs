//! When the controller counts as done.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::Request;
use kube::Client;
use kube::client::Body;
use tokio::sync::Semaphore;
use udn_control::cluster::Activity;
use udn_control::zone::Listing;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use super::{Controller, Lag, lag};
use crate::server::ApiServer;

fn check(seen: &[(Kind, u64)], is_idle: bool, wanted: &[(Kind, u64)], want: Option<Lag>) {
    let activity = Activity { seen: seen.iter().copied().collect(), is_idle };
    let wanted: BTreeMap<Kind, u64> = wanted.iter().copied().collect();
    assert_eq!(lag(&activity, &wanted), want);
}

#[test]
fn the_controller_is_done_when_it_saw_everything_and_rests() {
    let seen = [(Kind::Node, 7), (Kind::Pod, 9)];
    check(&seen, true, &[(Kind::Node, 7), (Kind::Pod, 8)], None);
    check(&seen, false, &[(Kind::Node, 7)], Some(Lag::Busy));
    let behind = Lag::Behind { kind: Kind::Pod, seen: 9, newest: 10 };
    check(&seen, true, &[(Kind::Pod, 10)], Some(behind));
    check(&seen, false, &[(Kind::Pod, 10)], Some(behind));
}

#[test]
fn kinds_that_nobody_watches_are_not_waited_for() {
    check(&[(Kind::Node, 7)], true, &[(Kind::Service, 9)], None);
}

/// A client whose requests wait until it is let through.
fn held(client: Client, gate: Arc<Semaphore>) -> Client {
    let send = move |request: Request<Body>| {
        let (client, gate) = (client.clone(), Arc::clone(&gate));
        async move {
            drop(gate.acquire().await.expect("nobody closes the gate"));
            client.send(request).await
        }
    };
    Client::new(tower::service_fn(send), "default")
}

#[tokio::test]
async fn a_slow_controller_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let server = ApiServer::start(folder.path()).await.expect("a server starts");
    let gate = Arc::new(Semaphore::new(0));
    let client = held(server.client(), Arc::clone(&gate));
    let mut controller = Controller::start(client, ClusterSettings::default());
    let let_through = async {
        // Long enough for anybody who does not wait.
        for _ in 0..20 {
            Listing::read(&server.client(), &Kind::ALL).await.expect("the server answers");
        }
        gate.add_permits(1);
    };
    let gone = BTreeMap::new();
    let (settled, ()) = tokio::join!(controller.settled(&server, &gone), let_through);
    let settled = settled.expect("the controller comes to rest");
    assert_eq!(settled.world.nads.len(), 1, "the controller has not made the default NAD");
}

#[test]
fn what_is_missing_is_told() {
    let behind = Lag::Behind { kind: Kind::Pod, seen: 9, newest: 10 };
    assert_eq!(behind.to_string(), "it saw Pods up to version 9, and the newest is 10");
    assert_eq!(Lag::Busy.to_string(), "its queue is not empty");
}
