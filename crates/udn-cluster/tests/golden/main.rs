//! The golden shelf of `udn-cluster`: stored cases with known answers.

#[path = "../../../udn-wire/tests/kit/catalog.rs"]
mod catalog;
#[path = "../kit/dry.rs"]
mod dry;
#[path = "../kit/status_updates.rs"]
mod status_updates;

mod nad;
mod status;
