//! A whole intent by example, settled item by item.

#[path = "../tests/kit/controller.rs"]
mod controller;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, Grants, Intent, Network, NetworkName, Node,
    NodeName, ObjectName, PerFamily, PublishedNetwork, Role, Subnet, Subnets, Topology,
};

use controller::Controller;

fn subnets(texts: &[&str]) -> Vec<Subnet> {
    texts.iter().map(|text| Subnet::parse(text).unwrap()).collect()
}

fn network(name: &str, topology: Topology, of: &[&str]) -> Network {
    Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(subnets(of)).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("ns", name)],
    }
}

fn primary(name: &str, of: &[&str]) -> Network {
    let primary = Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    };
    network(name, Topology::Layer2(Role::Primary(primary)), of)
}

fn localnet(name: &str, of: &[&str]) -> Network {
    let localnet = Localnet { physical_network: "physical".into(), vlan: None };
    network(name, Topology::Localnet(localnet), of)
}

fn add(intent: &mut Intent, network: impl Into<Arc<Network>>, pods: &[&str]) {
    let network = network.into();
    let name = network.name.clone();
    let attachments = pods.iter().map(|pod| {
        let key = AttachmentKey {
            pod: ObjectName::new("ns", pod),
            nad: ObjectName::new("ns", name.as_str()),
            index: 0,
        };
        let node = NodeName::new("node");
        let network = name.clone();
        let pod_uid = format!("uid of {pod}");
        (key.clone(), Attachment::new(key, network, node, pod_uid))
    });
    intent.attachments.insert(name.clone(), attachments.collect());
    intent.networks.insert(name, network);
}

fn settled(intent: &Intent) -> (Grants, Vec<String>) {
    let told = Controller::start(&intent.published).settle(intent);
    (told.value, told.findings.iter().map(ToString::to_string).collect())
}

/// What each pod of a network holds, as one line.
fn lines(grants: &Grants, network: &str) -> Vec<String> {
    let of = &grants.attachments[&NetworkName::new(network)];
    let line = |(key, grant): (&AttachmentKey, &udn_model::AttachmentGrant)| {
        let addresses: Vec<_> = grant.addresses.iter().map(ToString::to_string).collect();
        let port = grant.port_key.map_or_else(|| "-".to_owned(), |key| key.to_string());
        format!("{} {} {} {port}", key.pod.name, addresses.join(","), grant.mac)
    };
    of.iter().map(line).collect()
}

/// What a grant looks like once it is published.
fn publish(intent: &mut Intent, grants: &Grants) {
    intent.published.nodes.clone_from(&grants.nodes);
    intent.published.attachments.clone_from(&grants.attachments);
    let networks = grants.networks.iter().map(|(name, grant)| {
        let (id, tunnel_keys) = (Some(grant.id), Some(grant.tunnel_keys.clone()));
        (name.clone(), PublishedNetwork { id, tunnel_keys, transit: grant.transit })
    });
    intent.published.networks = networks.collect::<BTreeMap<_, _>>();
}

#[test]
fn a_primary_network_gets_two_keys_and_keeps_two_addresses() {
    let mut intent = Intent::default();
    add(&mut intent, primary("red", &["10.10.0.0/16", "fd10::/64"]), &["a", "b"]);
    let (grants, findings) = settled(&intent);
    assert_eq!(findings, [] as [&str; 0]);
    let grant = &grants.networks[&NetworkName::new("red")];
    assert_eq!(grant.id.get(), 1);
    assert_eq!(
        grant.tunnel_keys.iter().map(|key| key.get()).collect::<Vec<_>>(),
        [16_711_684, 16_715_779]
    );
    assert_eq!(
        lines(&grants, "red"),
        [
            "a 10.10.0.3/16,fd10::3/64 0a:58:0a:0a:00:03 10",
            "b 10.10.0.4/16,fd10::4/64 0a:58:0a:0a:00:04 11",
        ]
    );
}

#[test]
fn a_localnet_without_subnets_gets_macs_alone() {
    let mut intent = Intent::default();
    add(&mut intent, localnet("vlan", &[]), &["a", "b"]);
    let (grants, findings) = settled(&intent);
    assert_eq!(findings, [] as [&str; 0]);
    let lines = lines(&grants, "vlan");
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("a  0a:58:") && lines[0].ends_with(" -"), "{lines:?}");
    assert_ne!(lines[0][3..20], lines[1][3..20], "MACs differ");
    assert_eq!(settled(&intent).0, grants, "MACs are derived, not drawn by lot");
}

// proves: L-16
#[test]
fn excluded_addresses_are_never_assigned() {
    let mut intent = Intent::default();
    let mut network = localnet("vlan", &["10.0.0.0/24", "fd00::/120"]);
    network.excluded = subnets(&["10.0.0.200/30", "fd00::c8/126"]);
    let pods: Vec<String> = (0..249).map(|number| format!("pod-{number:03}")).collect();
    add(&mut intent, network, &pods.iter().map(String::as_str).collect::<Vec<_>>());
    let (grants, findings) = settled(&intent);
    assert_eq!(
        findings,
        [] as [&str; 0],
        "254 addresses less 4 and the physical gateway are enough for 249 pods"
    );
    let of = &grants.attachments[&NetworkName::new("vlan")];
    let given = |family: usize| -> BTreeSet<String> {
        of.values().map(|grant| grant.addresses[family].addr().to_string()).collect()
    };
    let v4 = (2..=199).chain(204..=254).map(|last| format!("10.0.0.{last}"));
    assert_eq!(given(0), v4.collect());
    // One of 250 is left over.
    let v6 = (2..=199).chain(204..=254).map(|last| format!("fd00::{last:x}"));
    assert_eq!(given(1), v6.collect());
    let one_more = format!("pod-{}", 249);
    let names: Vec<&str> = pods.iter().map(String::as_str).chain([one_more.as_str()]).collect();
    let network = intent.networks[&NetworkName::new("vlan")].clone();
    add(&mut intent, network, &names);
    assert_eq!(
        settled(&intent).1,
        [
            "pod ns/pod-249: PoolExhausted: all 249 addresses of 10.0.0.0/24 are in use (249 of 249; \
         1 more on request alone); delete pods and claims that are no longer \
         needed, or use a network with more room"
        ]
    );
}

#[test]
fn published_grants_stay_and_new_ones_go_round_them() {
    let mut intent = Intent::default();
    add(&mut intent, primary("red", &["10.10.0.0/29"]), &["b", "c"]);
    intent.nodes.insert(NodeName::new("n"), node("n"));
    let (grants, _) = settled(&intent);
    publish(&mut intent, &grants);
    let network = intent.networks[&NetworkName::new("red")].clone();
    add(&mut intent, network, &["a", "b", "c"]);
    let (after, findings) = settled(&intent);
    assert_eq!(findings, [] as [&str; 0]);
    assert_eq!(after.networks, grants.networks);
    assert_eq!(after.nodes, grants.nodes);
    assert_eq!(
        lines(&after, "red"),
        [
            "a 10.10.0.5/29 0a:58:0a:0a:00:05 12",
            "b 10.10.0.3/29 0a:58:0a:0a:00:03 10",
            "c 10.10.0.4/29 0a:58:0a:0a:00:04 11",
        ]
    );
}

#[test]
fn the_same_published_address_twice_is_found_and_harms_only_the_second() {
    let mut intent = Intent::default();
    add(&mut intent, primary("red", &["10.10.0.0/24"]), &["a", "b", "c"]);
    let (mut grants, _) = settled(&intent);
    let of = grants.attachments.get_mut(&NetworkName::new("red")).unwrap();
    let first = of.values().next().unwrap().clone();
    of.values_mut().nth(1).unwrap().addresses = first.addresses;
    publish(&mut intent, &grants);
    let (after, findings) = settled(&intent);
    assert_eq!(
        findings,
        [
            "pod ns/b: AlreadyTaken: 10.10.0.3, which pod ns/b carries, is held by pod ns/a; delete \
             one of the two",
            "pod ns/a: AlreadyTaken: 10.10.0.3, which pod ns/a holds, is carried by pod ns/b too; \
             delete one of them",
        ]
    );
    assert_eq!(lines(&after, "red").len(), 2);
}

#[test]
fn two_networks_with_one_id_are_found() {
    let mut intent = Intent::default();
    add(&mut intent, localnet("blue", &[]), &[]);
    add(&mut intent, localnet("red", &[]), &[]);
    let (mut grants, _) = settled(&intent);
    let id = grants.networks[&NetworkName::new("blue")].id;
    grants.networks.get_mut(&NetworkName::new("red")).unwrap().id = id;
    publish(&mut intent, &grants);
    let (after, findings) = settled(&intent);
    assert_eq!(
        findings,
        [
            "network red: AlreadyTaken: network id 1 in the annotations of the network's NADs is held \
         by blue; remove it there so that a free one is granted"
        ]
    );
    assert_eq!(after.networks.len(), 1);
}

#[test]
fn what_is_no_longer_wanted_is_released_and_rests() {
    let mut intent = Intent::default();
    add(&mut intent, primary("red", &["10.10.0.0/24"]), &["a"]);
    let mut controller = Controller::start(&intent.published);
    controller.settle(&intent);
    let network = intent.networks[&NetworkName::new("red")].clone();
    add(&mut intent, network, &["b"]);
    let told = controller.settle(&intent);
    assert_eq!(lines(&told.value, "red"), ["b 10.10.0.4/24 0a:58:0a:0a:00:04 11"]);
    let told = controller.settle(&Intent::default());
    assert_eq!(told.value, Grants::default());
}

fn node(name: &str) -> Node {
    Node {
        name: NodeName::new(name),
        chassis: None,
        gateway: None,
        addresses: Vec::new(),
        tunnel_addresses: Vec::new(),
        uses_transit_router: true,
    }
}
