//! UDNs and CUDNs to NADs.

use serde_json::{Value, json};
use udn_cluster::{Act, World, network, translate};
use udn_ledger::choose_transit;
use udn_model::{ClusterSettings, Manifest, ObjectName, Origin, PerFamily, Reason};
use udn_wire::{Kind, NetConf, Target, keys};

use super::cases::Case;
use crate::dry::run;

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    if !case.at("/expected/transitSubnet").is_null() {
        return transit(case);
    }
    let (world, nad) = match world(case) {
        Ok(read) => read,
        Err(problem) => return case.agree(Err::<(), _>(problem)).map(|_| ()),
    };
    let settings = settings(case);
    let told = translate::cluster(&world, &settings).findings;
    let outcome = match told.iter().find(|it| it.reason != Reason::NotSupported) {
        Some(finding) => Err(finding.to_string()),
        None => Ok(made(&world, &nad, &settings, told.is_empty())),
    };
    let Some(found) = case.agree(outcome)? else { return Ok(()) };
    compare(case, found.ok_or("no NAD is made")?, told.is_empty())
}

/// What the case switches on; those that say nothing of it leave transports off.
fn settings(case: &Case) -> ClusterSettings {
    let mut settings = ClusterSettings::default();
    if let Some(features) = case.at("/peer_config/features").as_array() {
        settings.features.evpn = features.contains(&json!("evpn"));
        settings.features.persistent_addresses = features.contains(&json!("persistent-ips"));
    }
    settings
}

/// The transit subnets that are chosen for a network as its NAD describes it.
fn transit(case: &Case) -> Result<(), String> {
    let text = |key: &str| case.text(&format!("/input/{key}")).to_owned();
    let config = NetConf {
        name: "network".to_owned(),
        role: text("role"),
        topology: text("topology"),
        subnets: text("subnets"),
        join_subnet: text("joinSubnet"),
        ..NetConf::default()
    };
    let settings = ClusterSettings::default();
    let read = config.read(Origin::Nads, &settings).map_err(|it| it.to_string())?;
    let chosen = choose_transit(&read.network, &PerFamily::default(), &settings);
    let chosen = chosen.map_err(|problem| format!("{problem:?}"))?;
    let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
    same("transit subnet", &chosen.join(",").into(), case.at("/expected/transitSubnet"))
}

/// The NAD that is written, or will be once the network can be built.
fn made(
    world: &World,
    nad: &ObjectName,
    settings: &ClusterSettings,
    is_built: bool,
) -> Option<Value> {
    if is_built {
        let run = run(world, settings);
        let mut writes = run.writes_to(Kind::Nad).filter(|it| it.target == Target::nad(nad));
        return writes.find_map(|it| match &it.act {
            Act::Create(object) => Some(object.clone()),
            _ => None,
        });
    }
    let narrow =
        world.networks.keys().next().cloned().map(|it| Origin::Manifest(Manifest::Udn(it)));
    let wide = world.cluster_networks.keys().next().cloned();
    let origin = narrow.or(wide.map(|it| Origin::Manifest(Manifest::Cudn(it))))?;
    network::preview(world, &origin, nad, settings)
}

/// The manifest of the case in a labelled namespace, and the name of its NAD.
fn world(case: &Case) -> Result<(World, ObjectName), String> {
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
    if let Some(problem) = reading.problems.first() {
        return Err(format!("{problem:?}"));
    }
    let name = manifest["metadata"]["name"].as_str().unwrap();
    Ok((reading.world, ObjectName::new(namespace, name)))
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
