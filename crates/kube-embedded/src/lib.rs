//! An embeddable Kubernetes API server.
//!
//! Serves built-in kinds and any CRD to kubectl and to clients, in this process or on a TLS port.
//! Invariant: what it answers is what kube-apiserver answers; what it does not do it refuses.

mod access;
mod apply;
mod auth;
mod builtin;
mod controllers;
mod core;
mod discovery;
mod fault;
mod kinds;
mod lifecycle;
mod openapi;
mod patch;
mod protobuf;
mod refusal;
mod rest;
mod selector;
mod served;
mod server;
mod store;
mod table;
mod tls;
mod webhook;

pub use auth::{TokenError, User};
pub use core::Clock;
pub use fault::{Fault, FaultPlan, Faults, PerMille, Planned};
pub use refusal::Refusal;
pub use server::{Authorization, Builder, ServeError, Server, Serving, StartError, Storage};
pub use store::{FileError, History};
pub use tls::TlsError;
pub use webhook::Resolve;
