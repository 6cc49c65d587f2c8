//! Reads manifests into a world.
//!
//! Reads named texts; returns a [`Reading`]: the world, and what could not be taken in.
//! Invariant: whatever the bytes, reading ends with a reading.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_model::{NodeName, ObjectName};

use super::World;
use super::documents::{Document, split};
use super::identity::complete;
use crate::kind::Kind;
use crate::object::{
    ClusterUserDefinedNetwork, Definition, Metadata, Namespace, Node, Pod, Service,
    UserDefinedNetwork,
};

/// What came of reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub world: World,
    /// What is wrong and was left out.
    pub problems: Vec<Problem>,
    /// What is none of our affair.
    pub skipped: Vec<Problem>,
}

/// Something in a manifest that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub source: String,
    /// Which document of the source, from one.
    pub document: usize,
    /// Which line of the source, from one.
    pub line: usize,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, document, line, message } = self;
        write!(f, "{source}:{line}: {message} (document {document})")
    }
}

impl Reading {
    pub(super) fn of<'a>(sources: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut reading = Self::default();
        for (source, bytes) in sources {
            reading.take_source(source, bytes);
        }
        reading
    }

    fn take_source(&mut self, source: &str, bytes: &[u8]) {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let (good, _) = bytes.split_at(error.valid_up_to());
                let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
                let message = "is not UTF-8 text; save it as UTF-8".to_owned();
                let source = source.to_owned();
                self.problems.push(Problem { source, document: 1, line, message });
                return;
            }
        };
        for document in split(text) {
            let desk = Desk { source, document, item: None };
            match document.values() {
                Ok(values) => values.into_iter().for_each(|value| self.take(&desk, value)),
                Err(error) => {
                    let message = format!("cannot be read: {}; mend the document", error.message);
                    self.problems.push(desk.problem(error.line, message));
                }
            }
        }
    }

    /// Takes in one object, or each object of a list.
    fn take(&mut self, desk: &Desk<'_>, mut value: Value) {
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let is_list = kind.ends_with("List") && value.get("items").is_some_and(Value::is_array);
        if is_list && desk.item.is_none() {
            let items = value.get_mut("items").map(Value::take);
            let kind_of_items = kind.trim_end_matches("List");
            self.take_items(desk, items, &api_version, kind_of_items);
        } else {
            self.take_object(desk, value, &api_version, &kind);
        }
    }

    fn take_items(&mut self, desk: &Desk<'_>, items: Option<Value>, version: &str, kind: &str) {
        let Some(Value::Array(items)) = items else { return };
        for (mut item, number) in items.into_iter().zip(1..) {
            // Items of a typed list do not repeat what they are.
            if let Value::Object(fields) = &mut item
                && !kind.is_empty()
            {
                fields.entry("apiVersion").or_insert_with(|| version.into());
                fields.entry("kind").or_insert_with(|| kind.into());
            }
            self.take(&Desk { item: Some(number), ..*desk }, item);
        }
    }

    fn take_object(&mut self, desk: &Desk<'_>, value: Value, api_version: &str, kind: &str) {
        if api_version.is_empty() || kind.is_empty() {
            let message = "is not a Kubernetes object; give it apiVersion and kind".to_owned();
            self.problems.push(desk.problem(desk.document.line, message));
            return;
        }
        let world = &mut self.world;
        let outcome = match Kind::find(api_version, kind) {
            Some(kind @ Kind::Namespace) => desk.place(kind, value, &mut world.namespaces),
            Some(kind @ Kind::Node) => desk.place(kind, value, &mut world.nodes),
            Some(kind @ Kind::UserDefinedNetwork) => desk.place(kind, value, &mut world.networks),
            Some(kind @ Kind::ClusterUserDefinedNetwork) => {
                desk.place(kind, value, &mut world.cluster_networks)
            }
            Some(kind @ Kind::Definition) => desk.place(kind, value, &mut world.definitions),
            Some(kind @ Kind::Service) => desk.place(kind, value, &mut world.services),
            Some(kind @ Kind::Pod) => desk.place(kind, value, &mut world.pods),
            None => {
                let (version, kind) = (api_version.escape_default(), kind.escape_default());
                let message = format!("{version} {kind} plays no part in networks; skipped");
                self.skipped.push(desk.problem(desk.document.line, message));
                return;
            }
        };
        self.problems.extend(outcome.err());
    }
}

/// Where the object at hand comes from.
#[derive(Debug, Clone, Copy)]
struct Desk<'a> {
    source: &'a str,
    document: Document<'a>,
    /// Which item of a list it is, from one.
    item: Option<usize>,
}

impl Desk<'_> {
    fn problem(&self, line: usize, message: String) -> Problem {
        let message = match self.item {
            Some(item) => format!("item {item}: {message}"),
            None => message,
        };
        Problem { source: self.source.to_owned(), document: self.document.number, line, message }
    }

    /// Puts an object under its name, unless one stands there.
    fn place<T: Object>(
        &self,
        kind: Kind,
        value: Value,
        place: &mut BTreeMap<T::Name, T>,
    ) -> Result<(), Problem> {
        let here = |what: String| self.problem(self.document.line, format!("{kind} {what}"));
        let mut object: T = serde_json::from_value(value).map_err(|error| {
            // The value has no lines any more; the text still has.
            let objection = self.item.is_none().then(|| self.document.objection::<T>()).flatten();
            let (line, message) = match objection {
                Some(objection) => (objection.line, objection.message),
                None => (self.document.line, error.to_string()),
            };
            self.problem(line, format!("{kind} cannot be read: {message}{}", advice(&message)))
        })?;
        complete(kind, object.metadata_mut()).map_err(here)?;
        let name = T::name_from(object.metadata_mut());
        if place.contains_key(&name) {
            return Err(here(format!("{name} appears a second time; remove one of the two")));
        }
        place.insert(name, object);
        Ok(())
    }
}

/// What most often mends a type error.
fn advice(message: &str) -> &'static str {
    let is_bare = ["integer", "boolean", "float", "must be quoted"];
    if message.contains("string") && is_bare.iter().any(|word| message.contains(word)) {
        "; put the value in quotes"
    } else {
        "; correct the field"
    }
}

/// What all kinds of objects have for the reader.
trait Object: DeserializeOwned {
    type Name: Ord + fmt::Display;

    fn metadata_mut(&mut self) -> &mut Metadata;

    fn name_from(metadata: &Metadata) -> Self::Name;
}

macro_rules! object {
    ($type:ty, $name:ty, $from:expr) => {
        impl Object for $type {
            type Name = $name;

            fn metadata_mut(&mut self) -> &mut Metadata {
                &mut self.metadata
            }

            fn name_from(metadata: &Metadata) -> $name {
                let from: fn(&Metadata) -> $name = $from;
                from(metadata)
            }
        }
    };
}

object!(Namespace, String, |it| it.name.clone());
object!(Node, NodeName, |it| NodeName::new(&it.name));
object!(ClusterUserDefinedNetwork, String, |it| it.name.clone());
object!(UserDefinedNetwork, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Definition, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Service, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
object!(Pod, ObjectName, |it| ObjectName::new(&it.namespace, &it.name));
