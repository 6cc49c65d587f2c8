//! The fields that every resource has, declared or not.
//!
//! Reads a schema; returns the properties as rules at the root of a resource see them.
//! Invariant: rules see no more of `metadata` than `name` and `generateName`.

use std::sync::LazyLock;

use crate::schema::{Kind, Schema};

static META: LazyLock<[(String, Schema); 3]> = LazyLock::new(|| {
    let text = || Schema::of_kind(Kind::String);
    let mut metadata = Schema::of_kind(Kind::Object);
    metadata.properties = [("name".to_owned(), text()), ("generateName".to_owned(), text())].into();
    [
        ("apiVersion".to_owned(), text()),
        ("kind".to_owned(), text()),
        ("metadata".to_owned(), metadata),
    ]
});

/// The properties that rules see, with those of every resource if it is one.
pub(super) fn properties(
    schema: &Schema,
    is_resource: bool,
) -> impl Iterator<Item = (&String, &Schema)> {
    let adds = is_resource && !has_all(schema);
    let added = META.iter().map(|(name, meta)| (name, meta)).filter(move |_| adds);
    let own = schema.properties.iter().filter(move |(name, _)| !adds || meta(name).is_none());
    own.chain(added)
}

/// One of the properties that rules see.
pub(super) fn property<'a>(
    schema: &'a Schema,
    is_resource: bool,
    name: &str,
) -> Option<&'a Schema> {
    if is_resource
        && !has_all(schema)
        && let Some(meta) = meta(name)
    {
        return Some(meta);
    }
    schema.properties.get(name)
}

fn meta(name: &str) -> Option<&'static Schema> {
    META.iter().find(|(known, _)| known == name).map(|(_, schema)| schema)
}

/// Whether the schema itself declares what every resource has.
fn has_all(schema: &Schema) -> bool {
    let is = |schema: &Schema, name: &str, kind| {
        schema.properties.get(name).is_some_and(|property| property.kind == Some(kind))
    };
    is(schema, "kind", Kind::String)
        && is(schema, "apiVersion", Kind::String)
        && is(schema, "metadata", Kind::Object)
        && schema.properties.get("metadata").is_some_and(|metadata| {
            is(metadata, "name", Kind::String) && is(metadata, "generateName", Kind::String)
        })
}
