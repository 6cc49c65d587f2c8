//! The status of a pod: what the server makes agree in it, and what it checks.
//!
//! Reads and changes the status; returns errors in the server's words.
//! Invariant: the first of the addresses is the one address old clients read.

use std::net::IpAddr;

use kube_schema::{BadValue, ErrorKind, FieldError, Path, names, quoted};
use serde_json::{Value, json};

use crate::builtin::checks::{address, all};
use crate::builtin::fields::{has, items, text};

/// Conditions that the server knows itself.
const OWN: [&str; 3] = ["PodScheduled", "Ready", "Initialized"];

/// Makes `podIP` and `podIPs` say the same.
pub(super) fn agree(status: &mut Value) {
    let single = text(status, "/podIP").to_owned();
    let first = text(status, "/podIPs/0/ip").to_owned();
    if !single.is_empty() && single != first {
        status["podIPs"] = json!([{"ip": single}]);
    } else if single.is_empty() && !first.is_empty() {
        status["podIP"] = Value::from(first);
    }
}

pub(super) fn check(pod: &Value, _: &Value) -> Vec<FieldError> {
    let (status, at) = (&pod["status"], Path::of_fields(["status"]));
    let mut errors = Vec::new();
    for (place, condition) in items(status, "conditions").iter().enumerate() {
        let kind = text(condition, "/type");
        if !OWN.contains(&kind) {
            // compat: the server writes the name of its own field
            let at = at.field("conditions").index(place).field("Type");
            errors.extend(all(&at, kind, names::qualified(kind)));
        }
    }
    if has(status, "nominatedNodeName") {
        let name = text(status, "/nominatedNodeName");
        errors.extend(all(&at.field("nominatedNodeName"), name, names::subdomain(name)));
    }
    let host = items(status, "hostIPs");
    let single = text(status, "/hostIP");
    if host.first().is_some_and(|it| text(it, "/ip") != single) {
        let at = at.field("hostIPs").index(0).field("ip");
        errors.push(FieldError::invalid(at, text(&host[0], "/ip"), "must be equal to `hostIP`"));
    }
    for list in ["hostIPs", "podIPs"] {
        errors.extend(addresses(items(status, list), &at.field(list)));
    }
    errors
}

fn addresses(entries: &[Value], at: &Path) -> Vec<FieldError> {
    let given = || entries.iter().map(|it| text(it, "/ip"));
    let errors: Vec<FieldError> =
        given().enumerate().filter_map(|(place, ip)| address(ip, &at.index(place))).collect();
    if !errors.is_empty() {
        return errors;
    }
    let is_v4 = |ip: &str| ip.parse::<IpAddr>().is_ok_and(|ip| ip.is_ipv4());
    let fourth = given().filter(|ip| is_v4(ip)).count();
    if fourth <= 1 && entries.len() - fourth <= 1 {
        return errors;
    }
    let shown: Vec<String> = given().map(|ip| format!("{{\"IP\":{}}}", quoted(ip))).collect();
    let value = BadValue::Rendered(format!("[{}]", shown.join(",")));
    let why = "may specify no more than one IP for each IP family";
    vec![FieldError::new(ErrorKind::Invalid, at.clone(), value, why)]
}
