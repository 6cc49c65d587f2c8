//! Arguments of `udn explain`.
//!
//! Invariant: whatever is asked, nothing is written anywhere.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::{NetworkOptions, Output, SettingsRequest};

/// What `udn explain` shows, and of what.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("source").args(["manifests", "kubeconfig"]).required(true)))]
#[command(after_help = "Examples, of manifests:\n  \
    udn explain -f examples/first-light --stage intent       what was asked for\n  \
    udn explain -f examples/first-light --stage grants       the numbers that would be given\n  \
    udn explain -f examples/first-light --node node-1        the OVN rows of one node\n  \
    udn explain -f examples/first-light --stage plan -o json\n\n\
    Examples, of a cluster that runs:\n  \
    udn explain --kubeconfig --stage intent                  the cluster that kubectl would ask\n  \
    udn explain --kubeconfig k --stage grants                what was given, and what is left to write\n  \
    udn explain --kubeconfig k --node node-1                 the rows that the node's zone draws now\n  \
    udn explain --kubeconfig k --node node-1 --stage plan --northbound unix:/run/ovn/ovnnb_db.sock\n                                                           \
    what that zone has left to do, on node-1\n\n\
    Needs neither root nor OVN. Of a cluster and of a database it only reads: the right to get and \
    list is enough. Nodes in manifests that have not told their addresses are assumed to be as the \
    sandbox would make them; nodes of a cluster are taken as they are.")]
pub(crate) struct ExplainRequest {
    /// A directory of manifests (*.yaml, *.yml, *.json), or one file.
    #[arg(short = 'f', long = "filename", value_name = "DIR")]
    pub(crate) manifests: Option<PathBuf>,
    /// The objects of a cluster instead: the one that FILE names; without FILE the one this runs in,
    /// else $KUBECONFIG, else ~/.kube/config.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub(crate) kubeconfig: Option<Option<PathBuf>>,
    /// Show only this node; all of them otherwise.
    #[arg(long, value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// With --stage plan: compare with what stands in the node's northbound database, such as
    /// unix:/run/ovn/ovnnb_db.sock or tcp:192.0.2.1:6641, instead of with an empty one.
    #[arg(long, value_name = "REMOTE", requires = "node")]
    pub(crate) northbound: Option<String>,
    /// Which value to show.
    #[arg(long, value_enum, default_value_t = Stage::Sheet)]
    pub(crate) stage: Stage,
    /// For people, or for programs.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) settings: SettingsRequest,
    #[command(flatten)]
    pub(crate) networks: NetworkOptions,
}

/// A value between two stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// What the objects ask for, in plain words.
    Intent,
    /// The ids, keys and addresses that are granted, and what is published of them.
    Grants,
    /// The OVN rows of each node, as `ovn-nbctl show` would list them.
    Sheet,
    /// What it takes to make an empty OVN, or the one of --northbound, stand like that.
    Plan,
}
