//! How packets travel between nodes, and over which uplink: `transport`, `noOverlay`, `evpn`,
//! `uplinks`.
//!
//! Invariant: what goes with a transport is there exactly if that transport is chosen.

use udn_wire::addresses::parse_address;
use udn_wire::api::{Evpn, NetworkSpec, OutboundSnat, Routing, Topology, Transport, Vrf};
use udn_wire::nad_config::{EvpnConf, NetConf, VrfConf};

use super::layer2::is_primary;
use super::lists::count;
use super::rules::Rules;

/// Judges the transport of the network at `spec.network`.
pub(super) fn judge(network: &NetworkSpec, rules: &mut Rules) {
    let transport = network.transport.as_ref();
    rules.choose("transport", transport.map(Transport::as_str), Transport::KNOWN);
    judge_no_overlay(network, rules);
    judge_evpn(network, rules);
}

fn judge_no_overlay(network: &NetworkSpec, rules: &mut Rules) {
    let is_chosen = network.transport == Some(Transport::NoOverlay);
    let fits = network.topology == Some(Topology::Layer3) && is_main(network);
    let message = "transport NoOverlay is for primary Layer3 networks only; remove it";
    rules.refuse(is_chosen && !fits, "transport", message);
    let message = "transport NoOverlay needs noOverlay; write outboundSNAT and routing";
    rules.refuse(is_chosen && network.no_overlay.is_none(), "noOverlay", message);
    let Some(no_overlay) = &network.no_overlay else { return };
    let message = "noOverlay goes with transport NoOverlay only; remove it";
    rules.refuse(!is_chosen, "noOverlay", message);
    let snat = no_overlay.outbound_snat.as_ref().map(OutboundSnat::as_str);
    rules.need_choice("noOverlay.outboundSNAT", snat, OutboundSnat::KNOWN);
    let routing = no_overlay.routing.as_ref().map(Routing::as_str);
    rules.need_choice("noOverlay.routing", routing, Routing::KNOWN);
}

fn judge_evpn(network: &NetworkSpec, rules: &mut Rules) {
    let is_chosen = network.transport == Some(Transport::Evpn);
    let (is_layer2, is_layer3) =
        (network.topology == Some(Topology::Layer2), network.topology == Some(Topology::Layer3));
    let fits = (is_layer2 || is_layer3) && is_main(network);
    let message = "transport EVPN is for primary Layer2 and Layer3 networks only; remove it";
    rules.refuse(is_chosen && !fits, "transport", message);
    let message = "transport EVPN needs evpn; write vtep and a VRF";
    rules.refuse(is_chosen && network.evpn.is_none(), "evpn", message);
    let Some(evpn) = &network.evpn else { return };
    let message = "evpn goes with transport EVPN only; remove it";
    rules.refuse(!is_chosen, "evpn", message);
    let message = "evpn.macVRF is missing; a Layer2 network needs it";
    rules.refuse(is_chosen && is_layer2 && evpn.mac_vrf.is_none(), "evpn.macVRF", message);
    let message = "evpn.ipVRF is missing; a Layer3 network needs it";
    rules.refuse(is_chosen && is_layer3 && evpn.ip_vrf.is_none(), "evpn.ipVRF", message);
    let message = "evpn.macVRF is not for Layer3 networks; remove it";
    rules.refuse(is_chosen && is_layer3 && evpn.mac_vrf.is_some(), "evpn.macVRF", message);
    judge_vrfs(evpn, rules);
}

fn judge_vrfs(evpn: &Evpn, rules: &mut Rules) {
    let has_vtep = evpn.vtep.as_ref().is_some_and(|vtep| !vtep.is_empty());
    rules.refuse(!has_vtep, "evpn.vtep", "evpn.vtep is missing; write the name of a VTEP");
    let is_empty = evpn.mac_vrf.is_none() && evpn.ip_vrf.is_none();
    rules.refuse(is_empty, "evpn", "evpn has neither macVRF nor ipVRF; write one of them");
    for (field, vrf) in [("evpn.macVRF", &evpn.mac_vrf), ("evpn.ipVRF", &evpn.ip_vrf)] {
        let Some(Vrf { vni, route_target }) = vrf else { continue };
        let field_vni = format!("{field}.vni");
        let message = format!("{field_vni} is missing; write 1 to 16777215");
        rules.refuse(vni.is_none(), &field_vni, message);
        rules.bound(&field_vni, *vni, (1, 16_777_215));
        let problem = route_target.as_deref().and_then(route_target_problem);
        if let Some(problem) = problem {
            rules.refuse(true, &format!("{field}.routeTarget"), problem);
        }
    }
    let number = |vrf: &Option<Vrf>| vrf.as_ref().and_then(|vrf| vrf.vni);
    let (mac, ip) = (number(&evpn.mac_vrf), number(&evpn.ip_vrf));
    let message = "evpn.macVRF and evpn.ipVRF have the same vni; change one of them";
    rules.refuse(mac.is_some() && mac == ip, "evpn.ipVRF.vni", message);
}

/// What is wrong with a route target: `ASN:number`, `IPv4 address:number` or `*:number`.
fn route_target_problem(text: &str) -> Option<String> {
    let number = |text: &str| {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| text.parse::<u64>().ok()).flatten()
    };
    let (short, long) = (u64::from(u16::MAX), u64::from(u32::MAX));
    let shown = text.escape_default();
    let parts = text.split_once(':').filter(|(_, local)| !local.contains(':'));
    let Some((global, local)) = parts.filter(|_| text.len() <= 21) else {
        return Some(format!("routeTarget is \"{shown}\"; write such as 65000:100 or *:100"));
    };
    let most = match (global, number(global), parse_address(global)) {
        ("*", _, _) => long,
        (_, Some(asn), _) if asn <= short => long,
        (_, Some(_), _) | (_, None, Ok(_)) => short,
        (_, None, Err(_)) => {
            let known = "an AS number, an IPv4 address or *";
            return Some(format!("routeTarget is \"{shown}\"; write {known} before the colon"));
        }
    };
    let is_good = number(local).is_some_and(|local| local <= most);
    (!is_good).then(|| {
        format!("routeTarget is \"{shown}\"; write a number of at most {most} behind the colon")
    })
}

/// Judges the uplinks of a CUDN, whose rules these are.
pub(super) fn judge_uplinks(uplinks: &[String], network: Option<&NetworkSpec>, rules: &mut Rules) {
    count(rules, "uplinks", Some(uplinks.len()), 1);
    for (position, name) in uplinks.iter().take(1).enumerate() {
        let message = "an uplink's name has 1 to 253 lower-case letters, digits and '-', with a \
                       letter or digit at both ends";
        rules.refuse(!is_label(name), &format!("uplinks[{position}]"), message);
    }
    let Some(network) = network else { return };
    let is_overlaid = matches!(network.topology, Some(Topology::Layer2 | Topology::Layer3));
    let message = "uplinks are for primary Layer2 and Layer3 networks only; remove them";
    rules.refuse(!(is_overlaid && is_main(network)), "uplinks", message);
    let message = "uplinks do not go with transport EVPN; remove one of the two";
    rules.refuse(network.transport == Some(Transport::Evpn), "uplinks", message);
}

fn is_label(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    (1..=253).contains(&bytes.len())
        && bytes.iter().all(|byte| is_plain(*byte) || *byte == b'-')
        && [bytes.first(), bytes.last()].into_iter().flatten().all(|byte| is_plain(*byte))
}

/// Whether the chosen part says that the network is primary.
fn is_main(network: &NetworkSpec) -> bool {
    let role = match &network.topology {
        Some(Topology::Layer2) => network.layer2.as_ref().and_then(|it| it.role.as_ref()),
        Some(Topology::Layer3) => network.layer3.as_ref().and_then(|it| it.role.as_ref()),
        Some(Topology::Localnet | Topology::Other(_)) | None => None,
    };
    is_primary(role)
}

/// Adds the keys of the transport to a configuration.
// compat: pkg/clustermanager/userdefinednetwork/template/net-attach-def-template.go
pub(super) fn add_to(config: &mut NetConf, network: &NetworkSpec) {
    match &network.transport {
        Some(Transport::NoOverlay) => {
            config.transport = "no-overlay".to_owned();
            let snat = network.no_overlay.as_ref().and_then(|it| it.outbound_snat.as_ref());
            config.outbound_snat = snat.map_or_else(String::new, |it| it.as_str().to_lowercase());
        }
        Some(Transport::Evpn) => {
            config.transport = "evpn".to_owned();
            config.evpn = network.evpn.as_ref().map(evpn_config);
        }
        Some(Transport::Other(_)) | None => {}
    }
}

fn evpn_config(evpn: &Evpn) -> EvpnConf {
    let vrf = |vrf: &Vrf| VrfConf {
        vni: vrf.vni.unwrap_or(0).into(),
        route_target: vrf.route_target.clone().unwrap_or_default(),
        vid: 0,
    };
    EvpnConf {
        vtep: evpn.vtep.clone().unwrap_or_default(),
        mac_vrf: evpn.mac_vrf.as_ref().map(vrf),
        ip_vrf: evpn.ip_vrf.as_ref().map(vrf),
    }
}
