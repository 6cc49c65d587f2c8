//! Serving over TLS: certificates, kubeconfigs and the listening loop.
//!
//! Reads a folder with the authority's key, a listener and a router; returns when told to stop.
//! Invariant: the provider of cryptography is named here and never the process's default.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;

mod authority;
mod clients;
mod head;
mod kubeconfig;
mod peer;
pub(crate) mod secret;
mod serve;

pub use authority::TlsError;
pub(crate) use authority::{Authority, Identity};
pub(crate) use clients::ServerTls;
pub(crate) use kubeconfig::{Login, kubeconfig};
pub(crate) use peer::Peer;
pub(crate) use serve::serve;

/// The provider of all cryptography.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(default_provider())
}
