//! The values of one document as they stand in its text.
//!
//! Invariant: nodes refer to each other by number, so that neither a deep nor a circular document
//! makes a tree that cannot be dropped or walked; an alias is a node of its own.

use std::ops::Range;

/// One value of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Where it stands in the document's text.
    pub(super) span: Span,
    pub(super) shape: Shape,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Scalar(Scalar),
    List(Vec<NodeId>),
    Map(Vec<Pair>),
    /// The value stands elsewhere.
    Alias(NodeId),
}

/// A value without parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    /// An integer above what an `i64` holds.
    Large(u64),
    Float(f64),
    Text(String),
    /// The key `<<`, written so that it means "what follows belongs here too".
    Merge,
}

/// A key and what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: NodeId,
    pub(super) value: NodeId,
}

/// The number of a node in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// A range of bytes in a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    start: u32,
    end: u32,
}

/// All values of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Span {
    pub(super) fn new(range: Range<usize>) -> Self {
        let number = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: number(range.start), end: number(range.end.max(range.start)) }
    }

    /// The bytes of the document's text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The same from its start to the end of another.
    pub(super) fn until(self, other: Self) -> Self {
        Self { start: self.start, end: self.end.max(other.end) }
    }
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn add(&mut self, span: Span, shape: Shape) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("the reader bounds the count"));
        self.nodes.push(Node { span, shape });
        id
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The node that an alias stands for, or the node itself.
    pub(super) fn resolve(&self, id: NodeId) -> NodeId {
        match self.node(id).shape {
            // An alias never stands for an alias: anchors are on values.
            Shape::Alias(target) => target,
            Shape::Scalar(_) | Shape::List(_) | Shape::Map(_) => id,
        }
    }
}
