//! The property shelf of `kube-schema`: laws that hold for random input.

#[path = "../server/strategies.rs"]
mod strategies;

mod cel;
mod schema;
