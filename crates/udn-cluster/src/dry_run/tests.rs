//! What is written of grants, and that nothing is left to write then.

use serde_json::Value;
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::object::Nad;

use super::{DryRun, Scope, dry_run};
use crate::world::World;
use crate::write::{Act, Write};

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

fn run(world: &World) -> DryRun {
    let run = dry_run(world.clone(), &ClusterSettings::default(), Scope::Manifests);
    assert!(run.is_quiet);
    run
}

/// The world with everything written.
fn settled() -> World {
    run(&world(&[WORLD])).world
}

fn nad(world: &mut World) -> &mut Nad {
    world.nads.values_mut().next().unwrap()
}

#[test]
fn secondary_entries_have_no_gateway_and_no_routes() {
    let run = run(&world(&[WORLD]));
    let writes: Vec<&Write> = run.writes_to(Kind::Pod).collect();
    let [Write { act: Act::TestedPatch(steps), .. }] = writes[..] else { panic!("{writes:?}") };
    let want = concat!(
        r#"{"a/flat":{"ip_addresses":["10.0.0.1/16"],"mac_address":"0a:58:0a:00:00:01","#,
        r#""ip_address":"10.0.0.1/16","tunnel_id":10,"role":"secondary"},"#,
        r#""a/flat/1":{"ip_addresses":["10.0.0.2/16"],"mac_address":"0a:58:0a:00:00:02","#,
        r#""ip_address":"10.0.0.2/16","tunnel_id":11,"role":"secondary"}}"#,
    );
    assert_eq!(steps[2]["value"], want);
}

#[test]
fn a_settled_world_gives_no_writes() {
    let again = run(&settled());
    assert_eq!(again.writes, []);
    assert_eq!(again.grants, run(&world(&[WORLD])).grants);
}

/// Spoils one thing in a settled world; exactly the NAD is written again.
fn check_drift(spoil: fn(&mut Nad)) -> Value {
    let mut world = settled();
    spoil(nad(&mut world));
    let run = run(&world);
    let [Write { target, act: Act::Replace(object) }] = &run.writes[..] else {
        panic!("{:?}", run.writes)
    };
    assert_eq!((target.kind, target.name.as_str()), (Kind::Nad, "flat"));
    object.clone()
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
    let mark = |nad: &mut Nad| {
        nad.metadata.annotations.insert("k8s.ovn.org/route-advertisements".into(), "[]".into());
        nad.metadata.finalizers.push("other.example/held".into());
    };
    let mut world = settled();
    mark(nad(&mut world));
    assert_eq!(run(&world).writes, []);
    nad(&mut world).metadata.labels.clear();
    let run = run(&world);
    let [Write { act: Act::Replace(object), .. }] = &run.writes[..] else { panic!("{run:?}") };
    assert_eq!(object["metadata"]["annotations"]["k8s.ovn.org/route-advertisements"], "[]");
    assert_eq!(object["metadata"]["finalizers"][1], "other.example/held");
}

#[test]
fn a_leaving_nad_that_a_pod_uses_is_left_alone() {
    let mut world = settled();
    nad(&mut world).metadata.labels.clear();
    nad(&mut world).metadata.deletion_timestamp = Some("2026-01-01T00:00:00Z".to_owned());
    assert_eq!(run(&world).writes_to(Kind::Nad).count(), 0);
}

#[test]
fn pods_on_layer3_networks_are_left_to_their_nodes() {
    let routed = |name: &str, role: &str| {
        format!(
            "{{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {{name: {name}, \
             namespace: a, uid: u-{name}}}, spec: {{topology: Layer3, layer3: {{role: {role}, \
             subnets: [{{cidr: 10.1.0.0/16}}]}}}}}}"
        )
    };
    let objects = "
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, annotations: {
  k8s.v1.cni.cncf.io/networks: side}}, spec: {nodeName: node-1}}
";
    let run = run(&world(&[objects, &routed("main", "Primary"), &routed("side", "Secondary")]));
    assert_eq!(run.writes_to(Kind::Pod).count(), 0);
    assert_eq!((run.findings, run.events.len()), (vec![], 0));
    assert!(run.grants.attachments.is_empty());
    assert_eq!(run.grants.node_subnets.len(), 2);
}
