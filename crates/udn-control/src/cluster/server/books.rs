//! Lets pods know which networks there are.
//!
//! Invariant: before a network's doors are seen by any pod's turn, its books hold everything that
//! pods and claims carry of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_cluster::{Affair, Cabinet, translate};
use udn_model::{Intent, Network};

use super::decide::Standing;
use super::turn::Workroom;

/// A network's turn ended well; returns whom that concerns.
pub(super) fn follow(
    affair: &Affair,
    standing: Standing,
    cabinet: &mut Cabinet,
    workroom: &Workroom,
) -> BTreeSet<Affair> {
    match (standing, affair.network()) {
        (Standing::Built(network), Some(_)) => build(&network, cabinet, workroom),
        (Standing::Shut, Some(name)) => cabinet.build(&name, None),
        (Standing::Unchanged, _) | (Standing::Built(_) | Standing::Shut, None) => BTreeSet::new(),
    }
}

/// Opens the doors and the books of a network; no turn is given between the two.
pub(super) fn build(
    network: &Arc<Network>,
    cabinet: &mut Cabinet,
    workroom: &Workroom,
) -> BTreeSet<Affair> {
    let touched = cabinet.build(&network.name, Some(network));
    workroom.with_books(|ledger| {
        let mut intent = Intent::default();
        if !ledger.has_book(&network.name) {
            let (world, doors) = cabinet.carriers(network);
            intent = translate::pods(&world, &doors, &workroom.settings).value;
        }
        intent.networks.insert(network.name.clone(), network.clone());
        ((), ledger.open_book(&intent, &network.name, &workroom.settings))
    });
    touched
}
