//! The zone's part of a node's NodeNetworkReport.
//!
//! Reads what is confirmed; returns a [`ReportStatus`] without what others write there.
//! Invariant: a report does not grow with networks that are in order.

use udn_wire::api::{NotProgrammed, ReportStatus};

use crate::progress::{Progress, Trouble};
use crate::zone::Zone;

#[cfg(test)]
mod tests;

/// How many networks a report names; the CRD allows no more.
const MOST_NAMED: usize = 50;

/// What the node says of its networks.
pub fn not_programmed(zone: &Zone, progress: &Progress) -> ReportStatus {
    let entry = |network: String, trouble: &Trouble| NotProgrammed {
        network,
        reason: trouble.reason.as_str().to_owned(),
        message: Some(trouble.message.clone()),
    };
    let mut listed: Vec<NotProgrammed> = match zone.refusal() {
        Some(refusal) => {
            let (reason, message) = (refusal.reason, refusal.message.clone());
            let trouble = Trouble { reason, message };
            zone.intent().networks.keys().map(|it| entry(it.to_string(), &trouble)).collect()
        }
        None => {
            let troubled = progress.troubled().iter();
            let named = troubled.filter_map(|(prefix, it)| Some((zone.network_of(prefix)?, it)));
            let named = named.map(|(network, trouble)| entry(network.to_string(), trouble));
            let unread = zone.unread().map(|(network, why)| {
                let (reason, message) = (why.reason, why.message.clone());
                entry(network.to_string(), &Trouble { reason, message })
            });
            // What cannot be read is worse than what it was in trouble about before.
            unread.chain(named).collect()
        }
    };
    // By name, so that a reader knows which ones are left out.
    listed.sort_by(|a, b| a.network.cmp(&b.network));
    listed.dedup_by(|a, b| a.network == b.network);
    let count = i32::try_from(listed.len()).unwrap_or(i32::MAX);
    listed.truncate(MOST_NAMED);
    let up_to = progress.programmed_up_to();
    ReportStatus {
        physical_networks: None,
        unusable_physical_networks: None,
        programmed_up_to: (up_to > 0).then(|| up_to.to_string()),
        not_programmed: Some(listed),
        not_programmed_count: Some(count),
    }
}
