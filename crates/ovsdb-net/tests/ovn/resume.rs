//! A stream of transactions survives servers that are killed and connections that are cut:
//! the replica equals the server's content afterwards, and nothing is applied twice.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use ovsdb_net::{Client, Remote};
use udn_lab::ovn_root::Database;
use udn_lab::ovsdb_server::OvsdbServer;
use udn_lab::raft::RaftCluster;
use udn_lab::seed;

use crate::load::*;
use crate::proxy::Proxy;
use crate::rig::*;

// soak: draws from UDN_SEED
#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_lose_and_repeat_nothing() {
    let told = seed::told();
    for seed in told.map_or(vec![1, 2, 3, 5, 8, 13], |seed| vec![seed]) {
        let server = OvsdbServer::start(&ovn_root(), Database::Northbound).unwrap();
        start_counting(server.socket());
        let folder = tempfile::tempdir().unwrap();
        let proxy = Proxy::open(folder.path().join("door"), server.socket(), seed);
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
        check_book(server.socket(), &client, &book).await;
        make_up(&client, &mut book).await;
        check_book(server.socket(), &client, &book).await;
        println!("drew: 1 histories");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_and_repeats_nothing() {
    let mut server = OvsdbServer::start(&ovn_root(), Database::Northbound).unwrap();
    start_counting(server.socket());
    let client = synced_client(resume_settings(vec![unix_remote(server.socket())])).await;
    let load = Load::new(client.clone());
    let running = tokio::spawn(Arc::clone(&load).run(800));
    for stage in 1..=4 {
        load.reached(stage * 150).await;
        server.kill();
        server.restart().unwrap();
    }
    let mut book = within(running).await.unwrap();
    within(client.wait_synced()).await.unwrap();
    assert!(count(&book, Told::Unknown) > 0, "no transaction was under way when the server died");
    assert_eq!(client.status().borrow().replaced, 5);
    check_book(server.socket(), &client, &book).await;
    make_up(&client, &mut book).await;
    check_book(server.socket(), &client, &book).await;
}

/// A cluster with a door before each member.
struct GuardedCluster {
    cluster: RaftCluster,
    doors: Vec<Proxy>,
    _folder: tempfile::TempDir,
}

impl GuardedCluster {
    fn start(seed: u64) -> Self {
        let mut cluster = RaftCluster::start(&ovn_root(), Database::Northbound, 3).unwrap();
        let leader = cluster.leader().unwrap();
        start_counting(cluster.sockets()[leader]);
        let folder = tempfile::tempdir().unwrap();
        let doors = cluster.sockets().into_iter().enumerate().map(|(index, socket)| {
            Proxy::open(folder.path().join(format!("door{index}")), socket, seed + index as u64)
        });
        let doors = doors.collect();
        Self { cluster, doors, _folder: folder }
    }

    fn remotes(&self) -> Vec<Remote> {
        self.doors.iter().map(|door| unix_remote(door.socket())).collect()
    }

    async fn settle(&mut self, client: &Client, mut book: BTreeMap<String, Told>) {
        self.doors.iter().for_each(Proxy::calm);
        within(client.wait_synced()).await.unwrap();
        let leader = self.cluster.leader().unwrap();
        let socket = self.cluster.sockets()[leader].to_owned();
        check_book(&socket, client, &book).await;
        make_up(client, &mut book).await;
        check_book(&socket, client, &book).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_to_a_cluster_resume_where_they_were() {
    let mut guarded = GuardedCluster::start(21);
    let client = Client::connect(resume_settings(guarded.remotes())).unwrap();
    let book = Load::new(client.clone()).run(1200).await;
    let status = client.status().borrow().clone();
    assert!(status.resumed >= 3, "the server should have known where we were: {status:?}");
    guarded.settle(&client, book).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_leader_loses_and_repeats_nothing() {
    let mut guarded = GuardedCluster::start(34);
    let client = Client::connect(resume_settings(guarded.remotes())).unwrap();
    let load = Load::new(client.clone());
    let running = tokio::spawn(Arc::clone(&load).run(1500));
    for stage in 1..=2 {
        load.reached(stage * 400).await;
        let leader = guarded.cluster.leader().unwrap();
        guarded.cluster.kill(leader);
        // The rest elect another, and go on without this one for a while.
        load.reached(stage * 400 + 200).await;
        guarded.cluster.restart(leader).unwrap();
    }
    let book = within(running).await.unwrap();
    assert!(count(&book, Told::Unknown) > 0, "no transaction was under way when the leader died");
    let status = client.status().borrow().clone();
    assert!(status.resumed >= 1, "another member should have known where we were: {status:?}");
    guarded.settle(&client, book).await;
}
