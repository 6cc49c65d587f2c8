//! What a reconcile decides, before anything is written.
//!
//! Invariant: findings are about the work item itself; what was found about others stands apart.

use std::sync::Arc;

use udn_model::{ClusterSettings, Finding, Findings, Grants, Intent, Network, ObjectName, Subject};

use crate::translate::item_of_nad;
use crate::view::View;
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::Write;

/// What was translated, granted and found, and what must be written.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    pub settings: Arc<ClusterSettings>,
    pub intent: Intent,
    pub grants: Grants,
    pub findings: Findings,
    /// What was found about pods and claims that are not the work item's own.
    pub others: Findings,
    /// What must be written: waves in order, and within a wave in any order.
    pub waves: Vec<Vec<Write>>,
    pub network_state: NetworkState,
}

/// What pods may know of the work item's network once everything is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum NetworkState {
    /// What they know already, or the work item has no network.
    #[default]
    Unchanged,
    /// It has its numbers.
    Ready(Arc<Network>),
    /// It may not be, or not yet.
    Pending,
}

impl Decision {
    pub fn new(settings: &Arc<ClusterSettings>) -> Self {
        Self { settings: settings.clone(), ..Self::default() }
    }

    /// Takes in what was found, also about those who hold what this one carries.
    pub(crate) fn found(&mut self, view: &View, findings: Findings) {
        self.others.extend(about_others(&view.item, &findings).cloned());
        self.findings.extend(findings);
    }
}

/// The findings that concern the work item itself, not those whom it meets.
pub(crate) fn concerning(view: &View, findings: Findings) -> Findings {
    let is_own = |finding: &Finding| match (&finding.subject, &view.item) {
        (Subject::Manifest(it), WorkItem::Network(own)) => it == own,
        (Subject::Node(it), WorkItem::Node(own)) => it == own,
        (Subject::Pod(it), WorkItem::Pod(own)) | (Subject::Claim(it), WorkItem::Claim(own)) => {
            it == own
        }
        (Subject::Network(it), item) => item.network().as_ref() == Some(it),
        (Subject::Nad(name), item) => is_nad_of(&view.world, name, item),
        (
            Subject::Manifest(_)
            | Subject::Node(_)
            | Subject::Pod(_)
            | Subject::Claim(_)
            | Subject::Namespace(_),
            _,
        ) => false,
    };
    findings.into_iter().filter(is_own).collect()
}

/// Whether a NAD is the work item's.
fn is_nad_of(world: &World, name: &ObjectName, item: &WorkItem) -> bool {
    let nad = world.nads.get(name);
    nad.and_then(|it| item_of_nad(name, it)).as_ref() == Some(item)
}

/// The findings about pods and claims that are not the work item's own.
pub(crate) fn about_others<'a>(
    item: &WorkItem,
    findings: &'a [Finding],
) -> impl Iterator<Item = &'a Finding> {
    findings.iter().filter(move |it| match (&it.subject, item) {
        (Subject::Pod(name), WorkItem::Pod(own)) | (Subject::Claim(name), WorkItem::Claim(own)) => {
            name != own
        }
        (Subject::Pod(_) | Subject::Claim(_), _) => true,
        (
            Subject::Manifest(_)
            | Subject::Nad(_)
            | Subject::Network(_)
            | Subject::Node(_)
            | Subject::Namespace(_),
            _,
        ) => false,
    })
}
