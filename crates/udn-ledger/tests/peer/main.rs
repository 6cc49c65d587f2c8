//! The peer shelf of `udn-ledger`: the shared cases, answered as OVN-Kubernetes answers them.

mod numbers;
