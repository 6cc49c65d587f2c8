//! Sockets for `ovsdb`: a client that reconnects and resumes, and a server over the engine.
//!
//! Invariant: nothing here decides what the protocol means; it moves bytes and time.

pub mod backoff;
pub mod client;
mod connection;
pub mod remote;
pub mod server;
mod stream;
pub mod tls;

pub use client::{Client, ClientSettings};
pub use remote::Remote;
pub use server::Server;
pub use tls::TlsSettings;
