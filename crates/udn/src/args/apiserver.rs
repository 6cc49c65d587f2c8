//! Arguments of `udn apiserver`.
//!
//! Invariant: without any, the server is on loopback, keeps nothing, and knows our kinds.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// How `udn apiserver` serves.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn apiserver                                   in memory, until Ctrl-C\n  \
    udn apiserver --store cluster.db                objects survive a restart, also a crash\n  \
    kubectl --kubeconfig udn.kubeconfig get cudn    from another terminal\n\n\
    There are no nodes and no controllers: pods stay pending. What a cluster's garbage collector and \
    namespace controller do is done.")]
pub(crate) struct ApiserverRequest {
    /// Where to listen; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:6443")]
    pub(crate) listen: SocketAddr,
    /// Keep objects in this file, made if it is not there; in memory otherwise.
    ///
    /// Certificates are kept beside it, in a folder of the same name with `.pki` at its end.
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Write a kubeconfig for the administrator here.
    #[arg(long, value_name = "FILE", default_value = "udn.kubeconfig")]
    pub(crate) kubeconfig: PathBuf,
    /// Let roles and bindings decide who may do what.
    #[arg(long)]
    pub(crate) rbac: bool,
    /// Leave out the CRDs and admission policies of user-defined networks.
    #[arg(long)]
    pub(crate) bare: bool,
}
