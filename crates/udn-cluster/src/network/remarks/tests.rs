//! Remarks about one work item, and what `review` says of the same world.

use std::sync::Arc;

use udn_model::{ClusterSettings, Manifest, NetworkName, ObjectName};

use super::{node_overlaps, remarks};
use crate::nad_states::NadStates;
use crate::review;
use crate::translate::cluster;
use crate::view::{ClusterNodes, Layer3View, View};
use crate::work_item::WorkItem;
use crate::world::World;

const WORLD: &str = "
{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {
  k8s.ovn.org/host-cidrs: '[\"172.18.0.3/24\",\"fd00:18::3/64\"]'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, annotations: {
  k8s.ovn.org/host-cidrs: '[\"192.168.0.4/24\"]'}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: over, namespace: a},
 spec: {topology: Layer2, layer2: {role: Primary, subnets: [172.18.0.0/16, 'fd00:18::/80']}}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: clear, namespace: a},
 spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.1.0.0/16]}}}
---
{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {name: vlan},
 spec: {namespaceSelector: {}, network: {topology: Localnet, localnet: {role: Secondary,
 physicalNetworkName: p, subnets: [192.168.0.0/24]}}}}
---
{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {name: idle},
 spec: {namespaceSelector: {matchLabels: {team: x}}, network: {topology: Layer2, layer2: {
 role: Secondary, subnets: [10.2.0.0/16]}}}}
---
{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: net,
 namespace: a}, spec: {config: '{\"name\":\"written\",\"type\":\"ovn-k8s-cni-overlay\",
 \"topology\":\"layer2\",\"netAttachDefName\":\"a/net\",\"subnets\":\"172.18.0.0/30\"}'}}
";

fn items() -> [WorkItem; 5] {
    [
        WorkItem::Network(Manifest::Udn(ObjectName::new("a", "over"))),
        WorkItem::Network(Manifest::Udn(ObjectName::new("a", "clear"))),
        WorkItem::Network(Manifest::Cudn("vlan".to_owned())),
        WorkItem::Network(Manifest::Cudn("idle".to_owned())),
        WorkItem::HandWritten(NetworkName::new("written")),
    ]
}

#[test]
fn one_item_is_told_what_a_review_of_the_world_tells_it() {
    let settings = ClusterSettings::default();
    let reading = World::read([("test", WORLD.as_bytes())]);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let intent = cluster(&reading.world, &settings);
    let cluster_nodes =
        ClusterNodes { hosts: intent.value.nodes.clone(), ..ClusterNodes::default() };
    let cluster_nodes = Arc::new(cluster_nodes);
    let mut world = reading.world.clone();
    world.nodes.clear();
    let mut all = Vec::new();
    let mut counts = Vec::new();
    for item in items() {
        let view = View {
            item,
            world: world.clone(),
            nad_states: NadStates::default(),
            cluster_nodes: cluster_nodes.clone(),
            layer3: Layer3View::default(),
        };
        let own = cluster(&view.world, &settings).value;
        counts.push((node_overlaps(&view, &own).len(), remarks(&view, &own).len()));
        all.extend(remarks(&view, &own));
    }
    all.sort();
    let reviewed = review(&reading.world, &settings);
    let want: Vec<_> = reviewed.into_iter().filter(|it| !intent.findings.contains(it)).collect();
    assert_eq!(all, want);
    assert_eq!(counts, [(2, 2), (0, 0), (1, 1), (0, 1), (1, 1)]);
}
