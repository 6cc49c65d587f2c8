//! Draws how the host and the pods of a primary network reach each other through the management port.
//!
//! The same whatever the topology; only the router, the switch and the addresses differ.
//! Invariant: a row is drawn for each family that the network has on this node, and for no other.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::northbound::{
    Acl, AclAction, AclDirection, LogicalRouter, LogicalRouterPolicy, LogicalRouterPolicyAction,
    LogicalRouterStaticRoutePolicy, LogicalSwitch, LogicalSwitchPort, Nat, PortGroup,
};
use ovn::{Key, Sheet};
use udn_model::derived::{fixed_masquerade, network_masquerade};
use udn_model::{Family, GatewayMode, MacAddress, Network, PlatformAddresses};

use super::rows::{
    Route, cluster_ports, destination_field, group, key, marks, route, signature, source_field,
    source_nat, texts, with,
};
use crate::input::DrawingInput;
use crate::names::{self, ids};
use crate::ready::ReadyNetwork;

/// The host in a primary network.
pub(super) struct Host<'h, 'a> {
    pub(super) input: &'h DrawingInput<'a>,
    pub(super) network: &'h ReadyNetwork<'a>,
    /// The switch that the management port is on.
    pub(super) switch: String,
    /// The router above it.
    pub(super) router: Key,
    /// The router's port to the switch.
    pub(super) gateway: String,
    pub(super) platform: &'h [PlatformAddresses],
    pub(super) mac: MacAddress,
}

impl Host<'_, '_> {
    /// The host's port.
    // compat: pkg/ovn/base_network_controller.go, syncNodeManagementPort
    pub(super) fn draw_port(&self, sheet: &mut Sheet, name: String) {
        let ips = self.platform.iter().map(|platform| platform.management.to_string());
        let words: Vec<String> = [self.mac.to_string()].into_iter().chain(ips).collect();
        let addresses = BTreeSet::from([words.join(" ")]);
        let port = LogicalSwitchPort { name, addresses, ..LogicalSwitchPort::default() };
        let switch = key::<LogicalSwitch>(&self.switch);
        let port = sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
        let group = cluster_ports(&self.network.network.name);
        sheet.join(&port, &group, PortGroup::PORTS);
    }

    /// Lets the host, such as kubelet's probes, reach pods whatever the policies say.
    // compat: pkg/ovn/base_network_controller_policy.go, addAllowACLFromNode
    pub(super) fn draw_access(&self, sheet: &mut Sheet) {
        let switch = key::<LogicalSwitch>(&self.switch);
        for ip in self.platform.iter().map(|platform| platform.management) {
            let which = [(ids::NAME, self.switch.as_str()), (ids::IP, &ip.to_string())];
            let acl = Acl {
                direction: Some(AclDirection::ToLport),
                r#match: format!("{}=={ip}", source_field(ip)),
                external_ids: signature(&self.network.network.name, ids::HOST_ACCESS, which),
                ..always_allowed()
            };
            sheet.draw_under(&acl, &switch, LogicalSwitch::ACLS);
        }
    }

    /// Packets of pods for these addresses of their own node go to the host.
    // compat: pkg/ovn/gatewayrouter/policybasedroutes.go. The comment is part of the match.
    pub(super) fn draw_policies(&self, sheet: &mut Sheet, ips: impl IntoIterator<Item = IpAddr>) {
        let (port, switch) = (&self.gateway, &self.switch);
        for ip in ips {
            let Some(management) = management(self.platform, ip) else { continue };
            let field = destination_field(ip);
            let policy = LogicalRouterPolicy {
                priority: names::HOST_POLICY,
                r#match: format!("inport == \"{port}\" && {field} == {ip} /* {switch} */"),
                action: Some(LogicalRouterPolicyAction::Reroute),
                nexthops: BTreeSet::from([management.to_string()]),
                external_ids: marks(self.network.network),
                ..LogicalRouterPolicy::default()
            };
            sheet.draw_under(&policy, &self.router, LogicalRouter::POLICIES);
        }
    }

    /// Packets that leave through the management port carry the network's masquerade address, because
    /// on the host networks may have the same subnets.
    // compat: pkg/ovn/base_network_controller.go, buildUDNEgressSNAT
    pub(super) fn draw_nat(&self, sheet: &mut Sheet) {
        let (settings, marks) = (self.input.settings, marks(self.network.network));
        for platform in self.platform {
            let masquerade = settings.masquerade.of(platform.subnet.family()).copied();
            let id = self.network.numbers.id;
            let Some(own) = masquerade.and_then(|subnet| network_masquerade(subnet, id)) else {
                continue;
            };
            let nat = Nat {
                logical_port: Some(self.gateway.clone()),
                r#match: format!("eth.dst == {}", self.mac),
                ..source_nat(platform.subnet, own.management, &marks, settings)
            };
            sheet.draw_under(&nat, &self.router, LogicalRouter::NAT);
        }
    }

    /// Services of the default network are reached through the host. With local gateways everything
    /// goes there anyway.
    // compat: pkg/ovn/controller/services, configureUDNEnabledServiceRoute; both addresses of a
    // dual-stack service, where the other project has the first
    pub(super) fn draw_service_routes(&self, sheet: &mut Sheet) {
        match self.input.settings.gateway_mode {
            GatewayMode::Shared => {}
            GatewayMode::Local => return,
        }
        let network = self.network.network;
        for (service, addresses) in &self.input.intent.allowed_services {
            let marks = with(marks(network), [(ids::ALLOWED_SERVICE, &service.to_string())]);
            for ip in addresses {
                let Some(management) = management(self.platform, *ip) else { continue };
                let policy = Some(LogicalRouterStaticRoutePolicy::DstIp);
                let route = Route { policy, ..route(ip, management, &marks) };
                sheet.draw_under(&route, &self.router, LogicalRouter::STATIC_ROUTES);
            }
        }
    }
}

/// The groups of the network's own ports. As the management port is on the switch of the pods, what
/// holds for its group holds for them.
pub(super) fn draw_port_groups(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &Network) {
    sheet.draw(&group(&network.name, ids::CLUSTER, ids::ROUTER_PORTS));
    let ports = sheet.draw(&group(&network.name, ids::CLUSTER, ids::CLUSTER_PORTS));
    draw_hairpin(sheet, input, network, &ports);
}

/// Lets a pod that is behind a service reach itself through it, whatever the policies say.
// compat: pkg/ovn/base_network_controller_policy.go, addHairpinAllowACL; in the cluster's families
fn draw_hairpin(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &Network, ports: &Key) {
    let families = Family::BOTH.into_iter().filter(|it| input.settings.families.contains(it));
    let subnets = families.filter_map(|family| input.settings.masquerade.of(family));
    let sources = subnets.filter_map(|subnet| fixed_masquerade(*subnet));
    let sources: Vec<String> = sources
        .map(|fixed| format!("{} == {}", source_field(fixed.hairpin), fixed.hairpin))
        .collect();
    let r#match = match &sources[..] {
        [] => return,
        [one] => one.clone(),
        both => format!("({})", both.join(" || ")),
    };
    for (way, direction) in DIRECTIONS {
        let which = [(ids::NAME, ids::HAIRPIN), (ids::DIRECTION, way)];
        let options = match direction {
            AclDirection::FromLport => texts([("apply-after-lb", "true")]),
            AclDirection::ToLport => texts([]),
        };
        let acl = Acl {
            direction: Some(direction),
            r#match: r#match.clone(),
            options,
            external_ids: signature(&network.name, ids::ALWAYS, which),
            ..always_allowed()
        };
        sheet.draw_under(&acl, ports, PortGroup::ACLS);
    }
}

/// How ids spell directions, as the pods see them.
pub(super) const DIRECTIONS: [(&str, AclDirection); 2] =
    [("Egress", AclDirection::FromLport), ("Ingress", AclDirection::ToLport)];

/// What policies cannot forbid.
fn always_allowed() -> Acl {
    Acl {
        action: Some(AclAction::AllowRelated),
        priority: 1001,
        tier: 2,
        meter: Some(names::ACL_METER.to_owned()),
        ..Acl::default()
    }
}

/// The management address of the same family as another address.
pub(super) fn management(platform: &[PlatformAddresses], ip: IpAddr) -> Option<IpAddr> {
    let found = platform.iter().find(|it| it.subnet.family() == Family::of(ip));
    found.map(|platform| platform.management)
}
