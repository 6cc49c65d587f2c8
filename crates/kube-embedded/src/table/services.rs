//! Rows of services and of what stands behind them.
//!
//! Reads an object; returns its cells.
//! Invariant: at most three endpoints are named.

use std::collections::BTreeSet;
use std::net::Ipv6Addr;

use serde_json::Value;

use super::age::Clock;
use super::columns::{AGE, Column, NAME, Printer, SELECTOR, text as column};
use super::read::{list, number, text, text_or};
use crate::selector::labels_text;

pub(super) const SERVICE: Printer = Printer::new(&SERVICE_COLUMNS, service);
pub(super) const ENDPOINTS: Printer = Printer::new(&ENDPOINTS_COLUMNS, endpoints);
pub(super) const ENDPOINT_SLICE: Printer = Printer::new(&SLICE_COLUMNS, endpoint_slice);

const SERVICE_COLUMNS: [Column; 7] = [
    NAME,
    column("Type", "How the service is reached."),
    column("Cluster-IP", "Its first address inside the cluster."),
    column("External-IP", "Its addresses outside the cluster."),
    column("Port(s)", "Its ports, with those of nodes after a colon."),
    AGE,
    SELECTOR,
];
const ENDPOINTS_COLUMNS: [Column; 3] =
    [NAME, column("Endpoints", "The first few addresses and ports behind the service."), AGE];
const SLICE_COLUMNS: [Column; 5] = [
    NAME,
    column("AddressType", "What kind of addresses the slice holds."),
    column("Ports", "The first few ports."),
    column("Endpoints", "The first few addresses."),
    AGE,
];
/// How many things are named before the rest is counted.
const SHOWN: usize = 3;

fn service(object: &Value, clock: &Clock) -> Vec<Value> {
    let ports: Vec<String> = list(object, "/spec/ports").iter().map(port).collect();
    vec![
        Value::from(text(object, "/metadata/name")),
        Value::from(text(object, "/spec/type")),
        Value::from(text_or(object, "/spec/clusterIPs/0", "<none>")),
        Value::from(external(object)),
        Value::from(if ports.is_empty() { "<none>".to_owned() } else { ports.join(",") }),
        clock.age(object),
        Value::from(labels_text(&object["spec"]["selector"])),
    ]
}

fn port(port: &Value) -> String {
    let (number, protocol) = (number(port, "/port"), text(port, "/protocol"));
    match port["nodePort"].as_i64() {
        Some(of_nodes) if of_nodes > 0 => format!("{number}:{of_nodes}/{protocol}"),
        _ => format!("{number}/{protocol}"),
    }
}

fn external(object: &Value) -> String {
    let own = list(object, "/spec/externalIPs").iter().filter_map(Value::as_str);
    let given: BTreeSet<&str> = match text(object, "/spec/type") {
        "ClusterIP" | "NodePort" => BTreeSet::new(),
        "LoadBalancer" => list(object, "/status/loadBalancer/ingress")
            .iter()
            .map(|ingress| text_or(ingress, "/ip", text(ingress, "/hostname")))
            .filter(|address| !address.is_empty())
            .collect(),
        "ExternalName" => return text(object, "/spec/externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    let all: Vec<&str> = given.into_iter().chain(own).collect();
    match (all.is_empty(), text(object, "/spec/type")) {
        (false, _) => all.join(","),
        (true, "LoadBalancer") => "<pending>".to_owned(),
        (true, _) => "<none>".to_owned(),
    }
}

fn endpoints(object: &Value, clock: &Clock) -> Vec<Value> {
    let subsets = list(object, "/subsets");
    let all: Vec<String> = subsets.iter().flat_map(subset).collect();
    let shown = if subsets.is_empty() { "<none>".to_owned() } else { some_of(&all) };
    vec![Value::from(text(object, "/metadata/name")), Value::from(shown), clock.age(object)]
}

/// Every port with every address; addresses alone where there are no ports.
fn subset(subset: &Value) -> Vec<String> {
    let addresses: Vec<&str> =
        list(subset, "/addresses").iter().map(|address| text(address, "/ip")).collect();
    let ports = list(subset, "/ports");
    if ports.is_empty() {
        return addresses.into_iter().map(str::to_owned).collect();
    }
    let with = |port: &Value| {
        let port = number(port, "/port");
        addresses.iter().map(move |address| match address.parse::<Ipv6Addr>() {
            Ok(_) => format!("[{address}]:{port}"),
            Err(_) => format!("{address}:{port}"),
        })
    };
    ports.iter().flat_map(with).collect()
}

fn endpoint_slice(object: &Value, clock: &Clock) -> Vec<Value> {
    let ports = list(object, "/ports").iter().map(|port| match port["port"].as_i64() {
        Some(number) => number.to_string(),
        None => port["name"].as_str().unwrap_or("*").to_owned(),
    });
    let endpoints = list(object, "/endpoints").iter();
    let addresses = endpoints.flat_map(|endpoint| list(endpoint, "/addresses"));
    let addresses: Vec<String> =
        addresses.map(|address| address.as_str().unwrap_or_default().to_owned()).collect();
    vec![
        Value::from(text(object, "/metadata/name")),
        Value::from(text(object, "/addressType")),
        Value::from(unset_if_none(&ports.collect::<Vec<_>>())),
        Value::from(unset_if_none(&addresses)),
        clock.age(object),
    ]
}

fn unset_if_none(all: &[String]) -> String {
    Some(some_of(all)).filter(|text| !text.is_empty()).unwrap_or_else(|| "<unset>".to_owned())
}

fn some_of(all: &[String]) -> String {
    match all.get(..SHOWN) {
        Some(shown) if all.len() > SHOWN => {
            format!("{} + {} more...", shown.join(","), all.len() - SHOWN)
        }
        _ => all.join(","),
    }
}
