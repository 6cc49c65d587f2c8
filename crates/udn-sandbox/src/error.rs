//! Why a sandbox does not stand.
//!
//! Invariant: a message says what the sandbox was doing; why it failed is the source's to say.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ovsdb_net::client::ClientError;
use udn_control::zone::{ConfirmError, Ended, ListError};
use udn_lab::janitor::JanitorError;
use udn_lab::namespaces::NamespaceError;
use udn_lab::node::NodeError;
use udn_lab::ovn_root::OvnRootError;
use udn_model::NodeName;
use udn_node::HostError;

use crate::applier::{ApplyError, PruneError};
use crate::controller::SettleError;
use crate::inventory::InventoryError;
use crate::kubelet::KubeletError;
use crate::manifests::ManifestsError;
use crate::node_report::ReportError;
use crate::pings::PingError;
use crate::server::ServerError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("a sandbox is running already (process {process}); end it there with Ctrl-C")]
    Running { process: u32 },
    #[error("could not prepare the folder {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("could not remove what an earlier sandbox left behind")]
    Leftovers { source: JanitorError },
    #[error("could not prepare to clean up")]
    Janitor { source: JanitorError },
    #[error("OVN is not there")]
    Root {
        #[from]
        source: OvnRootError,
    },
    #[error("there is no API server")]
    Server {
        #[from]
        source: ServerError,
    },
    #[error("could not build the lab")]
    Lab {
        #[from]
        source: NodeError,
    },
    #[error("could not make a pod's namespace")]
    Pod {
        #[from]
        source: NamespaceError,
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
    #[error("could not delete what the manifests no longer have")]
    Prune {
        #[from]
        source: PruneError,
    },
    #[error("could not stand in for a kubelet")]
    Kubelet {
        #[from]
        source: KubeletError,
    },
    #[error("could not let networks have their numbers")]
    Settle {
        #[from]
        source: SettleError,
    },
    #[error("could not list what is there")]
    List {
        #[from]
        source: ListError,
    },
    #[error("could not register a node")]
    Report {
        #[from]
        source: ReportError,
    },
    #[error("could not list events")]
    Events { source: Box<kube::Error> },
    #[error("the manifests have no Node; add one for every node that the sandbox shall have")]
    NoNodes,
    #[error("{text} is no address of a database")]
    Remote { text: String },
    #[error("could not open the controller of {node}")]
    Controller { node: NodeName, source: ClientError },
    #[error("the zone controller of {node} ended")]
    Zone { node: NodeName, source: Ended },
    #[error("{node} is not done after {limit:?}; look at its log")]
    Slow { node: NodeName, limit: Duration },
    #[error("could not bring the host of {node} up to date")]
    Host { node: NodeName, source: Box<HostError> },
    #[error("OVN on {node} did not say that it is done")]
    Confirm { node: NodeName, source: ConfirmError },
    #[error("could not put tools on the search path of pods")]
    Tools { source: io::Error },
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

impl SandboxError {
    pub(crate) fn host(node: &NodeName, source: HostError) -> Self {
        Self::Host { node: node.clone(), source: Box::new(source) }
    }
}
