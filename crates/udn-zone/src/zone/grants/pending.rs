//! What was granted and not heard back yet.
//!
//! Invariant: nothing here is durable: whoever carries one of these numbers has the better right.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use udn_model::{AttachmentGrant, Grants, Intent, MacAddress, NetworkName, ObjectName};

/// Who was granted which number.
#[derive(Debug, Default)]
pub(super) struct Pending {
    holders: BTreeMap<(NetworkName, Number), ObjectName>,
    held: BTreeMap<ObjectName, Vec<(NetworkName, Number)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Number {
    Address(IpAddr),
    Mac(MacAddress),
}

impl Pending {
    /// What a pod was granted now, besides what it carries.
    pub(super) fn put(&mut self, pod: &ObjectName, granted: &Grants) {
        self.forget_pod(pod);
        let all = granted.attachments.iter();
        let all = all.flat_map(|(network, of)| of.values().map(move |it| (network, it)));
        let held: Vec<_> = all.flat_map(|(network, grant)| numbers(network, grant)).collect();
        self.holders.extend(held.iter().map(|it| (it.clone(), pod.clone())));
        if !held.is_empty() {
            self.held.insert(pod.clone(), held);
        }
    }

    pub(super) fn forget_pod(&mut self, pod: &ObjectName) {
        for number in self.held.remove(pod).into_iter().flatten() {
            self.holders.remove(&number);
        }
    }

    pub(super) fn forget_network(&mut self, network: &NetworkName) {
        self.holders.retain(|(of, _), _| of != network);
        self.held.retain(|_, held| {
            held.retain(|(of, _)| of != network);
            !held.is_empty()
        });
    }

    /// The pods that were granted something of a network.
    pub(super) fn pods_in(&self, network: &NetworkName) -> BTreeSet<ObjectName> {
        let has = |held: &[(NetworkName, Number)]| held.iter().any(|(of, _)| of == network);
        let pods = self.held.iter().filter(|(_, held)| has(held));
        pods.map(|(pod, _)| pod.clone()).collect()
    }

    /// The others who were granted something that the pod of an intent carries.
    pub(super) fn rivals(&self, pod: &ObjectName, intent: &Intent) -> BTreeSet<ObjectName> {
        let carried = intent.published.attachments.iter();
        let carried = carried.flat_map(|(network, of)| of.values().map(move |it| (network, it)));
        let all = carried.flat_map(|(network, grant)| numbers(network, grant));
        let holders = all.filter_map(|number| self.holders.get(&number));
        holders.filter(|it| *it != pod).cloned().collect()
    }
}

fn numbers(network: &NetworkName, grant: &AttachmentGrant) -> Vec<(NetworkName, Number)> {
    let addresses = grant.addresses.iter().map(|it| Number::Address(it.addr()));
    let all = addresses.chain([Number::Mac(grant.mac)]);
    all.map(|it| (network.clone(), it)).collect()
}
