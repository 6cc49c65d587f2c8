//! The property shelf of `ovsdb-net`: laws that hold for random input.

#[path = "../rig/load.rs"]
mod load;
#[path = "../rig/proxy.rs"]
mod proxy;
#[path = "../rig/rig.rs"]
mod rig;

mod client_server;
mod hostile;
