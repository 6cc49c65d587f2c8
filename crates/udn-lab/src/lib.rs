//! Set-up and rigs: everything a test needs to meet real OVN, real OVS and real Kubernetes.
//!
//! Two halves. [`setup`] installs or builds the real parts once, into the user's cache folder.
//! The rigs start those parts in temporary folders and network namespaces and take them away
//! again:
//!
//! | rig | what it runs |
//! |---|---|
//! | [`ovsdb_server::OvsdbServer`] | one `ovsdb-server`, over unix, TCP and TLS |
//! | [`raft::RaftCluster`] | several of them serving one clustered database |
//! | [`node::Node`] | a whole node: NB, SB, northd, OVS and ovn-controller in a namespace |
//! | [`pod::Pod`] | a pod plugged into such a node |
//! | [`fabric::Fabric`] | the network between nodes, and hosts outside of them |
//! | [`provider::Provider`] | a provider's switch with VLANs, trunks to nodes and hosts |
//! | [`capture::Capture`] | every frame that passes a link, and frames of any shape to send |
//! | [`witness::Witness`] | a TCP service that tells callers who they seem to be |
//! | [`kubernetes::Cluster`] | etcd, kube-apiserver and kube-controller-manager |
//! | [`real_cluster::RealCluster`] | a whole Kubernetes: such a control plane, and nodes with kubelet and containerd |
//! | [`progress::Progress`] | who hears what a rig does while it starts |
//! | [`shipped_image::ShippedImage`] | the image that clusters run, of binaries and Debian's OVN and Open vSwitch |
//! | [`seed::told`] | the seed of a soak, where a test would play its stored ones |
//! | [`namespaces::Namespace`] | a network namespace, and veth pairs between two of them |
//!
//! A rig never installs anything and never pretends: where a part is missing it returns an error
//! that names the part.
//!
//! Invariant: whatever a rig makes is first owed to a [`janitor::Janitor`], so nothing stays
//! behind after a drop, a panic, Ctrl-C or SIGKILL.

#![forbid(unsafe_code)]

pub mod cache;
pub mod capture;
pub mod certificates;
mod cgroup;
pub mod cni_plugins;
pub mod container_runtime;
pub mod daemon;
pub mod end_to_end;
pub mod fabric;
mod forward;
pub mod helm;
pub mod host;
pub mod image;
pub mod image_base;
pub mod janitor;
pub mod kubernetes;
mod machine;
pub mod namespaces;
pub mod node;
pub mod ovn_daemons;
pub mod ovn_root;
pub mod ovsdb_server;
pub mod pod;
pub mod ports;
mod proc_stat;
pub mod progress;
pub mod provider;
pub mod raft;
pub mod real_cluster;
mod real_parts;
pub mod run;
pub mod seed;
pub mod setup;
pub mod shipped_image;
pub mod wait;
pub mod witness;
