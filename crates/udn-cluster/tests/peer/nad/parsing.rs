//! NADs to networks.

use serde_json::{Value, json};
use udn_cluster::{World, translate};
use udn_model::{ClusterSettings, ObjectName, PerFamily, Subnet};
use udn_wire::addresses::parse_cluster_subnet;
use udn_wire::{NadConfig, keys};

use super::cases::Case;

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    // An old spelling of the role, in cases that ask about join subnets.
    let text = case
        .text("/input/config_text")
        .replace("\"primaryNetwork\": true", "\"role\": \"primary\"");
    let outcome = read(case, &text);
    let Some(parsed) = case.agree(outcome)? else { return Ok(()) };
    let mut want = case.at("/expected_parsed_config").clone();
    if want.is_null() {
        return Ok(());
    }
    // The ledger chooses what is not given.
    if !text.contains("transitSubnet") {
        want.as_object_mut().unwrap().remove("transitSubnet");
    }
    if parsed == want { Ok(()) } else { Err(format!("{parsed}\n  instead of {want}")) }
}

/// The configuration in the wire's words, if it makes a network.
fn read(case: &Case, text: &str) -> Result<Value, String> {
    let settings = settings();
    let name = ObjectName::parse(case.text("/input/nad")).unwrap();
    let config = match NadConfig::decode(text).map_err(|refusal| refusal.to_string())? {
        NadConfig::Foreign => return Err("not ours".to_owned()),
        NadConfig::DefaultNetwork => {
            let mut parsed: Value = serde_json::from_str(text).unwrap();
            parsed["name"] = "default".into();
            parsed["mtu"] = settings.mtu.get().into();
            return Ok(parsed);
        }
        NadConfig::Network(config) => config,
    };
    let told = translate::cluster(&world(&name, text), &settings);
    if let Some(finding) = told.findings.first() {
        return Err(finding.to_string());
    }
    let mut parsed: Value = serde_json::from_str(&config.encode()).unwrap();
    let mtu = told.value.networks.values().next().ok_or("no network")?.mtu;
    parsed["mtu"] = mtu.unwrap_or(settings.mtu).get().into();
    if !text.contains("cniVersion") {
        parsed.as_object_mut().unwrap().remove("cniVersion");
    }
    Ok(parsed)
}

fn world(name: &ObjectName, text: &str) -> World {
    let labels = json!({keys::PRIMARY_LABEL: ""});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": &*name.namespace, "labels": labels}});
    let nad = json!({"apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition", "spec": {"config": text},
        "metadata": {"name": &*name.name, "namespace": &*name.namespace}});
    let texts = [namespace.to_string(), nad.to_string()];
    World::read(texts.iter().map(|text| ("case", text.as_bytes()))).world
}

/// What those tests set.
fn settings() -> ClusterSettings {
    let subnet = |text| Subnet::parse(text).unwrap();
    ClusterSettings {
        cluster_subnets: ["10.128.0.0/14", "fe00::/16"]
            .map(|text| parse_cluster_subnet(text).unwrap())
            .to_vec(),
        service_subnets: vec![subnet("172.30.0.0/16"), subnet("fe01::/16")],
        masquerade: PerFamily {
            v4: Some(subnet("169.254.169.0/29")),
            v6: Some(subnet("fd69::/125")),
        },
        ..ClusterSettings::default()
    }
}
