//! Arguments of `udn sandbox`.
//!
//! Invariant: without any, it shows the first-light example until Ctrl-C.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use udn_model::{Family, GatewayMode};

/// What `udn sandbox` does; without a subcommand, `up`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  \
    udn sandbox                                   the first-light example, until Ctrl-C\n  \
    udn sandbox -f DIR --once                     your manifests; exit 0 if all pings are right\n  \
    udn sandbox exec red-1 -- ip route            a command inside a pod, from another terminal\n  \
    udn sandbox ping red-1 red-3                  whether one pod reaches another\n  \
    udn sandbox apply -f DIR                      change a running sandbox, and see the plan\n  \
    udn sandbox --kubernetes                      real kubelets that start pods: docs/sandbox.md\n  \
    udn sandbox --kubernetes --nodes 3 -f DIR     your manifests on three of them\n\n\
    kubectl works with the kubeconfig that it prints. \
    Needs root. Everything it makes is removed at the end, also after a crash.\n\n\
    With --kubernetes, kube-apiserver, etcd, scheduler and controller-manager run for themselves, and \
    each node has kubelet, containerd, Multus, OVN, Open vSwitch and `udn node`. The first start \
    builds them (about ten minutes, and Go), later ones take about half a minute. A node needs about \
    350 MB of memory, and the rest 700 MB. Nodes have no way to registries: the image is udn.local/busybox:1.")]
pub(crate) struct SandboxRequest {
    #[command(subcommand)]
    pub(crate) command: Option<SandboxCommand>,
    #[command(flatten)]
    pub(crate) up: UpRequest,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Start a cluster, apply manifests, show a ping matrix, and stay until Ctrl-C.
    Up(UpRequest),
    /// Run a command inside a pod of the running sandbox.
    Exec(ExecRequest),
    /// Ping one pod from another, on every network that both are on.
    Ping(PingRequest),
    /// Apply a directory to the running sandbox and show the plan as it is committed.
    Apply(ApplyRequest),
}

#[derive(Debug, Args)]
pub(crate) struct UpRequest {
    /// A directory of manifests; an example otherwise.
    #[arg(short = 'f', long = "filename", value_name = "DIR")]
    pub(crate) manifests: Option<PathBuf>,
    /// Leave after the matrix: exit code 0 if it is as it must be, 1 if not.
    #[arg(long)]
    pub(crate) once: bool,
    #[command(flatten)]
    pub(crate) kubernetes: KubernetesRequest,
}

/// A real Kubernetes instead of one that is played.
#[derive(Debug, Args)]
#[command(next_help_heading = "A real Kubernetes")]
pub(crate) struct KubernetesRequest {
    /// Start a real Kubernetes whose kubelets start the pods; the example is then examples/kubernetes.
    #[arg(long = "kubernetes")]
    pub(crate) is_wanted: bool,
    /// How many nodes it has.
    #[arg(long, value_name = "COUNT", default_value_t = 2, requires = "is_wanted")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    pub(crate) nodes: u8,
    /// Which addresses pods get; nodes always have both.
    #[arg(long, value_enum, value_name = "FAMILY", default_value_t, requires = "is_wanted")]
    pub(crate) ip_family: IpFamily,
    /// Where traffic leaves a node: by the gateway router, or by the host.
    #[arg(long, value_enum, value_name = "MODE", default_value_t, requires = "is_wanted")]
    pub(crate) gateway_mode: SandboxGateway,
}

/// Which families of addresses a cluster has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum IpFamily {
    #[default]
    Dual,
    Ipv4,
    Ipv6,
}

/// Where traffic leaves a node of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SandboxGateway {
    #[default]
    Shared,
    Local,
}

impl SandboxGateway {
    pub(crate) fn mode(self) -> GatewayMode {
        match self {
            Self::Shared => GatewayMode::Shared,
            Self::Local => GatewayMode::Local,
        }
    }
}

impl IpFamily {
    pub(crate) fn families(self) -> &'static [Family] {
        match self {
            Self::Dual => &Family::BOTH,
            Self::Ipv4 => &[Family::V4],
            Self::Ipv6 => &[Family::V6],
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn sandbox exec red-1 -- ip route\n  \
    udn sandbox exec red-1 -- ping -c 3 10.10.0.4\n  \
    udn sandbox exec red-2 -- nc -l 8080                      wait for somebody who connects\n  \
    udn sandbox exec red/red-1 -- tcpdump -n -i ovn-udn1      the namespace too, if need be\n\n\
    ip, nc, ping and tcpdump are there even if this machine has none.")]
pub(crate) struct ExecRequest {
    /// The pod, as NAME or NAMESPACE/NAME.
    pub(crate) pod: String,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn sandbox ping red-1 red-3                  IPv4 and IPv6, on every network they share\n  \
    udn sandbox ping -6 red/red-1 red/red-3       IPv6 alone; the namespace too, if need be\n  \
    udn sandbox ping --network red red-1 red-3    on the network of the CUDN red alone\n\n\
    Exit code 0: every address has answered; 1: one has not, or the pods share no network.")]
pub(crate) struct PingRequest {
    /// The pod that pings, as NAME or NAMESPACE/NAME.
    pub(crate) from: String,
    /// The pod that is pinged, as NAME or NAMESPACE/NAME.
    pub(crate) to: String,
    /// Ping IPv4 addresses alone.
    #[arg(short = '4', conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,
    /// Ping IPv6 addresses alone.
    #[arg(short = '6')]
    pub(crate) ipv6: bool,
    /// Ping on this network alone: a CUDN's NAME, a UDN's NAMESPACE/NAME, or the network's own name.
    #[arg(long, value_name = "NETWORK")]
    pub(crate) network: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyRequest {
    /// A directory of manifests, or one file.
    #[arg(short = 'f', long = "filename", value_name = "DIR")]
    pub(crate) manifests: PathBuf,
}
