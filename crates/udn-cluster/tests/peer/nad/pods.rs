//! Annotations of pods.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde_json::{Value, json};
use udn_cluster::translate::{self, ZonePlace};
use udn_cluster::{NadState, NadStates, World};
use udn_model::settings::Features;
use udn_model::{
    Attachment, ClusterSettings, Finding, MacAddress, NetworkName, NodeName, ObjectName, Reason,
    RequestedAddress, Severity,
};
use udn_wire::object::Node;
use udn_wire::{PodNetwork, PodNetworks, PodRole, PodRoute, keys, network_selection};

use super::cases::Case;

pub(crate) fn difference(case: &Case) -> Result<(), String> {
    match case.text("/operation") {
        "marshal" => write(case),
        "unmarshal" => read(case),
        "select-network-attachment" => select(case),
        other => Err(format!("unknown operation {other}")),
    }
}

fn write(case: &Case) -> Result<(), String> {
    let (network, mac) = (entry(case.at("/input/pod_annotation")), MacAddress::new([2; 6]));
    let outcome = network.check().map(|()| {
        let mut networks = PodNetworks::default();
        networks.put(case.text("/input/network"), &network);
        // Those entries have no MAC, which here no entry can lack.
        networks.encode().replace(&mac.to_string(), "")
    });
    let Some(text) = case.agree(outcome)? else { return Ok(()) };
    let want = case.at("/expected_annotations")[keys::POD_NETWORKS].as_str().unwrap();
    if text == want { Ok(()) } else { Err(format!("{text}\n  instead of {want}")) }
}

fn entry(given: &Value) -> PodNetwork {
    let list = |key: &str| given[key].as_array().cloned().unwrap_or_default();
    let parse = |text: &Value| text.as_str().unwrap().to_owned();
    let route = |route: &Value| PodRoute {
        destination: parse(&route["dest"]).parse().unwrap(),
        next_hop: route["next_hop"].as_str().map(|text| text.parse().unwrap()),
    };
    let roles = [PodRole::Primary, PodRole::Secondary, PodRole::InfrastructureLocked];
    PodNetwork {
        addresses: list("ips").iter().map(|text| parse(text).parse().unwrap()).collect(),
        mac: MacAddress::new([2; 6]),
        gateways: list("gateways").iter().map(|text| parse(text).parse().unwrap()).collect(),
        routes: list("routes").iter().map(route).collect(),
        link_local_gateway: given["gateway_ipv6_lla"].as_str().map(|text| text.parse().unwrap()),
        tunnel_id: None,
        role: roles.into_iter().find(|role| given["role"] == role.as_str()),
    }
}

fn read(case: &Case) -> Result<(), String> {
    let text = case.at("/input/annotations")[keys::POD_NETWORKS].as_str();
    let key = case.text("/input/nad_key");
    let decoded = text.ok_or("no annotation".to_owned()).and_then(|text| {
        let networks = PodNetworks::decode(text).map_err(|it| it.to_string())?;
        networks.entry(key).map_err(|it| it.to_string())?.ok_or("no entry".to_owned())
    });
    let Some(network) = case.agree(decoded)? else { return Ok(()) };
    let parsed = parsed(&network);
    let want = case.at("/expected_parsed");
    if parsed == *want { Ok(()) } else { Err(format!("{parsed}\n  instead of {want}")) }
}

/// The entry in the words of the cases.
fn parsed(network: &PodNetwork) -> Value {
    fn texts<T: Display>(things: &[T]) -> Value {
        things.iter().map(ToString::to_string).collect()
    }
    let route = |it: &PodRoute| {
        let next_hop = it.next_hop.map(|ip| ip.to_string());
        json!({"dest": it.destination.to_string(), "next_hop": next_hop})
    };
    let mut parsed = json!({
        "gateways": texts(&network.gateways),
        "gateway_ipv6_lla": network.link_local_gateway.map(|ip| ip.to_string()),
        "ips": texts(&network.addresses),
        "mac": network.mac.to_string(),
        "role": network.role.map(PodRole::as_str),
        "routes": network.routes.iter().map(route).collect::<Vec<_>>(),
    });
    let fields = parsed.as_object_mut().unwrap();
    fields.retain(|_, field| !field.is_null() && *field != json!([]));
    parsed
}

/// Through which NADs the pod is on the network, and what it asks for there.
fn select(case: &Case) -> Result<(), String> {
    let requested_addresses = case.at("/input/preconfigured_udn_addresses_enabled") == true;
    let features = Features { requested_addresses, ..Features::default() };
    let settings = ClusterSettings { features, ..ClusterSettings::default() };
    let world = selection_world(case);
    let nad_states = nad_states(&world, &settings);
    let told = match case.text("/input/network_config/topology") {
        // There it is the pod's own node that attaches it.
        "layer3" => {
            let name = NodeName::new("node");
            let node = translate::zone_node(&name, &Node::default()).value.unwrap().node;
            let nodes = BTreeMap::from([(name.clone(), node)]);
            let place = ZonePlace { node: Some(&name), nodes: &nodes, default: None };
            translate::zone_pods(&world, &nad_states, place, &settings)
        }
        _ => translate::pods(&world, &nad_states, &settings),
    };
    // That another network is not there is another matter.
    let stops = |it: &&Finding| match it.reason {
        Reason::DefinitionNotFound => false,
        Reason::Waiting => true,
        _ => it.severity() == Severity::Error,
    };
    let stopped = told.findings.iter().find(stops);
    let outcome = stopped.map_or(Ok(()), |finding| Err(finding.to_string()));
    if case.agree(outcome)?.is_none() {
        return Ok(());
    }
    let network = NetworkName::new(case.text("/input/network_config/name"));
    let mut elements = json!({});
    for attachment in told.value.attachments_of(&network) {
        elements[attachment.key.nad_key()] = element(attachment);
    }
    let want = case.at("/expected/network_selection_elements_by_nad");
    let is_same = elements == *want || (want.is_null() && elements == json!({}));
    if is_same { Ok(()) } else { Err(format!("{elements}\n  instead of {want}")) }
}

/// The attachment in the words of the cases.
fn element(attachment: &Attachment) -> Value {
    let ObjectName { namespace, name } = &attachment.key.nad;
    let mut element = json!({"name": &**name, "namespace": &**namespace});
    let address = |it: &RequestedAddress| format!("{}/{}", it.ip, it.prefix_len.unwrap());
    let addresses: Vec<String> = attachment.request.addresses.iter().map(address).collect();
    if !addresses.is_empty() {
        element["ips"] = addresses.into();
    }
    if let Some(mac) = attachment.request.mac {
        element["mac"] = mac.to_string().into();
    }
    if let Some(claim) = &attachment.claim {
        element["ipam-claim-reference"] = (*claim.name).into();
    }
    element
}

/// All NADs lead to their networks.
fn nad_states(world: &World, settings: &ClusterSettings) -> NadStates {
    let mut nad_states = NadStates::default();
    for network in translate::zone(world, settings).value.networks.values() {
        for nad in &network.nads {
            nad_states.at.insert(nad.clone(), NadState::Ready(network.clone()));
            if network.is_primary() {
                nad_states.primary.insert(nad.namespace.clone(), nad.clone());
            }
        }
    }
    nad_states
}

fn selection_world(case: &Case) -> World {
    let config = network_config(case.at("/input/network_config"));
    let own = config["netAttachDefName"].as_str().unwrap().to_owned();
    let more = case.at("/input/additional_primary_nads").as_array().cloned().unwrap_or_default();
    let names = more.iter().map(|name| name.as_str().unwrap().to_owned()).chain([own]);
    let mut pod = case.at("/input/pod").clone();
    pod["apiVersion"] = "v1".into();
    pod["kind"] = "Pod".into();
    pod["spec"]["nodeName"] = "node".into();
    let mut objects = claims(&pod, &config["name"]);
    objects.extend(names.map(|name| nad(&name, &config, 1)));
    let main = case.at("/input/primary_network_config_of_namespace");
    if !main.is_null() && main["name"] != config["name"] {
        let main = network_config(main);
        objects.push(nad(main["netAttachDefName"].as_str().unwrap(), &main, 2));
    }
    // Only a namespace with a main network has the label.
    let is_main = main["role"] == "primary";
    let labels = if is_main { json!({keys::PRIMARY_LABEL: ""}) } else { json!({}) };
    let homes = objects.iter().chain([&pod]).map(|it| it["metadata"]["namespace"].to_string());
    let homes: BTreeSet<String> = homes.collect();
    let namespaces = homes.iter().map(|name| {
        let name: Value = serde_json::from_str(name).unwrap();
        json!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": name, "labels": labels}})
    });
    let namespaces: Vec<Value> = namespaces.collect();
    objects.extend(namespaces.into_iter().chain([pod]));
    let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
    let reading = World::read(texts.iter().map(|text| ("case", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

/// The configuration as a network that may be: those tests do not look at subnets, which a primary
/// network needs, nor at keys that a layer-3 network may not have.
fn network_config(given: &Value) -> Value {
    let mut config = given.clone();
    config["type"] = "ovn-k8s-cni-overlay".into();
    config["subnets"] = "10.100.0.0/16".into();
    if config["topology"] == "layer3" {
        config.as_object_mut().unwrap().remove("allowPersistentIPs");
    }
    config
}

fn nad(name: &str, config: &Value, id: u16) -> Value {
    let (namespace, short) = name.split_once('/').unwrap();
    let mut config = config.clone();
    config["netAttachDefName"] = name.into();
    json!({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": short, "namespace": namespace,
            "annotations": {keys::NETWORK_ID: id.to_string()}},
        "spec": {"config": config.to_string()}})
}

/// The claims that the pod names: those tests do not look them up.
fn claims(pod: &Value, network: &Value) -> Vec<Value> {
    let namespace = &pod["metadata"]["namespace"];
    let annotations = &pod["metadata"]["annotations"];
    let named = annotations[keys::DEFAULT_SELECTION].as_str();
    let selection = network_selection::decode_default(named, "home").ok().flatten();
    let named = selection.and_then(|it| it.requests.unwrap().claim);
    let older = annotations[keys::PRIMARY_CLAIM].as_str().map(ToOwned::to_owned);
    let names: BTreeSet<String> = named.into_iter().chain(older).collect();
    let claim = |name| {
        json!({"apiVersion": "k8s.cni.cncf.io/v1alpha1", "kind": "IPAMClaim",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"network": network, "interface": ""}})
    };
    names.into_iter().map(claim).collect()
}
