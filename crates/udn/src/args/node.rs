//! Arguments of `udn node`.
//!
//! Invariant: without any, it serves the node on which it runs, where OVN and Open vSwitch listen as
//! their packages have it.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use ovsdb_net::Remote;
use udn_cni::socket;
use udn_cni::version::Version;

use super::{LogFormat, NetworkOptions, SettingsRequest};

/// How `udn node` works.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    udn crds --only rbac | kubectl apply -f -             once: what nodes may do\n  \
    udn node                                              this node, of the cluster that kubectl would ask\n  \
    udn node --node n1 --kubeconfig k --cni-conf-dir /etc/cni/net.d --cni-bin-dir /opt/cni/bin\n                                                        \
    pods of a kubelet beside it, which finds the plugin there\n  \
    udn node --cleanup --dry-run                          what of it would be taken from this host\n  \
    udn node --listen-metrics 127.0.0.1:9411              and then: curl 127.0.0.1:9411/metrics\n\n\
    One for each node, beside the node's own OVN (ovsdb-server for both databases, ovn-northd, \
    ovn-controller) and Open vSwitch. It writes rows into the northbound database, tells Open vSwitch who \
    the node is, keeps the host's links, routes, rules and flows in order, and answers the CNI plugin. What \
    is not there yet may come later. The node's addresses must be on the external bridge. Settings of \
    networks must be those of the controller.\n\n\
    SIGTERM and Ctrl-C end it after what is under way; networks and pods stay as they are. Exit code 0: it \
    was told to stop; 1: it cannot work, and wants to be started again.\n\n\
    docs/node.md has more.")]
pub(crate) struct NodeRequest {
    /// The node's name in the cluster; otherwise $K8S_NODE_NAME, else the host's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
    /// The cluster; otherwise the one it runs in, else $KUBECONFIG, else ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// How log lines on standard error look.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// Serve /healthz, /readyz and /metrics here; nowhere otherwise.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen_metrics: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) ovn: OvnRequest,
    #[command(flatten)]
    pub(crate) cni: CniRequest,
    #[command(flatten)]
    pub(crate) kubelet: KubeletRequest,
    #[command(flatten)]
    pub(crate) settings: SettingsRequest,
    #[command(flatten)]
    pub(crate) networks: NetworkOptions,
    #[command(flatten)]
    pub(crate) cleanup: CleanupRequest,
}

/// The node's OVN and Open vSwitch.
#[derive(Debug, Args)]
#[command(next_help_heading = "The node's OVN")]
pub(crate) struct OvnRequest {
    /// The node's own northbound database.
    #[arg(long, value_name = "REMOTE", default_value = "unix:/run/ovn/ovnnb_db.sock")]
    #[arg(alias = "nb-address")]
    pub(crate) northbound: Remote,
    /// The node's own southbound database; ovn-controller is told to use it too.
    #[arg(long, value_name = "REMOTE", default_value = "unix:/run/ovn/ovnsb_db.sock")]
    #[arg(alias = "sb-address")]
    pub(crate) southbound: Remote,
    /// The database of the node's switch.
    #[arg(long, value_name = "REMOTE", default_value = "unix:/run/openvswitch/db.sock")]
    pub(crate) open_vswitch: Remote,
    /// OVN's own bridge; it is made if it is not there.
    #[arg(long, value_name = "NAME", default_value = "br-int")]
    pub(crate) integration_bridge: String,
    /// The bridge that leads out, with the node's addresses and uplink on it.
    #[arg(long, value_name = "NAME", default_value = "br-ex")]
    pub(crate) external_bridge: String,
    /// The port of the external bridge that is the wire, if there are several that may be.
    #[arg(long, value_name = "NAME")]
    pub(crate) uplink: Option<String>,
    /// The name by which OVN knows the external bridge; other entries of ovn-bridge-mappings stay.
    #[arg(long, value_name = "NAME", default_value = "physnet")]
    pub(crate) physical_network: String,
    /// Where tunnels end; otherwise at the node's first address on the external bridge.
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    pub(crate) encap_ip: Vec<IpAddr>,
    /// The tool that changes flows.
    #[arg(long, value_name = "PROGRAM", default_value = "ovs-ofctl")]
    pub(crate) ofctl: PathBuf,
    /// The tool that changes what links leave to others.
    #[arg(long, value_name = "PROGRAM", default_value = "ethtool")]
    pub(crate) ethtool: PathBuf,
}

/// Who on the host reaches pods that are locked.
#[derive(Debug, Args)]
#[command(next_help_heading = "The kubelet")]
pub(crate) struct KubeletRequest {
    /// The control group (version 2) that the kubelet runs in, from the root of /sys/fs/cgroup on: pods on
    /// primary networks are closed on the default network to every program of the host but those in it, whose
    /// probes have to reach them. See /proc/KUBELET_PID/cgroup, the line that begins with 0::
    #[arg(long, value_name = "PATH", default_value = "/system.slice/kubelet.service")]
    pub(crate) kubelet_cgroup: PathBuf,
    /// The host's namespace of control groups, for an agent in a container that has one of its own.
    #[arg(long, value_name = "FILE", default_value = "/proc/1/ns/cgroup")]
    pub(crate) host_cgroup_namespace: PathBuf,
}

/// Where container runtimes ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Container runtimes")]
pub(crate) struct CniRequest {
    /// Wire no pods; somebody else does.
    #[arg(long)]
    pub(crate) no_cni: bool,
    /// Where the CNI plugin finds this program.
    #[arg(long, value_name = "PATH", default_value = socket::DEFAULT)]
    pub(crate) cni_socket: PathBuf,
    /// Write 10-ovn-kubernetes.conf here once pods can be served, usually /etc/cni/net.d; nowhere
    /// otherwise, and never with --default-network foreign.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cni_conf_dir: Option<PathBuf>,
    /// The version of CNI in that file: every runtime knows 1.0.0; with 1.1.0 newer ones ask for STATUS
    /// and GC too, and older ones, such as containerd 1.6, start no pod.
    #[arg(long, value_name = "VERSION", default_value = "1.0.0", value_parser = cni_version)]
    pub(crate) cni_version: Version,
    /// Put the CNI plugin here, usually /opt/cni/bin; nowhere otherwise.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cni_bin_dir: Option<PathBuf>,
    /// The CNI plugin; otherwise ovn-k8s-cni-overlay beside this program.
    #[arg(long, value_name = "FILE", requires = "cni_bin_dir")]
    pub(crate) cni_binary: Option<PathBuf>,
}

/// Taking away what is left of all this.
#[derive(Debug, Args)]
#[command(next_help_heading = "Taking it away")]
pub(crate) struct CleanupRequest {
    /// Take from this host what outlives the programs of ours, tell each thing, and end: files, ports,
    /// flows, routes, rules. Refused while an agent or pods of it run. Exit code 0: nothing is left.
    #[arg(long)]
    pub(crate) cleanup: bool,
    /// Only tell what would be taken.
    #[arg(long, requires = "cleanup")]
    pub(crate) dry_run: bool,
    /// Cut pods off that are still plugged in.
    #[arg(long, requires = "cleanup")]
    pub(crate) force: bool,
    /// Where the host's files are seen, for a clean-up from a container.
    #[arg(long, value_name = "FOLDER", default_value = "/", requires = "cleanup")]
    pub(crate) host_root: PathBuf,
    /// Where databases are kept; what is in it is removed.
    #[arg(long, value_name = "FOLDER", default_value = "/var/lib/udn", requires = "cleanup")]
    pub(crate) state_dir: PathBuf,
}

fn cni_version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| format!("it is none of {}", Version::list()))
}
