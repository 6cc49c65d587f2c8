//! Where one pod can ping another: the addresses on the networks that both are on.
//!
//! Reads an [`Inventory`]; returns addresses, or why there is none.
//! Invariant: an address is never one of a network that only one of the two is on.

use std::net::IpAddr;

use udn_model::Family;
use udn_wire::keys::{cudn_network, udn_network};

use super::{Inventory, PodAttachment};

/// Which of the shared addresses are meant; all without a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The network by its name, or by the name of its CUDN or `namespace/name` of its UDN.
    pub network: Option<&'a str>,
    pub family: Option<Family>,
}

/// An address that another pod can ping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedAddress {
    pub network: String,
    pub address: IpAddr,
}

/// Why one pod cannot ping the other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NothingShared {
    #[error("{from} and {to} share no network: {from} is on {first}, {to} on {second}")]
    Network { from: String, to: String, first: String, second: String },
    #[error("{from} and {to} do not share {wanted}; they share {shared}")]
    Wanted { from: String, to: String, wanted: String, shared: String },
    #[error("{to} has no {what} on {networks}")]
    Address { to: String, what: String, networks: String },
}

impl Inventory {
    /// The addresses at which the pod `from` can ping the pod `to`, both as `namespace/name`.
    pub fn shared(
        &self,
        from: &str,
        to: &str,
        choice: Choice<'_>,
    ) -> Result<Vec<SharedAddress>, NothingShared> {
        let [first, second] = [from, to].map(|pod| self.attachments_of(pod));
        let shared: Vec<&PodAttachment> = second
            .iter()
            .filter(|it| first.iter().any(|other| other.network == it.network))
            .collect();
        let (from, to) = (from.to_owned(), to.to_owned());
        if shared.is_empty() {
            let [first, second] = [first, second].map(|it| names(&it.iter().collect::<Vec<_>>()));
            return Err(NothingShared::Network { from, to, first, second });
        }
        let meant = |it: &&PodAttachment| choice.network.is_none_or(|name| is_called(it, name));
        let chosen: Vec<&PodAttachment> = shared.iter().copied().filter(meant).collect();
        if chosen.is_empty() {
            let wanted = choice.network.unwrap_or_default().to_owned();
            return Err(NothingShared::Wanted { from, to, wanted, shared: names(&shared) });
        }
        let addresses = addresses(&chosen, choice.family);
        if addresses.is_empty() {
            let family = choice.family.map(|family| format!("{family} "));
            let what = format!("{}address", family.unwrap_or_default());
            return Err(NothingShared::Address { to, what, networks: names(&chosen) });
        }
        Ok(addresses)
    }

    fn attachments_of(&self, pod: &str) -> &[PodAttachment] {
        self.attachments.get(pod).map_or(&[], Vec::as_slice)
    }
}

fn addresses(attachments: &[&PodAttachment], family: Option<Family>) -> Vec<SharedAddress> {
    let all = attachments.iter().flat_map(|it| {
        let of = it.addresses.iter().map(|address| (it.network.clone(), *address));
        of.map(|(network, address)| SharedAddress { network, address })
    });
    all.filter(|it| family.is_none_or(|family| Family::of(it.address) == family)).collect()
}

fn is_called(attachment: &PodAttachment, wanted: &str) -> bool {
    let network = &attachment.network;
    let of_udn = wanted.split_once('/').map(|(namespace, name)| udn_network(namespace, name));
    *network == wanted || *network == cudn_network(wanted) || of_udn.as_ref() == Some(network)
}

fn names(attachments: &[&PodAttachment]) -> String {
    let names: Vec<&str> = attachments.iter().map(|it| it.network.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
