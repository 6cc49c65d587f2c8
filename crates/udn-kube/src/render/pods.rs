//! Entries of pods: what each attachment was granted, with the routes that go with it.
//!
//! Invariant: entries of other networks stay as they are, byte by byte.

use std::collections::BTreeMap;
use std::net::IpAddr;

use udn_model::{
    AttachmentGrant, ClusterSettings, Family, Grants, Intent, InterfaceAddress, MacAddress,
    Network, ObjectName, Subnet,
};

use super::publication::{Publication, Target};
use crate::keys::POD_NETWORKS;
use crate::pod_networks::{PodNetwork, PodNetworks, PodRoute};
use crate::world::World;

type Entries = Vec<(String, PodNetwork)>;

/// The pods whose annotation must change.
pub(super) fn attached(
    world: &World,
    intent: &Intent,
    grants: &Grants,
    settings: &ClusterSettings,
) -> Vec<Publication> {
    let entries = entries(intent, grants, settings);
    let differing = entries.iter().filter_map(|(name, entries)| publish(world, name, entries));
    differing.collect()
}

/// What each pod was granted on its networks.
fn entries<'a>(
    intent: &'a Intent,
    grants: &'a Grants,
    settings: &ClusterSettings,
) -> BTreeMap<&'a ObjectName, Entries> {
    let mut pods: BTreeMap<&ObjectName, Entries> = BTreeMap::new();
    for network in intent.networks.values() {
        let routing = Routing::of(network, settings);
        for attachment in intent.attachments_of(&network.name) {
            let key = &attachment.key;
            let Some(grant) = grants.attachment(&network.name, key) else { continue };
            let entry = (key.definition_key(), routing.entry(grant));
            pods.entry(&key.pod).or_default().push(entry);
        }
    }
    pods
}

fn publish(world: &World, name: &ObjectName, entries: &Entries) -> Option<Publication> {
    let annotation = world.pods.get(name)?.metadata.annotation(POD_NETWORKS);
    // A text that cannot be read was found by translate, and is not ours to lose.
    let mut networks = annotation.map(PodNetworks::decode).transpose().ok()?.unwrap_or_default();
    let is_new = |(key, entry): &&(String, PodNetwork)| {
        networks.entry(key).is_ok_and(|standing| standing.as_ref() != Some(entry))
    };
    let new: Entries = entries.iter().filter(is_new).cloned().collect();
    if new.is_empty() {
        return None;
    }
    new.iter().for_each(|(key, entry)| networks.put(key, entry));
    let annotations = BTreeMap::from([(POD_NETWORKS.to_owned(), networks.encode())]);
    Some(Publication::annotate(Target::pod(name), annotations))
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
    fn entry(&self, grant: &AttachmentGrant) -> PodNetwork {
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
            gateways: gateways.into_iter().map(|(_, ip)| ip).collect(),
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
