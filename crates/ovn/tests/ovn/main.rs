//! The ovn shelf of `ovn`: on real OVN and OVS.

mod schema;
