//! Networks in every state, and what is told of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use udn_model::{ClusterSettings, Findings, Grants, NodeName, ObjectName};
use udn_wire::api::{Condition, NetworkStatus};
use udn_wire::object::NodeNetworkReport;

use super::{Account, Outcome, status};
use crate::affair::Affair;
use crate::doors::Doors;
use crate::office::{Act, Roster, Slice, Verdict};
use crate::render::{Publication, publications};
use crate::review::review;
use crate::translate;
use crate::world::World;

mod allocated;
mod bounds;
mod created;
mod degraded;
mod leaving;
mod nodes;
mod notices;
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

pub(super) fn udn() -> Affair {
    Affair::UserDefinedNetwork(ObjectName::new("a", "red"))
}

pub(super) fn cudn(name: &str) -> Affair {
    Affair::ClusterUserDefinedNetwork(name.to_owned())
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
pub(super) fn guest(name: &str, definition: &str, phase: &str) -> String {
    let pod = ObjectName::parse(name).unwrap();
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}, annotations: {{ \
         k8s.ovn.org/pod-networks: '{{\"{definition}\":{{\"mac_address\":\"0a:58:0a:00:00:01\"}}}}' \
         }}}}, status: {{phase: {phase}}}}}",
        pod.name, pod.namespace
    )
}

/// A cluster with one office, one turn at a time.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) nodes: BTreeMap<NodeName, Option<Arc<NodeNetworkReport>>>,
    pub(super) settings: ClusterSettings,
    pub(super) failures: Vec<String>,
    pub(super) more: Findings,
}

impl Scene {
    /// A world in which nothing is written yet.
    pub(super) fn bare(texts: &[&str]) -> Self {
        let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
        assert!(reading.problems.is_empty(), "{:?}", reading.problems);
        let (nodes, settings) = (BTreeMap::new(), ClusterSettings::default());
        let world = reading.world;
        Self { world, nodes, settings, failures: Vec::new(), more: Findings::new() }
    }

    /// The same, with all NADs written.
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut scene = Self::bare(texts);
        scene.write();
        scene
    }

    /// Writes what the office would, as version 100.
    pub(super) fn write(&mut self) {
        let (intent, grants, _) = self.settle();
        let all = publications(&self.world, &intent, &grants, &self.settings);
        let texts: Vec<String> = all.iter().filter_map(Publication::to_yaml).collect();
        self.world.merge(World::read(texts.iter().map(|text| ("own", text.as_bytes()))).world);
        for definition in self.world.definitions.values_mut() {
            definition.metadata.resource_version = "100".to_owned();
        }
    }

    fn settle(&self) -> (udn_model::Intent, Grants, Findings) {
        let intent = translate::cluster(&self.world, &self.settings).value;
        let ledger = udn_ledger::Ledger::new(&self.settings);
        let (_, granted) = udn_ledger::settle(&intent, ledger, &self.settings);
        let found = review(&self.world, &self.settings);
        let findings = [found, granted.findings, self.more.clone()].concat();
        (intent, granted.value, findings)
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

    pub(super) fn tell(&self, affair: &Affair, now: &str) -> Account {
        let (intent, grants, findings) = self.settle();
        let roster = Roster { nodes: self.nodes.clone(), hosts: BTreeMap::new() };
        let (affair, world) = (affair.clone(), self.world.clone());
        let slice = Slice { affair, world, doors: Doors::default(), roster: Arc::new(roster) };
        let settings = &self.settings;
        let verdict = Verdict { intent: &intent, grants: &grants, findings: &findings, settings };
        let outcome = Outcome { failures: self.failures.clone(), now: now.to_owned() };
        status(&slice, verdict, &outcome)
    }

    /// The status that stands.
    pub(super) fn standing(&mut self, affair: &Affair) -> &mut NetworkStatus {
        match affair {
            Affair::UserDefinedNetwork(name) => {
                &mut self.world.networks.get_mut(name).unwrap().status
            }
            Affair::ClusterUserDefinedNetwork(name) => {
                &mut self.world.cluster_networks.get_mut(name).unwrap().status
            }
            Affair::Written(_)
            | Affair::Node(_)
            | Affair::DefaultDefinition
            | Affair::Pod(_)
            | Affair::Claim(_) => panic!("{affair}"),
        }
    }

    /// Tells and writes; a second time there is nothing more to tell.
    pub(super) fn told(&mut self, affair: &Affair, now: &str) -> NetworkStatus {
        let account = self.tell(affair, now);
        if let Some(write) = &account.write {
            let Act::ApplyStatus(object) = &write.act else { panic!("{write:?}") };
            *self.standing(affair) = serde_json::from_value(object["status"].clone()).unwrap();
        }
        assert_eq!(self.tell(affair, "2027-01-01T00:00:00Z"), Account::default());
        self.standing(affair).clone()
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
pub(super) fn check(scene: &mut Scene, affair: &Affair, want: &[&str]) -> NetworkStatus {
    let told = scene.told(affair, THEN);
    assert_eq!(lines(&told).lines().collect::<Vec<_>>(), want);
    told
}
