//! The `localnet` part of a manifest.
//!
//! Reads [`Localnet`]; returns the configuration of its NADs, except for names and numbers.
//! Invariant: the NAD of a localnet always carries an MTU.

use udn_wire::addresses::list;
use udn_wire::api::{Localnet, Role, VlanMode};
use udn_wire::nad_config::NetConf;

use super::ipam::{is_persistent, judge_ipam, judge_mtu};
use super::lists::Cidrs;
use super::rules::Rules;

/// The physical network's usual size of packets; no tunnel takes a share of it.
// seeds/000: the default MTU of a localnet is 1500
const USUAL_MTU: i32 = 1500;

/// Judges everything that one object can tell.
pub(super) fn judge(localnet: &Localnet, rules: &mut Rules) {
    rules.need_choice("role", localnet.role.as_ref().map(Role::as_str), &["Secondary"]);
    judge_physical_network(rules, localnet.physical_network_name.as_deref().unwrap_or(""));
    judge_vlan(localnet, rules);
    let subnets = Cidrs::read(rules, "subnets", localnet.subnets.as_deref(), 2);
    subnets.differ_in_family(rules);
    judge_mtu(rules, localnet.mtu, &subnets);
    judge_ipam(rules, localnet.ipam.as_ref(), localnet.subnets.is_some());
    let excluded = Cidrs::read(rules, "excludeSubnets", localnet.exclude_subnets.as_deref(), 25);
    excluded.lie_within(rules, &subnets);
    let message = "excludeSubnets needs subnets; list those or remove it";
    let is_alone = localnet.exclude_subnets.is_some() && localnet.subnets.is_none();
    rules.refuse(is_alone, "excludeSubnets", message);
}

fn judge_physical_network(rules: &mut Rules, name: &str) {
    let field = "physicalNetworkName";
    let message = "physicalNetworkName is missing; write a key of the nodes' bridge mappings";
    rules.refuse(name.is_empty(), field, message);
    let message = "physicalNetworkName has at most 253 characters and no ',' or ':'";
    rules.refuse(name.chars().count() > 253 || name.contains([',', ':']), field, message);
}

fn judge_vlan(localnet: &Localnet, rules: &mut Rules) {
    let Some(vlan) = &localnet.vlan else { return };
    rules.need_choice("vlan.mode", vlan.mode.as_ref().map(VlanMode::as_str), VlanMode::KNOWN);
    let is_access = vlan.mode == Some(VlanMode::Access);
    let message = "vlan.mode Access needs vlan.access.id; write 1 to 4094";
    let id = vlan.access.as_ref().map(|access| access.id);
    rules.refuse(is_access && id.flatten().is_none(), "vlan.access.id", message);
    let message = "vlan.access goes with vlan.mode Access only; remove it";
    rules.refuse(!is_access && vlan.access.is_some(), "vlan.access", message);
    rules.bound("vlan.access.id", id.flatten(), (1, 4094));
}

// compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
pub(super) fn config(localnet: &Localnet) -> NetConf {
    let access = localnet.vlan.as_ref().and_then(|vlan| vlan.access.as_ref());
    NetConf {
        allow_persistent_ips: is_persistent(localnet.ipam.as_ref()),
        exclude_subnets: list(localnet.exclude_subnets.iter().flatten()),
        mtu: localnet.mtu.unwrap_or(USUAL_MTU).into(),
        physical_network_name: localnet.physical_network_name.clone().unwrap_or_default(),
        role: "secondary".to_owned(),
        subnets: list(localnet.subnets.iter().flatten()),
        topology: "localnet".to_owned(),
        vlan_id: access.and_then(|access| access.id).unwrap_or(0).into(),
        ..NetConf::default()
    }
}
