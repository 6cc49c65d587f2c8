//! The `layer3` part of a manifest.
//!
//! Reads [`Layer3`]; returns the configuration of its NADs, except for names and numbers.
//! Invariant: the subnets of one family are all cut into parts of one size.

use std::collections::BTreeMap;

use udn_model::{ClusterSubnet, Family, InterfaceAddress};
use udn_wire::addresses::list;
use udn_wire::api::{Layer3, Layer3Subnet, Role};
use udn_wire::nad_config::NetConf;

use super::ipam::judge_mtu;
use super::layer2::{is_primary, judge_join, role};
use super::lists::{Cidrs, Item, count};
use super::rules::Rules;

/// How many subnets a network has at most.
const MOST_SUBNETS: usize = 400;

/// Judges everything that one object can tell.
pub(super) fn judge(layer3: &Layer3, rules: &mut Rules) {
    rules.need_choice("role", layer3.role.as_ref().map(Role::as_str), Role::KNOWN);
    rules.refuse(layer3.subnets.is_none(), "subnets", "subnets are missing; list at least one");
    let subnets = judge_subnets(layer3, rules);
    judge_mtu(rules, layer3.mtu, &subnets);
    judge_join(rules, layer3.join_subnets.as_deref());
    let is_primary = is_primary(layer3.role.as_ref());
    let message = "joinSubnets is for primary networks only; remove it";
    rules.refuse(layer3.join_subnets.is_some() && !is_primary, "joinSubnets", message);
}

fn judge_subnets<'a>(layer3: &'a Layer3, rules: &mut Rules) -> Cidrs<'a> {
    let listed = layer3.subnets.as_deref();
    let is_secondary = layer3.role == Some(Role::Secondary);
    let most = if is_secondary { 2 } else { MOST_SUBNETS };
    count(rules, "subnets", listed.map(<[Layer3Subnet]>::len), most);
    let listed = listed.unwrap_or_default();
    let texts = listed.iter().take(most).enumerate();
    let texts = texts.map(|(position, it)| (format!("subnets[{position}].cidr"), &*it.cidr));
    let subnets = Cidrs::of(rules, "subnets", texts);
    if is_secondary {
        subnets.differ_in_family(rules);
    }
    subnets.keep_apart(rules);
    judge_parts(rules, listed, &subnets);
    subnets
}

/// Judges how large the nodes' parts are.
fn judge_parts(rules: &mut Rules, listed: &[Layer3Subnet], subnets: &Cidrs<'_>) {
    let mut first_of: BTreeMap<Family, (&str, Option<i32>)> = BTreeMap::new();
    for Item { position, text, thing, .. } in subnets.items() {
        let path = format!("subnets[{position}].hostSubnet");
        let part = listed[*position].host_subnet;
        match part {
            Some(part) => judge_part(rules, &path, part, *thing),
            None => judge_usual_part(rules, &format!("subnets[{position}].cidr"), text, *thing),
        }
        let family = Family::of(thing.addr());
        let (first, its) = *first_of.entry(family).or_insert((text, part));
        let message = format!(
            "{text} gives nodes {}, but {first} gives them {}; parts of {family} subnets are of one \
             size",
            size(part),
            size(its)
        );
        rules.refuse(part != its, &path, message);
    }
}

fn judge_part(rules: &mut Rules, path: &str, part: i32, subnet: InterfaceAddress) {
    let (family, length) = (Family::of(subnet.addr()), i32::from(subnet.prefix_len()));
    let message =
        format!("hostSubnet is {part}; write more than {length}, the subnet's own length");
    rules.refuse(part <= length, path, message);
    let message = format!("hostSubnet is {part}; write less than 32 for IPv4");
    rules.refuse(family == Family::V4 && part >= 32, path, message);
    let message = format!("hostSubnet is {part}; IPv6 allows 64 only");
    rules.refuse(family == Family::V6 && part != 64, path, message);
}

/// The CRDs know nothing of what nodes get where nobody says so.
fn judge_usual_part(rules: &mut Rules, path: &str, text: &str, subnet: InterfaceAddress) {
    let family = Family::of(subnet.addr());
    let usual = ClusterSubnet::usual_host_prefix_len(family);
    let remedy = match family {
        Family::V4 => "choose a larger subnet, or set hostSubnet",
        Family::V6 => "choose a larger subnet",
    };
    let message = format!("{text} has no room for nodes, each of which gets a /{usual}; {remedy}");
    rules.refuse(usual <= subnet.prefix_len(), path, message);
}

fn size(part: Option<i32>) -> String {
    part.map_or_else(|| "the default".to_owned(), |part| format!("a /{part}"))
}

/// The configuration of a network that is in order.
// compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
pub(super) fn config(layer3: &Layer3) -> NetConf {
    let subnets = layer3.subnets.iter().flatten().map(|it| match it.host_subnet {
        Some(part) => format!("{}/{part}", it.cidr),
        None => it.cidr.clone(),
    });
    NetConf {
        join_subnet: list(layer3.join_subnets.iter().flatten()),
        mtu: layer3.mtu.unwrap_or(0).into(),
        role: role(layer3.role.as_ref()),
        subnets: list(subnets),
        topology: "layer3".to_owned(),
        ..NetConf::default()
    }
}
