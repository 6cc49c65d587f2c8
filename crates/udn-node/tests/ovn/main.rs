//! The ovn shelf of `udn-node`: on real OVN and OVS.

#[path = "../rig/agent_site.rs"]
mod agent_site;
#[path = "../rig/host_lines.rs"]
mod host_lines;
#[path = "../rig/load.rs"]
mod load;
#[path = "../rig/overlay.rs"]
mod overlay;
#[path = "../rig/pods.rs"]
mod pods;
#[path = "../rig/runtime.rs"]
mod runtime;
#[path = "../rig/topology.rs"]
mod topology;

mod agent;
mod agent_drift;
mod agent_pods;
mod bridge;
mod cni;
mod cni_limits;
mod cni_locks;
mod cni_many;
mod cni_refusals;
mod cni_restart;
mod connections;
mod egress;
mod isolation;
mod main_table;
mod many_networks;
mod networks_alone;
mod several_links;
