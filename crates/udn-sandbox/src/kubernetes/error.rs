//! Why there is no real cluster.
//!
//! Invariant: a message says what was being done; why it failed is the source's to say.

use std::io;
use std::path::PathBuf;

use udn_control::zone::ListError;
use udn_lab::daemon::DaemonError;
use udn_lab::node::NodeError;
use udn_lab::ovn_root::OvnRootError;
use udn_lab::real_cluster::RealClusterError;
use udn_lab::run::RunError;

use crate::applier::ApplyError;
use crate::error::SandboxError;
use crate::inventory::InventoryError;
use crate::manifests::ManifestsError;
use crate::pings::PingError;
use crate::server::ServerError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum KubernetesError {
    #[error(transparent)]
    Folder {
        #[from]
        source: Box<SandboxError>,
    },
    #[error("could not start Kubernetes")]
    Cluster {
        #[from]
        source: RealClusterError,
    },
    #[error("OVN is not there")]
    Root {
        #[from]
        source: OvnRootError,
    },
    #[error("could not install our kinds of objects")]
    Install { source: RunError },
    #[error("could not get a token of the ServiceAccount {account}")]
    Account { account: String, source: RunError },
    #[error("could not start a program of ours")]
    Program {
        #[from]
        source: DaemonError,
    },
    #[error("could not let nodes know each other")]
    Introduce { source: NodeError },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("could not find a CNI configuration in {path}")]
    Read { path: PathBuf, source: io::Error },
    #[error("there is no node {node}")]
    NoSuchNode { node: String },
    #[error("could not reach the API server")]
    Server {
        #[from]
        source: ServerError,
    },
    #[error("could not read the manifests")]
    Manifests {
        #[from]
        source: ManifestsError,
    },
    #[error("could not apply the manifests")]
    Apply {
        #[from]
        source: ApplyError,
    },
    #[error("could not list what is there")]
    List {
        #[from]
        source: ListError,
    },
    #[error("could not ask the API server")]
    Ask { source: Box<kube::Error> },
    #[error("could not ask containerd of {node} for its pods")]
    Places { node: String, source: RunError },
    #[error("containerd of {node} told of its pods what cannot be read")]
    Unreadable { node: String, source: serde_json::Error },
    #[error("could not write down what was made")]
    Inventory {
        #[from]
        source: InventoryError,
    },
    #[error("could not ping")]
    Ping {
        #[from]
        source: PingError,
    },
}
