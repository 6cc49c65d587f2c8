//! Worlds, and what a person is told about them.

use udn_model::ClusterSettings;

use super::review;
use crate::world::World;

mod namespaces;
mod nodes;
mod parts;
mod ranges;
mod segments;
mod vacancy;

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

/// Compares everything that is told.
fn check(texts: &[&str], want: &[&str]) {
    let findings = review(&world(texts), &ClusterSettings::default());
    let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(told, want);
}

/// Compares what is told of one world where the default settings say nothing else.
fn silent(texts: &[&str]) {
    check(texts, &[]);
}

fn namespace(name: &str, is_primary: bool) -> String {
    let label = if is_primary { "k8s.ovn.org/primary-user-defined-network: ''" } else { "x: z" };
    format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{{label}}}}}}}")
}

/// A UDN with this `layer2`.
fn udn(name: &str, layer2: &str) -> String {
    let (namespace, name) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {{namespace: {namespace}, \
         name: {name}}}, spec: {{topology: Layer2, layer2: {{{layer2}}}}}}}"
    )
}

/// A CUDN for all namespaces with this `localnet`, besides its role.
fn localnet(name: &str, localnet: &str) -> String {
    format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {{name: {name}}}, \
         spec: {{namespaceSelector: {{}}, network: {{topology: Localnet, localnet: {{role: Secondary, \
         {localnet}}}}}}}}}"
    )
}

fn nad(name: &str, config: &str) -> String {
    let (namespace, short) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: \
         {{namespace: {namespace}, name: '{short}'}}, spec: {{config: \
         '{{\"type\":\"ovn-k8s-cni-overlay\",\"netAttachDefName\":\"{name}\",{config}}}'}}}}"
    )
}
