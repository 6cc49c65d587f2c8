//! The fault shelf of `udn`: crashes, faults and slow peers.

#[path = "../kit/program.rs"]
mod program;
#[path = "../kit/wire.rs"]
mod wire;

mod apiserver;
mod controller;
mod slow_clients;
