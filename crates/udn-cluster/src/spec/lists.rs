//! Lists of subnets and addresses in a manifest.
//!
//! Reads texts; tells each one that cannot be used, and keeps those that can be read.
//! Invariant: an item that cannot be read is told once, and counts for nothing else; of a list that
//! is too long, only as much is looked at as it may have.

use std::net::IpAddr;

use udn_model::{Family, InterfaceAddress, Subnet};
use udn_wire::addresses::{parse_address, parse_interface_address};

use super::rules::Rules;

/// The items of a list that can be read.
#[derive(Debug)]
pub(super) struct List<'a, T> {
    field: &'static str,
    items: Vec<Item<'a, T>>,
}

/// One item: where it stands, what it says, and what that means.
#[derive(Debug)]
pub(super) struct Item<'a, T> {
    pub(super) position: usize,
    pub(super) path: String,
    pub(super) text: &'a str,
    pub(super) thing: T,
}

/// Subnets, with the host bits that were written.
pub(super) type Cidrs<'a> = List<'a, InterfaceAddress>;

impl<'a> Cidrs<'a> {
    /// Reads a list of at least one and at most so many.
    pub(super) fn read(
        rules: &mut Rules,
        field: &'static str,
        texts: Option<&'a [String]>,
        most: usize,
    ) -> Self {
        count(rules, field, texts.map(<[String]>::len), most);
        Self::of(rules, field, places(field, texts).take(most))
    }

    /// Reads texts that stand at these paths below the object.
    pub(super) fn of(
        rules: &mut Rules,
        field: &'static str,
        texts: impl Iterator<Item = (String, &'a str)>,
    ) -> Self {
        Self { field, items: read_items(rules, texts, parse_cidr) }
    }

    /// There is at most one of each family.
    pub(super) fn differ_in_family(&self, rules: &mut Rules) {
        differ(rules, &self.items, |it| Family::of(it.addr()));
    }

    pub(super) fn has(&self, family: Family) -> bool {
        self.items.iter().any(|it| Family::of(it.thing.addr()) == family)
    }

    /// None has bits behind its prefix.
    pub(super) fn have_no_host_bits(&self, rules: &mut Rules) {
        for Item { path, text, thing, .. } in &self.items {
            let message = format!("{text} has host bits; write {}", thing.trunc());
            rules.refuse(thing.trunc() != *thing, path, message);
        }
    }

    /// Each lies in one of the subnets.
    // compat: pkg/util/multi_network.go, NewNetInfo
    pub(super) fn lie_within(&self, rules: &mut Rules, subnets: &Self) {
        for Item { path, text, thing, .. } in &self.items {
            let is_inside = subnets.items.iter().any(|it| subnet(it).contains_subnet(of(*thing)));
            let message = format!(
                "{text} lies in none of the {} ({}); choose one inside or remove it",
                subnets.field,
                subnets.texts()
            );
            rules.refuse(!is_inside && !subnets.items.is_empty(), path, message);
        }
    }

    /// No two of them overlap.
    pub(super) fn keep_apart(&self, rules: &mut Rules) {
        for (position, item) in self.items.iter().enumerate() {
            let mut earlier = self.items[..position].iter();
            let rival = earlier.find(|it| subnet(it).overlaps(subnet(item)));
            if let Some(rival) = rival {
                let message =
                    format!("{} and {} overlap; remove one of them", rival.text, item.text);
                rules.refuse(true, &item.path, message);
            }
        }
    }

    /// None of them overlaps one of the others.
    pub(super) fn keep_apart_from(&self, rules: &mut Rules, others: &Self) {
        for item in &self.items {
            let rival = others.items.iter().find(|it| subnet(it).overlaps(subnet(item)));
            if let Some(rival) = rival {
                let message = format!(
                    "{} overlaps {} of the {}; take them apart",
                    item.text, rival.text, others.field
                );
                rules.refuse(true, &item.path, message);
            }
        }
    }
}

/// Addresses.
pub(super) type Addresses<'a> = List<'a, IpAddr>;

impl<'a> Addresses<'a> {
    pub(super) fn read(
        rules: &mut Rules,
        field: &'static str,
        texts: Option<&'a [String]>,
        most: usize,
    ) -> Self {
        count(rules, field, texts.map(<[String]>::len), most);
        let places = places(field, texts).take(most);
        Self { field, items: read_items(rules, places, parse_ip) }
    }

    pub(super) fn differ_in_family(&self, rules: &mut Rules) {
        differ(rules, &self.items, |ip| Family::of(*ip));
    }

    /// Each lies in one of the ranges, if there are any.
    pub(super) fn lie_within(&self, rules: &mut Rules, ranges: &Cidrs<'_>) {
        for Item { path, text, thing, .. } in &self.items {
            let is_inside = ranges.items.iter().any(|it| subnet(it).contains(*thing));
            let message = format!(
                "{text} is in none of the {} ({}); choose one inside",
                ranges.field,
                ranges.texts()
            );
            rules.refuse(!is_inside && !ranges.items.is_empty(), path, message);
        }
    }
}

impl<T> List<'_, T> {
    pub(super) fn items(&self) -> &[Item<'_, T>] {
        &self.items
    }

    fn texts(&self) -> String {
        self.items.iter().map(|it| it.text).collect::<Vec<_>>().join(", ")
    }
}

/// A list that is given has at least one item and at most so many.
pub(super) fn count(rules: &mut Rules, field: &str, items: Option<usize>, most: usize) {
    let Some(items) = items else { return };
    let message = format!("{field} is empty; list 1 to {most} items or remove it");
    rules.refuse(items == 0, field, message);
    rules.refuse(items > most, field, format!("{field} has {items} items; keep at most {most}"));
}

/// The texts of a list, each with the path at which it stands.
fn places<'a>(
    field: &'static str,
    texts: Option<&'a [String]>,
) -> impl Iterator<Item = (String, &'a str)> {
    let texts = texts.unwrap_or_default().iter().enumerate();
    texts.map(move |(position, text)| (format!("{field}[{position}]"), text.as_str()))
}

fn read_items<'a, T>(
    rules: &mut Rules,
    texts: impl Iterator<Item = (String, &'a str)>,
    parse: fn(&str) -> Result<T, String>,
) -> Vec<Item<'a, T>> {
    let mut items = Vec::new();
    for (position, (path, text)) in texts.enumerate() {
        match parse(text) {
            Ok(thing) => items.push(Item { position, path, text, thing }),
            Err(problem) => rules.refuse(true, &path, problem),
        }
    }
    items
}

fn differ<T>(rules: &mut Rules, items: &[Item<'_, T>], family: impl Fn(&T) -> Family) {
    for (position, item) in items.iter().enumerate() {
        let its = family(&item.thing);
        if let Some(first) = items[..position].iter().find(|it| family(&it.thing) == its) {
            let message =
                format!("{} and {} are both {its}; keep one of each family", first.text, item.text);
            rules.refuse(true, &item.path, message);
        }
    }
}

fn parse_cidr(text: &str) -> Result<InterfaceAddress, String> {
    let cidr = parse_interface_address(text)?;
    refuse_mapped(text, cidr.addr())?;
    Ok(cidr)
}

fn parse_ip(text: &str) -> Result<IpAddr, String> {
    let ip = parse_address(text)?;
    refuse_mapped(text, ip)?;
    Ok(ip)
}

/// The server takes no IPv4 address that is written as an IPv6 one.
// compat: k8s.io/apiserver/pkg/cel/library/{ip,cidr}.go
fn refuse_mapped(text: &str, ip: IpAddr) -> Result<(), String> {
    let mapped = match ip {
        IpAddr::V4(_) => None,
        IpAddr::V6(ip) => ip.to_ipv4_mapped(),
    };
    mapped.map_or(Ok(()), |plain| {
        Err(format!("\"{text}\" is an IPv4 address written as IPv6; write it as {plain}"))
    })
}

fn subnet(item: &Item<'_, InterfaceAddress>) -> Subnet {
    of(item.thing)
}

fn of(address: InterfaceAddress) -> Subnet {
    Subnet::of(address)
}
