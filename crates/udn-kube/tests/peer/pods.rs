//! Annotations of pods.

use std::fmt::Display;

use serde_json::{Value, json};
use udn_kube::{PodNetwork, PodNetworks, PodRole, PodRoute, World, keys, translate};
use udn_model::{ClusterSettings, MacAddress};

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

/// Which NADs the pod is attached through.
fn select(case: &Case) -> Result<(), String> {
    let world = selection_world(case);
    let told = translate::zone(&world, &ClusterSettings::default());
    let keys = told.value.attachments.values().flat_map(|it| it.keys());
    let keys: Vec<String> = keys.map(udn_model::AttachmentKey::definition_key).collect();
    let about_pod = told.findings.iter().find(|it| it.subject.to_string().starts_with("namespace"));
    let outcome = about_pod.map_or(Ok(keys), |finding| Err(finding.to_string()));
    let Some(keys) = case.agree(outcome)? else { return Ok(()) };
    let want = case.at("/expected/network_selection_elements_by_nad");
    let elements = want.as_object().into_iter().flatten();
    for (_, element) in elements.clone() {
        let fields: Vec<&String> = element.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["name", "namespace"], "{}: more is asked for", case.id);
    }
    let want: Vec<String> = elements.map(|(key, _)| key.clone()).collect();
    if keys == want { Ok(()) } else { Err(format!("{keys:?} instead of {want:?}")) }
}

fn selection_world(case: &Case) -> World {
    let mut config = case.at("/input/network_config").clone();
    config["type"] = "ovn-k8s-cni-overlay".into();
    // Those tests do not look at subnets, which a primary network needs.
    config["subnets"] = "10.100.0.0/16".into();
    let mut pod = case.at("/input/pod").clone();
    pod["apiVersion"] = "v1".into();
    pod["kind"] = "Pod".into();
    pod["spec"]["nodeName"] = "node".into();
    let annotations = pod["metadata"]["annotations"].as_object_mut();
    // Networks that are named but not there are told about the pod; that is another matter.
    annotations.map(|it| it.remove("k8s.v1.cni.cncf.io/networks"));
    let own = config["netAttachDefName"].as_str().unwrap().to_owned();
    let more = case.at("/input/additional_primary_nads").as_array().cloned().unwrap_or_default();
    let names = more.iter().map(|name| name.as_str().unwrap().to_owned()).chain([own]);
    let mut objects = vec![pod.clone()];
    for name in names {
        let (namespace, short) = name.split_once('/').unwrap();
        config["netAttachDefName"] = name.clone().into();
        objects.push(
            json!({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
            "metadata": {"name": short, "namespace": namespace,
                "annotations": {keys::NETWORK_ID: "1"}},
            "spec": {"config": config.to_string()}}),
        );
        objects.push(labelled(namespace));
    }
    let home = pod["metadata"]["namespace"].as_str().unwrap();
    if !objects.contains(&labelled(home)) {
        objects.push(labelled(home));
    }
    objects.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}}));
    let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
    let reading = World::read(texts.iter().map(|text| ("case", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn labelled(namespace: &str) -> Value {
    let labels = json!({keys::PRIMARY_LABEL: ""});
    json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": namespace, "labels": labels}})
}
