//! The manifest that asks for a network: a UDN or a CUDN.
//!
//! Invariant: a UDN is of one namespace, a CUDN of the whole cluster.

use std::fmt;

use serde::Serialize;

use crate::names::ObjectName;

/// A UDN or a CUDN, by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Manifest {
    #[serde(rename = "userDefinedNetwork")]
    Udn(ObjectName),
    #[serde(rename = "clusterUserDefinedNetwork")]
    Cudn(String),
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Udn(name) => write!(f, "UserDefinedNetwork {name}"),
            Self::Cudn(name) => write!(f, "ClusterUserDefinedNetwork {name}"),
        }
    }
}
