//! What `udn validate` and `udn crds` are asked.
//!
//! Invariant: without a flag, a setting is what `ClusterSettings` has by default.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use udn_model::{ClusterSubnet, Subnet};
use udn_wire::addresses::{judge_cluster_subnet, parse_cluster_subnet};

use super::Output;

/// What `udn validate` checks, and against what.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn validate -f network.yaml                      one file\n  \
    udn validate -f manifests/ -f more.yaml           a folder with all below it, and a file\n  \
    kubectl kustomize . | udn validate -f -           what comes through a pipe\n  \
    udn validate -f new.yaml --old old.yaml           may `old` be changed into `new`?\n  \
    udn validate -f new.yaml --against ~/.kube/config together with what a cluster has\n  \
    udn validate -f manifests/ -o json                for programs\n\n\
    Errors that a server would give have the server's words. What no server can see comes after \
    them: subnets that overlap the cluster's, two primary networks of one namespace, selectors that \
    match nothing, and the like, across all files together.\n\n\
    Exit code 0: no errors (warnings may be); 1: errors; 2: something cannot be read.")]
pub(crate) struct ValidateRequest {
    /// A manifest, a folder (*.yaml, *.yml, *.json, also below it), or - for standard input.
    #[arg(short = 'f', long = "filename", value_name = "FILE", required = true)]
    pub(crate) manifests: Vec<PathBuf>,
    /// Former versions: an object that stands there too is judged as an update of it.
    #[arg(long, value_name = "FILE")]
    pub(crate) old: Option<PathBuf>,
    /// A kubeconfig: objects of its cluster are taken into account; nothing is written there.
    #[arg(long, value_name = "KUBECONFIG")]
    pub(crate) against: Option<PathBuf>,
    /// For people, or for programs.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    /// Where objects go that name no namespace.
    #[arg(short, long, value_name = "NAMESPACE", default_value = "default")]
    pub(crate) namespace: String,
    #[command(flatten)]
    pub(crate) settings: SettingsRequest,
}

/// What the cluster has set, as far as networks must keep clear of it.
///
/// compat: pkg/config/config.go; the other project's names of these flags are taken too.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "The cluster")]
pub(crate) struct SettingsRequest {
    /// Where pods of the default network live, and how long the prefix of a node's part is, such as
    /// 10.128.0.0/14/23,fd01::/48/64; also tells which families the cluster has.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = cluster_subnet)]
    pub(crate) cluster_subnets: Option<Vec<ClusterSubnet>>,
    /// Where services live, such as 172.30.0.0/16; otherwise asked from the cluster, if there is one.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = subnet)]
    #[arg(visible_aliases = ["k8s-service-cidrs"])]
    pub(crate) service_cidrs: Option<Vec<Subnet>>,
    /// Where the default network's routers meet.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = subnet)]
    #[arg(aliases = ["gateway-v4-join-subnet", "gateway-v6-join-subnet"])]
    pub(crate) join_subnets: Option<Vec<Subnet>>,
    /// Where primary networks' routers meet, unless a network says otherwise.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = subnet)]
    pub(crate) network_join_subnets: Option<Vec<Subnet>>,
    /// Addresses that nodes use towards themselves.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = subnet)]
    #[arg(aliases = ["gateway-v4-masquerade-subnet", "gateway-v6-masquerade-subnet"])]
    pub(crate) masquerade_subnets: Option<Vec<Subnet>>,
    /// Where nodes meet on layer-3 networks, and transit subnets of layer-2 networks come from.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = subnet)]
    #[arg(aliases = ["cluster-manager-v4-transit-subnet", "cluster-manager-v6-transit-subnet"])]
    pub(crate) transit_subnets: Option<Vec<Subnet>>,
}

fn cluster_subnet(text: &str) -> Result<ClusterSubnet, String> {
    let subnet = parse_cluster_subnet(text)?;
    judge_cluster_subnet(subnet).map(|()| subnet)
}

/// What `udn crds` prints.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn crds | kubectl apply -f -                     the CRDs and the policies\n  \
    udn crds --only crds > crds.yaml                  the CRDs alone\n  \
    udn crds --only rbac | kubectl apply -f -         what the controller and users may do\n  \
    udn crds --only default-network | kubectl apply -f -\n                                                    \
    once the CRDs are there, for requests of addresses")]
pub(crate) struct CrdsRequest {
    /// Print only a part; the CRDs and the policies otherwise.
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) only: Option<DeployPart>,
}

/// A part of what is deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeployPart {
    /// The kinds of objects.
    Crds,
    /// The admission policies and their bindings.
    Policies,
    /// What the controller may do, and what users may do with networks.
    Rbac,
    /// The NAD `default` in `ovn-kubernetes`, which pods name to ask for addresses of their own.
    DefaultNetwork,
}

fn subnet(text: &str) -> Result<Subnet, String> {
    Subnet::parse(text).map_err(|error| error.to_string())
}
