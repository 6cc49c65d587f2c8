//! Pods and networks that are about to go.
//!
//! Invariant: it says who goes, and nobody's order.

use std::collections::BTreeSet;

use udn_model::{NetworkName, ObjectName};

/// Who goes, before the API says so.
#[derive(Debug, Default)]
pub(crate) struct Leaving {
    pub(crate) pods: BTreeSet<ObjectName>,
    pub(crate) networks: BTreeSet<NetworkName>,
}
