//! What a work item hears by way of its own writes.

use udn_model::{ClusterSettings, Manifest, ObjectName};
use udn_wire::api::NetworkStatus;
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::AnyObject;

use super::{Answer, Change, Reconciler};
use crate::dry_run::{Scope, dry_run, reconciler_of};
use crate::work_item::WorkItem;
use crate::world::World;

const WORLD: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: flat, namespace: a, uid: u},
  spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.0.0.0/16]}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: v, annotations: {
  k8s.v1.cni.cncf.io/networks: flat}}, spec: {nodeName: node-1}}
";

fn settled() -> World {
    let reading = World::read([("test", WORLD.as_bytes())]);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    dry_run(reading.world, &ClusterSettings::default(), Scope::Manifests).world
}

/// A cluster in which all is written but the status of the network, and the network.
fn without_status() -> (Reconciler, AnyObject) {
    let mut world = settled();
    let network = world.networks.values_mut().next().expect("there is one");
    network.status = NetworkStatus::default();
    let network = AnyObject::UserDefinedNetwork(network.clone());
    (reconciler_of(&world, &ClusterSettings::default()), network)
}

/// Lets the network's status be written, and answers; returns whether the network is touched by that.
fn is_touched(reconciler: &mut Reconciler, answer: AnyObject) -> bool {
    let item = WorkItem::Network(Manifest::Udn(ObjectName::new("a", "flat")));
    let mut attempt = reconciler.decide(reconciler.view(&item));
    assert!(attempt.take_waves().is_empty(), "only the status is missing");
    assert!(attempt.status_update(String::new()).write.is_some());
    attempt.told(Some(Answer::Stands(Box::new(answer))), Vec::new());
    reconciler.conclude(attempt).touched.contains(&item)
}

#[test]
fn a_deletion_that_the_answer_to_a_status_tells_of_is_heard() {
    let (mut reconciler, mut network) = without_status();
    let metadata = network.metadata_mut();
    metadata.resource_version = "1000".to_owned();
    metadata.deletion_timestamp = Some("2026-01-01T00:00:00Z".to_owned());
    assert!(is_touched(&mut reconciler, network.clone()), "the network has to go");

    let told_again = reconciler.observe(Change::Put(Box::new(network)));
    assert!(told_again.is_empty(), "the event tells nothing new: {told_again:?}");
}

#[test]
fn a_status_that_nobody_came_before_leaves_nothing_to_do() {
    let (mut reconciler, mut network) = without_status();
    network.metadata_mut().resource_version = "1000".to_owned();
    assert!(!is_touched(&mut reconciler, network));
}

#[test]
fn a_pod_that_ended_while_its_addresses_were_written_is_looked_at_again() {
    let mut world = settled();
    let pod = world.pods.values_mut().next().expect("there is one");
    let mut answer = pod.clone();
    pod.metadata.annotations.remove(POD_NETWORKS);
    let mut reconciler = reconciler_of(&world, &ClusterSettings::default());
    let network = WorkItem::Network(Manifest::Udn(ObjectName::new("a", "flat")));
    let attempt = reconciler.decide(reconciler.view(&network));
    reconciler.conclude(attempt);

    let item = WorkItem::Pod(ObjectName::new("a", "p"));
    let mut attempt = reconciler.decide(reconciler.view(&item));
    assert_eq!(attempt.take_waves().concat().len(), 1, "the annotation is missing");
    answer.metadata.resource_version = "1000".to_owned();
    answer.status.has_ended = true;
    attempt.answered(Answer::Stands(Box::new(AnyObject::Pod(answer))));
    assert!(reconciler.conclude(attempt).touched.contains(&item));
}
