//! A Kubernetes without nodes: etcd, kube-apiserver and kube-controller-manager, all real.
//!
//! [`crate::real_cluster`] adds nodes, for which the control plane lives on their fabric and has a
//! scheduler. Clients of ours reach it on the loopback address either way.
//!
//! Reads nothing but what [`programs`] finds; returns a [`Cluster`] with an administrator's
//! kubeconfig. Several clusters run side by side: each has its own folder, ports and certificates.
//! Invariant: `start` returns only after the API server reports ready and, where controllers run,
//! after they have done their first work.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::certificates::{CertificateError, Certificates};
use crate::daemon::{Daemon, DaemonError};
use crate::fabric::Addresses;
use crate::forward::Forward;
use crate::janitor::{Janitor, JanitorError};
use crate::kubernetes::programs::{Programs, ProgramsError};
use crate::namespaces::Entrance;
use crate::ports::{NoFreePort, Port};
use crate::progress::{Progress, Silent, told};
use crate::run::run;

mod control_plane;
mod credentials;
pub mod programs;

/// Why there is no cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("could not find Kubernetes' programs")]
    Programs {
        #[from]
        source: ProgramsError,
    },
    #[error("could not prepare the cluster's folder")]
    Janitor {
        #[from]
        source: JanitorError,
    },
    #[error("could not make the cluster's certificates")]
    Certificates {
        #[from]
        source: CertificateError,
    },
    #[error("could not find a port to listen on")]
    Port {
        #[from]
        source: NoFreePort,
    },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
    #[error("could not pass the API server's port on")]
    Forward { source: io::Error },
    #[error("the control plane did not come up")]
    Daemon {
        #[from]
        source: DaemonError,
    },
}

/// A running cluster; dropping it ends and removes everything.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct Cluster {
    scheduler: Option<Daemon>,
    controllers: Option<Daemon>,
    api_server: Daemon,
    etcd: Daemon,
    site: Site,
}

impl Cluster {
    /// Starts a cluster in which controllers run: namespaces terminate and owners collect.
    pub fn start() -> Result<Self, ClusterError> {
        Self::builder().start()
    }

    /// Starts to describe a cluster that differs from the usual one.
    pub fn builder() -> Builder {
        Builder {
            controllers: true,
            waits_for_disk: false,
            flags: Vec::new(),
            home: None,
            janitor: None,
            progress: Arc::new(Silent),
        }
    }

    /// The kubeconfig of an administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.site.kubeconfig
    }

    /// A kubectl for this cluster, to be completed with arguments.
    pub fn kubectl(&self) -> Command {
        self.site.kubectl()
    }

    /// Where the API server listens.
    pub fn address(&self) -> SocketAddr {
        self.site.api_port.address()
    }

    /// The bearer token of the administrator.
    pub fn token(&self) -> &str {
        &self.site.token
    }

    /// The certificates of the cluster.
    pub fn certificates(&self) -> &Certificates {
        &self.site.certificates
    }

    /// The cluster's folder, which also holds its logs.
    pub fn folder(&self) -> &Path {
        &self.site.folder
    }

    /// The numbers of the running programs.
    pub fn pids(&self) -> Vec<u32> {
        let others = [&self.controllers, &self.scheduler].into_iter().flatten().map(Daemon::pid);
        [self.etcd.pid(), self.api_server.pid()].into_iter().chain(others).collect()
    }

    /// Writes a kubeconfig for a client on the fabric: the administrator, or a node's kubelet.
    pub(crate) fn write_kubeconfig(
        &self,
        client: Client<'_>,
        place: Place,
        path: &Path,
    ) -> Result<(), ClusterError> {
        credentials::write_kubeconfig(&self.site, client, place, path)
    }
}

/// Where a program is that asks the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On a node, or another host of the fabric.
    Node,
    /// Outside of all of them, such as a test.
    Outside,
}

/// Who a kubeconfig is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Client<'a> {
    Administrator,
    Kubelet {
        node: &'a str,
    },
    /// Whoever has this token.
    Bearer {
        token: &'a str,
    },
}

/// Where a control plane with nodes lives.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) entrance: Entrance,
    /// Where nodes reach it.
    pub(crate) addresses: Addresses,
    /// The names of the nodes.
    pub(crate) nodes: Vec<String>,
    /// The ranges of service addresses.
    pub(crate) service_ranges: String,
}

/// Describes a cluster before it starts.
#[derive(Debug, Clone)]
pub struct Builder {
    controllers: bool,
    waits_for_disk: bool,
    flags: Vec<String>,
    home: Option<Home>,
    janitor: Option<Janitor>,
    progress: Arc<dyn Progress>,
}

impl Builder {
    /// Leaves kube-controller-manager out: lighter, but nothing terminates or is collected.
    pub fn without_controllers(mut self) -> Self {
        self.controllers = false;
        self
    }

    /// Lets etcd wait for the disk with every write, as it does outside of tests.
    pub fn with_fsync(mut self) -> Self {
        self.waits_for_disk = true;
        self
    }

    /// Adds a flag of kube-apiserver, such as `--feature-gates=X=true`.
    pub fn api_server_flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Puts the control plane where nodes reach it, and adds a scheduler.
    pub(crate) fn home(mut self, home: Home) -> Self {
        self.home = Some(home);
        self
    }

    /// Puts everything into the care of a janitor that is there already.
    pub(crate) fn janitor(mut self, janitor: Janitor) -> Self {
        self.janitor = Some(janitor);
        self
    }

    /// Tells somebody which program is being started.
    pub(crate) fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Starts the cluster.
    pub fn start(self) -> Result<Cluster, ClusterError> {
        let janitor = self.janitor.map_or_else(Janitor::hire, Ok)?;
        let site = Site::prepare(self.home, janitor)?;
        let progress = &*self.progress;
        let etcd =
            told(progress, "etcd", || control_plane::start_etcd(&site, self.waits_for_disk))?;
        let api_server = told(progress, "kube-apiserver", || {
            control_plane::start_api_server(&site, self.controllers, &self.flags)
        })?;
        let start_controllers = || {
            told(progress, "kube-controller-manager", || control_plane::start_controllers(&site))
        };
        let controllers = self.controllers.then(start_controllers).transpose()?;
        let scheduler =
            site.home.as_ref().map(|_| control_plane::start_scheduler(&site)).transpose()?;
        Ok(Cluster { scheduler, controllers, api_server, etcd, site })
    }
}

/// Everything that stands before the first program starts.
#[derive(Debug)]
struct Site {
    programs: Programs,
    folder: PathBuf,
    kubeconfig: PathBuf,
    token: String,
    certificates: Certificates,
    api_port: Port,
    etcd_port: Port,
    etcd_peer_port: Port,
    /// What nodes add: where they reach us, and how our own clients do.
    home: Option<Home>,
    _forward: Option<Forward>,
    /// The tokens of the kubelets, by node.
    kubelets: BTreeMap<String, String>,
    janitor: Janitor,
}

impl Site {
    fn prepare(home: Option<Home>, janitor: Janitor) -> Result<Self, ClusterError> {
        let programs = Programs::find()?;
        let folder = janitor.folder()?;
        let addresses = home.iter().flat_map(|home| home.addresses.iter());
        let names: Vec<String> = addresses.map(|address| address.to_string()).collect();
        let nodes = home.iter().flat_map(|home| home.nodes.iter());
        let api_port = Port::lease()?;
        let site = Self {
            programs,
            kubeconfig: folder.join("kubeconfig"),
            token: credentials::fresh_token(),
            certificates: Certificates::make_for(&folder, &names)?,
            // It listens before the API server does, whose port is the same over there.
            _forward: home.as_ref().map(|home| forward(&api_port, home)).transpose()?,
            api_port,
            etcd_port: Port::lease()?,
            etcd_peer_port: Port::lease()?,
            kubelets: nodes.map(|node| (node.clone(), credentials::fresh_token())).collect(),
            home,
            folder,
            janitor,
        };
        credentials::write(&site)?;
        Ok(site)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ClusterError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|source| ClusterError::Write { path, source })
    }

    fn kubectl(&self) -> Command {
        let mut command = self.programs.command("kubectl");
        command.arg("--kubeconfig").arg(&self.kubeconfig);
        // The usual place is under the user's home, and would outlive the cluster.
        command.arg("--cache-dir").arg(self.folder.join("kubectl-cache"));
        command
    }

    /// Starts a program of the control plane, logging into the cluster's folder.
    fn start(&self, name: &str, command: &Command) -> Result<Daemon, ClusterError> {
        let log = self.folder.join(format!("{name}.log"));
        let inside = self.home.as_ref().map(|home| home.entrance.enter(command));
        let command = inside.as_ref().unwrap_or(command);
        Ok(Daemon::start(&self.janitor, name, command, &log)?)
    }

    /// Whether kubectl succeeds with these arguments.
    fn succeeds(&self, arguments: &[&str]) -> bool {
        run(self.kubectl().arg("--request-timeout=5s").args(arguments)).is_ok()
    }
}

fn forward(port: &Port, home: &Home) -> Result<Forward, ClusterError> {
    let forward = Forward::start(port.address(), home.entrance.clone());
    forward.map_err(|source| ClusterError::Forward { source })
}
