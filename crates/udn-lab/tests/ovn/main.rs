//! The ovn shelf of `udn-lab`: on real OVN and OVS.

mod fabric;
mod janitor;
mod namespaces;
mod provider;
mod restart;
mod rig;
mod setup;
mod two_nodes;
