//! Reads JSON texts into trees.
//!
//! Reads text that holds one or several JSON values one after another; returns a tree for each.
//! Invariant: serde_json has the only say about what is JSON; the walk over the text afterwards
//! can rely on it.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::tree::{NodeId, Pair, Scalar, Shape, Span, Tree};
use super::{MAX_VALUES, Unreadable};

/// Whether a text looks like JSON: kubectl decides by the first brace, too.
pub(super) fn is_json(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{');
    inside.is_some_and(|inside| inside.trim_start().starts_with(['"', '}']))
}

/// Reads all values of a text.
pub(super) fn read(text: &str) -> Result<Vec<(Tree, NodeId)>, Unreadable> {
    let mut trees = Vec::new();
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut start = 0;
    while let Some(step) = stream.next() {
        step.map_err(|error| Unreadable::at(span_of(text, &error), without_place(&error)))?;
        let end = stream.byte_offset();
        trees.push(Walker::new(text, start, end).walk()?);
        start = end;
    }
    Ok(trees)
}

fn span_of(text: &str, error: &serde_json::Error) -> Span {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let start = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    Span::new(start.min(text.len())..start.min(text.len()))
}

fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or(&message).to_owned()
}

/// Walks over text that is known to be JSON.
struct Walker<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    tree: Tree,
    root: Option<NodeId>,
    open: Vec<Open>,
}

struct Open {
    id: NodeId,
    key: Option<NodeId>,
}

impl<'a> Walker<'a> {
    fn new(text: &'a str, at: usize, end: usize) -> Self {
        Self { text, at, end, tree: Tree::default(), root: None, open: Vec::new() }
    }

    fn walk(mut self) -> Result<(Tree, NodeId), Unreadable> {
        while self.at < self.end {
            let start = self.at;
            match self.text.as_bytes()[start] {
                b'{' => self.enter(Shape::Map(Vec::new()))?,
                b'[' => self.enter(Shape::List(Vec::new()))?,
                b'}' | b']' => self.leave(),
                b'"' => self.scalar(string_length(&self.text[start..]))?,
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => self.scalar(word_length(&self.text[start..]))?,
            }
        }
        let root = self.root.ok_or_else(|| Unreadable::at(Span::new(0..0), "is empty"))?;
        Ok((self.tree, root))
    }

    fn enter(&mut self, shape: Shape) -> Result<(), Unreadable> {
        let span = Span::new(self.at..self.at + 1);
        let id = self.place(span, shape)?;
        self.open.push(Open { id, key: None });
        self.at += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.at += 1;
        let Some(open) = self.open.pop() else { return };
        let node = self.tree.node_mut(open.id);
        node.span = node.span.until(Span::new(self.at..self.at));
    }

    fn scalar(&mut self, length: usize) -> Result<(), Unreadable> {
        let range = self.at..self.at + length;
        let span = Span::new(range.clone());
        let value = serde_json::from_str(&self.text[range.clone()])
            .map_err(|error| Unreadable::at(span, without_place(&error)))?;
        let scalar = scalar_of(value, &self.text[range.clone()]);
        self.place(span, Shape::Scalar(scalar))?;
        self.at = range.end;
        Ok(())
    }

    fn place(&mut self, span: Span, shape: Shape) -> Result<NodeId, Unreadable> {
        if self.tree.len() >= MAX_VALUES {
            return Err(Unreadable::at(span, format!("holds more than {MAX_VALUES} values")));
        }
        let id = self.tree.add(span, shape);
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(id);
            return Ok(id);
        };
        match &mut self.tree.node_mut(open.id).shape {
            Shape::List(items) => items.push(id),
            Shape::Map(pairs) => match open.key.take() {
                Some(key) => pairs.push(Pair { key, value: id }),
                None => open.key = Some(id),
            },
            Shape::Scalar(_) | Shape::Alias(_) => {}
        }
        Ok(id)
    }
}

/// How long a string is, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// How long a number, `true`, `false` or `null` is.
fn word_length(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.bytes().position(|byte| !is_word(byte)).unwrap_or(text.len()).max(1)
}

fn scalar_of(value: Value, word: &str) -> Scalar {
    match value {
        Value::Null => Scalar::Null,
        Value::Bool(it) => Scalar::Bool(it),
        Value::String(it) => Scalar::Text(it),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(it), _) => Scalar::Integer(it),
            (None, Some(it)) => Scalar::Large(it),
            // The nearest float, which serde_json misses at times.
            (None, None) => Scalar::Float(word.parse().unwrap_or(f64::INFINITY)),
        },
        // Collections are walked over, not read as one.
        Value::Array(_) | Value::Object(_) => Scalar::Null,
    }
}
