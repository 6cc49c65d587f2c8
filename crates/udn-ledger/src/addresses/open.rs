//! Opens a network: its allocations begin with everything that is carried there.
//!
//! Invariant: nothing is granted before the past is written down, the oldest first.

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Claim, ClusterSettings, Intent, NetworkName,
    ObjectName,
};

use super::Waiter;
use crate::ledger::Ledger;
use crate::network_allocations::NetworkAllocations;

/// Somebody who carries addresses.
enum Carrier<'i> {
    Claim(&'i Claim),
    Pod(&'i Attachment),
}

impl Carrier<'_> {
    /// In this order they get what they carry.
    fn age(&self) -> (&str, u8, &ObjectName, Option<&AttachmentKey>) {
        match self {
            Self::Claim(claim) => (&claim.created, 0, &claim.name, None),
            Self::Pod(it) => (&it.created, 1, &it.key.pod, Some(&it.key)),
        }
    }
}

impl Ledger {
    /// Opens a network of an intent: its allocations begin with everything that the intent's pods
    /// and claims carry; of two who carry one address, the older keeps it. A network that is open
    /// already follows its changes.
    pub fn open_network(
        &mut self,
        intent: &Intent,
        network: &NetworkName,
        settings: &ClusterSettings,
    ) -> Vec<Waiter> {
        let claims = intent.claims.values().filter(|claim| claim.network == *network);
        self.open_with(intent, network, settings, claims)
    }

    /// The same for who knows the claims on the network.
    pub(crate) fn open_with<'i>(
        &mut self,
        intent: &'i Intent,
        name: &NetworkName,
        settings: &ClusterSettings,
        claims: impl Iterator<Item = &'i Claim>,
    ) -> Vec<Waiter> {
        let Some(network) = intent.networks.get(name) else { return Vec::new() };
        match self.networks.get_mut(name) {
            Some(allocations) => allocations.follow(network),
            None => {
                let allocations = NetworkAllocations::new(network, settings);
                self.networks.insert(name.clone(), Box::new(allocations));
            }
        }
        let carries = |it: &&Attachment| carried(intent, it).is_some();
        let pods = intent.attachments_of(name).filter(carries).map(Carrier::Pod);
        let claims = claims.filter(|it| intent.published.claims.contains_key(&it.name));
        let mut carriers: Vec<Carrier<'_>> = claims.map(Carrier::Claim).chain(pods).collect();
        carriers.sort_by(|one, other| one.age().cmp(&other.age()));
        let mut woken = Vec::new();
        for carrier in carriers {
            match carrier {
                Carrier::Pod(attachment) => woken.extend(self.adopt_attachment(attachment, intent)),
                Carrier::Claim(claim) => {
                    woken.extend(self.register_claim(claim));
                    if let Some(allocations) = self.networks.get_mut(name) {
                        adopt_claim(allocations, claim, intent);
                    }
                }
            }
        }
        woken.extend(
            self.networks.get_mut(name).map(|allocations| allocations.woken()).unwrap_or_default(),
        );
        woken
    }

    /// Writes down what an attachment carries, if it carries anything.
    pub(super) fn adopt_attachment(
        &mut self,
        attachment: &Attachment,
        intent: &Intent,
    ) -> Vec<Waiter> {
        let Attachment { key, network, pod_uid, .. } = attachment;
        let woken = self.release_earlier(&key.pod, pod_uid);
        if let (Some(allocations), Some(carried)) =
            (self.networks.get_mut(network), carried(intent, attachment))
        {
            allocations.adopt(attachment, carried);
            self.note(attachment);
        }
        woken
    }
}

/// Writes down what a claim carries; a MAC that it does not know is that of its pods.
pub(super) fn adopt_claim(allocations: &mut NetworkAllocations, claim: &Claim, intent: &Intent) {
    let Some(published) = intent.published.claims.get(&claim.name) else { return };
    let of_user = |key: &AttachmentKey| {
        let carried = intent.published.attachments.get(&claim.network)?.get(key)?;
        (carried.addresses == published.addresses).then_some(carried.mac)
    };
    let mac = published.mac.or_else(|| claim.users.iter().find_map(of_user));
    allocations.adopt_claim(claim, &published.addresses, mac);
}

fn carried<'i>(intent: &'i Intent, attachment: &Attachment) -> Option<&'i AttachmentGrant> {
    intent.published.attachments.get(&attachment.network)?.get(&attachment.key)
}
