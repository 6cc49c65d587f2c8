//! The api shelf of `udn-control`: beside a real kube-apiserver.

#[path = "../kit"]
mod kit {
    pub(crate) mod objects;
    pub(crate) mod running_controller;
    pub(crate) mod server;
    pub(crate) mod workloads;
}

mod controller;
mod dry_run;
mod events;
mod lease;
