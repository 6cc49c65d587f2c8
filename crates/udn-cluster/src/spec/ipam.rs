//! What layer-2 networks and localnets say about addresses and packets.
//!
//! Invariant: a network either lists subnets or says that it hands out no addresses.

use udn_model::Family;
use udn_wire::api::{Ipam, IpamMode, Lifecycle};

use super::lists::Cidrs;
use super::rules::Rules;

/// The bounds of every network's MTU.
pub(super) const MTU: (i32, i32) = (576, 65536);

/// The smallest MTU that IPv6 allows.
const LEAST_IPV6_MTU: i32 = 1280;

pub(super) fn is_off(ipam: Option<&Ipam>) -> bool {
    ipam.is_some_and(|ipam| ipam.mode == Some(IpamMode::Disabled))
}

pub(super) fn is_persistent(ipam: Option<&Ipam>) -> bool {
    ipam.is_some_and(|ipam| ipam.lifecycle == Some(Lifecycle::Persistent))
}

/// Judges `ipam` together with whether there are subnets.
pub(super) fn judge_ipam(rules: &mut Rules, ipam: Option<&Ipam>, has_subnets: bool) {
    if let Some(ipam) = ipam {
        let Ipam { mode, lifecycle } = ipam;
        let message = "ipam says nothing; write mode or lifecycle, or remove it";
        rules.refuse(mode.is_none() && lifecycle.is_none(), "ipam", message);
        rules.choose("ipam.mode", mode.as_ref().map(IpamMode::as_str), IpamMode::KNOWN);
        let lifecycle = lifecycle.as_ref().map(Lifecycle::as_str);
        rules.choose("ipam.lifecycle", lifecycle, Lifecycle::KNOWN);
    }
    let is_off = is_off(ipam);
    let message = "subnets are needed unless ipam.mode is Disabled; list them";
    rules.refuse(!is_off && !has_subnets, "subnets", message);
    let message = "subnets and ipam.mode Disabled exclude each other; remove one";
    rules.refuse(is_off && has_subnets, "subnets", message);
    let message = "ipam.lifecycle Persistent needs ipam.mode Enabled; remove one";
    rules.refuse(is_off && is_persistent(ipam), "ipam.lifecycle", message);
}

/// Judges `mtu` together with the families of the subnets.
pub(super) fn judge_mtu(rules: &mut Rules, mtu: Option<i32>, subnets: &Cidrs<'_>) {
    rules.bound("mtu", mtu, MTU);
    let Some(mtu) = mtu else { return };
    let message = format!("mtu is {mtu}; IPv6 needs at least {LEAST_IPV6_MTU}");
    let is_small = (MTU.0..LEAST_IPV6_MTU).contains(&mtu);
    rules.refuse(subnets.has(Family::V6) && is_small, "mtu", message);
}
