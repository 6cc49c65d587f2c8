//! Services: what the server fills in, keeps and checks.
//!
//! Reads and changes services; their addresses are picked in [`addresses`].
//! Invariant: filling in twice changes nothing.

pub(super) mod addresses;
mod validate;

use kube_schema::NameRule;
use serde_json::{Value, json};

use super::Strategy;
use super::fields::{below, fill, fill_absent, has, items, items_mut, remove, text};
use super::pipeline::keep;

pub(super) const SERVICE: Strategy = Strategy {
    default,
    prepare_update,
    validate: validate::check,
    validate_status: validate::check_status,
    warn,
    selectable: &["spec.clusterIP", "spec.type"],
    names: NameRule::OldLabel,
    creates_on_update: true,
    ..Strategy::PLAIN
};

fn default(service: &mut Value) {
    let spec = below(service, "spec");
    fill(spec, "sessionAffinity", "None");
    fill(spec, "type", "ClusterIP");
    if spec["sessionAffinity"] == "None" {
        remove(spec, "sessionAffinityConfig");
    }
    if spec["sessionAffinity"] == "ClientIP" {
        let config = below(below(spec, "sessionAffinityConfig"), "clientIP");
        fill_absent(config, "timeoutSeconds", 10800);
    }
    for port in items_mut(spec, "ports") {
        fill(port, "protocol", "TCP");
        if port["targetPort"] == 0 || port["targetPort"] == "" || port["targetPort"].is_null() {
            port["targetPort"] = port["port"].clone();
        }
    }
    let kind = text(spec, "/type").to_owned();
    if ["NodePort", "LoadBalancer"].contains(&kind.as_str()) {
        fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        fill_absent(spec, "allocateLoadBalancerNodePorts", true);
    }
    if ["ClusterIP", "NodePort", "LoadBalancer"].contains(&kind.as_str()) {
        fill_absent(spec, "internalTrafficPolicy", "Cluster");
    }
    let balancer = below(below(service, "status"), "loadBalancer");
    for entry in items_mut(balancer, "ingress") {
        if kind == "LoadBalancer" && has(entry, "ip") {
            fill(entry, "ipMode", "VIP");
        }
    }
    addresses::agree(&mut service["spec"]);
}

fn warn(service: &Value) -> Vec<String> {
    let spec = &service["spec"];
    let is_idle = has_address(spec) && !text(spec, "/externalName").is_empty();
    let why = r#"spec.externalName is ignored when spec.type is not "ExternalName""#;
    is_idle.then(|| why.to_owned()).into_iter().collect()
}

/// Keeps what was picked where an update leaves it out, and drops what another type has not.
fn prepare_update(service: &mut Value, old: &Value) {
    let spec = below(service, "spec");
    let old = &old["spec"];
    keep_addresses(spec, old);
    keep_node_ports(spec, old);
    drop_of_type(spec, old);
    if spec["type"] != "LoadBalancer" {
        service["status"]["loadBalancer"] = json!({});
    }
}

fn keep_addresses(spec: &mut Value, old: &Value) {
    if !has_address(spec) || !has_address(old) {
        return;
    }
    if text(spec, "/clusterIP").is_empty() && items(spec, "clusterIPs").is_empty() {
        for name in ["clusterIP", "clusterIPs"] {
            keep(spec, old, name);
        }
    }
    // One address of several stands for all of them.
    let first = items(spec, "clusterIPs").to_vec();
    if first.len() == 1 && first.first() == items(old, "clusterIPs").first() {
        keep(spec, old, "clusterIPs");
    }
    for name in ["ipFamilies", "ipFamilyPolicy"] {
        if !has(spec, name) {
            keep(spec, old, name);
        }
    }
    // A service that becomes one of a single family gives up the second address.
    if spec["ipFamilyPolicy"] == "SingleStack" && old["ipFamilyPolicy"] != "SingleStack" {
        for name in ["ipFamilies", "clusterIPs"] {
            if let Some(list) = spec.get_mut(name).and_then(Value::as_array_mut) {
                list.truncate(1);
            }
        }
    }
}

fn keep_node_ports(spec: &mut Value, old: &Value) {
    if !has_node_ports(spec) || !has_node_ports(old) {
        return;
    }
    let before = items(old, "ports").to_vec();
    for port in items_mut(spec, "ports") {
        let same = before
            .iter()
            .find(|it| it["port"] == port["port"] && it["protocol"] == port["protocol"]);
        if let Some(node_port) = same.and_then(|it| it.get("nodePort")) {
            fill_absent(port, "nodePort", node_port.clone());
        }
    }
}

/// Drops what only the old type needs, if the update did not change it.
fn drop_of_type(spec: &mut Value, old: &Value) {
    let mut gone = Vec::new();
    if has_address(old) && !has_address(spec) {
        gone.extend(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]);
        gone.push("internalTrafficPolicy");
    }
    if has_node_ports(old) && !has_node_ports(spec) {
        gone.extend(["externalTrafficPolicy", "healthCheckNodePort"]);
        let before: Vec<Value> =
            items(old, "ports").iter().map(|port| port["nodePort"].clone()).collect();
        for port in items_mut(spec, "ports") {
            if before.contains(&port["nodePort"]) {
                remove(port, "nodePort");
            }
        }
    }
    if old["type"] == "LoadBalancer" && spec["type"] != "LoadBalancer" {
        gone.extend(["allocateLoadBalancerNodePorts", "loadBalancerClass"]);
    }
    for name in gone {
        if spec.get(name) == old.get(name) {
            remove(spec, name);
        }
    }
}

fn has_address(spec: &Value) -> bool {
    spec["type"] != "ExternalName"
}

fn has_node_ports(spec: &Value) -> bool {
    spec["type"] == "NodePort" || spec["type"] == "LoadBalancer"
}
