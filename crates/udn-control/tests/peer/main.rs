//! The peer shelf of `udn-control`: the shared cases, answered as OVN-Kubernetes answers them.

mod allocation;
