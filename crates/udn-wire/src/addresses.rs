//! Addresses and subnets in texts of the wire.
//!
//! Invariant: a text is read as strictly here as everywhere else in the house.

use std::net::IpAddr;

use udn_model::{Family, InterfaceAddress, PerFamily, Subnet};

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
