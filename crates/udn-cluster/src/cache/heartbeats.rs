//! Takes in what is heard of nodes' agents.
//!
//! Reads which agents changed their state; returns the work items that are touched.
//! Invariant: who is heard for the first time touches only networks that call it silent; each other
//! change touches every network, because all of them count the node.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::NodeName;

use super::ObjectCache;
use super::impact::Impact;
use crate::agents::{AgentNews, AgentState, Silence};
use crate::work_item::WorkItem;
use crate::world::World;

impl ObjectCache {
    /// Takes in which agents are heard now and which are not.
    pub fn hear_agents(&mut self, mut news: AgentNews) -> BTreeSet<WorkItem> {
        news.retain(|node, state| self.index.cluster_nodes.agents.get(node) != Some(state));
        if news.is_empty() {
            return BTreeSet::new();
        }
        let touched = self.touched_by(&news);
        let agents = &mut Arc::make_mut(&mut self.index.cluster_nodes).agents;
        for (node, state) in news {
            agents.insert(node.clone(), state);
            forget(agents, &node, &self.world);
        }
        touched
    }

    fn touched_by(&self, news: &AgentNews) -> BTreeSet<WorkItem> {
        let mut impact = Impact::new(self.lookup(), &self.default_nad);
        let cluster_nodes = &self.index.cluster_nodes;
        for (node, state) in news.iter().filter(|(it, _)| cluster_nodes.nodes.contains_key(*it)) {
            let was_silent = cluster_nodes.agents.get(node).is_some_and(|it| it.is_silent());
            if was_silent || state.is_silent() {
                impact.touch(&WorkItem::Node(node.clone()));
                impact.all_manifests();
            } else {
                self.index.called_silent.at(node).for_each(|it| impact.touch(it));
            }
        }
        impact.finish()
    }
}

/// Where neither a node nor a lease is left, there is nothing to remember.
pub(super) fn forget(agents: &mut BTreeMap<NodeName, AgentState>, node: &NodeName, world: &World) {
    let has_no_lease = agents.get(node) == Some(&AgentState::Silent(Silence::Deleted));
    if has_no_lease && !world.nodes.contains_key(node) {
        agents.remove(node);
    }
}
