//! Endpoints and endpoint slices.
//!
//! Reads and changes them.
//! Invariant: a slice never changes the family of its addresses.

use std::collections::BTreeSet;
use std::net::IpAddr;

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::Strategy;
use super::checks::{self, PROTOCOLS, label, one_of, port};
use super::fields::{fill, fill_absent, has, items, items_mut, text};

pub(super) const ENDPOINTS: Strategy = Strategy {
    default: |endpoints| {
        for subset in items_mut(endpoints, "subsets") {
            items_mut(subset, "ports").iter_mut().for_each(|port| fill(port, "protocol", "TCP"));
        }
    },
    validate: |endpoints, _| check_endpoints(endpoints),
    creates_on_update: true,
    ..Strategy::PLAIN
};

pub(super) const SLICE: Strategy = Strategy {
    default: |slice| {
        for port in items_mut(slice, "ports") {
            fill_absent(port, "name", "");
            fill(port, "protocol", "TCP");
        }
    },
    validate: check_slice,
    has_generation: true,
    counts_labels: true,
    ..Strategy::PLAIN
};

fn check_endpoints(endpoints: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, subset) in items(endpoints, "subsets").iter().enumerate() {
        let at = Path::of_fields(["subsets"]).index(place);
        let lists = ["addresses", "notReadyAddresses"];
        if lists.iter().all(|list| items(subset, list).is_empty()) {
            let why = "must specify `addresses` or `notReadyAddresses`";
            errors.push(FieldError::required(at.clone(), why));
        }
        for list in lists {
            for (place, address) in items(subset, list).iter().enumerate() {
                let at = at.field(list).index(place);
                errors.extend(endpoint(address, &at));
            }
        }
        errors.extend(subset_ports(subset, &at.field("ports")));
    }
    errors
}

fn endpoint(address: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (ip, hostname) = (text(address, "/ip"), text(address, "/hostname"));
    let at_ip = at.field("ip");
    match checks::address(ip, &at_ip) {
        Some(error) => {
            let why = "must be a valid IP address";
            errors.extend([error, FieldError::invalid(at_ip, ip, why)]);
        }
        None => errors.extend(checks::endpoint_address(ip, &at_ip)),
    }
    if !hostname.is_empty() {
        errors.extend(label(hostname, &at.field("hostname")));
    }
    errors
}

fn subset_ports(subset: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let ports = items(subset, "ports");
    for (place, entry) in ports.iter().enumerate() {
        let at = at.index(place);
        match text(entry, "/name") {
            "" if ports.len() > 1 => errors.push(FieldError::required(at.field("name"), "")),
            "" => {}
            name => errors.extend(label(name, &at.field("name"))),
        }
        errors.extend(port(entry["port"].as_i64().unwrap_or(0), at.field("port")));
        errors.extend(one_of(text(entry, "/protocol"), PROTOCOLS, at.field("protocol")));
    }
    errors
}

fn check_slice(slice: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["addressType"]);
    if let Some(old) = old
        && slice["addressType"] != old["addressType"]
    {
        errors.extend(checks::immutable(&slice["addressType"], &old["addressType"], at));
        return errors;
    }
    let family = text(slice, "/addressType");
    if family.is_empty() {
        errors.push(FieldError::required(at, ""));
        return errors;
    }
    errors.extend(one_of(family, &["FQDN", "IPv4", "IPv6"], at));
    errors.extend(slice_ports(slice));
    for (place, endpoint) in items(slice, "endpoints").iter().enumerate() {
        let at = Path::of_fields(["endpoints"]).index(place);
        errors.extend(slice_endpoint(endpoint, family, &at));
    }
    errors
}

fn slice_ports(slice: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = BTreeSet::new();
    for (place, entry) in items(slice, "ports").iter().enumerate() {
        let at = Path::of_fields(["ports"]).index(place);
        let name = text(entry, "/name");
        if !name.is_empty() {
            errors.extend(label(name, &at.field("name")));
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(at.field("name"), name));
        }
        errors.extend(one_of(text(entry, "/protocol"), PROTOCOLS, at.field("protocol")));
    }
    errors
}

fn slice_endpoint(endpoint: &Value, family: &str, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let addresses = at.field("addresses");
    match items(endpoint, "addresses").len() {
        0 => {
            let why = "must contain at least 1 address";
            errors.push(FieldError::required(addresses.clone(), why));
        }
        count @ 101.. => {
            errors.push(FieldError::too_many(addresses.clone(), count as i64, 100));
        }
        _ => {}
    }
    for (place, address) in items(endpoint, "addresses").iter().enumerate() {
        let at = addresses.index(place);
        errors.extend(slice_address(address.as_str().unwrap_or(""), family, &addresses, &at));
    }
    if has(endpoint, "hostname") {
        errors.extend(label(text(endpoint, "/hostname"), &at.field("hostname")));
    }
    errors
}

fn slice_address(address: &str, family: &str, list: &Path, at: &Path) -> Vec<FieldError> {
    if family == "FQDN" {
        return checks::subdomain(address, at);
    }
    if let Some(error) = checks::address(address, at) {
        return vec![error];
    }
    let is_v4 = matches!(address.parse(), Ok(IpAddr::V4(_)));
    let mut errors = Vec::new();
    if (family == "IPv4") != is_v4 {
        let why = format!("must be an {family} address");
        errors.push(FieldError::invalid(list.clone(), address, why));
    }
    errors.extend(checks::endpoint_address(address, at));
    errors
}
