//! Entries of pods: what each attachment was granted, with the routes that go with it.
//!
//! Invariant: entries of other networks stay as they are, byte by byte.

use std::net::IpAddr;

use udn_model::{
    Attachment, AttachmentGrant, ClusterSettings, Family, Grants, Intent, InterfaceAddress,
    MacAddress, Network, ObjectName, Subnet,
};
use udn_wire::pod_networks::{PodNetwork, PodNetworks, PodRoute};

type Entries = Vec<(String, PodNetwork)>;

/// The text of a pod's annotation with all that the pod was granted; `None` where it stands.
pub(super) fn annotation_of(
    name: &ObjectName,
    standing: Option<&str>,
    intent: &Intent,
    grants: &Grants,
    settings: &ClusterSettings,
) -> Option<String> {
    let mut entries = Entries::new();
    for (network, granted) in &grants.attachments {
        let Some(network) = intent.networks.get(network) else { continue };
        let routing = Routing::of(network, settings);
        for (key, grant) in granted.iter().filter(|(key, _)| key.pod == *name) {
            let Some(attachment) = intent.attachment(&network.name, key) else { continue };
            entries.push((key.nad_key(), routing.entry(attachment, grant)));
        }
    }
    merge(standing, &entries)
}

/// The annotation with these entries, if that makes it another.
fn merge(standing: Option<&str>, entries: &Entries) -> Option<String> {
    // A text that cannot be read was found by translate, and is not ours to lose.
    let mut networks = standing.map(PodNetworks::decode).transpose().ok()?.unwrap_or_default();
    let is_new = |(key, entry): &&(String, PodNetwork)| {
        let standing = networks.entry(key);
        standing.is_ok_and(|standing| standing.as_ref().is_none_or(|it| may_replace(it, entry)))
    };
    let new: Entries = entries.iter().filter(is_new).cloned().collect();
    if new.is_empty() {
        return None;
    }
    new.iter().for_each(|(key, entry)| networks.put(key, entry));
    Some(networks.encode())
}

/// Whether an entry is another, and leaves the addresses alone that a pod may have taken already.
// compat: pkg/util/pod_annotation.go, ErrOverridePodIPs
fn may_replace(standing: &PodNetwork, entry: &PodNetwork) -> bool {
    let keeps_addresses = standing.addresses.is_empty() || standing.addresses == entry.addresses;
    standing != entry && keeps_addresses
}

/// What all pods of one network have in common.
struct Routing<'a> {
    network: &'a Network,
    gateways: Vec<(Subnet, IpAddr)>,
    services: Vec<Subnet>,
}

impl<'a> Routing<'a> {
    fn of(network: &'a Network, settings: &ClusterSettings) -> Self {
        let gateways = network.platform_addresses();
        let gateways = gateways.into_iter().map(|it| (it.subnet, it.gateway)).collect();
        Self { network, gateways, services: settings.service_subnets.clone() }
    }

    // compat: pkg/util/pod_annotation.go, AddRoutesGatewayIP
    fn entry(&self, attachment: &Attachment, grant: &AttachmentGrant) -> PodNetwork {
        let family = |address: &InterfaceAddress| Family::of(address.addr());
        let families: Vec<Family> = grant.addresses.iter().map(family).collect();
        let gateway_of =
            |family: &Family| self.gateways.iter().find(|(subnet, _)| subnet.family() == *family);
        let gateways: Vec<_> = families.iter().filter_map(gateway_of).copied().collect();
        let has_v6 = self.gateways.iter().any(|(subnet, _)| subnet.family() == Family::V6);
        let router = self.network.gateway_mac().filter(|_| has_v6);
        PodNetwork {
            addresses: grant.addresses.clone(),
            mac: grant.mac,
            routes: gateways
                .iter()
                .flat_map(|(subnet, ip)| self.routes(subnet.family(), *ip))
                .collect(),
            gateways: match attachment.gateways.as_slice() {
                [] => gateways.into_iter().map(|(_, ip)| ip).collect(),
                chosen => chosen.to_vec(),
            },
            link_local_gateway: router.map(MacAddress::link_local),
            tunnel_id: grant.port_key,
            role: Some(self.network.role().into()),
        }
    }

    /// To services, and to the gateway routers' own addresses.
    fn routes(&self, family: Family, gateway: IpAddr) -> Vec<PodRoute> {
        let join = self.network.primary().and_then(|primary| primary.join.of(family));
        let all = self.services.iter().filter(|it| it.family() == family).chain(join);
        // A route to everywhere is the gateway itself.
        let narrow = all.filter(|subnet| subnet.prefix_len() > 0);
        let route = |it: &Subnet| PodRoute { destination: it.net(), next_hop: Some(gateway) };
        narrow.map(route).collect()
    }
}
