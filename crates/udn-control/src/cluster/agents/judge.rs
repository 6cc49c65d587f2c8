//! Judges which nodes' agents are silent, by the leases that they renew.
//!
//! Reads leases as they are seen and moments of this machine's own clock; returns what has changed.
//! Invariant: an agent is overdue only by time that passed here while the server was heard, since
//! its lease last changed; the times in leases are never reckoned with.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use udn_cluster::{AgentNews, AgentState, Silence};
use udn_model::NodeName;

#[cfg(test)]
mod tests;

/// A moment of this machine's clock, counted from a start that only this program knows.
pub(super) type Moment = Duration;

/// How long an agent may be silent whose lease does not say it, and the longest that one may say.
const USUAL: Duration = Duration::from_secs(40);
const LONGEST: Duration = Duration::from_secs(3600);

/// What a lease says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record {
    /// Nobody if empty: the agent was stopped.
    pub(super) holder: String,
    /// Changes with every renewal; by the agent's clock.
    pub(super) renewed: Option<i64>,
    /// How long the agent may be silent.
    pub(super) duration: Option<Duration>,
}

/// All leases.
#[derive(Debug, Default)]
pub(super) struct Judge {
    agents: BTreeMap<NodeName, Agent>,
    /// Since when everything is heard; nothing while it is not.
    hears_since: Option<Moment>,
    /// Whether there was a list: whoever comes later came while we listened.
    was_listed: bool,
    /// Nobody can be overdue before.
    next: Option<Moment>,
}

#[derive(Debug)]
struct Agent {
    record: Record,
    /// When the lease was seen to change last.
    since: Moment,
    /// What was said of it.
    told: Option<AgentState>,
}

impl Agent {
    fn may_be_silent(&self) -> Duration {
        self.record.duration.unwrap_or(USUAL).clamp(Duration::from_secs(1), LONGEST)
    }

    fn is_silent(&self) -> bool {
        self.told.is_some_and(|it| it != AgentState::Heard)
    }
}

impl Judge {
    /// All leases that there are, as a server told just now.
    pub(super) fn listed(&mut self, leases: BTreeMap<NodeName, Record>, now: Moment) -> AgentNews {
        self.hears_since.get_or_insert(now);
        let gone: BTreeSet<NodeName> =
            self.agents.keys().filter(|it| !leases.contains_key(*it)).cloned().collect();
        let mut news: AgentNews = gone.iter().filter_map(|node| self.gone(node)).collect();
        news.extend(leases.into_iter().filter_map(|(node, record)| self.saw(&node, record, now)));
        self.was_listed = true;
        self.set_alarm();
        news
    }

    /// A lease as it is now.
    pub(super) fn saw(
        &mut self,
        node: &NodeName,
        record: Record,
        now: Moment,
    ) -> Option<(NodeName, AgentState)> {
        let is_let_go = record.holder.is_empty();
        let is_first = !self.agents.contains_key(node);
        let fresh = || Agent { record: record.clone(), since: now, told: None };
        let agent = self.agents.entry(node.clone()).or_insert_with(fresh);
        let is_renewed = match is_first {
            true => self.was_listed,
            false => agent.record.renewed != record.renewed,
        };
        if is_renewed {
            agent.since = now;
        }
        agent.record = record;
        let state = match (is_let_go, is_renewed) {
            (true, _) => AgentState::Silent(Silence::LetGo),
            (false, true) => AgentState::Heard,
            (false, false) => return None,
        };
        let end = agent.since + agent.may_be_silent();
        let is_news = agent.told.replace(state) != Some(state);
        self.next = Some(self.next.map_or(end, |it| it.min(end)));
        is_news.then(|| (node.clone(), state))
    }

    /// A lease was deleted.
    pub(super) fn gone(&mut self, node: &NodeName) -> Option<(NodeName, AgentState)> {
        self.agents.remove(node)?;
        Some((node.clone(), AgentState::Silent(Silence::Deleted)))
    }

    /// The server cannot be heard: what is not heard meanwhile is nobody's silence.
    pub(super) fn cannot_hear(&mut self) {
        self.hears_since = None;
    }

    /// When it is worth asking [`Self::is_anybody_overdue`]; never, if there is nobody to judge.
    pub(super) fn alarm(&self) -> Option<Moment> {
        self.next
    }

    /// Whether somebody would be judged now. The server should be asked once more before.
    pub(super) fn is_anybody_overdue(&mut self, now: Moment) -> bool {
        self.set_alarm();
        self.next.is_some_and(|it| it <= now)
    }

    /// Judges everybody, right after a list.
    pub(super) fn judge(&mut self, now: Moment) -> AgentNews {
        let Some(hears_since) = self.hears_since else { return AgentNews::new() };
        let mut news = AgentNews::new();
        for (node, agent) in self.agents.iter_mut().filter(|(_, it)| !it.is_silent()) {
            let may_be_silent = agent.may_be_silent();
            if agent.since.max(hears_since) + may_be_silent <= now {
                let silence = Silence::Overdue { seconds: may_be_silent.as_secs() };
                agent.told = Some(AgentState::Silent(silence));
                news.insert(node.clone(), AgentState::Silent(silence));
            }
        }
        self.set_alarm();
        news
    }

    fn set_alarm(&mut self) {
        let hears_since = self.hears_since.unwrap_or_default();
        let judged = self.agents.values().filter(|it| !it.is_silent());
        let ends = judged.map(|it| it.since.max(hears_since) + it.may_be_silent());
        self.next = ends.min();
    }
}
