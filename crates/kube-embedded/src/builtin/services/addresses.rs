//! Gives services their addresses.
//!
//! Reads a service and what addresses are used; sets addresses and families.
//! Invariant: an address that a service has is never changed here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kube_schema::{FieldError, Path};
use serde_json::{Value, json};

use crate::builtin::fields::{has, items, items_mut, text};

/// The first address of 10.96.0.0/16.
const V4_BASE: u32 = 0x0a60_0000;
const V4_COUNT: u32 = 1 << 16;
/// The first address of fd00:10:96::/112.
const V6_BASE: u128 = 0xfd00_0010_0096_0000_0000_0000_0000_0000;
const V6_COUNT: u32 = 1 << 16;

/// The first port of nodes that services may have, and how many there are.
const FIRST: u16 = 30000;
const COUNT: u16 = 2768;

/// Of which families services may have addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stack {
    #[default]
    Single,
    Dual,
}

/// Makes `clusterIPs` hold what `clusterIP` says.
pub(super) fn agree(spec: &mut Value) {
    let single = text(spec, "/clusterIP").to_owned();
    if !single.is_empty() && items(spec, "clusterIPs").is_empty() {
        spec["clusterIPs"] = json!([single]);
    }
}

/// Picks the addresses a service still lacks, looking from `start` on.
pub(crate) fn cluster_ip(
    service: &mut Value,
    stack: Stack,
    is_used: &dyn Fn(&str) -> bool,
    start: u32,
) -> Result<(), FieldError> {
    let spec = &mut service["spec"];
    if !spec.is_object() || spec["type"] == "ExternalName" {
        return Ok(());
    }
    agree(spec);
    families(spec, stack)?;
    if text(spec, "/clusterIP") == "None" {
        return Ok(());
    }
    check_given(spec, is_used)?;
    let families: Vec<String> =
        items(spec, "ipFamilies").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut addresses = items(spec, "clusterIPs").to_vec();
    for family in families.iter().skip(addresses.len()) {
        if let Some(address) = pick(family, is_used, start) {
            addresses.push(Value::from(address));
        }
    }
    if let Some(first) = addresses.first() {
        spec["clusterIP"] = first.clone();
        spec["clusterIPs"] = Value::from(addresses);
    }
    Ok(())
}

/// An address that a service asks for must be one of ours, and free.
fn check_given(spec: &Value, is_used: &dyn Fn(&str) -> bool) -> Result<(), FieldError> {
    for given in items(spec, "clusterIPs").iter().filter_map(Value::as_str) {
        let is_ours = match given.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => u32::from(address).wrapping_sub(V4_BASE) < V4_COUNT,
            Ok(IpAddr::V6(address)) => {
                u128::from(address).wrapping_sub(V6_BASE) < u128::from(V6_COUNT)
            }
            Err(_) => false,
        };
        let why = match is_ours {
            false => "the provided network does not match the current range",
            true if is_used(given) => "provided IP is already allocated",
            true => continue,
        };
        let why = format!("failed to allocate IP {given}: {why}");
        let at = Path::of_fields(["spec", "clusterIPs"]);
        return Err(FieldError::invalid(at, spec["clusterIPs"].clone(), why));
    }
    Ok(())
}

/// Picks the ports of nodes that a service still lacks, looking from `start` on.
pub(crate) fn node_ports(
    service: &mut Value,
    is_used: &dyn Fn(u16) -> bool,
    start: u16,
) -> Result<(), FieldError> {
    let spec = &mut service["spec"];
    let wants = match text(spec, "/type") {
        "NodePort" => true,
        "LoadBalancer" => spec["allocateLoadBalancerNodePorts"] != false,
        _ => false,
    };
    check_ports(spec, is_used)?;
    if !wants {
        return Ok(());
    }
    let mut taken: Vec<u16> = items(spec, "ports")
        .iter()
        .filter_map(|port| u16::try_from(port["nodePort"].as_i64()?).ok())
        .collect();
    for port in items_mut(spec, "ports").iter_mut().filter(|port| !has(port, "nodePort")) {
        let mut ports = (0..COUNT).map(|step| FIRST + (start % COUNT + step) % COUNT);
        if let Some(free) = ports.find(|it| !taken.contains(it) && !is_used(*it)) {
            taken.push(free);
            port["nodePort"] = Value::from(free);
        }
    }
    Ok(())
}

/// A port of nodes that a service asks for must be one of ours, and free.
fn check_ports(spec: &Value, is_used: &dyn Fn(u16) -> bool) -> Result<(), FieldError> {
    let last = FIRST + COUNT - 1;
    let given = items(spec, "ports").iter().enumerate();
    for (place, port) in given.filter(|(_, port)| has(port, "nodePort")) {
        let number = u16::try_from(port["nodePort"].as_i64().unwrap_or(0)).unwrap_or(0);
        let why = match number {
            _ if !(FIRST..=last).contains(&number) => format!(
                "provided port is not in the valid range. The range of valid ports is {FIRST}-{last}"
            ),
            _ if is_used(number) => "provided port is already allocated".to_owned(),
            _ => continue,
        };
        let at = Path::of_fields(["spec", "ports"]).index(place).field("nodePort");
        return Err(FieldError::invalid(at, port["nodePort"].clone(), why));
    }
    Ok(())
}

/// Sets families and their policy where the service does not.
fn families(spec: &mut Value, stack: Stack) -> Result<(), FieldError> {
    let family = |text: &str| match text.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => Some("IPv4"),
        Ok(IpAddr::V6(_)) => Some("IPv6"),
        Err(_) => None,
    };
    let given = items(spec, "clusterIPs").iter().filter_map(Value::as_str);
    let mut wanted: Vec<String> =
        items(spec, "ipFamilies").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    for own in given.filter_map(family).skip(wanted.len()).collect::<Vec<_>>() {
        wanted.push(own.to_owned());
    }
    // compat: a headless service that selects nothing may be of any family
    let is_free = text(spec, "/clusterIP") == "None" && items_of(spec, "selector") == 0;
    let is_single = stack == Stack::Single;
    if is_single && !is_free {
        check_single(spec, &wanted)?;
    }
    if !has(spec, "ipFamilyPolicy") {
        let policy = match (wanted.len(), is_free) {
            (2, _) => "RequireDualStack",
            (0, true) => "RequireDualStack",
            (_, _) => "SingleStack",
        };
        spec["ipFamilyPolicy"] = Value::from(policy);
    }
    if wanted.is_empty() {
        wanted.push("IPv4".to_owned());
    }
    let is_dual = spec["ipFamilyPolicy"] != "SingleStack" && (!is_single || is_free);
    if is_dual && wanted.len() == 1 {
        let other = if wanted[0] == "IPv4" { "IPv6" } else { "IPv4" };
        wanted.push(other.to_owned());
    }
    spec["ipFamilies"] = Value::from(wanted);
    Ok(())
}

/// Where addresses are of one family, a service may not ask for the other.
fn check_single(spec: &Value, wanted: &[String]) -> Result<(), FieldError> {
    let at = Path::of_fields(["spec"]);
    if spec["ipFamilyPolicy"] == "RequireDualStack" {
        let why = "this cluster is not configured for dual-stack services";
        return Err(FieldError::invalid(at.field("ipFamilyPolicy"), "RequireDualStack", why));
    }
    let given = items(spec, "ipFamilies").len();
    if given > 1 && !has(spec, "ipFamilyPolicy") {
        let why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are \
                   specified";
        return Err(FieldError::invalid(at.field("ipFamilyPolicy"), "SingleStack", why));
    }
    let Some(place) = wanted.iter().position(|family| family == "IPv6") else {
        return Ok(());
    };
    Err(match place < given {
        true => {
            let at = at.field("ipFamilies").index(place);
            FieldError::invalid(at, "IPv6", "not configured on this cluster")
        }
        false => {
            let at = at.field("clusterIPs").index(place);
            let value = spec["clusterIPs"].clone();
            FieldError::invalid(at, value, "IPv6 is not configured on this cluster")
        }
    })
}

fn items_of(spec: &Value, name: &str) -> usize {
    spec.get(name).and_then(Value::as_object).map_or(0, serde_json::Map::len)
}

/// The first free address of a family; neither the network's own nor the last one.
fn pick(family: &str, is_used: &dyn Fn(&str) -> bool, start: u32) -> Option<String> {
    let count = if family == "IPv6" { V6_COUNT } else { V4_COUNT };
    let address = |offset: u32| match family {
        "IPv6" => Ipv6Addr::from(V6_BASE + u128::from(offset)).to_string(),
        _ => Ipv4Addr::from(V4_BASE + offset).to_string(),
    };
    let usable = count - 2;
    (0..usable).map(|step| address(1 + (start % usable + step) % usable)).find(|it| !is_used(it))
}
