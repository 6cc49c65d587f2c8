//! The property shelf of `udn-cluster`: laws that hold for random input.

#[path = "../../../udn-wire/tests/kit/catalog.rs"]
mod catalog;
#[path = "../kit/dry.rs"]
mod dry;
#[path = "../kit/status_updates.rs"]
mod status_updates;
#[path = "../kit/worlds.rs"]
mod worlds;

mod cache;
mod kube;
mod review;
mod spec;
mod status;
