//! Our client and our server understand each other, also over connections that are cut.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use ovsdb::DatabaseSchema;
use ovsdb::engine::Engine;
use ovsdb::service::{Service, ServiceLimits};
use ovsdb::session::Outcome;
use ovsdb_net::client::State;
use ovsdb_net::server::random_uuid;
use ovsdb_net::{Client, Server};

use crate::load::*;
use crate::proxy::Proxy;
use crate::rig::*;

/// The two tables that the stream of transactions needs, as the northbound database has them.
fn schema() -> DatabaseSchema {
    let schema = serde_json::json!({ "name": NORTHBOUND, "version": "1.0.0", "tables": {
        "Logical_Switch": { "isRoot": true, "columns": {
            "name": { "type": "string" },
            "other_config": { "type": {
                "key": "string", "value": "string", "min": 0, "max": "unlimited" } } } },
        "NB_Global": { "isRoot": true, "maxRows": 1, "columns": {
            "nb_cfg": { "type": "integer" } } } } });
    DatabaseSchema::from_json(&schema).unwrap()
}

fn start_server(socket: &Path) -> Server {
    let mut service = Service::new(ServiceLimits::default(), Box::new(random_uuid));
    service.add_database(Engine::new(Arc::new(schema())));
    let mut server = Server::start(service);
    server.listen_unix(socket).unwrap();
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_follows_the_in_memory_server() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let mut server = start_server(&socket);
    let one = synced_client(resume_settings(vec![unix_remote(&socket)])).await;
    for loopback in ["127.0.0.1:0", "[::1]:0"] {
        let address = server.listen_tcp(loopback.parse().unwrap()).await.unwrap();
        let remote = format!("tcp:{address}").parse().unwrap();
        let two = synced_client(resume_settings(vec![remote])).await;
        follow(&socket, &one, &two).await;
    }
}

/// What one client does, the other sees.
async fn follow(socket: &Path, one: &Client, two: &Client) {
    let mut changes = two.changes();
    let before = one.with_cache(|cache| switch_names(cache).len());
    if before == 0 {
        one.transact(&add_counter()).await.unwrap();
    }
    for n in before..before + 100 {
        let outcome = within(one.transact(&add_switch(&format!("switch{n}")))).await.unwrap();
        assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?}");
        let counted = i64::try_from(n + 1).unwrap();
        assert_eq!(one.with_cache(counter), counted, "committed means replicated");
    }
    while two.with_cache(|cache| switch_names(cache).len()) < before + 100 {
        within(changes.next()).await.unwrap();
    }
    assert!(one.status().borrow().is_leader);
    wait_equal(socket, two).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_lose_and_repeat_nothing() {
    let told = udn_lab::seed::told();
    for seed in told.map_or(vec![4, 6, 9, 10], |seed| vec![seed]) {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _server = start_server(&socket);
        start_counting(&socket);
        let proxy = Proxy::open_wide(folder.path().join("door"), &socket, seed, 2_000);
        let client = Client::connect(resume_settings(vec![unix_remote(proxy.socket())])).unwrap();
        let mut book = Load::new(client.clone()).run(300).await;
        proxy.calm();
        within(client.wait_synced()).await.unwrap();
        // Chance may spare a few connections; the stored seeds do not.
        assert!(
            told.is_some() || proxy.cuts() >= 5,
            "seed {seed} cut {} connections",
            proxy.cuts()
        );
        check_book(&socket, &client, &book).await;
        make_up(&client, &mut book).await;
        check_book(&socket, &client, &book).await;
        println!("drew: 1 histories");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn locks_and_refusals_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let server = start_server(&socket);
    let client = synced_client(resume_settings(vec![unix_remote(&socket)])).await;
    client.lock("l");
    let mut status = client.status();
    within(status.wait_for(|status| status.locks.contains("l"))).await.unwrap();
    client.transact(&add_counter()).await.unwrap();
    let Outcome::Failed { fault, .. } = client.transact(&add_counter()).await.unwrap() else {
        panic!("there may be only one such row");
    };
    assert_eq!(fault.tag, ovsdb::Fault::CONSTRAINT_VIOLATION);
    drop(server);
    within(status.wait_for(|status| status.state == State::Disconnected)).await.unwrap();
}
