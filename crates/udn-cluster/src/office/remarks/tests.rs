//! Remarks about one affair, and what `review` says of the same world.

use std::sync::Arc;

use udn_model::{ClusterSettings, NetworkName, ObjectName};

use super::{node_overlaps, remarks};
use crate::affair::Affair;
use crate::doors::Doors;
use crate::office::{Roster, Slice};
use crate::review;
use crate::translate::cluster;
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

fn affairs() -> [Affair; 5] {
    [
        Affair::UserDefinedNetwork(ObjectName::new("a", "over")),
        Affair::UserDefinedNetwork(ObjectName::new("a", "clear")),
        Affair::ClusterUserDefinedNetwork("vlan".to_owned()),
        Affair::ClusterUserDefinedNetwork("idle".to_owned()),
        Affair::Written(NetworkName::new("written")),
    ]
}

#[test]
fn one_affair_is_told_what_a_review_of_the_world_tells_it() {
    let settings = ClusterSettings::default();
    let reading = World::read([("test", WORLD.as_bytes())]);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let intent = cluster(&reading.world, &settings);
    let roster = Roster { hosts: intent.value.nodes.clone(), ..Roster::default() };
    let roster = Arc::new(roster);
    let mut world = reading.world.clone();
    world.nodes.clear();
    let mut all = Vec::new();
    let mut counts = Vec::new();
    for affair in affairs() {
        let slice =
            Slice { affair, world: world.clone(), doors: Doors::default(), roster: roster.clone() };
        let own = cluster(&slice.world, &settings).value;
        counts.push((node_overlaps(&slice, &own).len(), remarks(&slice, &own).len()));
        all.extend(remarks(&slice, &own));
    }
    all.sort();
    let reviewed = review(&reading.world, &settings);
    let want: Vec<_> = reviewed.into_iter().filter(|it| !intent.findings.contains(it)).collect();
    assert_eq!(all, want);
    assert_eq!(counts, [(2, 2), (0, 0), (1, 1), (0, 1), (1, 1)]);
}
