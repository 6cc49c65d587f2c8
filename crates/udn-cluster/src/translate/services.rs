//! The services of the default network that primary networks may reach.
//!
//! Invariant: a service without addresses is not there; an address leads to one service, the first
//! by name, even if a server told of two.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use udn_model::{ClusterSettings, ObjectName};
use udn_wire::object::ServiceSpec;

use crate::world::World;

pub(super) fn allowed(
    world: &World,
    settings: &ClusterSettings,
) -> BTreeMap<ObjectName, Vec<IpAddr>> {
    let mut taken = BTreeSet::new();
    let present = settings.allowed_services.iter().filter_map(|name| {
        let mut addresses = addresses(&world.services.get(name)?.spec);
        addresses.retain(|address| taken.insert(*address));
        (!addresses.is_empty()).then(|| (name.clone(), addresses))
    });
    present.collect()
}

/// Headless services say `None`, which is no address.
fn addresses(spec: &ServiceSpec) -> Vec<IpAddr> {
    let mut addresses: Vec<IpAddr> =
        spec.cluster_ips.iter().filter_map(|text| text.parse().ok()).collect();
    if addresses.is_empty() {
        addresses.extend(spec.cluster_ip.parse::<IpAddr>().ok());
    }
    addresses
}
