//! Watchers of kube-rs in each of their ways, held against a list.
//!
//! Takes a client; returns what every watcher knows when all is quiet.
//! Invariant: a watcher that missed or repeated a change knows something else than the list.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;

const OBJECTS: usize = 20;
const TURNS: usize = 100;

/// What a watcher knows: the text in every map.
pub(crate) type Knowledge = BTreeMap<String, String>;

pub(crate) async fn run(client: Client) -> Vec<Knowledge> {
    run_with(client, || {}).await
}

/// Changes maps while watchers follow; `disturb` is called in between.
pub(crate) async fn run_with(client: Client, disturb: impl Fn()) -> Vec<Knowledge> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let selected = watcher::Config::default().labels("reflected=yes");
    let ways =
        [selected.clone(), selected.clone().streaming_lists(), selected.clone().any_semantic()];
    let stores = ways.map(|way| follow(maps.clone(), way));
    for turn in 0..TURNS {
        let name = format!("reflected-{}", turn % OBJECTS);
        change(&maps, &name, turn).await;
        if turn % 30 == 29 {
            disturb();
        }
    }
    let want = listed(&maps).await;
    let mut known = vec![want.clone()];
    for store in stores {
        known.push(caught_up(&store, &want).await);
    }
    known
}

fn follow(maps: Api<ConfigMap>, way: watcher::Config) -> reflector::Store<ConfigMap> {
    let (store, writer) = reflector::store();
    tokio::spawn(async move {
        let events = watcher(maps, way).default_backoff().reflect(writer);
        let mut events = pin!(events);
        while events.next().await.is_some() {}
    });
    store
}

async fn change(maps: &Api<ConfigMap>, name: &str, turn: usize) {
    if turn % 7 == 6 {
        // One that is not there needs no deletion.
        let _ = maps.delete(name, &DeleteParams::default()).await;
        return;
    }
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"reflected": if turn % 5 == 4 { "no" } else { "yes" }}},
        "data": {"turn": turn.to_string()}});
    let params = PatchParams::apply("test").force();
    maps.patch(name, &params, &Patch::Apply(map)).await.expect("the server is calm");
}

async fn listed(maps: &Api<ConfigMap>) -> Knowledge {
    let params = ListParams::default().labels("reflected=yes");
    knowledge(maps.list(&params).await.expect("the server is calm").items.iter())
}

fn knowledge<'a>(maps: impl Iterator<Item = &'a ConfigMap>) -> Knowledge {
    maps.map(|map| {
        let turn = map.data.as_ref().and_then(|data| data.get("turn")).cloned();
        (map.name_any(), turn.unwrap_or_default())
    })
    .collect()
}

async fn caught_up(store: &reflector::Store<ConfigMap>, want: &Knowledge) -> Knowledge {
    let mut known = Knowledge::new();
    for _ in 0..9_000 {
        let state = store.state();
        known = knowledge(state.iter().map(AsRef::as_ref));
        if known == *want {
            break;
        }
        // waits: events are on their way
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    known
}
