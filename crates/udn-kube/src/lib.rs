//! The front door: Kubernetes' language on one side, the house's own vocabulary on the other.
//!
//! `World` holds objects; the codecs read and write what stands in NADs and annotations;
//! `translate` makes an intent of a world; `render` makes publications of grants.
//! Invariant: only this room knows how Kubernetes spells a thing.

pub mod affair;
pub mod api;
pub mod cabinet;
pub mod deploy;
pub mod doors;
pub mod keys;
pub mod kind;
pub mod manifest;
pub mod nad_annotations;
pub mod nad_config;
pub mod network_selection;
pub mod node_annotations;
pub mod object;
pub mod office;
pub mod pod_networks;
pub mod refusal;
pub mod remedy;
pub mod render;
pub mod spec_text;
pub mod texts;
pub mod translate;
pub mod world;

mod addresses;
mod go_json;
mod review;
mod spec;

pub use affair::Affair;
pub use cabinet::Cabinet;
pub use doors::{Door, Doors};
pub use kind::Kind;
pub use nad_annotations::NadAnnotations;
pub use nad_config::{EvpnConf, NadConfig, NetConf, ReadNetwork, VrfConf};
pub use network_selection::Selection;
pub use node_annotations::GatewayConfig;
pub use pod_networks::{PodNetwork, PodNetworks, PodRole, PodRoute};
pub use refusal::{Refusal, Unreadable};
pub use render::{Change, NodeReport, Publication, Target};
pub use review::review;
pub use spec_text::SpecText;
pub use texts::Texts;
pub use world::{Objects, Problem, Reading, World};
