//! Makes a plain JSON value of a tree, as kubectl's converter would send it.
//!
//! Reads a [`Tree`]; returns the value and the keys that stand twice, or why there is no value.
//! Invariant: aliases make a value larger only up to the limit that kubectl has, and never endless.
// compat: go.yaml.in/yaml/v2 v2.4.3, decode.go; sigs.k8s.io/yaml v1.6.0, convertToJSONableObject

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::tree::{NodeId, Pair, Scalar, Shape, Tree};
use super::yaml::too_deep;
use super::{MAX_DEPTH, Unreadable};

/// A value, and what its text says more than once.
#[derive(Debug, Clone)]
pub(super) struct Converted {
    pub(super) value: Value,
    pub(super) duplicates: BTreeSet<Duplicate>,
}

/// A key that its map has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Duplicate {
    pub(super) map: NodeId,
    pub(super) key: NodeId,
}

/// Converts a whole document.
pub(super) fn convert(text: &str, tree: &Tree, root: NodeId) -> Result<Converted, Unreadable> {
    let mut converter = Converter::new(text, tree);
    let value = converter.convert(root)?;
    Ok(Converted { value, duplicates: converter.duplicates })
}

struct Converter<'a> {
    text: &'a str,
    tree: &'a Tree,
    duplicates: BTreeSet<Duplicate>,
    /// Aliases whose values are being made.
    expanding: BTreeSet<NodeId>,
    depth: usize,
    made: usize,
    made_by_aliases: usize,
}

impl<'a> Converter<'a> {
    fn new(text: &'a str, tree: &'a Tree) -> Self {
        let (duplicates, expanding) = (BTreeSet::new(), BTreeSet::new());
        Self { text, tree, duplicates, expanding, depth: 0, made: 0, made_by_aliases: 0 }
    }

    fn convert(&mut self, id: NodeId) -> Result<Value, Unreadable> {
        self.count(id)?;
        let tree = self.tree;
        match &tree.node(id).shape {
            Shape::Scalar(scalar) => self.convert_scalar(id, scalar),
            Shape::Alias(target) => self.through_alias(id, |it| it.convert(*target)),
            Shape::List(items) => self.nested(id, |it| {
                items
                    .iter()
                    .map(|item| it.convert(*item))
                    .collect::<Result<_, _>>()
                    .map(Value::Array)
            }),
            Shape::Map(pairs) => self.nested(id, |it| {
                let mut map = Map::new();
                it.fill(id, pairs, &mut map)?;
                Ok(Value::Object(map))
            }),
        }
    }

    /// Puts pairs into a map in the order of the text; what comes later wins.
    fn fill(
        &mut self,
        id: NodeId,
        pairs: &[Pair],
        map: &mut Map<String, Value>,
    ) -> Result<(), Unreadable> {
        // A merged key may be said again; then it takes a list to know which are our own.
        let mut own: Option<BTreeSet<String>> = (!map.is_empty()).then(BTreeSet::new);
        for pair in pairs {
            if self.is_merge(pair.key) {
                own.get_or_insert_with(|| map.keys().cloned().collect());
                self.merge(pair.value, map)?;
                continue;
            }
            self.count(pair.key)?;
            let key = self.key(pair.key)?;
            let value = self.convert(pair.value)?;
            let is_new = match &mut own {
                Some(own) => {
                    map.insert(key.clone(), value);
                    own.insert(key)
                }
                None => map.insert(key, value).is_none(),
            };
            if !is_new {
                self.duplicates.insert(Duplicate { map: id, key: pair.key });
            }
        }
        Ok(())
    }

    /// Puts what `<<` names into the map that it stands in.
    fn merge(&mut self, id: NodeId, map: &mut Map<String, Value>) -> Result<(), Unreadable> {
        let tree = self.tree;
        self.count(id)?;
        match &tree.node(id).shape {
            Shape::Map(pairs) => self.nested(id, |it| it.fill(id, pairs, map)),
            Shape::Alias(target) => match &tree.node(*target).shape {
                Shape::Map(pairs) => {
                    self.through_alias(id, |it| it.nested(id, |it| it.fill(*target, pairs, map)))
                }
                Shape::List(_) | Shape::Scalar(_) | Shape::Alias(_) => Err(self.not_mergeable(id)),
            },
            // Of several, the first has the last word.
            Shape::List(items) => self.nested(id, |it| {
                let is_list = |id: &NodeId| matches!(tree.node(*id).shape, Shape::List(_));
                match items.iter().find(|item| is_list(item)) {
                    Some(list) => Err(it.not_mergeable(*list)),
                    None => items.iter().rev().try_for_each(|item| it.merge(*item, map)),
                }
            }),
            Shape::Scalar(_) => Err(self.not_mergeable(id)),
        }
    }

    fn not_mergeable(&self, id: NodeId) -> Unreadable {
        Unreadable::at(self.tree.node(id).span, "`<<` takes a map or a list of maps")
    }

    fn is_merge(&self, key: NodeId) -> bool {
        matches!(self.tree.node(key).shape, Shape::Scalar(Scalar::Merge))
    }

    fn key(&self, id: NodeId) -> Result<String, Unreadable> {
        let span = self.tree.node(id).span;
        match &self.tree.node(self.tree.resolve(id)).shape {
            Shape::Scalar(scalar) => key_text(scalar)
                .ok_or_else(|| Unreadable::at(span, "this key is no text; put it in quotes")),
            Shape::List(_) | Shape::Map(_) | Shape::Alias(_) => {
                Err(Unreadable::at(span, "a key is a text, not a list or a map"))
            }
        }
    }

    fn convert_scalar(&self, id: NodeId, scalar: &Scalar) -> Result<Value, Unreadable> {
        match scalar {
            Scalar::Null => Ok(Value::Null),
            Scalar::Bool(it) => Ok(Value::Bool(*it)),
            Scalar::Integer(it) => Ok(Value::from(*it)),
            // The server has no integers of this size; it takes them for floats.
            Scalar::Large(it) => Ok(Value::from(*it as f64)),
            Scalar::Float(it) => json_number(*it).map(Value::Number).ok_or_else(|| {
                let message = "JSON has no number for this; write a finite one";
                Unreadable::at(self.tree.node(id).span, message)
            }),
            Scalar::Text(it) => Ok(Value::String(it.clone())),
            Scalar::Merge => Ok(Value::String("<<".to_owned())),
        }
    }

    fn nested<T>(
        &mut self,
        id: NodeId,
        make: impl FnOnce(&mut Self) -> Result<T, Unreadable>,
    ) -> Result<T, Unreadable> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unreadable::at(self.tree.node(id).span, too_deep()));
        }
        let made = make(self)?;
        self.depth -= 1;
        Ok(made)
    }

    fn through_alias<T>(
        &mut self,
        id: NodeId,
        make: impl FnOnce(&mut Self) -> Result<T, Unreadable>,
    ) -> Result<T, Unreadable> {
        if !self.expanding.insert(id) {
            let span = self.tree.node(id).span;
            let name = self.text.get(span.range()).unwrap_or_default().trim_start_matches('*');
            let message = format!("anchor `{name}` contains itself; write its value out");
            return Err(Unreadable::at(span, message));
        }
        self.count(id)?;
        let made = make(self)?;
        self.expanding.remove(&id);
        Ok(made)
    }

    /// Refuses a small text that would make a huge value.
    fn count(&mut self, id: NodeId) -> Result<(), Unreadable> {
        self.made += 1;
        self.made_by_aliases += usize::from(!self.expanding.is_empty());
        let is_suspect = self.made_by_aliases > 100 && self.made > 1000;
        if is_suspect && self.made_by_aliases as f64 > allowed_share(self.made) * self.made as f64 {
            let message = "document contains excessive aliasing; write the values out";
            return Err(Unreadable::at(self.tree.node(id).span, message));
        }
        Ok(())
    }
}

/// Which part of a value of that many nodes may come from aliases.
fn allowed_share(made: usize) -> f64 {
    const FEW: f64 = 400_000.0;
    const MANY: f64 = 4_000_000.0;
    let made = (made as f64).clamp(FEW, MANY);
    0.99 - 0.89 * (made - FEW) / (MANY - FEW)
}

/// How a key that is no text is written in JSON.
pub(super) fn key_text(scalar: &Scalar) -> Option<String> {
    match scalar {
        Scalar::Text(text) => Some(text.clone()),
        Scalar::Bool(it) => Some(it.to_string()),
        Scalar::Integer(it) => Some(it.to_string()),
        Scalar::Float(it) => Some(go_key(*it)),
        Scalar::Merge => Some("<<".to_owned()),
        Scalar::Null | Scalar::Large(_) => None,
    }
}

/// A float as the converter writes it into a key: with the precision of 32 bits.
fn go_key(float: f64) -> String {
    let short = float as f32;
    match () {
        () if short.is_nan() => ".nan".to_owned(),
        () if short == f32::INFINITY => ".inf".to_owned(),
        () if short == f32::NEG_INFINITY => "-.inf".to_owned(),
        () => {
            let scientific = format!("{short:e}");
            let exponent = scientific.split_once('e').and_then(|(_, it)| it.parse::<i32>().ok());
            match (exponent, scientific.split_once('e')) {
                (Some(exponent), Some((mantissa, _))) if !(-4..6).contains(&exponent) => {
                    let sign = if exponent < 0 { '-' } else { '+' };
                    format!("{mantissa}e{sign}{:02}", exponent.abs())
                }
                _ => short.to_string(),
            }
        }
    }
}

/// A float as the server reads it back from JSON: one without a fraction is an integer.
fn json_number(float: f64) -> Option<Number> {
    // compat: encoding/json writes whole floats below this without an exponent, and fills up with
    // zeros after the digits that matter.
    let is_written_whole = float.fract() == 0.0 && float.abs() < 1e21;
    let whole = is_written_whole.then(|| float.to_string().parse::<i64>().ok()).flatten();
    whole.map(Number::from).or_else(|| Number::from_f64(float))
}
