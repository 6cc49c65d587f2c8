//! Arguments of `udn controller`.
//!
//! Invariant: without any, it works at the cluster that kubectl would ask, as one of several.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use udn_model::settings::PoolSettings;
use udn_model::{GatewayMode, Mtu, ObjectName};

use super::{Output, SettingsRequest};

/// How `udn controller` works.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn crds | kubectl apply --server-side -f -           once: the kinds of objects\n  \
    udn controller                                        the cluster that kubectl would ask\n  \
    udn controller --dry-run                              what would be written, without writing\n  \
    udn controller --kubeconfig k --listen-metrics 127.0.0.1:9410\n                                                        \
    and then: curl 127.0.0.1:9410/metrics\n\n\
    Several may run for one cluster: one leads, the others stand by and take over at once when it \
    is stopped, and after 5 s when it dies. SIGTERM and Ctrl-C end it after the writes that are \
    under way. Exit code 0: it was told to stop; 1: it cannot work, or lost the lease and wants to be \
    started again.\n\n\
    docs/controller.md has more.")]
pub(crate) struct ControllerRequest {
    /// The cluster; otherwise the one it runs in, else $KUBECONFIG, else ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Print what would be written now, as YAML with a comment for each write, and end.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// With --dry-run: for people, or for programs.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    /// How many work items are reconciled at a time.
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: u16,
    /// How log lines on standard error look.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Serve /healthz, /readyz and /metrics here; nowhere otherwise.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_metrics: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) lease: LeaseRequest,
    #[command(flatten)]
    pub(crate) settings: SettingsRequest,
    #[command(flatten)]
    pub(crate) networks: NetworkOptions,
}

/// Who leads.
#[derive(Debug, Args)]
#[command(next_help_heading = "Leading")]
pub(crate) struct LeaseRequest {
    /// Work without asking whether another one does; only where there is no other one.
    #[arg(long)]
    pub(crate) no_leader_election: bool,
    /// Where the lease is that says who leads; all candidates must name the same.
    #[arg(long, value_name = "NAMESPACE", default_value = "kube-system")]
    pub(crate) lease_namespace: String,
    /// The name of the lease.
    #[arg(long, value_name = "NAME", default_value = "udn-controller")]
    pub(crate) lease_name: String,
    /// The name to lead under; the host's name and a number otherwise.
    #[arg(long, value_name = "NAME")]
    pub(crate) identity: Option<String>,
}

/// What new networks get; living ones keep what they have.
///
/// compat: pkg/config/config.go, where the flag exists there.
#[derive(Debug, Args)]
#[command(next_help_heading = "Networks")]
pub(crate) struct NetworkOptions {
    /// Where traffic leaves a node: shared (by the gateway router) or local (by the host).
    #[arg(long, value_name = "MODE", default_value = "shared", value_parser = gateway_mode)]
    pub(crate) gateway_mode: GatewayMode,
    /// The size of packets on overlay networks that set none.
    #[arg(long, value_name = "BYTES", default_value = "1400", value_parser = mtu)]
    pub(crate) mtu: Mtu,
    /// Let addresses outlive pods, through IPAMClaims; a network that asks is told if not.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_persistent_ips: bool,
    /// Let workloads ask for addresses, and networks set ranges and gateways for that; a workload
    /// that asks is told if not.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    #[arg(visible_alias = "preconfigured-udn-addresses-enable")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_preconfigured_udn_addresses: bool,
    /// What becomes of pods that name their claim by the deprecated annotation
    /// k8s.ovn.org/primary-udn-ipamclaim.
    #[arg(long, value_enum, value_name = "STAGE", default_value_t = ClaimAnnotation::Warn)]
    pub(crate) primary_udn_ipamclaim_annotation: ClaimAnnotation,
    /// Label each node with the physical networks that it has, so that workloads find them.
    #[arg(long, value_name = "BOOL", default_value_t = false, action = clap::ArgAction::Set)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) label_nodes_with_physical_networks: bool,
    /// Keep workloads from being routers and DHCP servers on secondary networks and localnets too;
    /// on primary networks they always are.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    #[arg(visible_alias = "secondary-router-guard-enable")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) enable_secondary_router_guard: bool,
    /// The NAD that pods name to ask for addresses of their own on their primary network.
    #[arg(long, value_name = "NAMESPACE/NAME", default_value = "ovn-kubernetes/default")]
    #[arg(value_parser = object_name)]
    pub(crate) cluster_default_nad: ObjectName,
    /// Who builds the cluster's default network: udn, which then gives every node subnets of
    /// --cluster-subnets, or another plugin, beside which there are secondary networks only.
    #[arg(long, value_enum, value_name = "BUILDER", default_value_t = DefaultNetwork::Udn)]
    pub(crate) default_network: DefaultNetwork,
    /// How many networks there may be.
    #[arg(long, value_name = "COUNT", default_value_t = PoolSettings::default().last_network)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=4095))]
    pub(crate) max_networks: u16,
    /// How many nodes there may be.
    #[arg(long, value_name = "COUNT", default_value_t = PoolSettings::default().last_node)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=4999))]
    pub(crate) max_nodes: u16,
    /// The highest tunnel key: 16777215 with Geneve, 4095 where VXLAN carries the packets.
    #[arg(long, value_name = "KEY", default_value_t = PoolSettings::default().last_tunnel_key)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=0xff_ffff))]
    pub(crate) max_tunnel_key: u32,
}

/// How far the deprecation of the claim annotation went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClaimAnnotation {
    /// It works, and an event warns.
    Warn,
    /// The pod gets no addresses, and an event says why.
    Refuse,
    /// It has no effect, and an event says so.
    Ignore,
}

/// Who builds the default network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DefaultNetwork {
    /// This program and its nodes.
    Udn,
    /// Another plugin.
    Foreign,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

fn gateway_mode(text: &str) -> Result<GatewayMode, String> {
    match text {
        "shared" => Ok(GatewayMode::Shared),
        "local" => Ok(GatewayMode::Local),
        _ => Err("use shared or local".to_owned()),
    }
}

fn mtu(text: &str) -> Result<Mtu, String> {
    let bytes = text.parse().ok().and_then(Mtu::new);
    bytes.ok_or_else(|| "use a size of packets, such as 1400".to_owned())
}

fn object_name(text: &str) -> Result<ObjectName, String> {
    ObjectName::parse(text).ok_or_else(|| "use NAMESPACE/NAME".to_owned())
}
