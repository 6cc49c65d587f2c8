//! The command line.
//!
//! Invariant: every command's help shows how to use it, not only what its flags are.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

mod apiserver;
mod controller;
mod explain;
mod node;
mod validate;

pub(crate) use apiserver::ApiserverRequest;
pub(crate) use controller::{
    ClaimAnnotation, ControllerRequest, DefaultNetwork, LogFormat, NetworkOptions,
};
pub(crate) use explain::{ExplainRequest, Stage};
pub(crate) use node::NodeRequest;
pub(crate) use validate::{CrdsRequest, DeployPart, SettingsRequest, ValidateRequest};

/// User-defined networks for Kubernetes pods and virtual machines, on OVN.
#[derive(Debug, Parser)]
#[command(name = "udn", version, arg_required_else_help = true)]
#[command(after_help = "Start here:\n  udn sandbox            a whole cluster on this machine\n  \
                        udn validate -f DIR    what a cluster would say to your manifests\n  \
                        udn explain -f DIR     what would be built, without building it\n\n\
                        A command whose reader leaves, as with `| head`, ends with exit code 141.")]
pub(crate) struct Arguments {
    /// Say more on standard error; twice for every stage.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check manifests without a cluster: what the API server would say, and what it cannot.
    Validate(ValidateRequest),
    /// Print the CRDs and admission policies that a cluster needs, for `kubectl apply -f -`.
    Crds(CrdsRequest),
    /// Show what each stage makes of manifests, or of what stands in a cluster; writes nothing.
    Explain(Box<ExplainRequest>),
    /// Run the cluster controller at an API server: makes networks of UDNs and CUDNs.
    Controller(Box<ControllerRequest>),
    /// Run a node's agent: its networks, its host, its pods.
    Node(Box<NodeRequest>),
    /// Run a Kubernetes API server alone: one process, in memory or in one file.
    Apiserver(ApiserverRequest),
    /// Run a whole cluster on this machine: nodes as network namespaces with real OVN.
    Sandbox(SandboxRequest),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Text,
    Json,
}

/// What `udn sandbox` does; without a subcommand, `up`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  \
    udn sandbox                                   the first-light example, until Ctrl-C\n  \
    udn sandbox -f DIR --once                     your manifests; exit 0 if all pings are right\n  \
    udn sandbox exec red-1 -- ip route            a command inside a pod, from another terminal\n  \
    udn sandbox ping red-1 red-3                  whether one pod reaches another\n  \
    udn sandbox apply -f DIR                      change a running sandbox, and see the plan\n\n\
    kubectl works with the kubeconfig that it prints. \
    Needs root. Everything it makes is removed at the end, also after a crash.")]
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

#[derive(Debug, Args, Default)]
pub(crate) struct UpRequest {
    /// A directory of manifests; the first-light example otherwise.
    #[arg(short = 'f', long = "filename", value_name = "DIR")]
    pub(crate) manifests: Option<PathBuf>,
    /// Leave after the matrix: exit code 0 if it is as it must be, 1 if not.
    #[arg(long)]
    pub(crate) once: bool,
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
