//! Chooses the subnets between a network's transit router and its gateway routers.
//!
//! Reads the network's own subnets and the cluster's; returns one transit subnet per family.
//! Invariant: the choice overlaps nothing that the network could talk to.

use std::net::IpAddr;

use udn_model::{ClusterSettings, InterfaceAddress, Network, PerFamily, Subnet};

#[cfg(test)]
mod tests;

/// How often the search moves on before it gives up.
// compat: pkg/util/multi_network.go, the number of tries for a transit subnet
const TRIES: usize = 10;

/// No transit subnet could be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoTransit {
    /// The last one tried.
    pub candidate: Subnet,
    /// What it overlaps.
    pub overlaps: Subnet,
}

/// The transit subnets of a primary network, one for each of its families; those that are settled
/// stay.
pub fn choose_transit(
    network: &Network,
    settled: &PerFamily<Subnet>,
    settings: &ClusterSettings,
) -> Result<PerFamily<Subnet>, NoTransit> {
    let mut chosen = PerFamily::default();
    // Layer-3 networks meet in the cluster's own transit subnet.
    if !network.is_primary() || network.layer3().is_some() {
        return Ok(chosen);
    }
    let occupied = occupied(network, settings);
    for family in network.subnets.iter().map(Subnet::family) {
        let transit = match (settled.of(family), settings.transit.of(family)) {
            (Some(settled), _) => *settled,
            (None, Some(start)) => search(*start, &occupied)?,
            (None, None) => continue,
        };
        chosen.put(family, transit);
    }
    Ok(chosen)
}

/// Everything that a transit subnet must keep clear of.
fn occupied(network: &Network, settings: &ClusterSettings) -> Vec<Subnet> {
    let own_join = network.primary().into_iter().flat_map(|primary| primary.join.iter().copied());
    let mut occupied: Vec<Subnet> = network.subnets.iter().chain(own_join).collect();
    occupied.extend(settings.cluster_subnets.iter().map(|it| it.subnet));
    occupied.extend(&settings.service_subnets);
    occupied.extend(settings.default_join.iter());
    occupied.extend(settings.masquerade.iter());
    occupied
}

/// Moves on behind the larger of the two whenever the candidate overlaps.
fn search(start: Subnet, occupied: &[Subnet]) -> Result<Subnet, NoTransit> {
    let mut candidate = start;
    let mut in_the_way = None;
    for _ in 0..TRIES {
        match occupied.iter().find(|it| it.overlaps(candidate)) {
            None => return Ok(candidate),
            Some(other) => {
                in_the_way = Some(*other);
                let larger = if other.contains_subnet(candidate) { *other } else { candidate };
                match behind(larger, candidate.prefix_len()) {
                    Some(next) => candidate = next,
                    None => break,
                }
            }
        }
    }
    Err(NoTransit { candidate, overlaps: in_the_way.unwrap_or(candidate) })
}

/// The subnet of this length that begins right behind another.
fn behind(subnet: Subnet, length: u8) -> Option<Subnet> {
    let first = match subnet.last() {
        IpAddr::V4(last) => IpAddr::V4(u32::from(last).checked_add(1)?.into()),
        IpAddr::V6(last) => IpAddr::V6(u128::from(last).checked_add(1)?.into()),
    };
    InterfaceAddress::new(first, length).ok().map(Subnet::of)
}
