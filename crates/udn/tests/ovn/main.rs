//! The ovn shelf of `udn`: on real OVN and OVS.

mod sandbox_cli;
