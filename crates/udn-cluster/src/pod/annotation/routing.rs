//! Where an attachment's packets go: gateways and routes, by topology and role.
//!
//! Reads a network, the node's subnets in it, and what else the pod is on; returns entries.
//! Invariant: routes come family by family in the order of the addresses; none leads everywhere.

use std::net::{IpAddr, Ipv6Addr};

use udn_model::{
    Attachment, AttachmentGrant, ClusterSettings, Family, Grants, Intent, InterfaceAddress,
    MacAddress, Network, PlatformAddresses, Subnet,
};
use udn_wire::pod_networks::{PodNetwork, PodRole, PodRoute};

/// What an attachment's entry depends on, besides what was granted.
pub(super) struct Routing<'a> {
    network: &'a Network,
    attachment: &'a Attachment,
    settings: &'a ClusterSettings,
    /// The gateway of each family, whether default routes lead there or not.
    routers: Vec<(Family, IpAddr)>,
    /// The families whose default routes lead through another network of the pod.
    led_elsewhere: Vec<Family>,
}

impl<'a> Routing<'a> {
    pub(super) fn of(
        network: &'a Network,
        attachment: &'a Attachment,
        (intent, grants): (&Intent, &Grants),
        settings: &'a ClusterSettings,
    ) -> Self {
        let platform = match network.layer3() {
            Some(_) => {
                let subnets = grants.node_subnets(&network.name, &attachment.node);
                subnets.map(PlatformAddresses::on_node).unwrap_or_default()
            }
            None => network.platform_addresses(),
        };
        let routers = platform.iter().map(|it| (it.subnet.family(), it.gateway)).collect();
        let led_elsewhere =
            if network.is_default() { elsewhere(attachment, intent) } else { vec![] };
        Self { network, attachment, settings, routers, led_elsewhere }
    }

    // compat: pkg/util/pod_annotation.go, AddRoutesGatewayIP
    pub(super) fn entry(&self, grant: &AttachmentGrant) -> PodNetwork {
        let family = |address: &InterfaceAddress| Family::of(address.addr());
        let families: Vec<Family> = grant.addresses.iter().map(family).collect();
        let router_of = |family: &Family| self.routers.iter().find(|(of, _)| of == family).copied();
        let routers: Vec<(Family, IpAddr)> = families.iter().filter_map(router_of).collect();
        PodNetwork {
            addresses: grant.addresses.clone(),
            mac: grant.mac,
            routes: routers.iter().flat_map(|(family, ip)| self.routes(*family, *ip)).collect(),
            gateways: self.gateways(&routers),
            link_local_gateway: self.link_local_gateway(),
            tunnel_id: grant.port_key,
            role: Some(self.role()),
        }
    }

    fn role(&self) -> PodRole {
        match self.attachment.lock {
            Some(_) => PodRole::InfrastructureLocked,
            None => self.network.role().into(),
        }
    }

    /// Where default routes lead.
    fn gateways(&self, routers: &[(Family, IpAddr)]) -> Vec<IpAddr> {
        if !self.attachment.gateways.is_empty() {
            return self.attachment.gateways.clone();
        }
        let is_main = self.role() == PodRole::Primary;
        let leads_here =
            |(family, _): &&(Family, IpAddr)| is_main && !self.led_elsewhere.contains(family);
        routers.iter().filter(leads_here).map(|(_, ip)| *ip).collect()
    }

    /// Where the routers of a layer-2 network advertise themselves from.
    fn link_local_gateway(&self) -> Option<Ipv6Addr> {
        let has_v6 = self.routers.iter().any(|(family, _)| *family == Family::V6);
        self.network.gateway_mac().filter(|_| has_v6).map(MacAddress::link_local)
    }

    /// To other nodes, to services, and to the gateway routers' own addresses.
    fn routes(&self, family: Family, gateway: IpAddr) -> Vec<PodRoute> {
        let Self { network, settings, .. } = self;
        let ranges = network.layer3().into_iter().flat_map(|it| &it.subnets);
        let mut all: Vec<InterfaceAddress> = ranges.map(|it| it.subnet.net()).collect();
        let primary = network.primary();
        if primary.is_some() && self.attachment.lock.is_none() {
            all.extend(settings.service_subnets.iter().map(|it| it.net()));
        }
        if network.is_default() && self.attachment.lock.is_none() {
            all.extend(settings.masquerade.of(family).copied().and_then(hairpin));
        }
        all.extend(primary.and_then(|it| it.join.of(family)).map(|it| it.net()));
        // A route to everywhere is the gateway itself.
        all.retain(|it| Family::of(it.addr()) == family && it.prefix_len() > 0);
        let route = |destination| PodRoute { destination, next_hop: Some(gateway) };
        all.into_iter().map(route).collect()
    }
}

/// Where a service's answers come from that its own client serves.
// compat: pkg/config/config.go, the fifth masquerade address
fn hairpin(masquerade: Subnet) -> Option<InterfaceAddress> {
    let ip = masquerade.address(5)?;
    InterfaceAddress::new(ip, Family::of(ip).longest_prefix()).ok()
}

/// The families for which the pod asks another of its networks to be the way out.
fn elsewhere(attachment: &Attachment, intent: &Intent) -> Vec<Family> {
    let all = intent.attachments.values().flat_map(|it| it.values());
    let others = all.filter(|it| it.key.pod == attachment.key.pod && it.key != attachment.key);
    others.flat_map(|it| it.gateways.iter().map(|ip| Family::of(*ip))).collect()
}
