//! How far each node is with a network, and what stands in its way there.
//!
//! Reads a [`Case`]; returns a [`NodeReadiness`].
//! Invariant: a node counts as ready only if its own report says so, and its agent responds.

use udn_model::{Localnet, Mtu, Network, NodeName};
use udn_wire::api::{
    NodeProblem, NodeReadiness, PhysicalNetwork, ReportStatus, UnusablePhysicalNetwork, VlanRange,
};

use super::case::Case;
use super::reasons::{
    AGENT_NOT_RESPONDING, MTU_TOO_SMALL, NO_REPORT, NOT_PROGRAMMED, NOT_PROGRAMMED_YET,
    PHYSICAL_NETWORK_MISSING, PHYSICAL_NETWORK_UNUSABLE, REPORT_INCOMPLETE, VLAN_NOT_ALLOWED,
};
use crate::agents::{self, AgentState};
use crate::bounded::{LONGEST_NOTE, cut, list};

/// How many nodes a status names; the CRDs allow as many.
const MOST_PROBLEMS: usize = 20;
/// How many bytes a list within a node's message may take.
const NAMES: usize = 500;

pub(super) fn judge(case: &Case<'_>) -> NodeReadiness {
    let likeness = case.likeness();
    let question = Question {
        name: case.name.as_str(),
        segment: likeness.as_deref().and_then(|it| Some((it, it.localnet()?))),
        usual_mtu: case.settings.mtu,
        version: case.staying().map(|(_, it)| it.metadata.version()).max(),
    };
    let (mut ready, mut problems) = (0, Vec::new());
    for (node, report) in &case.cluster_nodes.nodes {
        // A report is made first and filled in next: until then it says nothing.
        let given = report.as_deref().map(|it| &it.status).filter(|it| **it != <_>::default());
        let answer = match silence(case, node) {
            Some(message) => Answer::Trouble(AGENT_NOT_RESPONDING.to_owned(), message),
            None => question.ask(given),
        };
        match answer {
            Answer::Ready => ready += 1,
            Answer::Waiting => {}
            Answer::Trouble(reason, message) => problems.push(NodeProblem {
                node: node.to_string(),
                reason: cut(&reason, LONGEST_NOTE),
                message: Some(cut(&message, LONGEST_NOTE)).filter(|it| !it.is_empty()),
            }),
        }
    }
    let total = case.cluster_nodes.nodes.len();
    problems.truncate(MOST_PROBLEMS);
    NodeReadiness {
        total: count(total),
        ready: count(ready),
        not_ready: count(total - ready),
        problems: Some(problems).filter(|it| !it.is_empty()),
    }
}

/// What is said of a node whose agent does not respond: its report is what was, not what is.
///
/// A controller that has not been up for long cannot know; what stands, stands until it does.
fn silence(case: &Case<'_>, node: &NodeName) -> Option<String> {
    match case.cluster_nodes.agents.get(node) {
        Some(AgentState::Heard) => None,
        Some(AgentState::Silent(silence)) => Some(silence.sentence()),
        None => {
            let standing = case.standing.nodes.as_ref().and_then(|it| it.problems.as_deref());
            let mut problems = standing.unwrap_or_default().iter();
            let told = problems.find(|it| agents::is_told(it) && it.node == node.as_str())?;
            Some(told.message.clone().unwrap_or_default())
        }
    }
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// What is asked of every node.
struct Question<'a> {
    name: &'a str,
    /// Of a localnet, what it needs outside.
    segment: Option<(&'a Network, &'a Localnet)>,
    usual_mtu: Mtu,
    /// The newest state of the NADs; none while there is no NAD.
    version: Option<u64>,
}

enum Answer {
    Ready,
    /// There is nothing that the node could have programmed.
    Waiting,
    /// A reason and a sentence.
    Trouble(String, String),
}

impl Question<'_> {
    fn ask(&self, report: Option<&ReportStatus>) -> Answer {
        let trouble =
            |reason: &str, message: &str| Answer::Trouble(reason.to_owned(), message.to_owned());
        let Some(report) = report else {
            let message = "has given no NodeNetworkReport; see that the node's agent runs";
            return trouble(NO_REPORT, message);
        };
        let outside = self.objections(report);
        if let Some((reason, _)) = outside.first() {
            let sentences: Vec<&str> = outside.iter().map(|(_, message)| &**message).collect();
            return trouble(reason, &sentences.join("; "));
        }
        let Some(version) = self.version else { return Answer::Waiting };
        let listed = report.not_programmed.as_deref().unwrap_or_default();
        if let Some(entry) = listed.iter().find(|it| it.network == self.name) {
            let reason = if entry.reason.is_empty() { NOT_PROGRAMMED } else { &entry.reason };
            return trouble(reason, entry.message.as_deref().unwrap_or_default());
        }
        if self.may_be_left_out(report) {
            let message = "lists only a part of the networks that are not programmed; see its log";
            return trouble(REPORT_INCOMPLETE, message);
        }
        let programmed = report.programmed_up_to.as_deref().and_then(|it| it.parse::<u64>().ok());
        if programmed.is_none_or(|it| it < version) {
            return trouble(NOT_PROGRAMMED_YET, "has not programmed the newest state yet");
        }
        Answer::Ready
    }

    /// A report lists the first of the networks by name, so that only what comes later is unknown.
    fn may_be_left_out(&self, report: &ReportStatus) -> bool {
        let listed = report.not_programmed.as_deref().unwrap_or_default();
        let is_short = report.not_programmed_count.is_some_and(|it| it > count(listed.len()));
        let last = listed.iter().map(|it| it.network.as_str()).max();
        is_short && last.is_none_or(|last| self.name > last)
    }

    /// What a localnet lacks on the node.
    fn objections(&self, report: &ReportStatus) -> Vec<(&'static str, String)> {
        let Some((network, localnet)) = self.segment else { return Vec::new() };
        let physical = report.physical_networks.as_deref().unwrap_or_default();
        let wanted = &localnet.physical_network;
        let Some(found) = physical.iter().find(|it| it.name == *wanted) else {
            let unusable = report.unusable_physical_networks.as_deref().unwrap_or_default();
            return vec![match unusable.iter().find(|it| it.name == *wanted) {
                Some(found) => (PHYSICAL_NETWORK_UNUSABLE, unusable_for(found)),
                None => (PHYSICAL_NETWORK_MISSING, missing(wanted, physical)),
            }];
        };
        let mtu = network.mtu.unwrap_or(self.usual_mtu);
        let vlan = localnet.vlan.map(|it| i32::from(it.get()));
        let objections = [
            too_small(found, mtu).map(|message| (MTU_TOO_SMALL, message)),
            vlan.and_then(|vlan| kept_out(found, vlan)).map(|it| (VLAN_NOT_ALLOWED, it)),
        ];
        objections.into_iter().flatten().collect()
    }
}

fn missing(wanted: &str, physical: &[PhysicalNetwork]) -> String {
    let mut names: Vec<&str> = physical.iter().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    let there = match &names[..] {
        [] => "has no bridge mappings, so none".to_owned(),
        names => format!("has bridge mappings for {}, but not", list(names, ", ", NAMES)),
    };
    format!("{there} for physical network {wanted}; add it to ovn-bridge-mappings there")
}

/// Why the node cannot use a physical network, in its own words if it has some.
fn unusable_for(found: &UnusablePhysicalNetwork) -> String {
    let UnusablePhysicalNetwork { name, reason, message } = found;
    let own = || format!("cannot use physical network {name}: {reason}; see the node's bridges");
    message.clone().unwrap_or_else(own)
}

fn too_small(found: &PhysicalNetwork, mtu: Mtu) -> Option<String> {
    let (largest, bridge) = (found.mtu?, &found.bridge);
    (i64::from(largest) < i64::from(mtu.get())).then(|| {
        format!(
            "bridge {bridge} carries packets of {largest} bytes at most, the network's have {mtu}; \
             raise the MTU of its uplink, or make the network anew with a smaller one"
        )
    })
}

fn kept_out(found: &PhysicalNetwork, vlan: i32) -> Option<String> {
    let (ranges, bridge) = (found.vlans.as_deref()?, &found.bridge);
    let is_in = |it: &VlanRange| (it.first..=it.last).contains(&vlan);
    (!ranges.iter().any(is_in)).then(|| {
        let texts = ranges.iter().map(|VlanRange { first, last }| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        });
        let texts: Vec<String> = texts.collect();
        let through = if texts.is_empty() { "none".to_owned() } else { list(&texts, ", ", NAMES) };
        format!(
            "the uplink of bridge {bridge} does not let VLAN {vlan} through, of all VLANs only: \
             {through}; allow it there"
        )
    })
}
