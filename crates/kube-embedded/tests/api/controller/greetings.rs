//! A controller that gives every greeting a ConfigMap, a status and a clean end.
//!
//! Takes a client; returns what there is when all is done, without what differs from run to run.
//! Invariant: the controller learns everything through its watches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::Controller;
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::watcher;
use kube::{Client, Resource, ResourceExt};
use serde_json::{Value, json};

const FINALIZER: &str = "greetings.example.org/tidy";
const NAMES: [&str; 4] = ["anna", "bert", "carl", "dora"];

/// What is there at the end: object by name.
pub(crate) type Outcome = BTreeMap<String, Value>;

fn kind() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("example.org", "v1", "Greeting"))
}

/// Makes the CRD of greetings, unless it is there.
pub(crate) async fn define(client: &Client) {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "greetings.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"plural": "greetings", "singular": "greeting", "kind": "Greeting"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"text": {"type": "string"}}},
                    "status": {"type": "object", "properties": {"said": {"type": "string"}}},
                }}}}],
        },
    });
    let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&kind));
    let definition: DynamicObject = serde_json::from_value(definition).expect("an object");
    let patch = Patch::Apply(&definition);
    let params = PatchParams::apply("test");
    api.patch("greetings.example.org", &params, &patch).await.expect("the CRD is valid");
    until("the CRD is served", async || {
        let greetings: Api<DynamicObject> =
            Api::default_namespaced_with(client.clone(), &self::kind());
        greetings.list(&Default::default()).await.is_ok()
    })
    .await;
}

/// Lets the controller work through the whole story.
pub(crate) async fn run(client: Client) -> Outcome {
    define(&client).await;
    run_among_faults(client, || {}).await
}

/// The same where requests may fail; `calm` is called before the outcome is read.
pub(crate) async fn run_among_faults(client: Client, calm: impl FnOnce()) -> Outcome {
    let worker = tokio::spawn(work(client.clone()));
    let greetings: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &kind());
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    for name in NAMES {
        let object = json!({"apiVersion": "example.org/v1", "kind": "Greeting",
            "metadata": {"name": name}, "spec": {"text": format!("hello {name}")}});
        let object: DynamicObject = serde_json::from_value(object).expect("an object");
        insist(async || match greetings.create(&PostParams::default(), &object).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            other => other.map(drop),
        })
        .await;
    }
    for name in NAMES {
        until("a greeting is said", async || {
            said(&greetings, name).await == format!("hello {name}")
        })
        .await;
    }
    let change = Patch::Merge(json!({"spec": {"text": "good day"}}));
    insist(async || greetings.patch("bert", &PatchParams::default(), &change).await.map(drop))
        .await;
    insist(async || gone(maps.delete("carl", &DeleteParams::default()).await)).await;
    insist(async || gone(greetings.delete("dora", &DeleteParams::default()).await)).await;
    until("the change is said", async || said(&greetings, "bert").await == "good day").await;
    until("the map is back", async || maps.get("carl").await.is_ok()).await;
    until("dora is gone", async || matches!(greetings.get_opt("dora").await, Ok(None))).await;
    until("dora's map is gone", async || matches!(maps.get_opt("dora").await, Ok(None))).await;
    calm();
    let outcome = outcome(&greetings, &maps).await;
    worker.abort();
    outcome
}

fn gone<T>(result: kube::Result<T>) -> kube::Result<()> {
    match result {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
        other => other.map(drop),
    }
}

async fn said(greetings: &Api<DynamicObject>, name: &str) -> String {
    match greetings.get(name).await {
        Ok(object) => object.data["status"]["said"].as_str().unwrap_or("").to_owned(),
        Err(_) => String::new(),
    }
}

async fn outcome(greetings: &Api<DynamicObject>, maps: &Api<ConfigMap>) -> Outcome {
    let mut outcome = Outcome::new();
    for object in greetings.list(&Default::default()).await.expect("the server is calm") {
        let text = json!({"spec": object.data["spec"], "status": object.data["status"],
            "finalizers": object.finalizers(), "generation": object.metadata.generation});
        outcome.insert(format!("greeting {}", object.name_any()), text);
    }
    for map in maps.list(&Default::default()).await.expect("the server is calm") {
        let owners: Vec<&str> = map.owner_references().iter().map(|it| it.name.as_str()).collect();
        if !owners.is_empty() {
            outcome.insert(
                format!("map {}", map.name_any()),
                json!({"data": map.data, "owners": owners}),
            );
        }
    }
    outcome
}

async fn work(client: Client) {
    let greetings: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &kind());
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    Controller::new_with(greetings, watcher::Config::default(), kind())
        .owns(maps, watcher::Config::default())
        .trigger_backoff(Soon)
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(20)), Arc::new(client))
        .for_each(async |_| {})
        .await;
}

/// Asks again at once: the usual pauses would outlast the test.
struct Soon;

impl Iterator for Soon {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_millis(5))
    }
}

impl kube::runtime::utils::Backoff for Soon {
    fn reset(&mut self) {}
}

async fn reconcile(
    greeting: Arc<DynamicObject>,
    client: Arc<Client>,
) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let greetings: Api<DynamicObject> = Api::default_namespaced_with((*client).clone(), &kind());
    finalizer(&greetings.clone(), FINALIZER, greeting, async |event| match event {
        Event::Apply(greeting) => say(&client, &greetings, &greeting).await,
        Event::Cleanup(_) => Ok(Action::await_change()),
    })
    .await
}

async fn say(
    client: &Client,
    greetings: &Api<DynamicObject>,
    greeting: &DynamicObject,
) -> kube::Result<Action> {
    let (name, text) = (greeting.name_any(), &greeting.data["spec"]["text"]);
    let owner = greeting.controller_owner_ref(&kind()).expect("it is stored");
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "ownerReferences": [owner]}, "data": {"text": text}});
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let params = PatchParams::apply("greeter").force();
    maps.patch(&name, &params, &Patch::Apply(map)).await?;
    let status =
        json!({"apiVersion": "example.org/v1", "kind": "Greeting", "status": {"said": text}});
    greetings.patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

/// Repeats a request until it is answered; faults end, so this does too.
async fn insist(mut ask: impl AsyncFnMut() -> kube::Result<()>) {
    for _ in 0..200 {
        match ask().await {
            Ok(()) => return,
            // waits: a fault hits single requests, the next one has new luck
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
    panic!("a request fails again and again");
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..30_000 {
        if is_so().await {
            return;
        }
        // A real garbage collector learns of a new kind only every half minute, and then waits as
        // long again as it has waited in vain.
        // waits: the controller and the garbage collector work in their own time
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
