//! What must hold of a cluster at any time, and when it has come to rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use udn_ledger::Waiter;
use udn_model::{InterfaceAddress, NetworkName};

use super::chance::Chance;
use super::cluster::{Cluster, Pod};

/// Who a pod is among the holders of its network.
fn holder(pod: &Pod) -> String {
    let it = &pod.attachment;
    match (&it.claim, &it.machine) {
        (Some(claim), _) => format!("claim {claim}"),
        (None, Some(machine)) => format!("machine {machine}"),
        (None, None) => format!("pod {}", it.key.pod),
    }
}

/// Everything that is written on one network: the addresses, MACs and port keys with their holders.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) addresses: BTreeMap<InterfaceAddress, String>,
    pub(crate) macs: BTreeMap<String, String>,
    pub(crate) ports: BTreeMap<u16, String>,
    pub(crate) attachments: usize,
}

fn enter<T: Ord + Debug>(all: &mut BTreeMap<T, String>, thing: T, holder: &str) {
    let text = format!("{thing:?}");
    let present = all.entry(thing).or_insert_with(|| holder.to_owned());
    assert_eq!(present, holder, "two hold {text}");
}

/// Reads what is written; no two holders have one number.
pub(crate) fn written(cluster: &Cluster, network: &NetworkName) -> Written {
    let mut all = Written::default();
    for pod in cluster.pods.values().filter(|it| it.attachment.network == *network) {
        let Some(written) = &pod.written else { continue };
        let holder = holder(pod);
        let claim = pod.attachment.claim.as_ref().and_then(|it| cluster.claims.get(it));
        if let Some(claim) = claim.filter(|it| !it.written.addresses.is_empty()) {
            assert_eq!(written.addresses, claim.written.addresses, "{holder} has its own again");
        }
        all.attachments += 1;
        for address in &written.addresses {
            enter(&mut all.addresses, *address, &holder);
        }
        enter(&mut all.macs, written.mac.to_string(), &holder);
        if let Some(port) = written.port_key {
            enter(&mut all.ports, port.get(), &pod.attachment.key.to_string());
        }
    }
    for (name, object) in cluster.claims.iter().filter(|(_, it)| it.claim.network == *network) {
        let holder = format!("claim {name}");
        for address in &object.written.addresses {
            enter(&mut all.addresses, *address, &holder);
        }
        if let Some(mac) = object.written.mac {
            enter(&mut all.macs, mac.to_string(), &holder);
        }
    }
    all
}

/// Settles everything, then compares the ledger with what is written, and looks for anybody who
/// could be served and was not woken.
pub(crate) fn check_at_rest(cluster: &mut Cluster, chance: &mut Chance) {
    cluster.drain(chance);
    check_books(cluster);
    let before = snapshot(cluster);
    cluster.touched.extend(cluster.pods.keys().cloned().map(Waiter::Pod));
    cluster.touched.extend(cluster.claims.keys().cloned().map(Waiter::Claim));
    cluster.drain(chance);
    assert_eq!(before, snapshot(cluster), "somebody could be served and was not woken");
    check_books(cluster);
}

fn check_books(cluster: &Cluster) {
    for network in cluster.networks.keys() {
        let written = written(cluster, network);
        let tally = cluster.ledger.tally(network);
        assert_eq!(tally.addresses, written.addresses.len(), "{network}: {tally:?} {written:#?}");
        assert_eq!(tally.macs, written.macs.len(), "{network}: {tally:?} {written:#?}");
        assert_eq!(tally.ports, written.ports.len(), "{network}");
        assert_eq!(tally.attachments, written.attachments, "{network}");
        let holders: BTreeSet<&String> = written.macs.values().collect();
        assert_eq!(tally.allocations, holders.len(), "{network}");
    }
}

fn snapshot(cluster: &Cluster) -> BTreeSet<String> {
    let pods = cluster.pods.iter().filter(|(_, it)| it.written.is_some());
    let claims = cluster.claims.iter().filter(|(_, it)| !it.written.addresses.is_empty());
    pods.map(|(name, _)| format!("pod {name}"))
        .chain(claims.map(|(name, _)| format!("claim {name}")))
        .collect()
}
