//! The peer shelf of `udn-blueprint`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../rows"]
mod rows {
    pub(crate) mod content;
}

mod nb_topology;
