//! The property shelf of `udn-ledger`: laws that hold for random input.

#[path = "../kit/chance.rs"]
mod chance;
#[path = "../kit/checks.rs"]
mod checks;
#[path = "../kit/cluster.rs"]
mod cluster;
#[path = "../kit/controller.rs"]
mod controller;
#[path = "../kit/networks.rs"]
mod networks;

mod addresses;
mod node_subnets;
mod register;
mod settle;
mod torture;
