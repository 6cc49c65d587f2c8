//! The command line.
//!
//! Invariant: every command's help shows how to use it, not only what its flags are.

use clap::{ArgAction, Parser, Subcommand, ValueEnum};

mod apiserver;
mod controller;
mod explain;
mod node;
mod sandbox;
mod validate;

pub(crate) use apiserver::ApiserverRequest;
pub(crate) use controller::{
    ClaimAnnotation, ControllerRequest, DefaultNetwork, LogFormat, NetworkOptions,
};
pub(crate) use explain::{ExplainRequest, Stage};
pub(crate) use node::NodeRequest;
pub(crate) use sandbox::{
    ApplyRequest, ExecRequest, KubernetesRequest, PingRequest, SandboxCommand, SandboxRequest,
    UpRequest,
};
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
