//! The ovn shelf of `udn-node`: on real OVN and OVS.

#[path = "../rig/load.rs"]
mod load;
#[path = "../rig/overlay.rs"]
mod overlay;
#[path = "../rig/topology.rs"]
mod topology;

mod bridge;
mod egress;
mod main_table;
mod many_networks;
