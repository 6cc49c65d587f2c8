//! The tree of an expression.
//!
//! Nodes live in one list and name each other by number.
//! Invariant: a node's children exist; a node has one parent, so the nodes form a tree.

use crate::cel::value::Value;

/// The number of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cel) struct NodeId(u32);

impl NodeId {
    pub(in crate::cel) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Debug, Clone)]
pub(in crate::cel) enum Kind {
    Literal(Value),
    Ident(String),
    Select {
        operand: NodeId,
        field: String,
        is_test: bool,
    },
    Call {
        function: String,
        target: Option<NodeId>,
        args: Vec<NodeId>,
    },
    /// Items, each with whether it is optional (`[?x]`).
    List(Vec<(NodeId, bool)>),
    Map(Vec<Entry>),
    /// A message: its type's name and its fields.
    Message {
        name: String,
        fields: Vec<(String, NodeId)>,
    },
    Comprehension(Box<Comprehension>),
    /// Stands where a complaint was made.
    Broken,
}

/// An entry of a map.
#[derive(Debug, Clone)]
pub(in crate::cel) struct Entry {
    pub key: NodeId,
    pub value: NodeId,
    pub is_optional: bool,
}

/// A loop over `range` that folds into an accumulator.
#[derive(Debug, Clone)]
pub(in crate::cel) struct Comprehension {
    pub range: NodeId,
    pub variable: String,
    pub second_variable: Option<String>,
    pub accumulator: String,
    pub init: NodeId,
    pub condition: NodeId,
    pub step: NodeId,
    pub result: NodeId,
}

/// A tree and where its nodes stand in the text.
#[derive(Debug, Clone, Default)]
pub(in crate::cel) struct Ast {
    nodes: Vec<(Kind, usize)>,
}

impl Ast {
    pub(in crate::cel) fn add(&mut self, place: usize, kind: Kind) -> NodeId {
        self.nodes.push((kind, place));
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub(in crate::cel) fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node.index()].0
    }

    pub(in crate::cel) fn place(&self, node: NodeId) -> usize {
        self.nodes[node.index()].1
    }

    pub(in crate::cel) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The dotted name that a chain of selections spells, such as `a.b.c`.
    pub(in crate::cel) fn qualified_name(&self, node: NodeId) -> Option<String> {
        match self.kind(node) {
            Kind::Ident(name) => Some(name.clone()),
            Kind::Select { operand, field, is_test: false } => {
                Some(format!("{}.{field}", self.qualified_name(*operand)?))
            }
            _ => None,
        }
    }
}
