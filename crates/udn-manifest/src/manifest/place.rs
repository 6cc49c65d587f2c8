//! Finds the place of a field in a document's text.
//!
//! Reads a path, as steps or as Kubernetes writes it; returns spans, and lines and columns of them.
//! Invariant: there is always a place: a field that is missing is shown at what it is missing from.

use std::fmt;

use super::tree::{NodeId, Scalar, Shape, Span, Tree};

/// One step from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Field(String),
    Index(usize),
}

/// Where a field stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The key that leads to it; items of lists have none.
    pub key: Option<Span>,
    pub value: Span,
    /// Whether the value has no parts.
    pub is_scalar: bool,
    /// Whether it is the field itself, or what the field is missing from.
    pub is_exact: bool,
}

/// A line and a column, both from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Step {
    pub fn field(name: impl Into<String>) -> Self {
        Self::Field(name.into())
    }

    /// Reads a path as Kubernetes writes it: `spec.subnets[0]`, `metadata.labels[a.b/c]`.
    pub fn parse_path(path: &str) -> Vec<Self> {
        let mut steps = Vec::new();
        let mut rest = path;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let (word, after) = inside.split_once(']').unwrap_or((inside, ""));
                steps.push(word.parse().map_or_else(|_| Self::field(word), Self::Index));
                rest = after;
            } else {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                if end > 0 {
                    steps.push(Self::field(&name[..end]));
                }
                rest = &name[end..];
            }
        }
        steps
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => f.write_str(name),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A path as Kubernetes writes it.
pub fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        if matches!(step, Step::Field(_)) && !text.is_empty() {
            text.push('.');
        }
        text.push_str(&step.to_string());
    }
    text
}

impl Place {
    /// What to underline: the value if it fits on a line, or else its key.
    pub fn mark(&self, text: &str) -> Span {
        let is_short = |span: &Span| {
            let shown = text.get(span.range()).unwrap_or_default();
            !shown.is_empty() && !shown.contains('\n')
        };
        match self.key {
            Some(_) if self.is_scalar && is_short(&self.value) => self.value,
            Some(key) => key,
            None => first_line(text, self.value),
        }
    }
}

/// The part of a span that stands on its first line.
fn first_line(text: &str, span: Span) -> Span {
    let range = span.range();
    let shown = text.get(range.clone()).unwrap_or_default();
    let line = shown.lines().next().unwrap_or_default().trim_end();
    Span::new(range.start..range.start + line.len())
}

impl Position {
    /// Where a byte of a document stands, if the document begins on `line`.
    pub fn of(text: &str, offset: usize, line: usize) -> Self {
        let offset = (0..=offset.min(text.len())).rev().find(|it| text.is_char_boundary(*it));
        let before = &text[..offset.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        Self { line: line + lines, column: 1 + before[line_start..].chars().count() }
    }
}

/// The node that a path leads to.
pub(super) fn find(tree: &Tree, root: NodeId, path: &[Step]) -> Option<NodeId> {
    let mut id = tree.resolve(root);
    for step in path {
        id = tree.resolve(part(tree, id, step)?.value);
    }
    Some(id)
}

/// The place that a path leads to.
pub(super) fn place(tree: &Tree, root: NodeId, path: &[Step]) -> Place {
    let mut id = tree.resolve(root);
    let mut key = None;
    for step in path {
        let Some(part) = part(tree, id, step) else {
            return at(tree, id, key.or_else(|| first_key(tree, id)), false);
        };
        // An item that is missing is shown at the key of its list.
        key = part.key;
        id = tree.resolve(part.value);
    }
    at(tree, id, key, true)
}

fn at(tree: &Tree, id: NodeId, key: Option<NodeId>, is_exact: bool) -> Place {
    let node = tree.node(id);
    let key = key.map(|key| tree.node(key).span);
    let is_scalar = matches!(node.shape, Shape::Scalar(_));
    Place { key, value: node.span, is_scalar, is_exact }
}

fn first_key(tree: &Tree, id: NodeId) -> Option<NodeId> {
    match &tree.node(id).shape {
        Shape::Map(pairs) => pairs.first().map(|pair| pair.key),
        Shape::List(_) | Shape::Scalar(_) | Shape::Alias(_) => None,
    }
}

/// A part of a value, with its key if it has one.
struct Part {
    key: Option<NodeId>,
    value: NodeId,
}

fn part(tree: &Tree, id: NodeId, step: &Step) -> Option<Part> {
    match (&tree.node(id).shape, step) {
        (Shape::List(items), Step::Index(index)) => {
            items.get(*index).map(|value| Part { key: None, value: *value })
        }
        (Shape::Map(_), step) => field(tree, id, &step_name(step), 0),
        (Shape::List(_) | Shape::Scalar(_) | Shape::Alias(_), _) => None,
    }
}

fn step_name(step: &Step) -> String {
    match step {
        Step::Field(name) => name.clone(),
        Step::Index(index) => index.to_string(),
    }
}

/// The pair of a map that has the last word about a key; merged maps count where they stand.
fn field(tree: &Tree, id: NodeId, name: &str, merges: usize) -> Option<Part> {
    let Shape::Map(pairs) = &tree.node(id).shape else { return None };
    pairs.iter().rev().find_map(|pair| match &tree.node(tree.resolve(pair.key)).shape {
        // Deeper than this, the place of the whole will do.
        Shape::Scalar(Scalar::Merge) if merges < 4 => {
            merged(tree, pair.value).find_map(|id| field(tree, id, name, merges + 1))
        }
        Shape::Scalar(scalar) => {
            let is_it = super::value::key_text(scalar).as_deref() == Some(name);
            is_it.then_some(Part { key: Some(pair.key), value: pair.value })
        }
        Shape::List(_) | Shape::Map(_) | Shape::Alias(_) => None,
    })
}

/// The maps that a merge key names, the strongest first.
fn merged(tree: &Tree, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let id = tree.resolve(id);
    let items: &[NodeId] = match &tree.node(id).shape {
        Shape::List(items) => items,
        Shape::Map(_) | Shape::Scalar(_) | Shape::Alias(_) => &[],
    };
    let own = items.is_empty().then_some(id);
    own.into_iter().chain(items.iter().map(|item| tree.resolve(*item)))
}

pub(super) fn step_of(tree: &Tree, key: NodeId) -> Step {
    let text = match &tree.node(tree.resolve(key)).shape {
        Shape::Scalar(scalar) => super::value::key_text(scalar),
        Shape::List(_) | Shape::Map(_) | Shape::Alias(_) => None,
    };
    Step::Field(text.unwrap_or_default())
}
