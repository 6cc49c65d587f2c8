//! Reads one YAML document into a tree.
//!
//! Reads text; returns a [`Tree`] and its root, or where and why the text is no YAML.
//! Invariant: the stack of the reader does not grow with the document, and the count of values has
//! a limit.

use std::collections::BTreeMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span as ParserSpan, StructureStyle};

use super::scalar::{self, Tag};
use super::tree::{NodeId, Pair, Scalar, Shape, Span, Tree};
use super::{MAX_DEPTH, MAX_VALUES, Unreadable};

/// Reads the first document of a text.
pub(super) fn read(text: &str) -> Result<(Tree, NodeId), Unreadable> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = MAX_DEPTH + 1;
    options.block_nesting_limit = MAX_DEPTH + 1;
    let mut reader = Reader::new(text);
    for step in Parser::new_from_str_with_options(text, options) {
        let (event, span) = step.map_err(|error| {
            // What is missing at the end is shown after the last thing that is there.
            let start = error.marker().byte_offset().unwrap_or(text.len());
            let start = start.min(text.trim_end().len());
            Unreadable::at(Span::new(start..start), reason(&error))
        })?;
        reader.take(event, byte_span(span))?;
    }
    let root = reader.root.ok_or_else(|| Unreadable::at(Span::new(0..0), "is empty"))?;
    Ok((reader.tree, root))
}

fn reason(error: &granit_parser::ScanError) -> String {
    match error.kind() {
        granit_parser::ErrorKind::RecursionLimitExceeded => too_deep(),
        granit_parser::ErrorKind::UnknownAnchor => {
            "this alias stands for an anchor that is not there".to_owned()
        }
        _ => error.info(),
    }
}

pub(super) fn too_deep() -> String {
    format!("values are nested deeper than {MAX_DEPTH} levels")
}

fn byte_span(span: ParserSpan) -> Span {
    Span::new(span.byte_range().unwrap_or(0..0))
}

/// A tree that grows event by event.
struct Reader<'a> {
    text: &'a str,
    tree: Tree,
    root: Option<NodeId>,
    /// Collections that are not closed yet.
    open: Vec<Open>,
    anchors: BTreeMap<usize, NodeId>,
    /// How many documents have begun.
    documents: usize,
}

/// A collection whose end was not seen yet.
struct Open {
    id: NodeId,
    style: StructureStyle,
    /// The key whose value comes next.
    key: Option<NodeId>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let (tree, anchors) = (Tree::default(), BTreeMap::new());
        Self { text, tree, root: None, open: Vec::new(), anchors, documents: 0 }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Unreadable> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Unreadable::at(span, "a second document begins without `---`"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = read_scalar(&text, style, tag.as_deref())
                    .map_err(|message| Unreadable::at(span, message))?;
                self.place(span, Shape::Scalar(scalar), anchor)?;
            }
            Event::SequenceStart(style, anchor, _) => {
                let id = self.place(span, Shape::List(Vec::new()), anchor)?;
                self.open.push(Open { id, style, key: None });
            }
            Event::MappingStart(style, anchor, _) => {
                let id = self.place(span, Shape::Map(Vec::new()), anchor)?;
                self.open.push(Open { id, style, key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave(span),
            Event::Alias(anchor) => {
                let target = self.anchors.get(&anchor).copied();
                let target = target.ok_or_else(|| Unreadable::at(span, "unknown anchor"))?;
                self.place(span, Shape::Alias(target), 0)?;
            }
            // The parser's list of events may grow; what it emits only if asked is not asked for.
            _ => {}
        }
        Ok(())
    }

    /// Adds a node where the text has come to.
    fn place(&mut self, span: Span, shape: Shape, anchor: usize) -> Result<NodeId, Unreadable> {
        if self.tree.len() >= MAX_VALUES {
            return Err(Unreadable::at(span, format!("holds more than {MAX_VALUES} values")));
        }
        let id = self.tree.add(span, shape);
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(id);
            return Ok(id);
        };
        let begins_line = open.style == StructureStyle::Block && open.key.is_none();
        if begins_line && has_tab_before(self.text, span) {
            let message = "a tab stands in the indentation; YAML takes only spaces there";
            return Err(Unreadable::at(span, message));
        }
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

    fn leave(&mut self, end: Span) {
        let Some(open) = self.open.pop() else { return };
        // The end of a block is where the next thing begins; the last part tells more.
        let last = match (&self.tree.node(open.id).shape, open.style) {
            (Shape::List(items), StructureStyle::Block) => items.last().copied(),
            (Shape::Map(pairs), StructureStyle::Block) => pairs.last().map(|pair| {
                let is_written = !self.tree.node(pair.value).span.is_empty();
                if is_written { pair.value } else { pair.key }
            }),
            (Shape::List(_) | Shape::Map(_), StructureStyle::Flow)
            | (Shape::Scalar(_) | Shape::Alias(_), _) => None,
        };
        let end = last.map_or(end, |last| self.tree.node(last).span);
        let node = self.tree.node_mut(open.id);
        node.span = node.span.until(end);
    }
}

fn read_scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&granit_parser::Tag>,
) -> Result<Scalar, String> {
    let is_plain = style == ScalarStyle::Plain;
    match tag {
        Some(tag) => {
            let suffix = tag.suffix_in_namespace("tag:yaml.org,2002:");
            scalar::tagged(text, suffix.map_or(Tag::Other, |suffix| Tag::of(&suffix)))
        }
        None if is_plain => Ok(scalar::plain(text)),
        None => Ok(Scalar::Text(text.to_owned())),
    }
}

/// Whether a tab stands between the beginning of the line and the key or item.
// compat: libyaml, which kubectl uses, takes no tab where a key may begin.
fn has_tab_before(text: &str, span: Span) -> bool {
    let before = text.get(..span.range().start).unwrap_or_default();
    before.bytes().rev().take_while(|byte| *byte != b'\n').any(|byte| byte == b'\t')
}
