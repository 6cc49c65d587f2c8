//! The api shelf of `udn-wire`: beside a real kube-apiserver.

#[path = "../kit/catalog.rs"]
mod catalog;

mod admission;
