//! A UDN, a CUDN or a network of hand-written NADs: what it sees, decides, writes and tells.
//!
//! Reads a [`View`] and the ledger; returns a [`Decision`], then a status update.
//! Invariant: a network's number is given back only when nothing is left of it.

use udn_ledger::{Ledger, settle_network};
use udn_model::{Intent, Manifest};
use udn_wire::api::NetworkStatus;

use crate::decision::{Decision, NetworkState};
use crate::spec::ReadSpec;
use crate::translate;
use crate::view::View;
use crate::work_item::WorkItem;
use crate::world::{ManifestObject, World};

mod leaving;
mod nads;
mod remarks;
mod shortage;
mod status;
mod view;
mod writes;

pub use nads::preview;
pub use remarks::{node_overlaps, remarks};
pub(crate) use status::status_update;
pub(crate) use view::view;
pub(crate) use writes::writes;

/// The role and topology of a network, in words that are known.
pub type Sort = (&'static str, &'static str);

/// Which sort of network a UDN or CUDN asks for, if that is known, and its status.
pub fn sort<'w>(world: &'w World, item: &WorkItem) -> Option<(Option<Sort>, &'w NetworkStatus)> {
    let WorkItem::Network(manifest) = item else { return None };
    let ManifestObject { spec, status, .. } = world.manifest(manifest)?;
    Some((ReadSpec::of(manifest, spec).sort, status))
}

/// Numbers for a network, or their end; returns whether numbers were given back.
pub(crate) fn decide(view: &View, ledger: &mut Ledger, decision: &mut Decision) -> bool {
    let settings = decision.settings.clone();
    let told = translate::cluster(&view.world, &settings);
    (decision.intent, decision.findings) = (told.value, told.findings);
    decision.findings.extend(remarks(view, &decision.intent));
    let Some(name) = view.item.network() else { return false };
    decision.network_state = NetworkState::Pending;
    if is_over(view, &decision.intent) {
        ledger.release_network(&name);
        return true;
    }
    if has_network(view, &decision.intent) {
        let told = settle_network(&decision.intent, &name, ledger, &settings);
        decision.findings.extend(told.findings);
        if let Some(grant) = told.value {
            decision.findings.extend(shortage::findings(&name, ledger));
            let network = decision.intent.networks.get(&name).cloned();
            decision.network_state = network.map_or(NetworkState::Pending, NetworkState::Ready);
            decision.grants.networks.insert(name, grant);
        }
    } else if decision.intent.networks.contains_key(&name) {
        // Another work item has the network of this name.
        decision.network_state = NetworkState::Unchanged;
    }
    false
}

/// Whether something must be there of which nothing was heard yet, such as a UDN's namespace.
pub(crate) fn is_premature(view: &View) -> bool {
    match &view.item {
        WorkItem::Network(Manifest::Udn(name)) => {
            view.world.networks.contains_key(name)
                && !view.world.namespaces.contains_key(&*name.namespace)
        }
        WorkItem::Network(Manifest::Cudn(_))
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => false,
    }
}

/// Whether the work item has a network that may be.
fn has_network(view: &View, intent: &Intent) -> bool {
    let network = view.item.network().and_then(|name| intent.networks.get(&name));
    network.is_some_and(|it| Some(&it.origin) == view.item.origin().as_ref())
}

/// Whether nothing is left of the work item's network, so that its numbers are free.
fn is_over(view: &View, intent: &Intent) -> bool {
    let Some(name) = view.item.network() else { return false };
    let is_asked = match &view.item {
        WorkItem::Network(manifest) => view.world.manifest(manifest).is_some(),
        WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad
        | WorkItem::Pod(_)
        | WorkItem::Claim(_) => false,
    };
    let is_carried =
        intent.networks.contains_key(&name) || intent.published.networks.contains_key(&name);
    !is_asked && !is_carried
}
