//! A small cluster controller for tests: grants numbers much as the ledger would.

use std::collections::BTreeSet;

use udn_cluster::{Publication, World, render, translate};
use udn_model::{
    AttachmentGrant, ClusterSettings, Grants, Intent, MacAddress, Network, NetworkGrant, NetworkId,
    NodeId, PortKey, Topology, TunnelKey,
};

/// The smallest number that nobody has.
fn free<T: Ord>(taken: &BTreeSet<T>, first: u16, number: impl Fn(u16) -> Option<T>) -> T {
    let mut numbers = (first..).filter_map(number);
    numbers.find(|number| !taken.contains(number)).expect("the pools of tests are large")
}

fn grant_network(network: &Network, id: NetworkId, settings: &ClusterSettings) -> NetworkGrant {
    let number = u32::from(id.get());
    let key = |base: u32| TunnelKey::new(base + number).expect("tests have few networks");
    let tunnel_keys =
        if network.is_primary() { vec![key(16_711_683), key(16_715_778)] } else { Vec::new() };
    let mut transit = udn_model::PerFamily::default();
    for subnet in network.subnets.iter().filter(|_| network.is_primary()) {
        let family = subnet.family();
        transit.put(family, *settings.transit.of(family).expect("both are set"));
    }
    NetworkGrant { id, tunnel_keys, transit }
}

/// Grants what the intent needs; what was published stays.
pub(crate) fn settle(intent: &Intent, settings: &ClusterSettings) -> Grants {
    let mut grants = Grants::default();
    let published = &intent.published;
    let mut ids: BTreeSet<NetworkId> =
        published.networks.values().filter_map(|network| network.id).collect();
    for network in intent.networks.values() {
        let known = published.networks.get(&network.name).and_then(|it| it.id);
        let id = known.unwrap_or_else(|| free(&ids, 1, NetworkId::new));
        ids.insert(id);
        grants.networks.insert(network.name.clone(), grant_network(network, id, settings));
        settle_attachments(intent, network, &mut grants);
    }
    let mut ids: BTreeSet<NodeId> = published.nodes.values().copied().collect();
    for node in intent.nodes.keys() {
        let known = published.nodes.get(node).copied();
        let id = known.unwrap_or_else(|| free(&ids, 2, NodeId::new));
        ids.insert(id);
        grants.nodes.insert(node.clone(), id);
    }
    grants
}

fn settle_attachments(intent: &Intent, network: &Network, grants: &mut Grants) {
    let known = intent.published.attachments.get(&network.name).cloned().unwrap_or_default();
    let key_of = |grant: &AttachmentGrant| grant.port_key.map_or(0, PortKey::get);
    let mut next = known.values().map(key_of).max().unwrap_or(0).max(9);
    let mut places = known.values().map(|it| it.addresses.len()).max().unwrap_or(0).max(2) as u128;
    places += known.len() as u128;
    for attachment in intent.attachments_of(&network.name) {
        let new = || {
            next += 1;
            places += 1;
            let of = |it: udn_model::Subnet| it.interface_address(places);
            let addresses: Vec<_> = network.subnets.iter().filter_map(of).collect();
            let first = addresses.first().map(|it| MacAddress::from_ip(it.addr()));
            let mac = first.unwrap_or_else(|| MacAddress::from_text(&attachment.key.to_string()));
            let has_key = !matches!(network.topology, Topology::Localnet(_));
            AttachmentGrant { addresses, mac, port_key: PortKey::new(next).filter(|_| has_key) }
        };
        let grant = known.get(&attachment.key).cloned().unwrap_or_else(new);
        let place = grants.attachments.entry(network.name.clone()).or_default();
        place.insert(attachment.key.clone(), grant);
    }
}

/// One turn of the controller over a world.
pub(crate) fn turn(world: &World, settings: &ClusterSettings) -> Vec<Publication> {
    let intent = translate::cluster(world, settings).value;
    let grants = settle(&intent, settings);
    render::publications(world, &intent, &grants, settings)
}
