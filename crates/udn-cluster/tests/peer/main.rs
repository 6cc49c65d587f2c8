//! The peer shelf of `udn-cluster`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../kit/dry.rs"]
mod dry;

mod nad;
