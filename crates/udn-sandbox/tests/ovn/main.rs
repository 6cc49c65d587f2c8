//! The ovn shelf of `udn-sandbox`: on real OVN and OVS.

#[path = "../rig/rig.rs"]
#[allow(dead_code, reason = "each test uses a part of the rig")]
mod rig;

mod first_light;
mod gateway;
mod isolation;
mod kubectl;
mod leftovers;
mod localnet;
mod port_security;
