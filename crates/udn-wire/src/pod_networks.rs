//! What a pod has on each of its networks: the annotation `k8s.ovn.org/pod-networks`.
//!
//! Reads and writes the annotation; an entry is a [`PodNetwork`].
//! Invariant: entries that are not asked about keep their text, byte by byte.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use udn_model::{Family, InterfaceAddress, MacAddress, ObjectName, PortKey, Role};

use crate::addresses::{parse_address, parse_interface_address};
use crate::go_json;
use crate::keys::POD_NETWORKS;
use crate::refusal::Unreadable;

#[cfg(test)]
mod tests;

/// All entries, by NAD key: `default`, `ns/nad`, `ns/nad/1`.
#[derive(Debug, Clone, Default)]
pub struct PodNetworks(BTreeMap<String, Box<RawValue>>);

/// What a pod has on one network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodNetwork {
    pub addresses: Vec<InterfaceAddress>,
    pub mac: MacAddress,
    /// Where the default routes lead.
    pub gateways: Vec<IpAddr>,
    pub routes: Vec<PodRoute>,
    /// The gateway's link-local address, which router advertisements come from.
    pub link_local_gateway: Option<Ipv6Addr>,
    /// The port's key in tunnels.
    pub tunnel_id: Option<PortKey>,
    pub role: Option<PodRole>,
}

/// A route in a pod, besides the default ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodRoute {
    pub destination: InterfaceAddress,
    /// The link itself when absent.
    pub next_hop: Option<IpAddr>,
}

/// What a network is to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodRole {
    Primary,
    Secondary,
    /// The default network of a pod whose main network is another: for the kubelet only.
    InfrastructureLocked,
}

/// An entry as it stands on the wire, in the order of the wire.
// compat: pkg/util/pod_annotation.go, podAnnotation
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, expecting = "an object")]
struct Entry {
    ip_addresses: Option<Vec<String>>,
    mac_address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway_ips: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routes: Option<Vec<RouteEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ipv6_lla_gateway_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tunnel_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RouteEntry {
    dest: String,
    next_hop: String,
}

impl PodNetworks {
    pub fn decode(text: &str) -> Result<Self, Unreadable> {
        serde_json::from_str(text).map(Self).map_err(|error| {
            refuse(format!("cannot be read as JSON: {error}; remove the annotation"))
        })
    }

    pub fn encode(&self) -> String {
        go_json::to_text(&self.0)
    }

    /// The NAD keys that have an entry.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The NADs that have an entry; one may come more than once.
    pub fn nads(&self) -> impl Iterator<Item = ObjectName> {
        let named = self.keys().filter_map(|key| key.split_once('/'));
        named.map(|(namespace, rest)| {
            ObjectName::new(namespace, rest.split('/').next().unwrap_or(rest))
        })
    }

    /// The entry of a NAD key, if there is one.
    pub fn entry(&self, key: &str) -> Result<Option<PodNetwork>, Unreadable> {
        let Some(raw) = self.0.get(key) else { return Ok(None) };
        let complain = |message| refuse(format!("{key}: {message}; remove the entry"));
        PodNetwork::decode(raw.get()).map(Some).map_err(complain)
    }

    /// Puts an entry; all others stay as they are.
    pub fn put(&mut self, key: &str, network: &PodNetwork) {
        let raw = RawValue::from_string(network.encode()).expect("what we encode is JSON");
        self.0.insert(key.to_owned(), raw);
    }
}

fn refuse(message: String) -> Unreadable {
    Unreadable::new(POD_NETWORKS, message)
}

impl PodNetwork {
    /// The text of one entry.
    pub fn encode(&self) -> String {
        let texts = |ips: &[IpAddr]| ips.iter().map(ToString::to_string).collect::<Vec<_>>();
        let addresses: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
        let is_single = addresses.len() == 1;
        let gateways = some(texts(&self.gateways));
        go_json::to_text(&Entry {
            ip_address: addresses.first().filter(|_| is_single).cloned(),
            gateway_ip: gateways.as_ref().and_then(|it| it.first()).filter(|_| is_single).cloned(),
            ip_addresses: some(addresses),
            mac_address: self.mac.to_string(),
            gateway_ips: gateways,
            routes: some(self.routes.iter().map(RouteEntry::of).collect()),
            ipv6_lla_gateway_ip: self.link_local_gateway.map(|ip| ip.to_string()),
            tunnel_id: self.tunnel_id.map(|key| i64::from(key.get())),
            role: self.role.map(|role| role.as_str().to_owned()),
        })
    }

    /// Whether the wire allows what the entry says.
    pub fn check(&self) -> Result<(), String> {
        if self.addresses.len() == 1 && self.gateways.len() > 1 {
            return Err("a network of one family has one gateway; list one".to_owned());
        }
        self.routes.iter().try_for_each(PodRoute::check)
    }

    fn decode(text: &str) -> Result<Self, String> {
        let entry: Entry =
            serde_json::from_str(text).map_err(|error| format!("cannot be read: {error}"))?;
        let addresses = both("ip_address", entry.ip_address, entry.ip_addresses)?;
        let gateways = both("gateway_ip", entry.gateway_ip, entry.gateway_ips)?;
        let routes = entry.routes.unwrap_or_default();
        Ok(Self {
            addresses: each(&addresses, "ip_addresses", parse_interface_address)?,
            mac: entry
                .mac_address
                .parse()
                .map_err(|not_a_mac| format!("mac_address: {not_a_mac}"))?,
            gateways: each(&gateways, "gateway_ips", parse_address)?,
            routes: routes.iter().map(PodRoute::parse).collect::<Result<_, _>>()?,
            link_local_gateway: filled(entry.ipv6_lla_gateway_ip)
                .map(parse_link_local)
                .transpose()?,
            tunnel_id: entry.tunnel_id.filter(|id| *id != 0).map(parse_port_key).transpose()?,
            role: filled(entry.role).map(|text| PodRole::parse(&text)).transpose()?,
        })
    }
}

/// The list, which may stand as a single text instead.
fn both(key: &str, one: Option<String>, many: Option<Vec<String>>) -> Result<Vec<String>, String> {
    let (one, many) = (filled(one), many.unwrap_or_default());
    match (one, many.first()) {
        (Some(one), None) => Ok(vec![one]),
        (Some(one), Some(first)) if one != *first => {
            Err(format!("{key} says {one}, but the list begins with {first}"))
        }
        (Some(_) | None, _) => Ok(many),
    }
}

fn each<T>(
    texts: &[String],
    key: &str,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    texts.iter().map(|text| parse(text).map_err(|problem| format!("{key}: {problem}"))).collect()
}

fn parse_link_local(text: String) -> Result<Ipv6Addr, String> {
    let ip: Option<Ipv6Addr> = text.parse().ok();
    let link_local = ip.filter(Ipv6Addr::is_unicast_link_local);
    link_local.ok_or_else(|| format!("ipv6_lla_gateway_ip: \"{text}\" is not a link-local address"))
}

fn parse_port_key(number: i64) -> Result<PortKey, String> {
    let key = u16::try_from(number).ok().and_then(PortKey::new);
    key.ok_or_else(|| format!("tunnel_id: {number} is not within 1 to 32767"))
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    if list.is_empty() { None } else { Some(list) }
}

impl PodRoute {
    fn parse(entry: &RouteEntry) -> Result<Self, String> {
        let destination =
            parse_interface_address(&entry.dest).map_err(|problem| format!("route: {problem}"))?;
        let next_hop = Some(entry.next_hop.as_str()).filter(|text| !text.is_empty());
        let next_hop = next_hop.map(parse_address).transpose();
        let next_hop = next_hop.map_err(|problem| format!("route to {destination}: {problem}"))?;
        let route = Self { destination, next_hop };
        route.check()?;
        Ok(route)
    }

    fn check(&self) -> Result<(), String> {
        let Self { destination, next_hop } = self;
        if destination.prefix_len() == 0 {
            return Err(format!("route to {destination}: default routes belong in gateway_ips"));
        }
        let family = Family::of(destination.addr());
        match next_hop {
            Some(ip) if Family::of(*ip) != family => {
                Err(format!("route to {destination}: next hop {ip} is of the other family"))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl RouteEntry {
    fn of(route: &PodRoute) -> Self {
        let next_hop = route.next_hop.map(|ip| ip.to_string()).unwrap_or_default();
        Self { dest: route.destination.to_string(), next_hop }
    }
}

impl PodRole {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::InfrastructureLocked => "infrastructure-locked",
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let all = [Self::Primary, Self::Secondary, Self::InfrastructureLocked];
        let role = all.into_iter().find(|role| role.as_str() == text);
        role.ok_or_else(|| format!("role: \"{}\" is not known", text.escape_default()))
    }
}

impl From<&Role> for PodRole {
    fn from(role: &Role) -> Self {
        match role {
            Role::Primary(_) => Self::Primary,
            Role::Secondary => Self::Secondary,
        }
    }
}
