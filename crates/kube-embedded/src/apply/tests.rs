//! Replays what was asked of a real server, and holds the answers against ours.
//!
//! Reads `recorded.jsonl`, made with kube-apiserver 1.35, and the schemas of its kinds.
//! Invariant: times are compared only for being there.

mod laws;
mod replay;
mod schema_change;
mod schemas;
