//! Addresses and subnets in texts of the wire.
//!
//! Invariant: a text is read as strictly here as everywhere else in the house.

use std::net::IpAddr;

use udn_model::{ClusterSubnet, Family, InterfaceAddress, PerFamily, Subnet};

/// Reads an address with a prefix length; host bits are kept.
pub fn parse_interface_address(text: &str) -> Result<InterfaceAddress, String> {
    let length = Subnet::parse(text).map_err(|problem| problem.to_string())?.prefix_len();
    let (ip, _) = text.rsplit_once('/').expect("a CIDR has a slash");
    InterfaceAddress::new(parse_address(ip)?, length).map_err(|problem| problem.to_string())
}

pub fn parse_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| format!("\"{}\" is not an IP address", text.escape_default()))
}

/// Reads subnets between commas; the key of the list goes before any complaint.
pub fn parse_subnets(key: &str, list: &str) -> Result<Vec<Subnet>, String> {
    let parse = |text| Subnet::parse(text).map_err(|problem| format!("{key}: {problem}"));
    words(list).map(parse).collect()
}

/// Reads a range that is cut into subnets for nodes: `10.128.0.0/14/23`, or without the length of the
/// nodes' parts.
// compat: pkg/config/utils.go, ParseClusterSubnetEntries
pub fn parse_cluster_subnet(text: &str) -> Result<ClusterSubnet, String> {
    let (cidr, part) = match text.rsplit_once('/') {
        Some((cidr, part)) if cidr.contains('/') => (cidr, Some(part)),
        Some(_) | None => (text, None),
    };
    let subnet = Subnet::parse(cidr).map_err(|problem| problem.to_string())?;
    let host_prefix_len = match part {
        None => ClusterSubnet::usual_host_prefix_len(subnet.family()),
        Some(part) => {
            part.parse().map_err(|_| format!("{text}: \"{part}\" is not a prefix length"))?
        }
    };
    Ok(ClusterSubnet { subnet, host_prefix_len })
}

/// Whether a range can be cut for nodes.
// compat: pkg/config/utils.go, ParseClusterSubnetEntries
pub fn judge_cluster_subnet(range: ClusterSubnet) -> Result<(), String> {
    let ClusterSubnet { subnet, host_prefix_len: part } = range;
    let length = subnet.prefix_len();
    let complaint = match subnet.family() {
        Family::V6 if part != ClusterSubnet::usual_host_prefix_len(Family::V6) => {
            "IPv6 allows /64 only".to_owned()
        }
        Family::V4 if part >= 32 => "write less than /32".to_owned(),
        Family::V4 | Family::V6 if part <= length => {
            format!("write more than /{length}, the subnet's own length")
        }
        Family::V4 | Family::V6 => return Ok(()),
    };
    Err(format!("{subnet} gives nodes a /{part}; {complaint}"))
}

/// Reads addresses between commas.
pub fn parse_addresses(key: &str, list: &str) -> Result<Vec<IpAddr>, String> {
    words(list)
        .map(|text| parse_address(text).map_err(|problem| format!("{key}: {problem}")))
        .collect()
}

/// At most one of each family.
pub fn one_per_family<T: Copy + std::fmt::Display>(
    key: &str,
    things: &[T],
    family: fn(T) -> Family,
) -> Result<PerFamily<T>, String> {
    let mut sorted = PerFamily::default();
    for thing in things.iter().copied() {
        let family = family(thing);
        if let Some(first) = sorted.put(family, thing) {
            return Err(format!("{key}: {first} and {thing} are both {family}; keep one of them"));
        }
    }
    Ok(sorted)
}

/// Things between commas, as the wire lists them.
pub fn list<T: ToString>(things: impl IntoIterator<Item = T>) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(",")
}

/// What stands between commas.
pub fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty())
}
