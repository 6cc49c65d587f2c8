//! The fault shelf of `udn-cni`: the plugin as a program, beside servers that answer, fail or lie.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

#[path = "../kit/plugin.rs"]
mod plugin;
#[path = "../kit/server.rs"]
mod server;

mod commands;
mod failures;
