//! One network that is fed garbage, among many that are well.
//!
//! Invariant: what the others get does not depend on it.

use std::collections::BTreeMap;

use ovn::Sheet;
use serde_json::{Value, json};
use udn_cluster::WorkItem;
use udn_control::zone::{Listing, ZoneDryRun};
use udn_model::{ClusterSettings, Manifest, NodeName};
use udn_wire::Kind;
use udn_wire::keys::NETWORK_NAME;

use super::super::watched_brain::{Counts, Decisions};
use super::{
    CLAIM, CUDN, NAD, POD, addressed, build, clear, condition, created, demolish, is, refused,
    says, start_controller, start_watched_controller,
};
use crate::kit::objects::{cudn, layer2, nad, namespace, node, primary_namespace};
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, asking, claim, persistent, pod};

/// How many are well.
const OTHERS: usize = 99;

/// The network whose every reconcile panics.
const CURSED: &str = "iso-cursed";

/// The pod whose every reconcile panics.
const CURSED_POD: &str = "cursed";

/// The claim whose every reconcile panics.
const CURSED_CLAIM: &str = "cursed.net";

fn is_cursed_workload(item: &WorkItem) -> bool {
    match item {
        WorkItem::Pod(name) => &*name.name == CURSED_POD,
        WorkItem::Claim(name) => &*name.name == CURSED_CLAIM,
        WorkItem::Network(_)
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad => false,
    }
}

fn is_cursed_network(item: &WorkItem) -> bool {
    *item == WorkItem::Network(Manifest::Cudn(CURSED.to_owned()))
}

/// Everything that is broken about networks at once: a NAD that cannot be read, one with an impossible
/// subnet, a CUDN on the services' subnet, and one whose every reconcile panics.
async fn break_networks(site: &Site) {
    site.create(primary_namespace("iso-bad", "iso-bad")).await;
    site.create(nad("iso-bad", "torn", r#"{"type":"ovn-k8s-cni-overlay","name":"#)).await;
    let nonsense = json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "nonsense",
        "topology": "layer2", "subnets": "10.300.0.0/16", "netAttachDefName": "iso-bad/nonsense" });
    site.create(nad("iso-bad", "nonsense", &nonsense.to_string())).await;
    site.create(cudn(CURSED, "iso-bad", layer2("Secondary", &["10.9.0.0/16"]))).await;
    let service = layer2("Primary", &["172.30.0.0/16", "fd02::/112"]);
    site.create(cudn("iso-service", "iso-bad", service)).await;
    site.create(pod("iso-bad", "lost")).await;
}

/// Waits until everybody was told of what is broken.
async fn told_of_all(site: &Site) {
    let is_cursed = |it: &Value| says(it, "NetworkCreated", "a deliberate panic");
    site.until_it((CUDN, "", CURSED), "told of the panic", is_cursed).await;
    let overlaps = |it: &Value| is(it, "NetworkCreated", "False");
    site.until_it((CUDN, "", "iso-service"), "told of the overlap", overlaps).await;
    for name in ["torn", "nonsense"] {
        site.until_told((NAD, "iso-bad", name), &["InvalidConfig"]).await;
    }
}

/// What others have: their objects to the last field, the rows that a zone draws of them, and how
/// often each was reconciled.
#[derive(Debug, PartialEq)]
struct Others {
    objects: Vec<Value>,
    rows: Vec<String>,
    reconciles: Counts,
}

impl Others {
    async fn of(site: &Site, lans: &[Lan], decisions: &Decisions) -> Self {
        let mut objects = Vec::new();
        for lan in lans {
            objects.extend(site.read(CUDN, "", &lan.name).await);
            objects.extend(site.read(NAD, &lan.name, &lan.name).await);
            objects.extend(site.read(POD, &lan.name, "p").await);
            objects.extend(site.read(CLAIM, &lan.name, "vm.net").await);
        }
        assert_eq!(objects.len(), lans.len() * 4);
        let is_broken = |it: &WorkItem| match it {
            WorkItem::Network(name) => {
                name.to_string().contains("iso-bad") || is_cursed_network(it)
            }
            WorkItem::HandWritten(_) => true,
            WorkItem::Pod(name) => &*name.namespace == "iso-bad",
            WorkItem::Node(_) | WorkItem::DefaultNad | WorkItem::Claim(_) => false,
        };
        let mut reconciles = decisions.counts();
        reconciles.retain(|it, _| !is_broken(it) && !it.to_string().contains("iso-service"));
        Self { objects, rows: rows(site, lans).await, reconciles }
    }
}

/// The rows that the zone of the node draws of networks.
async fn rows(site: &Site, lans: &[Lan]) -> Vec<String> {
    let kinds = [Kind::Namespace, Kind::Node, Kind::Nad, Kind::Service, Kind::Pod];
    let listing = Listing::read(&site.client, &kinds).await.expect("the server answers");
    let settings = ClusterSettings::default();
    let zone = ZoneDryRun::new(&listing.world, &NodeName::new("iso-node"), &settings);
    let mut rows = Vec::new();
    for (title, sheets) in zone.sheets() {
        let Some(name) = title.strip_prefix("network ") else { continue };
        if lans.iter().any(|lan| lan.network() == name) {
            let all = sheets.iter().flat_map(Sheet::rows);
            rows.extend(all.map(|(key, row)| format!("{name}: {key:?} {row:?}")));
        }
    }
    rows
}

/// A node of which everything is known that its zone draws from.
fn ready_node() -> Value {
    let gateway = json!({ "default": { "mode": "shared", "bridge-id": "br-ex",
        "interface-id": "br-ex_iso-node", "mac-address": "02:42:ac:12:00:0b",
        "ip-addresses": ["172.18.0.11/24", "fd00:172:18::11/64"],
        "next-hops": ["172.18.0.1", "fd00:172:18::1"], "node-port-enable": "true", "vlan-id": "0" } });
    let mut node = node("iso-node");
    node["metadata"]["annotations"] = json!({
        "k8s.ovn.org/node-chassis-id": "chassis-iso-node",
        "k8s.ovn.org/layer2-topology-version": "2.0",
        "k8s.ovn.org/node-encap-ips": r#"["172.18.0.11"]"#,
        "k8s.ovn.org/host-cidrs": r#"["172.18.0.11/24","fd00:172:18::11/64"]"#,
        "k8s.ovn.org/l3-gateway-config": gateway.to_string(),
    });
    node
}

/// Networks with pods and claims stand; then everything is broken around them. Nothing of theirs is
/// written, drawn or even looked at again; and what comes afterwards comes about as before.
// proves: X-03
pub(crate) async fn a_broken_network_changes_nothing_of_others(site: &Site) {
    let (mut controller, decisions) = start_watched_controller(site, is_cursed_network);
    site.create(ready_node()).await;
    let lans = Lan::of_each_family("iso-well");
    for lan in &lans {
        build(site, lan, persistent()).await;
        site.create(claim(&lan.name, "vm.net", &lan.network())).await;
        let asks = json!({ "ipam-claim-reference": "vm.net" });
        let mut pod = asking(pod(&lan.name, "p"), asks);
        pod["spec"]["nodeName"] = json!("iso-node");
        site.create(pod).await;
        addressed(site, (&lan.name, "p"), &lan.key()).await;
        created(site, CUDN, "", &lan.name).await;
    }
    controller.until_idle(&site.client).await;
    let before = Others::of(site, &lans, &decisions).await;
    assert!(before.rows.len() >= 3 * lans.len(), "{:#?}", before.rows);
    break_networks(site).await;
    told_of_all(site).await;
    let cursed = WorkItem::Network(Manifest::Cudn(CURSED.to_owned()));
    site.until("many panics", async || decisions.of(&cursed) >= 5).await;
    assert_eq!(Others::of(site, &lans, &decisions).await, before);
    let later = Lan::of_each_family("iso-later");
    for lan in &later {
        build(site, lan, json!({})).await;
        site.create(pod(&lan.name, "p")).await;
        let entry = addressed(site, (&lan.name, "p"), &lan.key()).await;
        assert_eq!(entry["ip_addresses"], json!(lan.cidrs(3)));
    }
    assert_eq!(Others::of(site, &lans, &decisions).await.objects, before.objects);
    controller.stop().await;
    let controller = start_controller(site);
    created(site, CUDN, "", CURSED).await;
    demolish(site, &[lans, later].concat()).await;
    site.delete(POD, "iso-bad", "lost").await;
    let networks = [(CUDN, "", CURSED), (CUDN, "", "iso-service"), (Kind::Node, "", "iso-node")];
    clear(site, &networks, &["iso-bad"]).await;
    controller.stop().await;
}

/// Pods beside one whose reconciles panic have their addresses; it is told, as is a claim and who
/// needs it, and both have their own when they are mended.
pub(crate) async fn workloads_that_panic_cost_no_other(site: &Site) {
    let (controller, _) = start_watched_controller(site, is_cursed_workload);
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
    controller.stop().await;
    let controller = start_controller(site);
    addressed(site, (&lan.name, CURSED_POD), &lan.key()).await;
    addressed(site, (&lan.name, "needs"), &lan.key()).await;
    let is_bound = |it: &Value| is(it, "IPsAllocated", "True");
    site.until_it((CLAIM, &lan.name, CURSED_CLAIM), "bound", is_bound).await;
    demolish(site, &[lan]).await;
    controller.stop().await;
}

/// An unparsable NAD, an impossible subnet, a panic in its reconcile: 99 others come about all the same.
pub(crate) async fn garbage_costs_no_other(site: &Site) {
    let (controller, _) = start_watched_controller(site, is_cursed_network);
    let names: Vec<String> = (0..OTHERS).map(|number| format!("iso-{number:02}")).collect();
    break_networks(site).await;
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
    told_of_all(site).await;
    controller.stop().await;
    let controller = start_controller(site);
    created(site, CUDN, "", CURSED).await;
    site.delete(POD, "iso-bad", "lost").await;
    let mut networks = vec![(CUDN, "", CURSED), (CUDN, "", "iso-service")];
    networks.extend(names.iter().map(|name| (CUDN, "", name.as_str())));
    clear(site, &networks, &["iso", "iso-bad"]).await;
    controller.stop().await;
}
