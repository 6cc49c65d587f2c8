//! One Kubernetes object of a document, which knows where each of its values stands.
//!
//! Invariant: the value is what kubectl would send; places are those of the document's text.

use std::rc::Rc;

use serde_json::Value;

use super::place::{self, Place, Step};
use super::tree::{NodeId, Shape, Tree};
use super::value::{Converted, Duplicate, convert};
use super::{Span, Unreadable};

/// One object.
#[derive(Debug, Clone)]
pub struct Object {
    /// Empty if it names none.
    pub api_version: String,
    /// Empty if it names none.
    pub kind: String,
    /// Which item of a list it is, from one.
    pub item: Option<usize>,
    /// What kubectl would send.
    pub value: Value,
    tree: Rc<Tree>,
    root: NodeId,
    /// In order.
    duplicates: Rc<[Duplicate]>,
}

/// A key that stands a second time in its map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondKey {
    pub path: Vec<Step>,
    pub span: Span,
}

/// The objects of some trees; a list is as many as it has items.
pub(super) fn objects(
    text: &str,
    trees: impl IntoIterator<Item = (Tree, NodeId)>,
) -> Result<Vec<Object>, Unreadable> {
    let mut objects = Vec::new();
    for (tree, root) in trees {
        let Converted { value, duplicates } = convert(text, &tree, root)?;
        let duplicates = duplicates.into_iter().collect();
        let whole = Object::new(Rc::new(tree), root, value, duplicates);
        if whole.is_list() { objects.extend(whole.into_items()) } else { objects.push(whole) }
    }
    Ok(objects)
}

impl Object {
    fn new(tree: Rc<Tree>, root: NodeId, value: Value, duplicates: Rc<[Duplicate]>) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        Self { api_version, kind, item: None, value, tree, root, duplicates }
    }

    fn is_list(&self) -> bool {
        self.kind.ends_with("List") && self.value.get("items").is_some_and(Value::is_array)
    }

    fn into_items(mut self) -> Vec<Self> {
        let Some(Value::Array(values)) = self.value.get_mut("items").map(Value::take) else {
            return Vec::new();
        };
        let kind_of_items = self.kind.trim_end_matches("List").to_owned();
        let mut items = Vec::new();
        for (index, mut value) in values.into_iter().enumerate() {
            let step = [Step::field("items"), Step::Index(index)];
            let Some(root) = place::find(&self.tree, self.root, &step) else { continue };
            // Items of a typed list do not repeat what they are.
            if let Value::Object(fields) = &mut value
                && !kind_of_items.is_empty()
            {
                let version = self.api_version.as_str();
                fields.entry("apiVersion").or_insert_with(|| version.into());
                fields.entry("kind").or_insert_with(|| kind_of_items.as_str().into());
            }
            let mut item = Self::new(self.tree.clone(), root, value, self.duplicates.clone());
            item.item = Some(index + 1);
            items.push(item);
        }
        items
    }

    /// Where a value stands, or the nearest thing above it that is there.
    pub fn place(&self, path: &[Step]) -> Place {
        place::place(&self.tree, self.root, path)
    }

    /// Keys that their map has already; of such values, kubectl sends the last.
    pub fn second_keys(&self) -> Vec<SecondKey> {
        let mut found = Vec::new();
        if !self.duplicates.is_empty() {
            self.search(self.root, &mut Vec::new(), &mut found);
        }
        found.sort_by_key(|it: &SecondKey| it.span);
        found.dedup_by_key(|it| it.span);
        found
    }

    /// Walks through what stands in the text itself; aliases are not followed.
    fn search(&self, id: NodeId, path: &mut Vec<Step>, found: &mut Vec<SecondKey>) {
        match &self.tree.node(id).shape {
            Shape::Map(pairs) => {
                for pair in pairs {
                    path.push(place::step_of(&self.tree, pair.key));
                    if self.duplicates.binary_search(&Duplicate { map: id, key: pair.key }).is_ok()
                    {
                        let span = self.tree.node(pair.key).span;
                        found.push(SecondKey { path: path.clone(), span });
                    }
                    self.search(pair.value, path, found);
                    path.pop();
                }
            }
            Shape::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(Step::Index(index));
                    self.search(*item, path, found);
                    path.pop();
                }
            }
            Shape::Scalar(_) | Shape::Alias(_) => {}
        }
    }
}
