//! The node's CNI server: pods come and go, as the container runtime tells.
//!
//! | file | what it is about |
//! |---|---|
//! | `server` | the socket: who may ask, how much, how many at once |
//! | `service` | what is done for each command, in which order, for how long |
//! | `add`, `del`, `check`, `gc`, `status` | the commands |
//! | `wanted` | which attachments a request means, and what is missing; pure |
//! | `answer` | the result of an ADD; pure |
//! | `wiring` | the pods that are wired, and how they are kept so |
//! | `guards`, `locks` | what a pod may not send, and who may not reach it |
//! | `pods` | what is known of pods, and from whom |
//!
//! Invariant: what is needed to keep a pod wired stands in the switch's rows, so a server that starts
//! anew knows what the one before it knew.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use udn_host::Datapath;
use udn_model::ClusterSettings;

mod add;
mod answer;
mod check;
mod del;
mod gc;
mod guards;
mod locks;
mod metrics;
pub mod pods;
mod server;
mod service;
mod status;
mod turns;
mod wanted;
mod wiring;

pub use metrics::CniMetrics;
pub use pods::{Ended, KnownAttachment, KnownPod, PodView, Pods};
pub use server::{CniServer, ServerError};
pub use wiring::{WireError, WiredPod, Wiring};

/// How the server works.
#[derive(Debug, Clone)]
pub struct CniSettings {
    /// Where it listens.
    pub socket: PathBuf,
    pub cluster: Arc<ClusterSettings>,
    /// The bridge that pods are plugged into.
    pub integration_bridge: String,
    pub datapath: Datapath,
    pub limits: CniLimits,
}

/// How much the server does at once, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct CniLimits {
    /// For one request; the shim waits for two minutes, and the answer has to reach it.
    pub request: Duration,
    /// How many requests of each kind are under way at once; others wait.
    pub at_once: usize,
    /// How many connections there may be.
    pub connections: usize,
}

impl Default for CniLimits {
    fn default() -> Self {
        Self { request: Duration::from_secs(110), at_once: 256, connections: 1024 }
    }
}

impl CniSettings {
    /// A server with the usual limits.
    pub fn new(
        socket: PathBuf,
        cluster: Arc<ClusterSettings>,
        integration_bridge: String,
        datapath: Datapath,
    ) -> Self {
        Self { socket, cluster, integration_bridge, datapath, limits: CniLimits::default() }
    }
}
