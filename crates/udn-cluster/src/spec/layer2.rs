//! The `layer2` part of a manifest.
//!
//! Reads [`Layer2`]; returns the configuration of its NADs, except for names and numbers.
//! Invariant: texts go into the NAD as the user wrote them.

use udn_wire::addresses::list;
use udn_wire::api::{Layer2, Role};
use udn_wire::nad_config::NetConf;

use super::ipam::{is_off, is_persistent, judge_ipam, judge_mtu};
use super::lists::{Addresses, Cidrs};
use super::rules::Rules;

pub(super) fn is_primary(role: Option<&Role>) -> bool {
    role == Some(&Role::Primary)
}

/// Judges everything that one object can tell.
pub(super) fn judge(layer2: &Layer2, rules: &mut Rules) {
    rules.need_choice("role", layer2.role.as_ref().map(Role::as_str), Role::KNOWN);
    let subnets = Cidrs::read(rules, "subnets", layer2.subnets.as_deref(), 2);
    subnets.differ_in_family(rules);
    judge_mtu(rules, layer2.mtu, &subnets);
    judge_ipam(rules, layer2.ipam.as_ref(), layer2.subnets.is_some());
    judge_join(rules, layer2.join_subnets.as_deref());
    judge_ranges(layer2, rules, &subnets);
    judge_role(layer2, rules);
}

pub(super) fn judge_join(rules: &mut Rules, join: Option<&[String]>) {
    Cidrs::read(rules, "joinSubnets", join, 2).differ_in_family(rules);
}

/// Judges the ranges that are set apart, and the gateways.
fn judge_ranges(layer2: &Layer2, rules: &mut Rules, subnets: &Cidrs<'_>) {
    let reserved = layer2.reserved_subnets.as_deref();
    let reserved = Cidrs::read(rules, "reservedSubnets", reserved, 25);
    let infrastructure = layer2.infrastructure_subnets.as_deref();
    let infrastructure = Cidrs::read(rules, "infrastructureSubnets", infrastructure, 10);
    for ranges in [&reserved, &infrastructure] {
        ranges.have_no_host_bits(rules);
        ranges.lie_within(rules, subnets);
        ranges.keep_apart(rules);
    }
    infrastructure.keep_apart_from(rules, &reserved);
    let gateways = layer2.default_gateway_ips.as_deref();
    let gateways = Addresses::read(rules, "defaultGatewayIPs", gateways, 2);
    gateways.differ_in_family(rules);
    gateways.lie_within(rules, subnets);
    gateways.lie_within(rules, &infrastructure);
    if let (Some(gateways), Some(subnets)) = (&layer2.default_gateway_ips, &layer2.subnets) {
        let message = "defaultGatewayIPs needs one address for each of the subnets";
        rules.refuse(gateways.len() != subnets.len(), "defaultGatewayIPs", message);
    }
    for (field, is_given) in [
        ("reservedSubnets", layer2.reserved_subnets.is_some()),
        ("infrastructureSubnets", layer2.infrastructure_subnets.is_some()),
        ("defaultGatewayIPs", layer2.default_gateway_ips.is_some()),
    ] {
        let message = format!("{field} needs subnets; list those or remove it");
        rules.refuse(is_given && layer2.subnets.is_none(), field, message);
    }
}

/// Judges what only a primary, or only a secondary network may have.
fn judge_role(layer2: &Layer2, rules: &mut Rules) {
    let is_primary = is_primary(layer2.role.as_ref());
    for (field, is_given) in [
        ("reservedSubnets", layer2.reserved_subnets.is_some()),
        ("infrastructureSubnets", layer2.infrastructure_subnets.is_some()),
        ("defaultGatewayIPs", layer2.default_gateway_ips.is_some()),
        ("joinSubnets", layer2.join_subnets.is_some()),
    ] {
        let message = format!("{field} is for primary networks only; remove it");
        rules.refuse(is_given && !is_primary, field, message);
    }
    let message = "ipam.mode Disabled is for secondary networks only; remove it";
    rules.refuse(is_off(layer2.ipam.as_ref()) && is_primary, "ipam.mode", message);
}

/// The configuration of a network that is in order.
// compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
pub(super) fn config(layer2: &Layer2) -> NetConf {
    let listed = |texts: &Option<Vec<String>>| list(texts.iter().flatten());
    NetConf {
        allow_persistent_ips: is_persistent(layer2.ipam.as_ref()),
        default_gateway_ips: listed(&layer2.default_gateway_ips),
        infrastructure_subnets: listed(&layer2.infrastructure_subnets),
        join_subnet: listed(&layer2.join_subnets),
        mtu: layer2.mtu.unwrap_or(0).into(),
        reserved_subnets: listed(&layer2.reserved_subnets),
        role: role(layer2.role.as_ref()),
        subnets: listed(&layer2.subnets),
        topology: "layer2".to_owned(),
        ..NetConf::default()
    }
}

/// The role in a NAD's words.
pub(super) fn role(role: Option<&Role>) -> String {
    if is_primary(role) { "primary" } else { "secondary" }.to_owned()
}
