//! Lets pods know which networks there are.
//!
//! Invariant: before a network's doors are seen by any pod's reconcile, its books hold everything that
//! pods and claims carry of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_cluster::{ObjectCache, WorkItem, translate};
use udn_model::{Intent, Network};

use super::decide::NetworkState;
use super::reconcile::Context;

/// A network's reconcile ended well; returns whom that concerns.
pub(super) fn follow(
    item: &WorkItem,
    network_state: NetworkState,
    cache: &mut ObjectCache,
    context: &Context,
) -> BTreeSet<WorkItem> {
    match (network_state, item.network()) {
        (NetworkState::Ready(network), Some(_)) => build(&network, cache, context),
        (NetworkState::Pending, Some(name)) => cache.build(&name, None),
        (NetworkState::Unchanged, _) | (NetworkState::Ready(_) | NetworkState::Pending, None) => {
            BTreeSet::new()
        }
    }
}

/// Opens the doors and the books of a network; no turn is given between the two.
pub(super) fn build(
    network: &Arc<Network>,
    cache: &mut ObjectCache,
    context: &Context,
) -> BTreeSet<WorkItem> {
    let touched = cache.build(&network.name, Some(network));
    context.with_books(|ledger| {
        let mut intent = Intent::default();
        if !ledger.has_network(&network.name) {
            let (world, nad_states) = cache.carriers(network);
            intent = translate::pods(&world, &nad_states, &context.settings).value;
        }
        intent.networks.insert(network.name.clone(), network.clone());
        ((), ledger.open_network(&intent, &network.name, &context.settings))
    });
    touched
}
