//! The fault shelf of `udn-control`: crashes, faults and slow peers.

#[path = "../kit"]
mod kit {
    pub(crate) mod objects;
    pub(crate) mod running_controller;
    pub(crate) mod server;
    pub(crate) mod workloads;
}

mod controller;
mod lease;
mod zone;
