//! What has to be read again because objects changed.
//!
//! Invariant: pieces come in an order in which none has to be read twice: nodes and services, then
//! networks, then pods, and what is granted to pods when all that they carry is known.

use std::collections::BTreeSet;
use std::fmt;

use udn_model::{NodeName, ObjectName};

/// Something that is translated alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    Node(NodeName),
    Services,
    /// The networks of a NAD and of all who compete with it for a name or a namespace.
    Networks(ObjectName),
    Pod(ObjectName),
    /// What the zone itself grants to a pod of its node.
    Addresses(ObjectName),
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(name) => write!(f, "node {name}"),
            Self::Services => f.write_str("the services that networks may reach"),
            Self::Networks(nad) => write!(f, "NAD {nad}"),
            Self::Pod(pod) => write!(f, "pod {pod}"),
            Self::Addresses(pod) => write!(f, "the addresses of pod {pod}"),
        }
    }
}

/// What is not up to date.
#[derive(Debug, Default)]
pub(crate) struct Dirty(BTreeSet<Piece>);

impl Dirty {
    pub(crate) fn add(&mut self, piece: Piece) {
        self.0.insert(piece);
    }

    pub(crate) fn remove(&mut self, piece: &Piece) {
        self.0.remove(piece);
    }

    /// The first in order.
    pub(crate) fn first(&self) -> Option<&Piece> {
        self.0.first()
    }
}
