//! The CNI plugin of a node: its protocol, and the shim that container runtimes start.
//!
//! A runtime starts the shim ([`shim`], the binary `ovn-k8s-cni-overlay`) with an environment and a
//! network configuration; the shim posts both to the node's server as a [`Request`], and tells its
//! [`Response`] as CNI wants it told.
//! Invariant: nothing here knows a network; what a request means for a pod is the server's affair.

pub mod arguments;
pub mod attachment;
pub mod command;
pub mod error;
pub mod http;
pub mod net_conf;
mod quote;
pub mod request;
pub mod response;
pub mod result;
pub mod shim;
pub mod socket;
pub mod version;

pub use arguments::Arguments;
pub use attachment::{Attachment, ContainerId, InterfaceName};
pub use command::Command;
pub use error::{CniError, Code};
pub use net_conf::NetConf;
pub use request::{PodInterface, Removal, Request};
pub use response::Response;
pub use result::CniResult;
pub use version::Version;
