//! The peer shelf of `udn-wire`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../kit/catalog.rs"]
mod catalog;

mod admission_policy;
mod cases;
