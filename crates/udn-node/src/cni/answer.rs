//! The result of an ADD.
//!
//! Reads what was wired; returns what the runtime and Multus are told.
//! Invariant: each link has two interfaces, the host's end before the pod's, and only the pod's end
//! has addresses.

use udn_cni::CniResult;
use udn_cni::result::{Cidr, Interface, InterfaceAddress, Route};
use udn_host::PodFacts;
use udn_model::{Family, MacAddress};

#[cfg(test)]
mod tests;

/// A link that was made: what was planned, and the MAC of the host's end.
pub(super) type Made<'a> = (&'a PodFacts, Option<MacAddress>);

/// What to tell of these links, in their order.
// compat: pkg/cni/cni.go, getCNIResult; Multus takes the first interface that has a gateway for the
// pod's default one
pub(super) fn result(made: &[Made<'_>]) -> CniResult {
    let mut result = CniResult::default();
    for (facts, host_mac) in made {
        result.interfaces.push(Interface {
            name: facts.link.clone(),
            mac: host_mac.map(|mac| mac.to_string()),
            mtu: Some(facts.mtu.get()),
            ..Interface::default()
        });
        result.interfaces.push(Interface {
            name: facts.interface.clone(),
            mac: Some(facts.mac.to_string()),
            mtu: Some(facts.mtu.get()),
            sandbox: Some(facts.namespace.display().to_string()),
            ..Interface::default()
        });
        let interface = Some(result.interfaces.len() - 1);
        let addresses = facts.addresses.iter().filter_map(|it| {
            let family = Family::of(it.addr());
            let mut gateways = facts.gateways.iter().copied();
            let gateway = gateways.find(|gateway| Family::of(*gateway) == family);
            let address = Cidr::new(it.addr(), it.prefix_len())?;
            Some(InterfaceAddress { interface, address, gateway })
        });
        result.addresses.extend(addresses);
        let routes = facts.routes.iter().filter_map(|it| {
            let destination = Cidr::new(it.destination.addr(), it.destination.prefix_len())?;
            Some(Route { destination, gateway: Some(it.next_hop), mtu: None })
        });
        result.routes.extend(routes);
    }
    result
}
