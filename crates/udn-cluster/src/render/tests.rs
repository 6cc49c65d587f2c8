//! Grants and what is published of them.

use std::collections::BTreeMap;

use udn_model::{
    AttachmentGrant, AttachmentKey, ChassisName, ClusterSettings, Gateway, GatewayMode, Grants,
    MacAddress, NetworkGrant, NetworkId, NetworkName, NodeId, NodeName, ObjectName, PerFamily,
    PortKey,
};
use udn_wire::Target;
use udn_wire::kind::Kind;

use super::{Change, NodeReport, Publication, node_report, publications};
use crate::translate;
use crate::world::World;

const WORLD: &str = "
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: flat, namespace: a, uid: u,
  labels: {l: '1'}}, spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.0.0.0/16]}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, annotations: {
  k8s.v1.cni.cncf.io/networks: 'flat,flat'}}, spec: {nodeName: node-1}}
";

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn grants() -> Grants {
    let network = NetworkName::new("a_flat");
    let id = NetworkId::new(1).unwrap();
    let grant = NetworkGrant { id, tunnel_keys: Vec::new(), transit: PerFamily::default() };
    let nad = ObjectName::new("a", "flat");
    let attachments = [(0, "10.0.0.1/16"), (1, "10.0.0.2/16")].map(|(index, address)| {
        let addresses: Vec<_> = vec![address.parse().unwrap()];
        let mac =
            MacAddress::from_ip(addresses.first().map(udn_model::InterfaceAddress::addr).unwrap());
        let key = AttachmentKey { pod: ObjectName::new("a", "p"), nad: nad.clone(), index };
        (key, AttachmentGrant { addresses, mac, port_key: PortKey::new(10 + index) })
    });
    Grants {
        networks: BTreeMap::from([(network.clone(), grant)]),
        nodes: BTreeMap::from([(NodeName::new("node-1"), NodeId::new(2).unwrap())]),
        attachments: BTreeMap::from([(network, BTreeMap::from(attachments))]),
        ..Grants::default()
    }
}

fn publish(world: &World) -> Vec<Publication> {
    let settings = ClusterSettings::default();
    publications(world, &translate::cluster(world, &settings).value, &grants(), &settings)
}

/// The world with everything published.
fn settled() -> World {
    let mut world = world(&[WORLD]);
    let texts: Vec<String> = publish(&world).iter().filter_map(Publication::to_yaml).collect();
    world.merge(World::read(texts.iter().map(|text| ("state", text.as_bytes()))).world);
    world
}

#[test]
fn secondary_entries_have_no_gateway_and_no_routes() {
    let published = publish(&world(&[WORLD]));
    let Change::Annotate(annotations) = &published.last().unwrap().change else { panic!() };
    let text = annotations.values().next().unwrap().as_deref().unwrap();
    let want = concat!(
        r#"{"a/flat":{"ip_addresses":["10.0.0.1/16"],"mac_address":"0a:58:0a:00:00:01","#,
        r#""ip_address":"10.0.0.1/16","tunnel_id":10,"role":"secondary"},"#,
        r#""a/flat/1":{"ip_addresses":["10.0.0.2/16"],"mac_address":"0a:58:0a:00:00:02","#,
        r#""ip_address":"10.0.0.2/16","tunnel_id":11,"role":"secondary"}}"#,
    );
    assert_eq!(text, want);
}

/// Spoils one thing in a settled world; exactly the NAD is written again.
fn check_drift(spoil: fn(&mut udn_wire::object::Nad)) {
    let mut world = settled();
    assert_eq!(publish(&world), []);
    spoil(world.nads.values_mut().next().unwrap());
    let published = publish(&world);
    let [Publication { target, change: Change::Apply(_) }] = &published[..] else {
        panic!("{published:?}")
    };
    assert_eq!((target.kind, target.name.as_str()), (Kind::Nad, "flat"));
}

#[test]
fn drift_is_repaired() {
    check_drift(|nad| nad.spec.config = nad.spec.config.replace("10.0.0.0/16", "10.0.0.0/17"));
    check_drift(|nad| nad.metadata.labels.clear());
    check_drift(|nad| nad.metadata.finalizers.clear());
    check_drift(|nad| nad.metadata.owner_references[0].block_owner_deletion = false);
    check_drift(|nad| drop(nad.metadata.annotations.remove("k8s.ovn.org/network-id")));
    check_drift(|nad| drop(nad.metadata.annotations.insert("other".into(), "x".into())));
}

#[test]
fn marks_and_finalizers_of_other_controllers_stay() {
    let mut world = settled();
    let nad = world.nads.values_mut().next().unwrap();
    nad.metadata.annotations.insert("k8s.ovn.org/route-advertisements".into(), "[]".into());
    nad.metadata.finalizers.push("other.example/held".into());
    assert_eq!(publish(&world), []);
    world.nads.values_mut().next().unwrap().metadata.labels.clear();
    let published = publish(&world);
    let Change::Apply(object) = &published[0].change else { panic!("{published:?}") };
    assert_eq!(object["metadata"]["annotations"]["k8s.ovn.org/route-advertisements"], "[]");
    assert_eq!(object["metadata"]["finalizers"][1], "other.example/held");
}

#[test]
fn a_leaving_nad_is_left_alone() {
    let mut world = settled();
    let nad = world.nads.values_mut().next().unwrap();
    nad.metadata.labels.clear();
    nad.metadata.deletion_timestamp = Some("2026-01-01T00:00:00Z".to_owned());
    assert_eq!(publish(&world), []);
}

#[test]
fn file_names_are_stable_and_short_enough() {
    let target = |namespace: &str, name: &str| Target {
        kind: Kind::Pod,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    assert_eq!(target("a", "p").file_name(), "pod_a_p.yaml");
    assert_eq!(Target::node(&NodeName::new("n")).file_name(), "node_n.yaml");
    let long =
        |end: &str| target(&"n".repeat(63), &format!("{}{end}", "x".repeat(252))).file_name();
    assert!(long("a").len() < 255);
    assert_ne!(long("a"), long("b"));
}

#[test]
fn a_node_tells_what_others_need() {
    let report = NodeReport {
        node: NodeName::new("node1"),
        chassis: ChassisName::new("c1"),
        gateway: Some(Gateway {
            bridge: "br-ex".to_owned(),
            mac: "02:42:ac:12:00:03".parse().unwrap(),
            addresses: vec!["172.18.0.3/16".parse().unwrap()],
            next_hops: vec!["172.18.0.1".parse().unwrap()],
            vlan: None,
            serves_node_ports: true,
        }),
        gateway_mode: GatewayMode::Local,
        addresses: vec!["172.18.0.3/16".parse().unwrap(), "10.0.0.1/8".parse().unwrap()],
        tunnel_addresses: vec!["172.18.0.3".parse().unwrap()],
    };
    let told = node_report(&report);
    let told: Vec<(&str, &str)> = told.iter().map(|(key, text)| (&**key, &**text)).collect();
    let want = [
        ("k8s.ovn.org/host-cidrs", r#"["10.0.0.1/8","172.18.0.3/16"]"#),
        (
            "k8s.ovn.org/l3-gateway-config",
            r#"{"default":{"mode":"local","bridge-id":"br-ex","interface-id":"br-ex_node1","mac-address":"02:42:ac:12:00:03","ip-addresses":["172.18.0.3/16"],"ip-address":"172.18.0.3/16","next-hops":["172.18.0.1"],"next-hop":"172.18.0.1","node-port-enable":"true","vlan-id":"0"}}"#,
        ),
        ("k8s.ovn.org/layer2-topology-version", "2.0"),
        ("k8s.ovn.org/node-chassis-id", "c1"),
        ("k8s.ovn.org/node-encap-ips", r#"["172.18.0.3"]"#),
        ("k8s.ovn.org/node-primary-ifaddr", r#"{"ipv4":"172.18.0.3/16"}"#),
    ];
    assert_eq!(told, want);
    let silent = node_report(&NodeReport { gateway: None, ..report });
    assert_eq!(silent["k8s.ovn.org/l3-gateway-config"], r#"{"default":{"mode":""}}"#);
    assert_eq!(silent["k8s.ovn.org/node-primary-ifaddr"], "{}");
}
