//! UDNs and CUDNs to NADs.

use serde_json::{Value, json};
use udn_kube::{Change, Publication, World, keys, render, translate};
use udn_model::{ClusterSettings, ObjectName, Origin, Reason};

use super::cases::Case;
use crate::office::turn;

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    let (world, definition) = world(case);
    let settings = ClusterSettings::default();
    let told = translate::cluster(&world, &settings).findings;
    let outcome = match told.iter().find(|it| it.reason != Reason::NotSupported) {
        Some(finding) => Err(finding.to_string()),
        None => Ok(made(&world, &definition, &settings, told.is_empty())),
    };
    let Some(found) = case.agree(outcome)? else { return Ok(()) };
    match found.ok_or("no NAD is made")?.change {
        Change::Apply(object) => compare(case, object, told.is_empty()),
        other @ (Change::Annotate(_) | Change::Delete) => Err(format!("{other:?}")),
    }
}

/// The NAD that is published, or will be once the network can be built.
fn made(
    world: &World,
    definition: &ObjectName,
    settings: &ClusterSettings,
    is_built: bool,
) -> Option<Publication> {
    if is_built {
        let place = (&*definition.namespace, &*definition.name);
        let is_it = |it: &Publication| (&*it.target.namespace, &*it.target.name) == place;
        return turn(world, settings).into_iter().find(is_it);
    }
    let narrow = world.networks.keys().next().cloned().map(Origin::UserDefinedNetwork);
    let wide = world.cluster_networks.keys().next().cloned();
    let origin = narrow.or(wide.map(Origin::ClusterUserDefinedNetwork))?;
    render::preview(world, &origin, definition, settings)
}

/// The manifest of the case in a labelled namespace, and the name of its NAD.
fn world(case: &Case) -> (World, ObjectName) {
    let given = [case.text("/input/namespace"), case.text("/input/namespace_of_nad")].concat();
    let namespace = if given.is_empty() { "default" } else { &given };
    let mut manifest = case.at("/input/manifest").clone();
    if manifest.is_null() {
        let spec = case.at("/input/spec");
        manifest =
            json!({"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "spec": spec});
    }
    if manifest["metadata"]["name"].is_null() {
        manifest["metadata"]["name"] = "test-net".into();
    }
    if manifest["kind"] == "UserDefinedNetwork" {
        manifest["metadata"]["namespace"] = namespace.into();
    }
    let labels = json!({keys::PRIMARY_LABEL: ""});
    let metadata = json!({"name": namespace, "labels": labels});
    let namespaces = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
    let texts = [manifest.to_string(), namespaces.to_string()];
    let reading = World::read(texts.iter().map(|text| ("case", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let name = manifest["metadata"]["name"].as_str().unwrap();
    (reading.world, ObjectName::new(namespace, name))
}

fn compare(case: &Case, mut object: Value, is_built: bool) -> Result<(), String> {
    let config: Value = serde_json::from_str(object["spec"]["config"].as_str().unwrap()).unwrap();
    let mut want = case.at("/expected_config").clone();
    // A number that nobody grants yet.
    if !is_built {
        want.as_object_mut().unwrap().remove("transitSubnet");
    }
    same("config", &config, &want)?;
    let metadata = object["metadata"].as_object_mut().unwrap();
    // The numbers are written by another controller there, and the client adds the namespace.
    metadata.remove("namespace");
    let annotations = metadata["annotations"].as_object_mut().unwrap();
    annotations.retain(|key, _| !key.starts_with(keys::PREFIX));
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
    match case.at("/expected_metadata") {
        Value::Null => Ok(()),
        want => same("metadata", &object["metadata"], want),
    }
}

fn same(what: &str, got: &Value, want: &Value) -> Result<(), String> {
    if got == want { Ok(()) } else { Err(format!("{what}: {got}\n  instead of {want}")) }
}
