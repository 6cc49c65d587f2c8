//! Every fault does what it says, to the request it is meant for.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Client, ResourceExt};
use kube_embedded::{Fault, FaultPlan, PerMille, Planned, Server};
use serde_json::json;

async fn server() -> (Server, Api<ConfigMap>) {
    let server = Server::start().await.expect("it starts");
    let client: Client = server.client();
    (server, Api::default_namespaced(client))
}

fn plan(server: &Server, verb: &str, fault: Fault) {
    let (verb, resource) = (verb.to_owned(), "configmaps".to_owned());
    server.faults().plan(Planned { verb, resource, after: 0, fault });
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"x": "0"}})).expect("a map")
}

async fn create(maps: &Api<ConfigMap>, name: &str) -> kube::Result<ConfigMap> {
    maps.create(&PostParams::default(), &map(name)).await
}

fn code(result: &kube::Result<ConfigMap>) -> u16 {
    match result {
        Ok(_) => 200,
        Err(kube::Error::Api(status)) => status.code,
        Err(_) => 0,
    }
}

#[tokio::test]
async fn a_cut_before_does_nothing() {
    let (server, maps) = server().await;
    plan(&server, "create", Fault::CutBefore);
    assert_eq!(code(&create(&maps, "a").await), 0);
    assert!(maps.get_opt("a").await.expect("it answers").is_none());
}

#[tokio::test]
async fn a_cut_after_loses_the_answer_alone() {
    let (server, maps) = server().await;
    plan(&server, "create", Fault::CutAfter);
    assert_eq!(code(&create(&maps, "a").await), 0);
    assert!(maps.get_opt("a").await.expect("it answers").is_some());
}

#[tokio::test]
async fn a_refusal_does_nothing_and_has_its_code() {
    for want in [429, 500, 503] {
        let (server, maps) = server().await;
        plan(&server, "create", Fault::Refuse(want));
        assert_eq!(code(&create(&maps, "a").await), want);
        assert!(maps.get_opt("a").await.expect("it answers").is_none());
    }
}

#[tokio::test]
async fn a_conflict_changes_nothing() {
    let (server, maps) = server().await;
    create(&maps, "a").await.expect("it is new");
    plan(&server, "patch", Fault::Conflict);
    let patch = Patch::Merge(json!({"data": {"x": "1"}}));
    assert_eq!(code(&maps.patch("a", &PatchParams::default(), &patch).await), 409);
    let found = maps.get("a").await.expect("it is there");
    assert_eq!(found.data.expect("it has some")["x"], "0");
}

#[tokio::test]
async fn a_request_that_comes_twice_meets_itself() {
    let (server, maps) = server().await;
    plan(&server, "create", Fault::Twice);
    assert_eq!(code(&create(&maps, "a").await), 409);
    assert!(maps.get_opt("a").await.expect("it answers").is_some());
}

#[tokio::test]
async fn a_stale_list_shows_the_past() {
    let (server, maps) = server().await;
    server.settled().await;
    create(&maps, "a").await.expect("it is new");
    create(&maps, "b").await.expect("it is new");
    plan(&server, "list", Fault::Stale(1));
    let params = ListParams::default().fields("metadata.name!=kube-root-ca.crt");
    let stale = maps.list(&params).await.expect("it answers");
    let names: Vec<String> = stale.iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["a"]);
    let fresh = maps.list(&params).await.expect("it answers");
    assert_eq!(fresh.items.len(), 2);
}

/// What a watch tells of three new maps, until it ends.
async fn watched(faults: FaultPlan) -> Vec<String> {
    let (server, maps) = server().await;
    server.settled().await;
    let start = maps.list(&ListParams::default()).await.expect("it answers");
    let start = start.metadata.resource_version.expect("lists have one");
    for name in ["a", "b", "c"] {
        create(&maps, name).await.expect("it is new");
    }
    server.faults().set(Some(faults));
    let params = WatchParams::default().timeout(1);
    let events = maps.watch(&params, &start).await.expect("it answers");
    let mut events = pin!(events);
    let mut names = Vec::new();
    while let Some(event) = events.next().await {
        if let Ok(WatchEvent::Added(map)) = event {
            names.push(map.name_any());
        }
    }
    names
}

#[tokio::test]
async fn events_are_doubled_lost_late_or_cut_off() {
    const ALWAYS: PerMille = PerMille(1000);
    let calm = FaultPlan::default();
    assert_eq!(watched(calm.clone()).await, ["a", "b", "c"]);
    let twice = FaultPlan { event_twice: ALWAYS, ..calm.clone() };
    assert_eq!(watched(twice).await, ["a", "a", "b", "b", "c", "c"]);
    let lost = FaultPlan { event_lost: ALWAYS, ..calm.clone() };
    assert!(watched(lost).await.is_empty());
    let cut = FaultPlan { watch_cut: ALWAYS, ..calm.clone() };
    assert!(watched(cut).await.is_empty());
    let longest_delay = Duration::from_millis(5);
    let late = FaultPlan { event_delay: ALWAYS, longest_delay, ..calm };
    assert_eq!(watched(late).await, ["a", "b", "c"]);
}

/// What becomes of a hundred writes.
async fn fates(seed: u64) -> Vec<u16> {
    let (server, maps) = server().await;
    server.faults().set(Some(FaultPlan {
        seed,
        refuse: PerMille(200),
        cut_before: PerMille(100),
        cut_after: PerMille(100),
        ..FaultPlan::default()
    }));
    let mut codes = Vec::new();
    for turn in 0..100 {
        codes.push(code(&create(&maps, &format!("m{}", turn % 10)).await));
    }
    codes
}

#[tokio::test]
async fn a_seed_decides_everything() {
    let first = fates(7).await;
    assert_eq!(first, fates(7).await);
    assert_ne!(first, fates(8).await);
    for want in [0, 200, 409, 429, 500, 503] {
        assert!(first.contains(&want), "{want} is among {first:?}");
    }
}
