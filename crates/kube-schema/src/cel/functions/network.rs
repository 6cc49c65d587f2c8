//! IP addresses and CIDRs, as Kubernetes' libraries have them.
//!
//! Reads texts and addresses; returns addresses and verdicts.
//! Invariant: zones and IPv4 addresses written as IPv6 are refused, as on the server.

mod problem;

use std::net::IpAddr;

use strict_net::{IpNet, parse_cidr, parse_ip};

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::Value;

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "ip" => ip,
        "cidr" => cidr,
        "isIP" => |call| text(call, |text| Ok(Value::Bool(address(text).is_ok()))),
        "isCIDR" => |call| text(call, |text| Ok(Value::Bool(network(text).is_ok()))),
        "ip.isCanonical" => {
            |call| text(call, |text| Ok(Value::Bool(address(text)?.to_string() == text)))
        }
        "family" => |call| of_ip(call, |ip| Value::Int(if ip.is_ipv4() { 4 } else { 6 })),
        "isUnspecified" => |call| of_ip(call, |ip| Value::Bool(ip.is_unspecified())),
        "isLoopback" => |call| of_ip(call, |ip| Value::Bool(ip.is_loopback())),
        "isLinkLocalMulticast" => |call| of_ip(call, |ip| Value::Bool(is_link_local_multicast(ip))),
        "isLinkLocalUnicast" => |call| of_ip(call, |ip| Value::Bool(is_link_local(ip))),
        "isGlobalUnicast" => |call| of_ip(call, |ip| Value::Bool(is_global_unicast(ip))),
        "prefixLength" => {
            |call| of_cidr(call, |network| Value::Int(i64::from(network.prefix_len())))
        }
        "masked" => |call| of_cidr(call, |network| Value::Cidr(network.trunc())),
        "containsIP" => contains_ip,
        "containsCIDR" => contains_cidr,
        _ => return None,
    })
}

fn text(call: &Call<'_>, read: fn(&str) -> Result<Value, Error>) -> Outcome {
    match call.args {
        [Value::String(text)] => Ok(read(text)?),
        _ => Err(Failure::Mismatch),
    }
}

fn of_ip(call: &Call<'_>, read: fn(IpAddr) -> Value) -> Outcome {
    match call.args {
        [Value::Ip(ip)] => Ok(read(*ip)),
        _ => Err(Failure::Mismatch),
    }
}

fn of_cidr(call: &Call<'_>, read: fn(IpNet) -> Value) -> Outcome {
    match call.args {
        [Value::Cidr(network)] => Ok(read(*network)),
        _ => Err(Failure::Mismatch),
    }
}

fn ip(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text)] => Ok(Value::Ip(address(text)?)),
        [Value::Cidr(network)] => Ok(Value::Ip(network.addr())),
        _ => Err(Failure::Mismatch),
    }
}

fn cidr(call: &Call<'_>) -> Outcome {
    text(call, |text| network(text).map(Value::Cidr))
}

/// compat: apiserver/pkg/cel/library/ip.go, parseIPAddr
fn address(text: &str) -> Result<IpAddr, Error> {
    match parse_ip(text) {
        Ok(ip) if is_mapped(ip) => Err(mapped(text)),
        Ok(ip) => Ok(ip),
        Err(_) => Err(Error::new(problem::of_address(text))),
    }
}

/// compat: apiserver/pkg/cel/library/cidr.go, parseCIDR; the server says twice what it was doing
fn network(text: &str) -> Result<IpNet, Error> {
    const DOING: &str = "network address parse error during conversion from string";
    match parse_cidr(text) {
        Ok(network) if is_mapped(network.addr()) => {
            Err(Error::new(format!("{DOING}: {}", mapped(text))))
        }
        Ok(network) => Ok(network),
        Err(_) => Err(Error::new(format!("{DOING}: {DOING}: {}", problem::of_network(text)))),
    }
}

fn is_mapped(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some())
}

fn mapped(text: &str) -> Error {
    let quoted = crate::go_text::quoted(text);
    Error::new(format!("IPv4-mapped IPv6 address {quoted} is not allowed"))
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

fn is_link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }
}

/// compat: Go's netip, private addresses included
fn is_global_unicast(ip: IpAddr) -> bool {
    let is_broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !is_broadcast
        && !ip.is_unspecified()
        && !ip.is_loopback()
        && !ip.is_multicast()
        && !is_link_local(ip)
}

fn contains_ip(call: &Call<'_>) -> Outcome {
    let (network, ip) = match call.args {
        // compat: cidr.go, cidrContainsIP says nothing of what is wrong with the text
        [Value::Cidr(network), Value::String(text)] => {
            (network, address(text).map_err(|_| Error::no_such_overload())?)
        }
        [Value::Cidr(network), Value::Ip(ip)] => (network, *ip),
        _ => return Err(Failure::Mismatch),
    };
    Ok(Value::Bool(network.contains(&ip)))
}

fn contains_cidr(call: &Call<'_>) -> Outcome {
    let (outer, inner) = match call.args {
        [Value::Cidr(outer), Value::String(text)] => (outer, network(text)?),
        [Value::Cidr(outer), Value::Cidr(inner)] => (outer, *inner),
        _ => return Err(Failure::Mismatch),
    };
    let is_longer = outer.prefix_len() <= inner.prefix_len();
    Ok(Value::Bool(is_longer && outer.trunc().contains(&inner.addr())))
}
