//! The agents of nodes: which of them are heard, which are not, and what is said of it.
//!
//! Reads what whoever listens to their heartbeats concludes; tells which work items that touches.
//! Invariant: a node whose agent never gave a sign of life is judged by its report alone; one that
//! was said not to respond stays so until its agent is heard.

use std::collections::BTreeMap;

use udn_model::NodeName;
use udn_wire::Target;
use udn_wire::api::NodeProblem;
use udn_wire::object::Metadata;

use crate::write::{Event, EventType};

/// The reason where an agent is not heard.
pub(crate) const NOT_RESPONDING: &str = "AgentNotResponding";

/// The reason of the event when it is heard again.
pub(crate) const RESPONDING: &str = "AgentResponding";

/// Whether a node's agent is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentState {
    Heard,
    Silent(Silence),
}

/// Why an agent counts as silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// It did not renew its lease for so many seconds.
    Overdue { seconds: u64 },
    /// It let its lease go, as one does that is stopped.
    LetGo,
    /// Somebody deleted its lease.
    Deleted,
}

/// What has changed, by node.
pub type AgentNews = BTreeMap<NodeName, AgentState>;

impl AgentState {
    pub(crate) fn is_silent(self) -> bool {
        matches!(self, Self::Silent(_))
    }

    /// What people are told about the node when its agent came into this state.
    pub(crate) fn event(self, name: &NodeName, metadata: &Metadata) -> Event {
        let (kind, reason, message) = match self {
            Self::Heard => (EventType::Normal, RESPONDING, "its agent is heard again".to_owned()),
            Self::Silent(silence) => (EventType::Warning, NOT_RESPONDING, silence.sentence()),
        };
        let (about, uid, reason) = (Target::node(name), metadata.uid.clone(), reason.to_owned());
        Event { about, uid, kind, reason, message }
    }
}

impl Silence {
    /// What has happened, what it means and what to do.
    pub(crate) fn sentence(self) -> String {
        let happened = match self {
            Self::Overdue { seconds } => format!("its agent has not been heard for {seconds} s"),
            Self::LetGo => "its agent was stopped".to_owned(),
            Self::Deleted => "its agent's lease was deleted, and not made again".to_owned(),
        };
        let remedy = match self {
            Self::LetGo => "start udn node there",
            Self::Overdue { .. } | Self::Deleted => {
                "see that udn node runs there and reaches the API server"
            }
        };
        format!("{happened}; its pods keep running, but no change reaches them; {remedy}")
    }
}

/// Whether a status says of a node that its agent does not respond.
pub(crate) fn is_told(problem: &NodeProblem) -> bool {
    problem.reason == NOT_RESPONDING
}
