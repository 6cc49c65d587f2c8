//! Manifests in, exact texts out: NADs, annotations, files.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use udn_cluster::dry_run::DryRun;
use udn_cluster::{Act, World, Write, review, translate};
use udn_model::{ClusterSettings, Subnet};
use udn_wire::{Kind, SpecText, keys};

use crate::dry::run;

const NODE: &str = "{apiVersion: v1, kind: Node, metadata: {name: node-1}}";

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

/// The configuration of a NAD that is written.
fn config_of(run: &DryRun, name: &str) -> String {
    let mut writes = run.writes_to(Kind::Nad);
    let is_it = |it: &&Write| format!("{}/{}", it.target.namespace, it.target.name) == name;
    let found = writes.find(is_it).expect("the NAD is written");
    let Act::Create(object) = &found.act else { panic!("{found:?}") };
    object["spec"]["config"].as_str().expect("a text").to_owned()
}

/// The configuration that a localnet CUDN `vlan7` gets in the namespace `a`.
fn check_localnet(localnet: &str, want: &str) {
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";
    let cudn = format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {{name: vlan7}}, \
         spec: {{namespaceSelector: {{}}, network: {{topology: Localnet, localnet: {{role: \
         Secondary, physicalNetworkName: tenantblue, {localnet}}}}}}}}}"
    );
    let run = run(&world(&[NODE, namespace, &cudn]), &ClusterSettings::default());
    assert_eq!(config_of(&run, "a/vlan7"), want);
}

// proves: L-11, L-12, L-13, L-14
#[test]
fn a_localnet_nad_is_as_the_wire_has_it() {
    check_localnet(
        "subnets: [192.168.7.0/24], excludeSubnets: [192.168.7.0/28], vlan: {mode: Access, access: \
         {id: 7}}",
        r#"{"cniVersion":"1.1.0","excludeSubnets":"192.168.7.0/28","mtu":1500,"name":"cluster_udn_vlan7","netAttachDefName":"a/vlan7","physicalNetworkName":"tenantblue","role":"secondary","subnets":"192.168.7.0/24","topology":"localnet","type":"ovn-k8s-cni-overlay","vlanID":7}"#,
    );
    check_localnet(
        "mtu: 9000, subnets: [192.168.7.0/24, 'fd07::/64'], excludeSubnets: [192.168.7.0/28, \
         'fd07::/124'], ipam: {lifecycle: Persistent}",
        r#"{"allowPersistentIPs":true,"cniVersion":"1.1.0","excludeSubnets":"192.168.7.0/28,fd07::/124","mtu":9000,"name":"cluster_udn_vlan7","netAttachDefName":"a/vlan7","physicalNetworkName":"tenantblue","role":"secondary","subnets":"192.168.7.0/24,fd07::/64","topology":"localnet","type":"ovn-k8s-cni-overlay"}"#,
    );
    check_localnet(
        "ipam: {mode: Disabled}",
        r#"{"cniVersion":"1.1.0","mtu":1500,"name":"cluster_udn_vlan7","netAttachDefName":"a/vlan7","physicalNetworkName":"tenantblue","role":"secondary","topology":"localnet","type":"ovn-k8s-cni-overlay"}"#,
    );
}

// proves: A-04
#[test]
fn ranges_and_gateways_that_users_choose_travel_in_the_nad() {
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
        k8s.ovn.org/primary-user-defined-network: ''}}}";
    let udn = "{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork,
        metadata: {name: red, namespace: a}, spec: {topology: Layer2, layer2: {role: Primary,
        subnets: [10.10.0.0/16, 'fd10::/64'], defaultGatewayIPs: [10.10.0.254, 'fd10::fe'],
        infrastructureSubnets: [10.10.0.248/29, 'fd10::f8/125'],
        reservedSubnets: [10.10.1.0/24, 'fd10::1:0/112']}}}";
    let run = run(&world(&[NODE, namespace, udn]), &ClusterSettings::default());
    assert_eq!(
        config_of(&run, "a/red"),
        r#"{"cniVersion":"1.1.0","defaultGatewayIPs":"10.10.0.254,fd10::fe","infrastructureSubnets":"10.10.0.248/29,fd10::f8/125","joinSubnet":"100.65.0.0/16,fd99::/64","name":"a_red","netAttachDefName":"a/red","reservedSubnets":"10.10.1.0/24,fd10::1:0/112","role":"primary","subnets":"10.10.0.0/16,fd10::/64","topology":"layer2","transitSubnet":"100.88.0.0/16,fd97::/64","type":"ovn-k8s-cni-overlay"}"#
    );
}

const TENANT: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}
---
{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {name: red, uid: '1',
  labels: {team: x}, annotations: {note: hello, k8s.ovn.org/mine: 'no'}},
 spec: {namespaceSelector: {}, network: {topology: Layer2, layer2: {role: Primary,
  subnets: [10.10.0.0/16, 'fd10::/64'], ipam: {lifecycle: Persistent}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p1, namespace: a, annotations: {
  k8s.ovn.org/pod-networks: '{\"default\":{\"ip_addresses\":[\"10.244.1.5/24\"],\"other\": 1}}'}},
 spec: {nodeName: node-1}}
";

fn services() -> ClusterSettings {
    let subnet = |text| Subnet::parse(text).unwrap();
    let service_subnets = vec![subnet("10.96.0.0/16"), subnet("fd00:10:96::/112")];
    ClusterSettings { service_subnets, ..ClusterSettings::default() }
}

/// What is written on objects of a kind, as people read it.
fn texts(run: &DryRun, kind: Kind) -> Vec<String> {
    run.writes_to(kind).map(Write::to_yaml).collect()
}

// proves: A-26
#[test]
fn a_primary_network_is_published_as_the_wire_has_it() {
    let run = run(&world(&[NODE, TENANT]), &services());
    let want = [
        r#"# create NetworkAttachmentDefinition a/red
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata:
  annotations:
    k8s.ovn.org/network-id: "1"
    k8s.ovn.org/network-name: cluster_udn_red
    k8s.ovn.org/tunnel-keys: "[16711684,16715779]"
    note: hello
  finalizers:
  - k8s.ovn.org/user-defined-network-protection
  labels:
    k8s.ovn.org/user-defined-network: ""
    team: x
  name: red
  namespace: a
  ownerReferences:
  - apiVersion: k8s.ovn.org/v1
    blockOwnerDeletion: true
    controller: true
    kind: ClusterUserDefinedNetwork
    name: red
    uid: "1"
spec:
  config: "{\"allowPersistentIPs\":true,\"cniVersion\":\"1.1.0\",\"joinSubnet\":\"100.65.0.0/16,fd99::/64\",\"name\":\"cluster_udn_red\",\"netAttachDefName\":\"a/red\",\"role\":\"primary\",\"subnets\":\"10.10.0.0/16,fd10::/64\",\"topology\":\"layer2\",\"transitSubnet\":\"100.88.0.0/16,fd97::/64\",\"type\":\"ovn-k8s-cni-overlay\"}"
"#,
        r#"# patch Node node-1
metadata:
  annotations:
    k8s.ovn.org/node-id: "2"
    k8s.ovn.org/node-transit-switch-port-ifaddr: "{\"ipv4\":\"100.88.0.2/16\",\"ipv6\":\"fd97::2/64\"}"
  uid: be3908d3-ebef-8aef-9efd-e59bc90775f1
"#,
        r#"# patch with tests Pod a/p1
- op: test
  path: /metadata/uid
  value: 92ab7ff5-930e-82c9-9da3-ab327a737794
- op: test
  path: /metadata/annotations/k8s.ovn.org~1pod-networks
  value: "{\"default\":{\"ip_addresses\":[\"10.244.1.5/24\"],\"other\": 1}}"
- op: replace
  path: /metadata/annotations/k8s.ovn.org~1pod-networks
  value: "{\"a/red\":{\"ip_addresses\":[\"10.10.0.3/16\",\"fd10::3/64\"],\"mac_address\":\"0a:58:0a:0a:00:03\",\"gateway_ips\":[\"10.10.0.1\",\"fd10::1\"],\"routes\":[{\"dest\":\"10.96.0.0/16\",\"nextHop\":\"10.10.0.1\"},{\"dest\":\"100.65.0.0/16\",\"nextHop\":\"10.10.0.1\"},{\"dest\":\"fd00:10:96::/112\",\"nextHop\":\"fd10::1\"},{\"dest\":\"fd99::/64\",\"nextHop\":\"fd10::1\"}],\"ipv6_lla_gateway_ip\":\"fe80::858:aff:fe0a:1\",\"tunnel_id\":10,\"role\":\"primary\"},\"default\":{\"ip_addresses\":[\"10.244.1.5/24\"],\"other\": 1}}"
"#,
    ];
    let kinds = [Kind::Nad, Kind::Node, Kind::Pod];
    let written: Vec<String> = kinds.iter().flat_map(|kind| texts(&run, *kind)).collect();
    assert_eq!(written, want);
}

#[test]
fn hand_written_nads_get_annotations_only() {
    let nad = "
{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: flat,
  namespace: a}, spec: {config: '{\"name\":\"flat\",\"type\":\"ovn-k8s-cni-overlay\",
  \"topology\":\"layer2\",\"netAttachDefName\":\"a/flat\"}'}}";
    let run = run(&world(&[nad]), &services());
    let want = r#"# patch NetworkAttachmentDefinition a/flat
metadata:
  annotations:
    k8s.ovn.org/network-id: "1"
    k8s.ovn.org/network-name: flat
    k8s.ovn.org/tunnel-keys: "[]"
  uid: addf3037-e746-85c8-9513-0110360fcddb
"#;
    assert_eq!(texts(&run, Kind::Nad), [want]);
}

/// How the NAD of the tenant fares in a world: whether it is there once nothing is left to do.
fn stays(world: &World) -> bool {
    let run = run(world, &services());
    let is_told = run.writes_to(Kind::Nad).any(|it| matches!(it.act, Act::Delete { .. }));
    assert_ne!(run.world.nads.is_empty(), !is_told, "what goes is deleted, what stays is not");
    !run.world.nads.is_empty()
}

#[test]
fn nads_that_nobody_wants_go() {
    let before = run(&world(&[NODE, TENANT]), &services()).world;
    assert!(stays(&before));
    // What a living pod uses stays until the pod is gone.
    let mut after = before.clone();
    after.cluster_networks.clear();
    assert!(stays(&after));
    after.pods.clear();
    assert!(!stays(&after));
    // A manifest that turned bad keeps its NAD.
    let mut bad = before.clone();
    bad.pods.clear();
    let cudn = bad.cluster_networks.get_mut("red").unwrap();
    let mut spec = cudn.spec.value();
    spec["network"]["layer2"]["subnets"][0] = "nonsense".into();
    cudn.spec = SpecText::from(&spec);
    assert!(stays(&bad));
    // A namespace that is no longer selected loses it, once its pods are gone.
    let mut deselected = before;
    let cudn = deselected.cluster_networks.get_mut("red").unwrap();
    let mut spec = cudn.spec.value();
    spec["namespaceSelector"]["matchLabels"]["x"] = "y".into();
    cudn.spec = SpecText::from(&spec);
    assert!(stays(&deselected));
    deselected.pods.clear();
    assert!(!stays(&deselected));
}

const FIRST_LIGHT: [(&str, &str); 5] = [
    ("00-nodes.yaml", include_str!("../../../../examples/first-light/00-nodes.yaml")),
    ("10-tenants.yaml", include_str!("../../../../examples/first-light/10-tenants.yaml")),
    ("20-vlan.yaml", include_str!("../../../../examples/first-light/20-vlan.yaml")),
    ("30-pods.yaml", include_str!("../../../../examples/first-light/30-pods.yaml")),
    ("40-services.yaml", include_str!("../../../../examples/first-light/40-services.yaml")),
];

#[test]
fn the_first_example_is_in_order() {
    let settings = ClusterSettings::default();
    let reading = World::read(FIRST_LIGHT.map(|(name, text)| (name, text.as_bytes())));
    assert_eq!((&reading.problems[..], &reading.skipped[..]), (&[][..], &[][..]));
    assert_eq!(review(&reading.world, &settings), []);
    let cluster = translate::cluster(&reading.world, &settings);
    assert_eq!(cluster.findings, []);
    let counts: Vec<(&str, usize)> = cluster
        .value
        .networks
        .keys()
        .map(|name| (name.as_str(), cluster.value.attachments_of(name).count()))
        .collect();
    assert_eq!(counts, [("blue_blue", 2), ("cluster_udn_red", 4), ("cluster_udn_vlan42", 2)]);
    assert_eq!(cluster.value.allowed_services.len(), 2);
    let published = run(&reading.world, &settings).world;
    assert_eq!(run(&published, &settings).writes, []);
    // What the cluster controller wrote is all that a zone needs.
    let zone = translate::zone(&published, &settings);
    assert_eq!(zone.findings, []);
    assert_eq!(zone.value.attachments, cluster.value.attachments);
    assert_eq!(zone.value.published.attachments.len(), 3);
    let pod = published.pods.iter().find(|(name, _)| &*name.name == "vlan-1").unwrap().1;
    assert_eq!(
        pod.metadata.annotations.get(keys::POD_NETWORKS).unwrap(),
        r#"{"vlan/vlan42":{"ip_addresses":["192.168.42.16/24","fd42::10/64"],"mac_address":"0a:58:c0:a8:2a:10","role":"secondary"}}"#
    );
}
