//! Describes a real cluster and starts it: the control plane and all nodes at once.
//!
//! Reads how many nodes are wanted; returns a [`RealCluster`] whose nodes are registered.
//! Invariant: whatever fails on the way, all that was made until then is taken away again.

use std::sync::Arc;

use crate::cgroup::Cgroup;
use crate::host::Host;
use crate::janitor::Janitor;
use crate::kubernetes::{self, Client, Cluster, ClusterError, Home};
use crate::node::{Fabric, Installed, NodeSettings};
use crate::progress::{Progress, Silent, told};
use crate::real_cluster::ground::Parts;
use crate::real_cluster::node::{KUBECONFIG, Place, RealNode};
use crate::real_cluster::{RealCluster, RealClusterError, SERVICE_RANGES, each, kubelet, layout};

/// Describes a cluster before it starts.
#[derive(Debug, Clone)]
pub struct Builder {
    nodes: usize,
    flags: Vec<String>,
    installed: Installed,
    janitor: Option<Janitor>,
    progress: Arc<dyn Progress>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            nodes: 1,
            flags: Vec::new(),
            installed: Installed::Ovn,
            janitor: None,
            progress: Arc::new(Silent),
        }
    }

    /// How many nodes the cluster has; one unless told otherwise.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// Gives nodes less than OVN; a switch listens where a host's package has it.
    pub fn installed(mut self, installed: Installed) -> Self {
        self.installed = installed;
        self
    }

    /// Adds a flag of kube-apiserver, such as `--feature-gates=X=true`.
    pub fn api_server_flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Puts everything into the care of a janitor that is there already.
    pub fn janitor(mut self, janitor: Janitor) -> Self {
        self.janitor = Some(janitor);
        self
    }

    /// Tells somebody what is being started.
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Starts the cluster and waits until its nodes are registered.
    pub fn start(self) -> Result<RealCluster, RealClusterError> {
        let parts = Parts::find()?;
        let janitor = self.janitor.clone().map_or_else(Janitor::hire, Ok)?;
        let fabric = Arc::new(Fabric::create_with(janitor.clone())?);
        let cgroup = Cgroup::create(fabric.janitor())?;
        let outside = fabric.host(&parts.root, layout::outside())?;
        let host = fabric.host(&parts.root, layout::control_plane())?;
        let names: Vec<String> = (1..=self.nodes).map(|number| format!("node{number}")).collect();
        let boot = |(place, name): &(usize, String)| {
            let (fabric, parts) = (fabric.clone(), parts.clone());
            let settings = NodeSettings { installed: self.installed, ..layout::node(*place, name) };
            let cgroup = cgroup.child(name)?;
            let place = Place { fabric, parts, settings, cgroup };
            let step = format!("{name}: OVN, Open vSwitch, containerd");
            told(&*self.progress, &step, || RealNode::boot(place))
        };
        let places: Vec<(usize, String)> = names.iter().cloned().enumerate().collect();
        let (control_plane, nodes) = std::thread::scope(|scope| {
            let control_plane = scope.spawn(|| self.start_control_plane(&host, names, janitor));
            let nodes = each(&places, boot);
            (control_plane.join().expect("starting does not panic"), nodes)
        });
        let (nodes, control_plane) = (nodes?, control_plane?);
        let mut cluster =
            RealCluster { nodes, control_plane, outside, _host: host, cgroup, fabric };
        told(&*self.progress, "kubelets that registered", || {
            start_kubelets(&cluster.control_plane, &mut cluster.nodes)?;
            cluster.wait_registered()
        })?;
        Ok(cluster)
    }

    fn start_control_plane(
        &self,
        host: &Host,
        nodes: Vec<String>,
        janitor: Janitor,
    ) -> Result<Cluster, ClusterError> {
        let builder = Cluster::builder().home(Home {
            entrance: host.namespace().entrance(),
            addresses: layout::control_plane(),
            nodes,
            service_ranges: SERVICE_RANGES.to_owned(),
        });
        let builder = builder.janitor(janitor).progress(self.progress.clone());
        self.flags.iter().fold(builder, kubernetes::Builder::api_server_flag).start()
    }
}

fn start_kubelets(cluster: &Cluster, nodes: &mut [RealNode]) -> Result<(), RealClusterError> {
    for node in nodes.iter() {
        let (client, place) = (Client::Kubelet { node: node.name() }, kubernetes::Place::Node);
        cluster.write_kubeconfig(client, place, &node.folder().join(kubelet::KUBECONFIG))?;
        let own = node.folder().join(KUBECONFIG);
        cluster.write_kubeconfig(Client::Administrator, place, &own)?;
    }
    std::thread::scope(|scope| {
        let starts: Vec<_> =
            nodes.iter_mut().map(|node| scope.spawn(|| node.start_kubelet())).collect();
        starts.into_iter().try_for_each(|start| start.join().expect("starting does not panic"))
    })
}
