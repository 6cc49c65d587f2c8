//! Checks services.
//!
//! Reads a service, and the old one of an update; returns errors in the server's words and order.
//! Invariant: what the server refuses for another reason than these is accepted here.

use std::collections::BTreeSet;

use kube_schema::selector::check_labels;
use kube_schema::{BadValue, ErrorKind, FieldError, Path, quoted};
use serde_json::Value;

use crate::builtin::checks::{self, label, one_of, port, port_or_name};
use crate::builtin::fields::{has, items, text};

const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(super) fn check(service: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let (spec, at) = (&service["spec"], Path::of_fields(["spec"]));
    let mut errors = addresses(spec, &at);
    if !errors.is_empty() {
        // compat: addresses are looked at before everything else
        return errors;
    }
    let kind = text(spec, "/type");
    let is_headless = text(spec, "/clusterIP") == "None";
    if items(spec, "ports").is_empty() && !is_headless && kind != "ExternalName" {
        errors.push(FieldError::required(at.field("ports"), ""));
    }
    if kind == "ExternalName" {
        errors.extend(external(spec, &at));
    }
    errors.extend(ports(spec, &at.field("ports")));
    errors.extend(check_labels(&spec["selector"], &at.field("selector")));
    let affinity = text(spec, "/sessionAffinity");
    errors.extend(one_of(affinity, &["ClientIP", "None"], at.field("sessionAffinity")));
    errors.extend(outside(spec, &at));
    errors.extend(families(spec, &at));
    errors.extend(one_of(kind, TYPES, at.field("type")));
    errors.extend(repeated(spec, &at.field("ports")));
    if let Some(old) = old {
        errors.extend(kept_address(spec, &old["spec"], &at));
    }
    errors
}

/// Checks what an update through `status` says of the load balancer.
pub(super) fn check_status(service: &Value, _: &Value) -> Vec<FieldError> {
    let balancer = &service["status"]["loadBalancer"];
    let at = Path::of_fields(["status", "loadBalancer", "ingress"]);
    let entries = items(balancer, "ingress");
    let mut errors = Vec::new();
    if !entries.is_empty() && text(service, "/spec/type") != "LoadBalancer" {
        let why = r#"may only be used when `spec.type` is "LoadBalancer""#;
        errors.push(FieldError::forbidden(at.clone(), why));
    }
    for (place, entry) in entries.iter().enumerate() {
        let at = at.index(place);
        let (ip, hostname) = (text(entry, "/ip"), text(entry, "/hostname"));
        if !ip.is_empty() {
            errors.extend(checks::address(ip, &at.field("ip")));
        }
        if !hostname.is_empty() {
            errors.extend(checks::subdomain(hostname, &at.field("hostname")));
            if hostname.parse::<std::net::IpAddr>().is_ok() {
                let why = "must be a DNS name, not an IP address";
                errors.push(FieldError::invalid(at.field("hostname"), hostname, why));
            }
        }
    }
    errors
}

fn external(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let address = text(spec, "/clusterIP");
    if !address.is_empty() {
        let why = "may not be set for ExternalName services";
        errors.push(FieldError::forbidden(at.field("clusterIPs"), why));
    }
    let name = text(spec, "/externalName").trim_end_matches('.');
    match name {
        "" => errors.push(FieldError::required(at.field("externalName"), "")),
        _ => errors.extend(checks::subdomain(name, &at.field("externalName"))),
    }
    errors
}

fn ports(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let entries = items(spec, "ports");
    let mut names = BTreeSet::new();
    for (place, entry) in entries.iter().enumerate() {
        let at = at.index(place);
        match text(entry, "/name") {
            "" if entries.len() > 1 => errors.push(FieldError::required(at.field("name"), "")),
            "" => {}
            name => {
                errors.extend(label(name, &at.field("name")));
                if !names.insert(name) {
                    errors.push(FieldError::duplicate(at.field("name"), name));
                }
            }
        }
        errors.extend(port(entry["port"].as_i64().unwrap_or(0), at.field("port")));
        let protocol = text(entry, "/protocol");
        errors.extend(one_of(protocol, checks::PROTOCOLS, at.field("protocol")));
        errors.extend(port_or_name(&entry["targetPort"], &at.field("targetPort")));
    }
    errors
}

fn addresses(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, address) in items(spec, "clusterIPs").iter().enumerate() {
        let address = address.as_str().unwrap_or("");
        if address != "None" {
            errors.extend(checks::address(address, &at.field("clusterIPs").index(place)));
        }
    }
    let kind = text(spec, "/type");
    if text(spec, "/clusterIP") == "None" && ["NodePort", "LoadBalancer"].contains(&kind) {
        let why = format!("may not be set to 'None' for {kind} services");
        errors.push(FieldError::invalid(at.field("clusterIPs").index(0), "None", why));
    }
    if text(spec, "/clusterIP").is_empty() && !items(spec, "clusterIPs").is_empty() {
        let why = "must be empty when `clusterIP` is not specified";
        let value = spec["clusterIPs"].clone();
        errors.push(FieldError::invalid(at.field("clusterIPs"), value, why));
    }
    errors
}

fn families(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let families = at.field("ipFamilies");
    for (place, family) in items(spec, "ipFamilies").iter().enumerate() {
        let family = family.as_str().unwrap_or("");
        errors.extend(one_of(family, &["IPv4", "IPv6"], families.index(place)));
    }
    let (all, policy) = (items(spec, "ipFamilies"), at.field("ipFamilyPolicy"));
    match all {
        [first, second] if first == second => {
            errors.push(FieldError::duplicate(families.index(1), second.clone()));
        }
        [_, _] if text(spec, "/ipFamilyPolicy") == "SingleStack" => {
            let why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families \
                       are specified";
            errors.push(FieldError::invalid(policy, "SingleStack", why));
        }
        _ => {}
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    if has(spec, "ipFamilyPolicy") {
        let policy = text(spec, "/ipFamilyPolicy");
        errors.extend(one_of(policy, &policies, at.field("ipFamilyPolicy")));
    }
    errors
}

/// What a service is outside of the cluster.
fn outside(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, address) in items(spec, "externalIPs").iter().enumerate() {
        let (at, address) = (at.field("externalIPs").index(place), address.as_str().unwrap_or(""));
        errors.extend(checks::address(address, &at));
        errors.extend(checks::endpoint_address(address, &at));
    }
    let kind = text(spec, "/type");
    if !["NodePort", "LoadBalancer"].contains(&kind) {
        for (place, _) in
            items(spec, "ports").iter().enumerate().filter(|(_, port)| has(port, "nodePort"))
        {
            let at = at.field("ports").index(place).field("nodePort");
            let why = format!("may not be used when `type` is '{kind}'");
            errors.push(FieldError::forbidden(at, why));
        }
    }
    if has(spec, "internalTrafficPolicy") {
        let policy = text(spec, "/internalTrafficPolicy");
        let at = at.field("internalTrafficPolicy");
        errors.extend(one_of(policy, &["Cluster", "Local"], at));
    }
    errors
}

/// Two ports may not share number and protocol.
fn repeated(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for (place, entry) in items(spec, "ports").iter().enumerate() {
        let (number, protocol) = (entry["port"].as_i64().unwrap_or(0), text(entry, "/protocol"));
        if !seen.insert((number, protocol)) {
            let value = format!(
                "{{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{number},\
                 \"TargetPort\":0,\"NodePort\":0}}",
                quoted(protocol)
            );
            let value = BadValue::Rendered(value);
            errors.push(FieldError::new(ErrorKind::Duplicate, at.index(place), value, ""));
        }
    }
    errors
}

/// An address that was given may be taken back only by a change of type.
fn kept_address(spec: &Value, old: &Value, at: &Path) -> Vec<FieldError> {
    let is_external = |spec: &Value| text(spec, "/type") == "ExternalName";
    if is_external(spec) || is_external(old) || text(old, "/clusterIP").is_empty() {
        return Vec::new();
    }
    if spec["clusterIP"] == old["clusterIP"] {
        return Vec::new();
    }
    let value = spec["clusterIPs"].clone();
    let why = "may not change once set";
    vec![FieldError::invalid(at.field("clusterIPs").index(0), value, why)]
}
