//! What stands in Kubernetes objects: API types, codecs, keys and names, as they are on the wire.
//!
//! Reads and writes texts and JSON values; decides nothing about them.
//! Invariant: only this crate knows how Kubernetes and OVN-Kubernetes spell a thing.

pub mod addresses;
pub mod api;
pub mod deploy;
pub mod go_json;
pub mod keys;
pub mod kind;
pub mod nad_annotations;
pub mod nad_config;
pub mod network_selection;
pub mod node_annotations;
pub mod node_subnets;
pub mod object;
pub mod open_ports;
pub mod pod_networks;
pub mod refusal;
pub mod spec_text;
pub mod target;
pub mod texts;

pub use kind::Kind;
pub use nad_annotations::NadAnnotations;
pub use nad_config::{EvpnConf, NadConfig, NetConf, ReadNetwork, VrfConf};
pub use network_selection::Selection;
pub use node_annotations::GatewayConfig;
pub use node_subnets::NodeSubnets;
pub use pod_networks::{PodNetwork, PodNetworks, PodRole, PodRoute};
pub use refusal::{Refusal, Unreadable};
pub use spec_text::SpecText;
pub use target::Target;
pub use texts::Texts;
