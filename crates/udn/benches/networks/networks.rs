//! N networks at once: by the controller, and the same writes by a bare client.
//!
//! Invariant: both rounds have the same users' writes, sent in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use kube::api::{ListParams, WatchParams};
use kube::core::{Request, WatchEvent};
use serde_json::{Value, json};

use crate::Outcome;
use crate::cluster::{CUDNS, Ground, network};
use crate::controller::{Controller, median};

/// How many requests are under way at a time.
const SIDE_BY_SIDE: usize = 32;

/// What a round took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) seconds: f64,
    pub(crate) busy: f64,
    pub(crate) peak: f64,
}

impl Taken {
    /// The middle of each figure.
    pub(crate) fn median(all: &[Self]) -> Self {
        let middle = |figure: fn(&Self) -> f64| median(all.iter().map(figure).collect());
        let (seconds, busy) = (middle(|it| it.seconds), middle(|it| it.busy));
        Self { seconds, busy, peak: middle(|it| it.peak) }
    }
}

pub(crate) fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("net-{number:04}")).collect()
}

fn subnet(number: usize) -> String {
    format!("10.{}.{}.0/24", number / 256 % 64, number % 256)
}

/// The controller's round.
pub(crate) async fn ours(count: usize) -> Outcome<Taken> {
    let names = names(count);
    let ground = Ground::prepare(&names).await?;
    let controller = Controller::start(&ground)?;
    until_awake(&ground).await?;
    let (idle, begun) = (controller.busy()?, Instant::now());
    let times = tokio::try_join!(create_all(&ground, &names), until_all(&ground, &names))?.1;
    let seconds = begun.elapsed().as_secs_f64();
    check_nads(&ground, count).await?;
    debug_assert_eq!(times.len(), count);
    Ok(Taken { seconds, busy: controller.busy()? - idle, peak: controller.peak()? })
}

/// The same writes, and nothing decided.
pub(crate) async fn bare(count: usize) -> Outcome<Taken> {
    let names = names(count);
    let ground = Ground::prepare(&names).await?;
    let begun = Instant::now();
    let each = names.iter().enumerate().map(|(number, name)| write_all(&ground, number, name));
    let each = stream::iter(each.collect::<Vec<_>>());
    let done: Vec<()> = each.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
    debug_assert_eq!(done.len(), count);
    Ok(Taken { seconds: begun.elapsed().as_secs_f64(), busy: 0.0, peak: 0.0 })
}

async fn create_all(ground: &Ground, names: &[String]) -> Outcome<()> {
    let each = names.iter().enumerate().map(|(number, name)| async move {
        ground.post(CUDNS, &network(name, &subnet(number))).await
    });
    let each = stream::iter(each.collect::<Vec<_>>());
    let _made: Vec<Value> = each.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
    Ok(())
}

/// What the controller writes for one network, and what its user does.
async fn write_all(ground: &Ground, number: usize, name: &str) -> Outcome<()> {
    let finalizer = "k8s.ovn.org/user-defined-network-protection";
    let made = ground.post(CUDNS, &network(name, &subnet(number))).await?;
    ground.merge(CUDNS, name, &json!({ "metadata": { "finalizers": [finalizer] } })).await?;
    let path = format!("/apis/k8s.cni.cncf.io/v1/namespaces/{name}/network-attachment-definitions");
    let config = json!({ "cniVersion": "1.1.0", "joinSubnet": "100.65.0.0/16,fd99::/64",
        "name": format!("cluster_udn_{name}"), "netAttachDefName": format!("{name}/{name}"),
        "role": "primary", "subnets": subnet(number), "topology": "layer2",
        "transitSubnet": "100.88.0.0/16", "type": "ovn-k8s-cni-overlay" });
    let annotations = json!({ "k8s.ovn.org/network-id": number.to_string(),
        "k8s.ovn.org/network-name": format!("cluster_udn_{name}"),
        "k8s.ovn.org/tunnel-keys": "[16711684,16715779]" });
    let owner = json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
        "name": name, "uid": made["metadata"]["uid"], "controller": true,
        "blockOwnerDeletion": true });
    let metadata = json!({ "name": name, "namespace": name, "finalizers": [finalizer],
        "labels": { "k8s.ovn.org/user-defined-network": "" }, "annotations": annotations,
        "ownerReferences": [owner] });
    let nad = json!({ "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition", "metadata": metadata,
        "spec": { "config": config.to_string() } });
    ground.post(&path, &nad).await?;
    let condition = |name: &str, status: &str| {
        json!({ "type": name, "status": status, "reason": name, "observedGeneration": 1,
            "message": "Network allocation succeeded for all synced nodes.",
            "lastTransitionTime": "2026-11-16T08:00:00Z" })
    };
    let conditions = json!([
        condition("NetworkCreated", "True"),
        condition("NetworkAllocationSucceeded", "True"),
        condition("Ready", "Unknown")
    ]);
    let status = json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
        "metadata": { "name": name },
        "status": { "conditions": conditions, "networkID": number, "tunnelKeys": [16_711_684, 16_715_779],
            "transitSubnets": ["100.88.0.0/16"] } });
    ground.apply_status(CUDNS, name, &status).await?;
    Ok(())
}

/// Waits until the controller has done something.
async fn until_awake(ground: &Ground) -> Outcome<()> {
    let path = "/apis/k8s.cni.cncf.io/v1/namespaces/ovn-kubernetes/network-attachment-definitions";
    for _ in 0..600 {
        let list = Request::new(path).list(&ListParams::default())?;
        let list: Value = ground.client.request(list).await?;
        if list["items"].as_array().is_some_and(|it| !it.is_empty()) {
            return Ok(());
        }
        // waits: for the controller to write the default network's NAD
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("the controller does nothing".into())
}

/// When each network said that it has its numbers.
pub(crate) async fn until_all(
    ground: &Ground,
    names: &[String],
) -> Outcome<BTreeMap<String, Instant>> {
    let mut done = Done { names: names.iter().collect(), times: BTreeMap::new() };
    // A server ends watches that do not keep up; what was missed is in the next list.
    while !done.is_whole() {
        let list = Request::new(CUDNS).list(&ListParams::default())?;
        let list: Value = ground.client.request(list).await?;
        list["items"].as_array().into_iter().flatten().for_each(|it| done.look_at(it));
        let from = list["metadata"]["resourceVersion"].as_str().unwrap_or("0");
        let watch = Request::new(CUDNS).watch(&WatchParams::default(), from)?;
        let mut events = Box::pin(ground.client.request_events::<Value>(watch).await?);
        while !done.is_whole() {
            match events.next().await {
                Some(Ok(WatchEvent::Added(it) | WatchEvent::Modified(it))) => done.look_at(&it),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
    }
    Ok(done.times)
}

/// Which networks are done.
struct Done<'a> {
    names: BTreeSet<&'a String>,
    times: BTreeMap<String, Instant>,
}

impl Done<'_> {
    fn look_at(&mut self, object: &Value) {
        let conditions = object["status"]["conditions"].as_array();
        let is_done = conditions
            .into_iter()
            .flatten()
            .any(|it| it["type"] == "NetworkAllocationSucceeded" && it["status"] == "True");
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if is_done && self.names.contains(&name) {
            self.times.entry(name).or_insert_with(Instant::now);
        }
    }

    fn is_whole(&self) -> bool {
        self.times.len() == self.names.len()
    }
}

async fn check_nads(ground: &Ground, count: usize) -> Outcome<()> {
    let path = "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions";
    let list = Request::new(path).list(&ListParams::default())?;
    let list: Value = ground.client.request(list).await?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let ids = items.iter().map(|it| &it["metadata"]["annotations"]["k8s.ovn.org/network-id"]);
    let ids: BTreeSet<String> = ids.filter_map(Value::as_str).map(str::to_owned).collect();
    if ids.len() == count { Ok(()) } else { Err(format!("{} ids", ids.len()).into()) }
}
