//! Numbers for one holder at a time, from a ledger that knows all of them.
//!
//! Invariant: a holder that has a number keeps it, whatever its annotations say today; a number is
//! free again only when its holder is released.

use std::collections::BTreeMap;

use udn_model::{
    ClusterSettings, Finding, Findings, Intent, NetworkGrant, NetworkId, NetworkName, NodeId,
    NodeName, Published, PublishedNetwork, Reason, Subject, Told, TunnelKey,
};

use crate::grant::{grant_network, grant_node, lost_key};
use crate::ledger::{FIRST_FREE_TUNNEL_KEY, KeyHolder, KeyPlace, Ledger};
use crate::number_pool::Refusal;

#[cfg(test)]
mod tests;

impl Ledger {
    /// Everybody who holds something that belongs to networks.
    #[cfg(test)]
    pub(crate) fn network_holders(&self) -> std::collections::BTreeSet<NetworkName> {
        let keys = self.keys.holders().map(|holder| &holder.network);
        self.ids.holders().chain(keys).chain(self.transits.keys()).cloned().collect()
    }

    /// A ledger with everything that is published; where two carry one number, the first keeps it
    /// and the other is told when it is settled.
    pub fn rebuild(published: &Published, settings: &ClusterSettings) -> Self {
        let mut ledger = Self::new(settings);
        for (name, id) in &published.nodes {
            ledger.adopt_node(name, *id);
        }
        ledger.adopt_networks(&published.networks, |_| true);
        ledger
    }

    /// Gives back what a network holds.
    pub fn release_network(&mut self, name: &NetworkName) {
        self.ids.release(name);
        self.release_keys(name);
        self.node_subnets.remove(name);
        self.close_network(name);
    }

    /// Gives back what a node holds; returns the networks of which it lacked a subnet.
    pub fn release_node(&mut self, name: &NodeName) -> Vec<NetworkName> {
        self.nodes.release(name);
        self.release_node_subnets(name)
    }

    /// Gives back what only a primary network holds.
    pub(crate) fn release_keys(&mut self, name: &NetworkName) {
        for place in KeyPlace::ALL {
            self.keys.release(&KeyHolder::new(name, place));
        }
        self.transits.remove(name);
    }

    /// Writes down the number that a node carries, unless it has one here.
    pub(crate) fn adopt_node(&mut self, name: &NodeName, id: NodeId) -> Option<Finding> {
        if self.nodes.number_of(name).is_some() {
            return None;
        }
        let refusal = self.nodes.hold(name, id.get().into()).err()?;
        let message = held(&format!("node id {id}"), &refusal, "the node's annotation");
        Some(Finding::new(Subject::Node(name.clone()), Reason::AlreadyTaken, message))
    }

    /// Writes down what all networks carry; tells whose numbers belong to others. Keys on a
    /// network that has none mean nothing.
    pub(crate) fn adopt_networks(
        &mut self,
        published: &BTreeMap<NetworkName, PublishedNetwork>,
        has_keys: impl Fn(&NetworkName) -> bool,
    ) -> BTreeMap<NetworkName, Findings> {
        // An id that somebody carries counts more than one that follows from a key.
        for (name, network) in published {
            if let (Some(id), None) = (network.id, self.ids.number_of(name)) {
                let _told_below = self.ids.hold(name, id.get().into());
            }
        }
        let told = published.iter().map(|(name, network)| {
            let has_keys = has_keys(name);
            (name.clone(), self.adopt_network(name, network, has_keys))
        });
        told.filter(|(_, findings)| !findings.is_empty()).collect()
    }

    /// Writes down the numbers that a network carries, except those that it has here; tells which
    /// belong to others.
    pub(crate) fn adopt_network(
        &mut self,
        name: &NetworkName,
        published: &PublishedNetwork,
        has_keys: bool,
    ) -> Findings {
        let mut findings = Findings::new();
        let mut tell = |what: String, refusal: Refusal<NetworkName>| {
            let message = held(&what, &refusal, "the annotations of the network's NADs");
            let subject = Subject::Network(name.clone());
            findings.push(Finding::new(subject, Reason::AlreadyTaken, message));
        };
        let keys = if has_keys { published.tunnel_keys.as_deref() } else { None };
        if let Some(id) = published.id.or_else(|| id_of(keys?))
            && self.ids.number_of(name).is_none()
        {
            // Its key of the preserved range goes with an id, so that nobody else may hold that.
            let key = u128::from(id.preserved_key().get());
            let is_free = self.ids.holder_of(id.get().into()).is_none();
            if is_free && self.keys.holder_of(key).is_some_and(|it| it.network != *name) {
                let subject = Subject::Network(name.clone());
                let message = lost_key(key, id, self);
                return vec![Finding::new(subject, Reason::AlreadyTaken, message)];
            }
            if let Err(refusal) = self.ids.hold(name, id.get().into()) {
                tell(format!("network id {id}"), refusal);
            }
        }
        for (place, key) in KeyPlace::ALL.into_iter().zip(keys.into_iter().flatten()) {
            if let Err(refusal) = self.adopt_key(name, place, *key) {
                tell(format!("tunnel key {key}"), refusal);
            }
        }
        if !published.transit.is_empty() {
            self.transits.entry(name.clone()).or_insert(published.transit);
        }
        findings
    }

    /// A key of the preserved range belongs to the switch of the network with that id, and to that
    /// of another network only as long as no network has the id.
    fn adopt_key(
        &mut self,
        name: &NetworkName,
        place: KeyPlace,
        key: TunnelKey,
    ) -> Result<(), Refusal<NetworkName>> {
        let holder = KeyHolder::new(name, place);
        if self.keys.number_of(&holder).is_some() {
            return Ok(());
        }
        if let Some(id) = preserved_for(key) {
            match (place, self.ids.holder_of(id.into())) {
                (KeyPlace::TransitRouter, _) => return Err(Refusal::Blocked),
                (KeyPlace::Switch, Some(other)) if other != name => {
                    return Err(Refusal::HeldBy(other.clone()));
                }
                (KeyPlace::Switch, Some(_) | None) => {}
            }
        }
        self.keys.hold(&holder, key.get().into()).map_err(|refusal| match refusal {
            Refusal::HeldBy(other) => Refusal::HeldBy(other.network),
            Refusal::Blocked => Refusal::Blocked,
        })
    }
}

/// The numbers of one network of an intent.
pub fn settle_network(
    intent: &Intent,
    name: &NetworkName,
    ledger: &mut Ledger,
    settings: &ClusterSettings,
) -> Told<Option<NetworkGrant>> {
    let Some(network) = intent.networks.get(name) else { return Told::default() };
    let published = intent.published.networks.get(name);
    let has_keys = network.is_primary();
    let mut findings =
        published.map(|it| ledger.adopt_network(name, it, has_keys)).unwrap_or_default();
    if !findings.is_empty() {
        return Told::new(None, findings);
    }
    let granted = grant_network(network, published, ledger, settings);
    let granted = granted.map_err(|finding| findings.push(finding)).ok();
    Told::new(granted, findings)
}

/// The number of one node, which may carry one already.
pub fn settle_node(
    name: &NodeName,
    published: Option<NodeId>,
    ledger: &mut Ledger,
) -> Told<Option<NodeId>> {
    if let Some(finding) = published.and_then(|id| ledger.adopt_node(name, id)) {
        return Told::new(None, vec![finding]);
    }
    match grant_node(name, ledger) {
        Ok(id) => Told::new(Some(id), Findings::new()),
        Err(finding) => Told::new(None, vec![finding]),
    }
}

/// The id that a network's keys tell.
fn id_of(keys: &[TunnelKey]) -> Option<NetworkId> {
    preserved_for(*keys.first()?).and_then(NetworkId::new)
}

/// The network id that a key of the preserved range goes with.
// compat: pkg/allocator/id/tunnelkeyallocator.go, the first 4096 keys
fn preserved_for(key: TunnelKey) -> Option<u16> {
    let offset = key.get().checked_sub(TunnelKey::FIRST_PRESERVED)?;
    (key.get() < FIRST_FREE_TUNNEL_KEY).then_some(offset).and_then(|it| u16::try_from(it).ok())
}

fn held<H: std::fmt::Display>(what: &str, refusal: &Refusal<H>, from: &str) -> String {
    match refusal {
        Refusal::HeldBy(holder) => {
            format!(
                "{what} in {from} is held by {holder}; remove it there so that a free one is granted"
            )
        }
        Refusal::Blocked => {
            format!(
                "{what} in {from} is outside the pool; remove it there so that a free one is granted"
            )
        }
    }
}
