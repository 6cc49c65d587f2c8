//! Manifests and nodes' reports in, the status of networks out, as a server with our CRDs takes it.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use udn_cluster::{EventType, StatusUpdate, WorkItem, World};
use udn_model::{ClusterSettings, Manifest, ObjectName};
use udn_wire::api::{Condition, NetworkStatus};

use crate::catalog::catalog;
use crate::status_updates::{Nodes, VERSION, report, status_update, store, written};

const NAMESPACES: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b}}";

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn udn(spec: &str) -> (WorkItem, String) {
    let text = format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {{name: net, namespace: \
         a, generation: 1}}, spec: {{topology: Layer2, layer2: {{{spec}}}}}}}"
    );
    (WorkItem::Network(Manifest::Udn(ObjectName::new("a", "net"))), text)
}

fn cudn(name: &str, network: &str) -> (WorkItem, String) {
    let text = format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {{name: {name}, \
         generation: 1}}, spec: {{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: \
         a}}}}, network: {{{network}}}}}}}"
    );
    (WorkItem::Network(Manifest::Cudn(name.to_owned())), text)
}

fn localnet(name: &str, more: &str) -> (WorkItem, String) {
    let network = format!(
        "topology: Localnet, localnet: {{role: Secondary, physicalNetworkName: tenant, {more}}}"
    );
    cudn(name, &network)
}

/// The status after one reconcile with these nodes, which a second reconcile leaves alone.
fn told(texts: &[&str], item: &WorkItem, nodes: &Nodes) -> NetworkStatus {
    let settings = ClusterSettings::default();
    let mut world = written(world(texts), &settings);
    let first = status_update(&world, item, nodes, &settings);
    let status = store(&catalog(), &mut world, item, &first);
    assert_eq!(status_update(&world, item, nodes, &settings), StatusUpdate::default());
    status
}

fn condition<'a>(status: &'a NetworkStatus, name: &str) -> &'a Condition {
    let mut all = status.conditions.iter().flatten();
    all.find(|it| it.condition_type == name).unwrap_or_else(|| panic!("no {name}: {status:?}"))
}

fn says(status: &NetworkStatus, name: &str) -> String {
    let Condition { status, reason, .. } = condition(status, name);
    format!("{status} {reason}")
}

// proves: L-24
#[test]
fn success_is_told() {
    let wide = "NetworkAttachmentDefinition has been created in following namespaces: [a]";
    let narrow = "NetworkAttachmentDefinition has been created";
    let networks = [
        (udn("role: Primary, subnets: [10.1.0.0/16]"), narrow),
        (udn("role: Secondary, subnets: ['fd10::/64']"), narrow),
        (
            cudn(
                "net",
                "topology: Layer2, layer2: {role: Primary, subnets: [10.1.0.0/16, 'fd10::/64']}",
            ),
            wide,
        ),
        (localnet("net", "subnets: [192.168.7.0/24]"), wide),
        (localnet("net", "subnets: ['fd07::/64']"), wide),
        (localnet("net", "subnets: [192.168.7.0/24, 'fd07::/64']"), wide),
        (localnet("net", "ipam: {mode: Disabled}"), wide),
    ];
    for ((item, text), message) in networks {
        let status = told(&[NAMESPACES, &text], &item, &Nodes::new());
        let created = condition(&status, "NetworkCreated");
        assert_eq!(says(&status, "NetworkCreated"), "True NetworkAttachmentDefinitionCreated");
        assert_eq!((&*created.message, created.observed_generation), (message, Some(1)));
        let allocated = "True NetworkAllocationSucceeded";
        assert_eq!(says(&status, "NetworkAllocationSucceeded"), allocated);
        assert_eq!(status.network_id, Some(1));
        assert_eq!(status.conditions.unwrap().len(), 3);
    }
}

// proves: L-23
#[test]
fn what_admission_did_not_see_is_told_in_conditions() {
    let networks = [
        (
            localnet("net", "subnets: [192.168.7.0/24], excludeSubnets: [192.168.8.0/28]"),
            "192.168.8.0/28 lies in none of the subnets (192.168.7.0/24); choose one inside or remove it",
        ),
        (
            localnet("net", "subnets: ['fd07::/64'], excludeSubnets: ['fd08::/120']"),
            "fd08::/120 lies in none of the subnets (fd07::/64); choose one inside or remove it",
        ),
        (
            localnet("net", "mtu: 1000, subnets: ['fd07::/64']"),
            "mtu is 1000; IPv6 needs at least 1280",
        ),
        (
            localnet("net", "subnets: [192.168.7.0/24], vlan: {mode: Access, access: {id: 4095}}"),
            "vlan.access.id is 4095; write 1 to 4094",
        ),
        (
            localnet("net", "subnets: [nonsense]"),
            "\"nonsense\" is not a CIDR such as 10.0.0.0/16 or fd00::/64",
        ),
        (
            udn("role: Primary, subnets: [10.128.0.0/16]"),
            "subnet 10.128.0.0/16 overlaps the cluster subnet 10.128.0.0/14; choose another",
        ),
        (
            udn("role: Primary, subnets: [10.1.0.0/16, 'fd02::/112']"),
            "subnet fd02::/112 overlaps the service subnet fd02::/112; choose another",
        ),
    ];
    for ((item, text), want) in networks {
        let status = told(&[NAMESPACES, &text], &item, &Nodes::new());
        let created = condition(&status, "NetworkCreated");
        assert!(says(&status, "NetworkCreated").starts_with("False "), "{status:?}");
        assert!(created.reason.ends_with("SyncError"), "{status:?}");
        assert_eq!(created.message, want);
        assert_eq!(says(&status, "Ready"), "False NetworkNotCreated");
        assert_eq!(status.network_id, None);
    }
}

fn physical(networks: &Value) -> Value {
    json!({"programmedUpTo": VERSION, "physicalNetworks": networks})
}

// proves: L-27
#[test]
fn what_a_localnet_lacks_on_nodes_is_told_before_any_pod() {
    let (item, text) = localnet(
        "net",
        "mtu: 9000, subnets: [192.168.7.0/24, 'fd07::/64'], vlan: {mode: Access, access: {id: 7}}",
    );
    let mtu = |mtu: i32| physical(&json!([{"name": "tenant", "bridge": "br1", "mtu": mtu}]));
    let nodes = Nodes::from([
        report("good", &mtu(9000)),
        report(
            "missing",
            &physical(
                &json!([{"name": "storage", "bridge": "b"}, {"name": "physnet", "bridge": "br-ex"}]),
            ),
        ),
        report("small", &mtu(1500)),
        report(
            "trunk",
            &physical(
                &json!([{"name": "tenant", "bridge": "br1", "vlans": [{"first": 8, "last": 9}]}]),
            ),
        ),
    ]);
    let status = told(&[NAMESPACES, &text], &item, &nodes);
    assert_eq!(says(&status, "Ready"), "False NodesNotReady");
    let nodes = status.nodes.unwrap();
    assert_eq!((nodes.total, nodes.ready, nodes.not_ready), (4, 1, 3));
    let problems = nodes.problems.unwrap();
    let found: Vec<(&str, &str)> = problems.iter().map(|it| (&*it.node, &*it.reason)).collect();
    let want = [
        ("missing", "PhysicalNetworkMissing"),
        ("small", "MtuTooSmall"),
        ("trunk", "VlanNotAllowed"),
    ];
    assert_eq!(found, want);
    let message = problems[0].message.as_deref().unwrap();
    assert!(message.contains("physnet, storage") && message.contains("tenant"), "{message}");
}

// proves: L-27
#[test]
fn a_vlan_that_is_used_twice_is_told_before_any_pod() {
    let vlan = "ipam: {mode: Disabled}, vlan: {mode: Access, access: {id: 7}}";
    let ((_, first), (item, second)) = (localnet("net", vlan), localnet("other", vlan));
    let status = told(&[NAMESPACES, &first, &second], &item, &Nodes::new());
    assert_eq!(says(&status, "Degraded"), "True VlanShared");
    let message = &condition(&status, "Degraded").message;
    assert!(message.contains("VLAN 7") && message.contains("ClusterUserDefinedNetwork net"));
}

// proves: X-01
#[test]
fn ready_means_that_every_node_has_confirmed_the_newest_state() {
    let (item, text) = udn("role: Primary, subnets: [10.1.0.0/16, 'fd10::/64']");
    let up_to = |version: &str| json!({"programmedUpTo": version});
    let failed = json!({"programmedUpTo": "200", "notProgrammedCount": 1,
        "notProgrammed": [{"network": "a_net", "reason": "RowConflict"}]});
    let cases = [
        (vec![], "Unknown NoNodes"),
        (vec![report("n1", &up_to("100"))], "True NodesReady"),
        (vec![report("n1", &up_to("100")), report("n2", &up_to("99"))], "False NodesNotReady"),
        (vec![report("n1", &up_to("100")), report("n2", &up_to("1000"))], "True NodesReady"),
        (vec![report("n1", &up_to("100")), report("n2", &failed)], "False NodesNotReady"),
        (
            vec![report("n1", &up_to("100")), (udn_model::NodeName::new("n2"), None)],
            "False NodesNotReady",
        ),
    ];
    for (nodes, want) in cases {
        let status = told(&[NAMESPACES, &text], &item, &nodes.into_iter().collect());
        assert_eq!(says(&status, "Ready"), want);
    }
}

// proves: T-18
#[test]
fn status_tells_the_transit_subnet_that_was_chosen() {
    let cases = [
        ("10.1.0.0/16", vec!["100.88.0.0/16"]),
        ("'fd10::/64'", vec!["fd97::/64"]),
        ("100.88.0.0/16", vec!["100.89.0.0/16"]),
        ("'fd97::/64'", vec!["fd97:0:0:1::/64"]),
        ("'fd97::/64', 100.88.0.0/15", vec!["fd97:0:0:1::/64", "100.90.0.0/16"]),
    ];
    for (subnets, want) in cases {
        let (item, text) = udn(&format!("role: Primary, subnets: [{subnets}]"));
        let settings = ClusterSettings::default();
        let mut world = written(world(&[NAMESPACES, &text]), &settings);
        let first = status_update(&world, &item, &Nodes::new(), &settings);
        let status = store(&catalog(), &mut world, &item, &first);
        let told = status.transit_subnets.unwrap();
        assert_eq!(told, want, "{subnets}");
        let nad = world.nads.values().next().unwrap();
        let want = format!("\"transitSubnet\":\"{}\"", told.join(","));
        assert!(nad.spec.config.contains(&want), "{want}: {}", nad.spec.config);
    }
}

// proves: L-23
#[test]
fn a_second_primary_network_is_told_where_it_is_one() {
    let (_, first) = udn("role: Primary, subnets: [10.1.0.0/16]");
    let (item, second) =
        cudn("other", "topology: Layer2, layer2: {role: Primary, subnets: ['fd10::/64']}");
    let second = second.replace("kubernetes.io/metadata.name: a", "");
    let settings = ClusterSettings::default();
    let mut world = written(world(&[NAMESPACES, &first]), &settings);
    let c = NAMESPACES.replace("name: a", "name: c").replace("name: b", "name: d");
    let more = World::read([("more", second.as_bytes()), ("c", c.as_bytes())]).world;
    world.cluster_networks.extend(more.cluster_networks);
    world.namespaces.extend(more.namespaces);
    let mut world = written(world, &settings);
    let told = status_update(&world, &item, &Nodes::new(), &settings);
    let warnings = told.events.iter().filter(|it| it.kind == EventType::Warning);
    assert_eq!(warnings.count(), 1);
    let status = store(&catalog(), &mut world, &item, &told);
    let created = condition(&status, "NetworkCreated");
    assert_eq!(created.reason, "NetworkAttachmentDefinitionSyncError");
    let served = "NetworkAttachmentDefinition has been created in following namespaces: [c]; ";
    assert!(created.message.starts_with(served), "{}", created.message);
    assert!(created.message.contains("namespace a has its primary network"), "{}", created.message);
    assert!(created.message.contains("without it: b, d"), "{}", created.message);
}
