//! Networks in every state, and what is told of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use udn_model::{ClusterSettings, Findings, Manifest, NodeName, ObjectName};
use udn_wire::api::{Condition, NetworkStatus};
use udn_wire::object::NodeNetworkReport;

use crate::agents::AgentState;
use crate::dry_run::{Scope, dry_run, reconciler_of};
use crate::status_update::StatusUpdate;
use crate::view::ClusterNodes;
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::Act;

mod agents;
mod allocated;
mod bounds;
mod created;
mod degraded;
mod events;
mod leaving;
mod nodes;
mod page;
mod plain;

pub(super) const THEN: &str = "2026-11-16T07:00:00Z";
pub(super) const LATER: &str = "2026-11-16T08:00:00Z";

/// A namespace that primary networks may be in.
pub(super) const LABELLED: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}";
pub(super) const UDN: &str = "
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: red, namespace: a, uid: u,
  generation: 3}, spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.1.0.0/16]}}}";
/// A localnet in all namespaces.
pub(super) const LOCALNET: &str = "
{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {name: lan, uid: c,
  generation: 1}, spec: {namespaceSelector: {}, network: {topology: Localnet, localnet: {
  role: Secondary, physicalNetworkName: tenant, vlan: {mode: Access, access: {id: 7}},
  ipam: {mode: Disabled}}}}}";

pub(super) fn udn() -> WorkItem {
    WorkItem::Network(Manifest::Udn(ObjectName::new("a", "red")))
}

pub(super) fn cudn(name: &str) -> WorkItem {
    WorkItem::Network(Manifest::Cudn(name.to_owned()))
}

pub(super) fn namespace(name: &str, labels: &str) -> String {
    format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{{labels}}}}}}}")
}

/// A primary layer-2 CUDN in all namespaces.
pub(super) fn tenant(name: &str, subnets: &str) -> String {
    format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {{name: {name}, \
         uid: c-{name}, generation: 2}}, spec: {{namespaceSelector: {{}}, network: {{topology: \
         Layer2, layer2: {{role: Primary, subnets: [{subnets}]}}}}}}}}"
    )
}

/// A pod that is on a network through a NAD.
pub(super) fn attached_pod(name: &str, nad: &str, phase: &str) -> String {
    let pod = ObjectName::parse(name).unwrap();
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}, annotations: {{ \
         k8s.ovn.org/pod-networks: '{{\"{nad}\":{{\"mac_address\":\"0a:58:0a:00:00:01\"}}}}' \
         }}}}, status: {{phase: {phase}}}}}",
        pod.name, pod.namespace
    )
}

/// A cluster with one controller, one reconcile at a time.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) nodes: BTreeMap<NodeName, Option<Arc<NodeNetworkReport>>>,
    pub(super) agents: BTreeMap<NodeName, AgentState>,
    pub(super) settings: ClusterSettings,
    pub(super) failures: Vec<String>,
    pub(super) more: Findings,
}

impl Scene {
    /// A world in which nothing is written yet.
    pub(super) fn bare(texts: &[&str]) -> Self {
        let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
        assert!(reading.problems.is_empty(), "{:?}", reading.problems);
        let (nodes, agents, settings) = Default::default();
        let world = reading.world;
        Self { world, nodes, agents, settings, failures: Vec::new(), more: Findings::new() }
    }

    /// The same, with all NADs written.
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut scene = Self::bare(texts);
        scene.write();
        scene
    }

    /// Writes what the controller would, as version 100.
    pub(super) fn write(&mut self) {
        self.world.nads = dry_run(self.world.clone(), &self.settings, Scope::Manifests).world.nads;
        for nad in self.world.nads.values_mut() {
            nad.metadata.resource_version = "100".to_owned();
        }
    }

    /// A node whose report says this as its status.
    pub(super) fn node(&mut self, name: &str, report: serde_json::Value) {
        let report = json!({"metadata": {"name": name}, "status": report});
        let report: NodeNetworkReport = serde_json::from_value(report).unwrap();
        self.nodes.insert(NodeName::new(name), Some(Arc::new(report)));
    }

    pub(super) fn silent_node(&mut self, name: &str) {
        self.nodes.insert(NodeName::new(name), None);
    }

    pub(super) fn tell(&self, item: &WorkItem, now: &str) -> StatusUpdate {
        let mut reconciler = reconciler_of(&self.world, &self.settings);
        let mut view = reconciler.view(item);
        let nodes = ClusterNodes {
            nodes: self.nodes.clone(),
            agents: self.agents.clone(),
            ..ClusterNodes::default()
        };
        view.cluster_nodes = Arc::new(nodes);
        let mut attempt = reconciler.decide(view);
        attempt.decision.findings.extend(self.more.iter().cloned());
        self.failures.iter().for_each(|it| attempt.refused(it.clone()));
        attempt.status_update(now.to_owned())
    }

    /// The status that stands.
    pub(super) fn standing(&mut self, item: &WorkItem) -> &mut NetworkStatus {
        match item {
            WorkItem::Network(Manifest::Udn(name)) => {
                &mut self.world.networks.get_mut(name).unwrap().status
            }
            WorkItem::Network(Manifest::Cudn(name)) => {
                &mut self.world.cluster_networks.get_mut(name).unwrap().status
            }
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_) => panic!("{item}"),
        }
    }

    /// Tells and writes; a second time there is nothing more to tell.
    pub(super) fn told(&mut self, item: &WorkItem, now: &str) -> NetworkStatus {
        let status_update = self.tell(item, now);
        if let Some(write) = &status_update.write {
            let Act::ApplyStatus(object) = &write.act else { panic!("{write:?}") };
            *self.standing(item) = serde_json::from_value(object["status"].clone()).unwrap();
        }
        assert_eq!(self.tell(item, "2027-01-01T00:00:00Z"), StatusUpdate::default());
        self.standing(item).clone()
    }
}

pub(super) fn condition<'a>(status: &'a NetworkStatus, name: &str) -> Option<&'a Condition> {
    status.conditions.iter().flatten().find(|it| it.condition_type == name)
}

/// One line for each condition.
pub(super) fn lines(status: &NetworkStatus) -> String {
    let mut text = String::new();
    for it in status.conditions.iter().flatten() {
        let Condition { condition_type, status, reason, message, .. } = it;
        writeln!(text, "{condition_type} {status} {reason}: {message}").unwrap();
    }
    text
}

/// Checks all conditions of a network.
#[track_caller]
pub(super) fn check(scene: &mut Scene, item: &WorkItem, want: &[&str]) -> NetworkStatus {
    let told = scene.told(item, THEN);
    assert_eq!(lines(&told).lines().collect::<Vec<_>>(), want);
    told
}
