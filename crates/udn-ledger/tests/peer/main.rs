//! The peer shelf of `udn-ledger`: the shared cases, answered as OVN-Kubernetes answers them.

#[path = "../kit/shared.rs"]
mod shared;

mod host_subnets;
mod numbers;
