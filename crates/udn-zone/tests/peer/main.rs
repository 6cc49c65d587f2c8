//! The peer shelf of `udn-zone`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../kit/driver.rs"]
mod driver;
#[path = "../../../udn-blueprint/tests/rows"]
mod rows {
    pub(crate) mod content;
}

mod nb_topology;
