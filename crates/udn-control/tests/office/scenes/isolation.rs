//! One network that is fed garbage, among many that are well.
//!
//! Invariant: what the others get does not depend on it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use udn_control::cluster::server::OfficeSettings;
use udn_kube::Affair;
use udn_kube::keys::NETWORK_NAME;
use udn_model::ClusterSettings;

use super::super::objects::{cudn, layer2, nad, namespace, primary_namespace};
use super::super::server::Site;
use super::super::staff::Staff;
use super::super::workloads::{Lan, pod};
use super::{CUDN, NAD, addressed, build, clear, created, demolish, is, says};

/// How many are well.
const OTHERS: usize = 99;

/// The network whose every turn panics.
const CURSED: &str = "iso-cursed";

/// The pod whose every turn panics.
const CURSED_POD: &str = "cursed";

fn mishap_of_a_pod(affair: &Affair) {
    let is_cursed = matches!(affair, Affair::Pod(name) if &*name.name == CURSED_POD);
    assert!(!is_cursed, "a rehearsed mishap");
}

/// Pods beside one whose turns panic have their addresses; it has its own when it is mended.
pub(super) async fn a_pod_that_panics_costs_no_other(site: &Site) {
    let settings = OfficeSettings {
        rehearsed_mishap: Some(mishap_of_a_pod),
        ..OfficeSettings::new(ClusterSettings::default())
    };
    let office = Staff::open(&site.client, settings);
    let lan = Lan::plain("iso-pods", 8);
    build(site, &lan, json!({})).await;
    site.create(pod(&lan.name, CURSED_POD)).await;
    for number in 0..10 {
        site.create(pod(&lan.name, &format!("p-{number}"))).await;
    }
    for number in 0..10 {
        addressed(site, (&lan.name, &format!("p-{number}")), &lan.key()).await;
    }
    office.close().await;
    let office = super::open(site);
    addressed(site, (&lan.name, CURSED_POD), &lan.key()).await;
    demolish(site, &[lan]).await;
    office.close().await;
}

fn mishap(affair: &Affair) {
    assert_ne!(*affair, Affair::ClusterUserDefinedNetwork(CURSED.to_owned()), "a rehearsed mishap");
}

/// An unparsable NAD, an impossible subnet, a panic in its turn: 99 others come about all the same.
pub(super) async fn garbage_costs_no_other(site: &Site) {
    let settings = OfficeSettings {
        rehearsed_mishap: Some(mishap),
        ..OfficeSettings::new(ClusterSettings::default())
    };
    let office = Staff::open(&site.client, settings);
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
    office.close().await;
    let office = super::open(site);
    created(site, CUDN, "", CURSED).await;
    let mut networks = vec![(CUDN, "", CURSED), (CUDN, "", "iso-service")];
    networks.extend(names.iter().map(|name| (CUDN, "", name.as_str())));
    clear(site, &networks, &["iso", "iso-bad"]).await;
    office.close().await;
}
