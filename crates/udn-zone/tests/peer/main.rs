//! The peer shelf of `udn-zone`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../kit/driver.rs"]
mod driver;
#[path = "../../../udn-blueprint/tests/rows"]
mod rows {
    pub(crate) mod content;
}
#[path = "../kit/objects.rs"]
mod objects;
#[path = "../kit/patch.rs"]
mod patch;
#[path = "../../../udn-wire/tests/peer/cases.rs"]
mod shared_cases;

mod nb_default;
mod nb_layer3;
mod nb_topology;
mod northbound;
mod pod_annotation;
