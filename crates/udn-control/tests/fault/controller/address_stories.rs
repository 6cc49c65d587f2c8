//! The stories about addresses: pods, claims, virtual machines and restarts among crashes.
//!
//! Invariant: which free address somebody has is the only thing that a disturbance may change, so
//! that no story lets two race for one that both could have.

use serde_json::{Value, json};
use udn_wire::Kind;
use udn_wire::keys::{POD_NETWORKS, PRIMARY_CLAIM};

use super::ending::Ending;
use super::holders::FORGED;
use super::story::Act::{Create, Delete, Patch, Served, Settle, Start, Status, Stop};
use super::story::{Act, Story};
use crate::kit::objects::{attached_pod, cudn, layer2, nad, primary_namespace};
use crate::kit::workloads::{
    annotated, asking, claim, claim_for, kubevirt, launcher, machine, pod, selecting,
};

const POD: Kind = Kind::Pod;
const CLAIM: Kind = Kind::Claim;
const NETWORK: &str = "cluster_udn_net";

/// How many claims the torture has: as many as its network has addresses for pods.
pub(crate) const TORTURED: usize = 100;

/// All of them.
pub(crate) fn all() -> Vec<Story> {
    let made = [
        ("pods-come-and-go", come_and_go()),
        ("pods-before-their-network", before_their_network()),
        ("pods-before-their-network-may-be", before_it_may_be()),
        ("pods-on-many-networks", on_many_networks()),
        ("requests-and-conflicts", conflicts()),
        ("addresses-exhausted", exhausted()),
        ("claims-through-restarts-of-workloads", claims()),
        ("claims-mended", mended()),
        ("machines-migrate", migration()),
        ("machines-served-later", served_later()),
        ("restart-with-everything-carried", restart()),
        ("network-made-again-with-pods", made_again()),
        ("forged-while-running", forged()),
    ];
    made.map(|(name, acts)| Story { name, settings: <_>::default(), acts }).into()
}

/// A namespace with a primary network of both families; pods' addresses may outlive them.
fn network() -> Vec<Act> {
    let mut network = layer2("Primary", &["10.10.0.0/24", "fd10::/64"]);
    network["layer2"]["ipam"] = json!({ "lifecycle": "Persistent" });
    vec![Create(primary_namespace("net", "net")), Create(cudn("net", "net", network)), Settle]
}

fn after_network(acts: Vec<Act>) -> Vec<Act> {
    [network(), acts, vec![Settle]].concat()
}

fn ips(host: u8) -> [String; 2] {
    [format!("10.10.0.{host}"), format!("fd10::{host:x}")]
}

fn plain(name: &str) -> Act {
    Create(pod("net", name))
}

fn asks(name: &str, request: Value) -> Act {
    Create(asking(pod("net", name), request))
}

fn uses(name: &str, claim: &str) -> Act {
    asks(name, json!({ "ipam-claim-reference": claim }))
}

fn claims_for(name: &str, host: u8) -> Act {
    Create(claim_for("net", name, NETWORK, &ips(host)))
}

fn ends(name: &'static str) -> Act {
    Status(POD, "net", name, json!({ "phase": "Succeeded" }))
}

fn leaves(name: &'static str) -> Act {
    Delete(POD, "net", name)
}

fn come_and_go() -> Vec<Act> {
    after_network(vec![
        plain("a"),
        plain("b"),
        asks("c", json!({ "ips": ips(50), "mac": "02:00:00:00:00:0a" })),
        Settle,
        leaves("a"),
        ends("b"),
        plain("d"),
        leaves("c"),
        asks("c", json!({ "ips": ips(50) })),
        Settle,
        leaves("d"),
        plain("d"),
    ])
}

fn before_their_network() -> Vec<Act> {
    let early = vec![Create(primary_namespace("net", "net")), plain("early"), uses("vm", "vm.net")];
    let claim = Create(claim("net", "vm.net", NETWORK));
    let network = network().into_iter().skip(1);
    [early, vec![claim, Settle], network.collect(), vec![plain("late"), Settle]].concat()
}

/// A NAD of another plugin stands where the network's own must be, until somebody removes it.
fn before_it_may_be() -> Vec<Act> {
    let foreign = json!({ "cniVersion": "1.1.0", "type": "bridge", "name": "x" }).to_string();
    let [namespace, network, settle] = <[Act; 3]>::try_from(network()).expect("there are three");
    let early = vec![namespace, Create(nad("net", "net", &foreign)), network, plain("early")];
    let claim = Create(claim("net", "vm.net", NETWORK));
    let meanwhile = vec![claim, uses("vm", "vm.net"), settle, Delete(Kind::Nad, "net", "net")];
    [early, meanwhile, vec![Settle, plain("late"), Settle]].concat()
}

fn on_many_networks() -> Vec<Act> {
    let more = cudn("more", "net", layer2("Secondary", &["10.20.0.0/24"]));
    let bare = json!({ "topology": "Layer2",
        "layer2": { "role": "Secondary", "ipam": { "mode": "Disabled" } } });
    let everywhere = json!([{ "name": "more" }, { "name": "bare" }, { "name": "more" }]);
    after_network(vec![
        Create(more),
        Create(cudn("bare", "net", bare)),
        Settle,
        Create(selecting(pod("net", "a"), everywhere.clone())),
        Create(selecting(pod("net", "b"), everywhere)),
        Settle,
        leaves("a"),
    ])
}

/// Who asks for what others hold waits until they leave.
fn conflicts() -> Vec<Act> {
    after_network(vec![
        asks("holder", json!({ "ips": ips(50), "mac": "02:00:00:00:00:0a" })),
        Settle,
        asks("ip", json!({ "ips": ips(50) })),
        asks("mac", json!({ "mac": "02:00:00:00:00:0a" })),
        asks("gateway", json!({ "ips": ips(1) })),
        claims_for("vm.net", 60),
        uses("vm", "vm.net"),
        Settle,
        asks("claimed", json!({ "ips": ips(60) })),
        leaves("vm"),
        Settle,
        leaves("holder"),
        Settle,
        Delete(CLAIM, "net", "vm.net"),
    ])
}

/// Addresses for four.
fn exhausted() -> Vec<Act> {
    let small = json!({ "topology": "Layer2", "layer2": { "role": "Primary",
        "subnets": ["10.10.0.0/29"], "ipam": { "lifecycle": "Persistent" } } });
    vec![
        Create(primary_namespace("net", "net")),
        Create(cudn("net", "net", small)),
        plain("a"),
        plain("b"),
        Create(claim("net", "vm.net", NETWORK)),
        uses("vm", "vm.net"),
        plain("c"),
        Settle,
        plain("d"),
        Settle,
        leaves("a"),
        Settle,
        leaves("vm"),
        plain("e"),
        Settle,
        Delete(CLAIM, "net", "vm.net"),
        Settle,
    ]
}

fn claims() -> Vec<Act> {
    after_network(vec![
        Create(claim("net", "vm.net", NETWORK)),
        claims_for("fixed.net", 50),
        uses("vm", "vm.net"),
        uses("fixed", "fixed.net"),
        Settle,
        leaves("vm"),
        plain("other"),
        Settle,
        uses("vm", "vm.net"),
        Settle,
        Create(annotated(pod("net", "old"), PRIMARY_CLAIM, "vm.net")),
        Settle,
        leaves("vm"),
        Delete(CLAIM, "net", "fixed.net"),
        Settle,
        leaves("fixed"),
    ])
}

/// A request that lies outside, then one that is taken, then one that is free.
fn mended() -> Vec<Act> {
    let request =
        |ips: Value| Patch(CLAIM, "net", "vm.net", json!({ "spec": { "ipRequest": ips } }));
    let far = ["192.168.9.9".to_owned(), "fd99:9::9".to_owned()];
    after_network(vec![
        asks("holder", json!({ "ips": ips(50) })),
        Create(claim_for("net", "vm.net", NETWORK, &far)),
        uses("vm", "vm.net"),
        Settle,
        request(json!(ips(50))),
        Settle,
        request(json!(ips(51))),
        Settle,
        uses("early", "absent.net"),
        Settle,
        Create(claim("net", "absent.net", NETWORK)),
    ])
}

/// Two pods of one machine at a time, with and without a claim.
fn migration() -> Vec<Act> {
    let of = |name: &str| Create(launcher("net", name, "vm"));
    let uses = |name: &str| {
        let reference = json!({ "ipam-claim-reference": "kept.net" });
        Create(asking(launcher("net", name, "kept"), reference))
    };
    after_network(vec![
        Create(claim("net", "kept.net", NETWORK)),
        of("source"),
        uses("kept-source"),
        Served,
        of("target"),
        uses("kept-target"),
        Settle,
        leaves("source"),
        leaves("kept-source"),
        Settle,
        of("back"),
        Stop,
        leaves("target"),
        leaves("kept-target"),
        Start(None),
    ])
}

/// A cluster in which KubeVirt is installed later.
fn served_later() -> Vec<Act> {
    let [machines, running] = kubevirt();
    after_network(vec![
        plain("a"),
        Settle,
        Create(machines),
        Create(running),
        Settle,
        Create(machine("net", "vm")),
        Create(launcher("net", "source", "vm")),
    ])
}

/// Everything is known before anything is granted; who forged an address is told.
fn restart() -> Vec<Act> {
    let twin = json!({ "net/net": { "ip_addresses": ["10.10.0.50/24", "fd10::32/64"],
        "mac_address": "0a:58:0a:0a:00:32", "tunnel_id": 1, "role": "primary" } });
    let twin = annotated(pod("net", "twin"), POD_NETWORKS, &twin.to_string());
    after_network(vec![
        asks("fixed", json!({ "ips": ips(50) })),
        Create(claim("net", "vm.net", NETWORK)),
        uses("vm", "vm.net"),
        plain("a"),
        Served,
        leaves("vm"),
        Settle,
        Stop,
        plain("b"),
        asks("late", json!({ "ips": ips(50) })),
        Create(annotated(twin, FORGED, "yes")),
        ends("a"),
        Start(None),
        Settle,
        uses("vm", "vm.net"),
    ])
}

/// Somebody writes an address that another holds onto pods, before and after they have their own.
fn forged() -> Vec<Act> {
    let twin = json!({ "net/net": { "ip_addresses": ["10.10.0.50/24", "fd10::32/64"],
        "mac_address": "0a:58:0a:0a:00:32", "tunnel_id": 1, "role": "primary" } });
    let twin = twin.to_string();
    let born = annotated(annotated(pod("net", "born"), POD_NETWORKS, &twin), FORGED, "yes");
    let marked = json!({ "metadata": { "annotations": { FORGED: "yes", POD_NETWORKS: twin } } });
    after_network(vec![
        asks("fixed", json!({ "ips": ips(50) })),
        plain("made"),
        Served,
        Create(born),
        Patch(POD, "net", "made", marked),
        asks("late", json!({ "ips": ips(50) })),
        Served,
        leaves("made"),
        leaves("born"),
        Served,
        leaves("fixed"),
    ])
}

/// A network goes once its pods are gone, and another comes under its name.
fn made_again() -> Vec<Act> {
    after_network(vec![
        plain("a"),
        Create(attached_pod("net", "alien", &["net/elsewhere"])),
        Settle,
        Delete(Kind::ClusterUserDefinedNetwork, "", "net"),
        Settle,
        leaves("a"),
        Settle,
        Create(cudn("net", "net", layer2("Primary", &["10.11.0.0/24"]))),
        plain("b"),
    ])
}

/// As many claims as addresses; their workloads stop and start.
pub(crate) fn torture() -> Story {
    // 128 hosts without the broadcast address and 27 of the platform's.
    let infrastructure = ["10.10.0.0/28", "10.10.0.16/29", "10.10.0.24/31", "10.10.0.26/32"];
    let network = json!({ "topology": "Layer2", "layer2": { "role": "Primary",
        "subnets": ["10.10.0.0/25"], "infrastructureSubnets": infrastructure,
        "ipam": { "lifecycle": "Persistent" } } });
    let mut acts =
        vec![Create(primary_namespace("net", "net")), Create(cudn("net", "net", network))];
    for number in 0..TORTURED {
        let claim_name = format!("vm-{number:03}.net");
        acts.push(Create(claim("net", &claim_name, NETWORK)));
        acts.push(uses(&format!("vm-{number:03}"), &claim_name));
    }
    acts.push(Settle);
    Story { name: "torture", settings: <_>::default(), acts }
}

/// How many claims have an address and a pod that has it too.
pub(crate) fn bound(ending: &Ending) -> usize {
    let has = |it: &&Value| it["metadata"]["annotations"][POD_NETWORKS]["net/net"].is_object();
    let pods = ending.0.iter().filter(has).count();
    let claims = ending.0.iter().filter(|it| it["spec"]["network"] == NETWORK);
    claims.filter(|it| it["status"]["ips"] == 1).count().min(pods)
}
