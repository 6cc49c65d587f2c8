//! What came of applying manifests.
//!
//! Reads what each stage returned; returns an [`Applied`].
//! Invariant: it is empty exactly if no object, no row and nothing on a host was changed.

use std::collections::BTreeMap;

use udn_cluster::Problem;
use udn_control::zone::{Listing, Snapshot};
use udn_model::{Findings, Grants, Intent, NodeName, Receipt};
use udn_wire::Target;

use crate::warnings::Warning;

/// What was done, and what people should know.
#[derive(Debug, Clone)]
pub struct Applied {
    pub intent: Intent,
    pub grants: Grants,
    /// How many objects in the API were made, changed or deleted, by whomever.
    pub changed: usize,
    pub receipt: Receipt,
    pub host_changes: usize,
    /// The plans that were committed on each node, as people read them: whose, and what.
    pub plans: Vec<(NodeName, String, String)>,
    /// What the zone controllers found.
    pub findings: Findings,
    /// What the cluster controller told on objects.
    pub warnings: Vec<Warning>,
    /// What is wrong in the manifests, and what the API server refused.
    pub problems: Vec<Problem>,
}

/// What each node's zone knows and did, with its plans as people read them.
pub(crate) type Zones = BTreeMap<NodeName, (Snapshot, Vec<(String, String)>)>;

impl Applied {
    /// Whether nothing had to be done.
    pub fn is_empty(&self) -> bool {
        self.changed == 0 && self.receipt.is_empty() && self.host_changes == 0
    }

    /// Takes in what was written and found on every node.
    pub(crate) fn take(&mut self, zones: Zones) {
        for (node, (zone, plans)) in zones {
            self.receipt = self.receipt.plus(zone.receipt);
            for finding in zone.findings {
                // Every node reads the same objects and says the same about them.
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
            }
            self.plans.extend(plans.into_iter().map(|(title, plan)| (node.clone(), title, plan)));
        }
    }
}

/// Adds what zones know and did later; what they know replaces what they knew.
pub(crate) fn add(zones: &mut Zones, later: Zones) {
    for (node, (mut zone, plans)) in later {
        let mut all = Vec::new();
        if let Some((before, done)) = zones.remove(&node) {
            zone.receipt = before.receipt.plus(zone.receipt);
            all = done;
        }
        all.extend(plans);
        zones.insert(node, (zone, all));
    }
}

/// How many objects were made, changed or deleted between two listings.
pub(crate) fn changed(before: &Listing, after: &Listing) -> usize {
    let is_new =
        |(target, version): &(&Target, &u64)| before.versions.get(*target) != Some(*version);
    let made = after.versions.iter().filter(is_new).count();
    let gone = before.versions.keys().filter(|target| !after.versions.contains_key(*target));
    made + gone.count()
}
