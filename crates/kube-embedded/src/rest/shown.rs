//! Stored objects as a client sees them: in the version it asked for, whole, in part or as a row.
//!
//! Invariant: an object stored in the asked-for version is sent as stored, without reading it.

use serde_json::Value;

use super::accept::{self, Accepted, View};
use super::asked::Asked;
use crate::builtin;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::Stored;
use crate::table::{self, Include};

/// How objects of a kind are shown.
#[derive(Debug, Clone)]
pub(crate) struct Shown<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) view: View,
    /// Whether tables and metadata are of `v1beta1`.
    pub(crate) is_old: bool,
    pub(crate) include: Include,
    /// For the age of objects.
    pub(crate) now: String,
}

impl Shown<'_> {
    /// The object in the version asked for.
    pub(crate) fn object(&self, stored: &Stored) -> Value {
        in_version(self.kind, stored.object())
    }

    /// Appends the JSON of one object.
    pub(crate) fn write(&self, stored: &Stored, out: &mut Vec<u8>) {
        match self.view {
            View::Whole | View::Discovery if self.is_as_stored() => {
                stored.body.write_as(&self.kind.types, stored.revision, out);
            }
            _ => {
                let shown = self.value(self.object(stored));
                serde_json::to_writer(out, &shown).expect("a value always has a JSON form");
            }
        }
    }

    /// Appends the JSON of an item of a list; built-in ones come without their type.
    pub(crate) fn write_item(&self, stored: &Stored, out: &mut Vec<u8>) {
        let is_whole = matches!(self.view, View::Whole | View::Discovery);
        match self.kind.built_in() {
            Some(_) if is_whole && self.is_as_stored() => {
                stored.body.write_as("", stored.revision, out);
            }
            Some(_) if is_whole => {
                let mut item = self.object(stored);
                strip_type(&mut item);
                serde_json::to_writer(out, &item).expect("a value always has a JSON form");
            }
            _ => self.write(stored, out),
        }
    }

    /// Whether the stored text is right but for the type at its beginning.
    fn is_as_stored(&self) -> bool {
        self.kind.built_in().is_none() || self.kind.is_storage_version()
    }

    /// One object as it is shown.
    pub(crate) fn value(&self, object: Value) -> Value {
        match self.view {
            View::Whole | View::Discovery => object,
            View::Partial => self.dated(table::partial(&object)),
            View::Table => self.row(&object, true),
        }
    }

    /// One object as a table; the first of a watch has columns.
    pub(crate) fn row(&self, object: &Value, has_columns: bool) -> Value {
        self.dated(table::render_one(self.kind, object, self.include, has_columns, &self.now))
    }

    /// The version of tables and metadata.
    pub(crate) fn meta(&self) -> &'static str {
        if self.is_old { "meta.k8s.io/v1beta1" } else { "meta.k8s.io/v1" }
    }

    /// A table or metadata in the version asked for.
    pub(crate) fn dated(&self, mut shown: Value) -> Value {
        if !self.is_old {
            return shown;
        }
        let meta = Value::from(self.meta());
        let rows = shown.get_mut("rows").and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            if row["object"]["apiVersion"] == "meta.k8s.io/v1" {
                row["object"]["apiVersion"] = meta.clone();
            }
        }
        let items = shown.get_mut("items").and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            item["apiVersion"] = meta.clone();
        }
        shown["apiVersion"] = meta;
        shown
    }

    pub(crate) fn table(&self, objects: &[Value], metadata: Value) -> Value {
        self.dated(table::render(self.kind, objects, metadata, self.include, &self.now))
    }
}

/// Refuses to show one object as the metadata of many.
pub(crate) fn check_one(asked: &Asked) -> Result<(), Refusal> {
    let Accepted { view, is_list, .. } = asked.accepted;
    if view != View::Partial || !is_list {
        return Ok(());
    }
    Err(match asked.kind.built_in() {
        None => Refusal::new(500, "", "content is not a list"),
        Some(_) => accept::not_acceptable(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list (*{}.{})",
            asked.kind.go_package(),
            asked.kind.kind
        )),
    })
}

/// Refuses to show many objects as the metadata of one.
pub(crate) fn check_many(asked: &Asked) -> Result<(), Refusal> {
    let Accepted { view, is_list, .. } = asked.accepted;
    if view != View::Partial || is_list {
        return Ok(());
    }
    let found = match asked.kind.built_in() {
        None => "unstructured.UnstructuredList".to_owned(),
        Some(_) => format!("{}.{}", asked.kind.go_package(), asked.kind.list_kind),
    };
    Err(accept::not_acceptable(format!(
        "you requested PartialObjectMetadata, but the requested object is a list (*{found})"
    )))
}

fn strip_type(object: &mut Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
}

/// An object in the version a kind shows.
pub(crate) fn in_version(kind: &Kind, mut object: Value) -> Value {
    if kind.is_storage_version() {
        return object;
    }
    match kind.built_in() {
        Some(_) => builtin::convert(object, kind),
        None => {
            object["apiVersion"] = Value::from(kind.api_version());
            object
        }
    }
}
