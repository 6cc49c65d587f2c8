//! Draws a primary layer-2 network's transit router, and what lets the host reach its pods.
//!
//! Invariant: the workloads' gateway has the same addresses and the same MAC in every zone.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::key::PRIMARY_ID;
use ovn::northbound::{
    Acl, AclAction, AclDirection, GatewayChassis, LogicalRouter, LogicalRouterPort,
    LogicalRouterStaticRoutePolicy, LogicalSwitch, LogicalSwitchPort, Nat, PortGroup,
};
use ovn::{Key, Sheet};
use udn_model::derived::network_masquerade;
use udn_model::{Family, GatewayMode, Mtu, PlatformAddresses};

use super::rows::{Route, Texts, marks, networks, protection, route, source_field, source_nat};
use super::rows::{texts, with};
use crate::input::DrawingInput;
use crate::names::{self, ids};
use crate::ready::ReadyPrimary;

/// The key of the transit router's port to the switch; the next eight are kept for later.
// compat: pkg/ovn/transit_router.go
const SWITCH_PORT_KEY: &str = "1";

pub(super) fn draw_transit(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    switch: &Key,
) {
    draw_host_access(sheet, network, switch);
    draw_port_groups(sheet, network);
    let router = draw_router(sheet, input, network);
    draw_switch_link(sheet, input, network, [switch, &router]);
    draw_management_nat(sheet, input, network, &router);
    draw_service_routes(sheet, input, network, &router);
}

/// Lets the host, such as kubelet's probes, reach pods whatever the policies say.
// compat: pkg/ovn/base_network_controller_policy.go, addAllowACLFromNode
fn draw_host_access(sheet: &mut Sheet, network: &ReadyPrimary<'_>, switch: &Key) {
    let controller = names::controller(&network.network().name);
    let switch_name = names::layer2_switch(network.prefix());
    for platform in &network.platform {
        let ip = platform.management;
        let id = ids::primary_id(&controller, [ids::HOST_ACCESS, &format!("{switch_name}:{ip}")]);
        let acl = Acl {
            action: Some(AclAction::AllowRelated),
            direction: Some(AclDirection::ToLport),
            priority: 1001,
            tier: 2,
            r#match: format!("{}=={ip}", source_field(ip)),
            meter: Some(names::ACL_METER.to_owned()),
            external_ids: texts([
                (PRIMARY_ID, &id),
                (ids::OWNER_CONTROLLER, &controller),
                (ids::OWNER_TYPE, ids::HOST_ACCESS),
                (ids::NAME, &switch_name),
                (ids::IP, &ip.to_string()),
            ]),
            ..Acl::default()
        };
        sheet.draw_under(&acl, switch, LogicalSwitch::ACLS);
    }
}

fn draw_port_groups(sheet: &mut Sheet, network: &ReadyPrimary<'_>) {
    let controller = names::controller(&network.network().name);
    for name in [ids::CLUSTER_PORTS, ids::ROUTER_PORTS] {
        let id = ids::primary_id(&controller, [ids::CLUSTER, name]);
        sheet.draw(&PortGroup {
            name: names::port_group(&id),
            external_ids: texts([
                (PRIMARY_ID, &id),
                (ids::OWNER_CONTROLLER, &controller),
                (ids::OWNER_TYPE, ids::CLUSTER),
                (ids::NAME, name),
            ]),
            ..PortGroup::default()
        });
    }
}

// compat: pkg/ovn/topology/topologyfactory.go, NewTransitRouter
fn draw_router(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &ReadyPrimary<'_>) -> Key {
    let mut options = texts([("requested-tnl-key", &network.router_key.to_string())]);
    match input.settings.gateway_mode {
        GatewayMode::Shared => {}
        GatewayMode::Local => options.extend(texts([("ct-commit-all", "true")])),
    }
    sheet.draw(&LogicalRouter {
        name: names::transit_router(network.prefix()),
        options,
        external_ids: with(marks(network.network()), [(ids::CLUSTER_ROUTER, "yes")]),
        copp: protection().into(),
        ..LogicalRouter::default()
    })
}

/// The link between the switch and the transit router; its upper end is the workloads' gateway.
// compat: pkg/ovn/layer2_user_defined_network_controller.go, syncClusterRouterPorts
fn draw_switch_link(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    [switch, router]: [&Key; 2],
) {
    let prefix = network.prefix();
    let gateway = names::transit_to_switch(prefix);
    let lower = LogicalSwitchPort {
        name: names::switch_to_transit(prefix),
        r#type: "router".to_owned(),
        addresses: BTreeSet::from(["router".to_owned()]),
        options: texts([("router-port", &gateway)]),
        external_ids: marks(network.network()),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&lower, switch, LogicalSwitch::PORTS);

    let mtu = network.base.mtu(input.settings);
    let addresses: Vec<_> =
        network.platform.iter().map(PlatformAddresses::gateway_on_interface).collect();
    let upper = LogicalRouterPort {
        name: gateway,
        mac: network.gateway_mac.to_string(),
        networks: networks(&addresses),
        options: texts([("gateway_mtu", &mtu.to_string()), ("requested-tnl-key", SWITCH_PORT_KEY)]),
        ipv6_ra_configs: advertisements(network, mtu),
        ..LogicalRouterPort::default()
    };
    let upper = sheet.draw_under(&upper, router, LogicalRouter::PORTS);
    draw_gateway_chassis(sheet, input, network, &upper);
}

/// What the gateway tells IPv6 pods, who take their addresses from DHCP.
// compat: pkg/ovn/layer2_user_defined_network_controller.go, syncNodeClusterRouterPort; the static
// gateway that CNI sets has the medium preference, so this one is low
fn advertisements(network: &ReadyPrimary<'_>, mtu: Mtu) -> Texts {
    if network.platform_of(Family::V6).is_none() {
        return Texts::new();
    }
    texts([
        ("address_mode", "dhcpv6_stateful"),
        ("send_periodic", "true"),
        ("max_interval", "900"),
        ("min_interval", "300"),
        ("router_preference", "LOW"),
        ("mtu", &mtu.to_string()),
    ])
}

/// Makes the gateway a port of the zone's own chassis, so that conditional NAT works on it.
fn draw_gateway_chassis(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    port: &Key,
) {
    let Some(chassis) = input.own_chassis() else { return };
    let row = GatewayChassis {
        name: names::gateway_chassis(network.prefix(), chassis),
        chassis_name: chassis.to_string(),
        priority: 1,
        ..GatewayChassis::default()
    };
    sheet.draw_under(&row, port, LogicalRouterPort::GATEWAY_CHASSIS);
}

/// Packets that leave through the management port carry the network's masquerade address, because
/// on the host networks may have the same subnets.
// compat: pkg/ovn/base_network_controller.go, buildUDNEgressSNAT
fn draw_management_nat(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    router: &Key,
) {
    let marks = marks(network.network());
    for platform in &network.platform {
        let masquerade = input.settings.masquerade.of(platform.subnet.family()).copied();
        let id = network.base.numbers.id;
        let Some(own) = masquerade.and_then(|subnet| network_masquerade(subnet, id)) else {
            continue;
        };
        let nat = Nat {
            logical_port: Some(names::transit_to_switch(network.prefix())),
            r#match: format!("eth.dst == {}", network.management_mac),
            ..source_nat(platform.subnet, own.management, &marks)
        };
        sheet.draw_under(&nat, router, LogicalRouter::NAT);
    }
}

/// Services of the default network are reached through the host. With local gateways everything
/// goes there anyway.
// compat: pkg/ovn/controller/services, configureUDNEnabledServiceRoute; both addresses of a
// dual-stack service, where the other project has the first
fn draw_service_routes(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    router: &Key,
) {
    match input.settings.gateway_mode {
        GatewayMode::Shared => {}
        GatewayMode::Local => return,
    }
    for (service, addresses) in &input.intent.allowed_services {
        let marks = with(marks(network.network()), [(ids::ALLOWED_SERVICE, &service.to_string())]);
        for ip in addresses {
            let Some(management) = management(network, *ip) else { continue };
            let policy = Some(LogicalRouterStaticRoutePolicy::DstIp);
            let route = Route { policy, ..route(ip, management, &marks) };
            sheet.draw_under(&route, router, LogicalRouter::STATIC_ROUTES);
        }
    }
}

/// The management address of the same family as another address.
pub(super) fn management(network: &ReadyPrimary<'_>, ip: IpAddr) -> Option<IpAddr> {
    network.platform_of(Family::of(ip)).map(|platform| platform.management)
}
