//! What is heard of nodes' agents, and what people are told of it.
//!
//! Reads which agents changed their state; returns the work items that are touched, then events.
//! Invariant: an agent that goes silent, or comes back, is told of once each time.

use std::collections::BTreeSet;

use udn_model::NodeName;

use super::Reconciler;
use crate::agents::{AgentNews, AgentState};
use crate::work_item::WorkItem;
use crate::write::Event;

#[cfg(test)]
mod tests;

impl Reconciler {
    /// Takes in which agents of nodes are heard now and which are not; returns the work items that
    /// are touched, none before all was listed.
    pub fn observe_agents(&mut self, news: AgentNews) -> BTreeSet<WorkItem> {
        let worth_telling = news.iter().filter(|it| self.is_worth_telling(it));
        let worth_telling: Vec<_> = worth_telling.map(|(node, _)| node.clone()).collect();
        self.untold.extend(worth_telling);
        let touched = self.cache.hear_agents(news);
        if !self.is_synced() {
            return BTreeSet::new();
        }
        self.forget_gone_nodes();
        touched
    }

    /// That an agent is heard is worth a word only after it was not.
    fn is_worth_telling(&self, (node, state): &(&NodeName, &AgentState)) -> bool {
        let before = self.cache.cluster_nodes().agents.get(*node);
        before.is_some_and(|it| it.is_silent()) != state.is_silent()
    }

    /// Of a node that is gone there is nothing to tell; before all was listed, none is gone.
    pub(super) fn forget_gone_nodes(&mut self) {
        let nodes = &self.cache.world().nodes;
        self.untold.retain(|node| nodes.contains_key(node));
    }

    /// What people are told of a node whose agent came or went silent since they were told last.
    pub(super) fn agent_event(&mut self, item: &WorkItem) -> Option<Event> {
        let WorkItem::Node(name) = item else { return None };
        if !self.untold.remove(name) {
            return None;
        }
        let node = self.cache.world().nodes.get(name)?;
        let state = self.cache.cluster_nodes().agents.get(name)?;
        Some(state.event(name, &node.metadata))
    }
}
