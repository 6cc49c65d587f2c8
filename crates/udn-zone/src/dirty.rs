//! What has to be read again because objects changed.
//!
//! Invariant: pieces come in an order in which none has to be read twice: nodes and services, then
//! networks, then pods.

use std::collections::BTreeSet;

use udn_model::{NodeName, ObjectName};

/// Something that is translated alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    Node(NodeName),
    Services,
    /// The networks of a NAD and of all who compete with it for a name or a namespace.
    Networks(ObjectName),
    Pod(ObjectName),
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
