//! The ovn shelf of `ovsdb-net`: on real OVN and OVS.

#[path = "../rig/load.rs"]
mod load;
#[path = "../rig/proxy.rs"]
mod proxy;
#[path = "../rig/rig.rs"]
mod rig;

mod client;
mod differential;
mod plan;
mod resume;
mod schema;
mod server;
