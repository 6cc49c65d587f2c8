//! One network that is fed garbage, among many that are well.
//!
//! Invariant: what the others get does not depend on it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use udn_cluster::WorkItem;
use udn_control::cluster::ControllerSettings;
use udn_model::{ClusterSettings, Manifest};
use udn_wire::keys::NETWORK_NAME;

use super::super::cursed::Cursed;
use super::{
    CLAIM, CUDN, NAD, addressed, build, clear, condition, created, demolish, is, refused, says,
};
use crate::kit::objects::{cudn, layer2, nad, namespace, primary_namespace};
use crate::kit::server::Site;
use crate::kit::staff::Staff;
use crate::kit::workloads::{Lan, asking, claim, persistent, pod};

/// How many are well.
const OTHERS: usize = 99;

/// The network whose every reconcile panics.
const CURSED: &str = "iso-cursed";

/// The pod whose every reconcile panics.
const CURSED_POD: &str = "cursed";

/// The claim whose every reconcile panics.
const CURSED_CLAIM: &str = "cursed.net";

fn mishap_of_a_workload(item: &WorkItem) {
    let is_cursed = match item {
        WorkItem::Pod(name) => &*name.name == CURSED_POD,
        WorkItem::Claim(name) => &*name.name == CURSED_CLAIM,
        WorkItem::Network(_)
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad => false,
    };
    assert!(!is_cursed, "a rehearsed mishap");
}

/// A controller that panics over some work items.
fn cursed(site: &Site, curse: fn(&WorkItem)) -> Staff {
    let cluster = ClusterSettings::default();
    let brain = Cursed::new(&cluster, curse);
    Staff::open_with(brain, &site.client, ControllerSettings::new(cluster), u64::MAX)
}

/// Pods beside one whose reconciles panic have their addresses; it is told, as is a claim and who
/// needs it, and both have their own when they are mended.
pub(super) async fn workloads_that_panic_cost_no_other(site: &Site) {
    let controller = cursed(site, mishap_of_a_workload);
    let lan = Lan::plain("iso-pods", 8);
    build(site, &lan, persistent()).await;
    site.create(pod(&lan.name, CURSED_POD)).await;
    site.create(claim(&lan.name, CURSED_CLAIM, &lan.network())).await;
    let needs = json!({ "ipam-claim-reference": CURSED_CLAIM });
    site.create(asking(pod(&lan.name, "needs"), needs)).await;
    for number in 0..10 {
        site.create(pod(&lan.name, &format!("p-{number}"))).await;
    }
    for number in 0..10 {
        addressed(site, (&lan.name, &format!("p-{number}")), &lan.key()).await;
    }
    let stumbled = "the controller stumbled over";
    refused(site, (&lan.name, CURSED_POD), &["InternalError", stumbled, CURSED_POD]).await;
    let is_told = |it: &Value| says(it, "IPsAllocated", stumbled);
    let told = site.until_it((CLAIM, &lan.name, CURSED_CLAIM), "told", is_told).await;
    assert!(is(&told, "IPsAllocated", "False"), "{told:#}");
    assert_eq!(condition(&told, "IPsAllocated")["reason"], "InternalError");
    site.until_told((CLAIM, &lan.name, CURSED_CLAIM), &["InternalError", stumbled]).await;
    refused(site, (&lan.name, "needs"), &[stumbled, CURSED_CLAIM]).await;
    controller.close().await;
    let controller = super::open(site);
    addressed(site, (&lan.name, CURSED_POD), &lan.key()).await;
    addressed(site, (&lan.name, "needs"), &lan.key()).await;
    let is_bound = |it: &Value| is(it, "IPsAllocated", "True");
    site.until_it((CLAIM, &lan.name, CURSED_CLAIM), "bound", is_bound).await;
    demolish(site, &[lan]).await;
    controller.close().await;
}

fn mishap(item: &WorkItem) {
    assert_ne!(*item, WorkItem::Network(Manifest::Cudn(CURSED.to_owned())), "a rehearsed mishap");
}

/// An unparsable NAD, an impossible subnet, a panic in its reconcile: 99 others come about all the same.
pub(super) async fn garbage_costs_no_other(site: &Site) {
    let controller = cursed(site, mishap);
    let names: Vec<String> = (0..OTHERS).map(|number| format!("iso-{number:02}")).collect();
    site.create(primary_namespace("iso-bad", "iso-bad")).await;
    site.create(nad("iso-bad", "torn", r#"{"type":"ovn-k8s-cni-overlay","name":"#)).await;
    site.create(cudn(CURSED, "iso-bad", layer2("Secondary", &["10.9.0.0/16"]))).await;
    site.create(cudn("iso-service", "iso-bad", layer2("Primary", &["172.30.0.0/16"]))).await;
    site.create(namespace("iso", &[("team", "iso")])).await;
    for name in &names {
        site.create(cudn(name, "iso", layer2("Secondary", &["10.10.0.0/16"]))).await;
    }
    let mut ids: BTreeMap<String, &String> = BTreeMap::new();
    for name in &names {
        let told = created(site, CUDN, "", name).await;
        let made = site.read(NAD, "iso", name).await.expect("it was created");
        let network = json!(format!("cluster_udn_{name}"));
        assert_eq!(made["metadata"]["annotations"][NETWORK_NAME], network);
        let id = told["status"]["networkID"].to_string();
        assert_eq!(ids.insert(id, name), None, "{name} has a number of another");
    }
    let cursed = |it: &Value| says(it, "NetworkCreated", "a rehearsed mishap");
    site.until_it((CUDN, "", CURSED), "told of the mishap", cursed).await;
    let overlaps = |it: &Value| is(it, "NetworkCreated", "False");
    site.until_it((CUDN, "", "iso-service"), "told of the overlap", overlaps).await;
    controller.close().await;
    let controller = super::open(site);
    created(site, CUDN, "", CURSED).await;
    let mut networks = vec![(CUDN, "", CURSED), (CUDN, "", "iso-service")];
    networks.extend(names.iter().map(|name| (CUDN, "", name.as_str())));
    clear(site, &networks, &["iso", "iso-bad"]).await;
    controller.close().await;
}
