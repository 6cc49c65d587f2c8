//! Which objects a list or a watch is about.
//!
//! Invariant: an object is read only if a field is asked for that is neither its name nor its
//! namespace.

use std::borrow::Cow;

use kube_schema::LabelSelector;

use super::super::query::Query;
use super::super::shown;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::selector::{FieldSelector, label_selector};
use crate::store::Stored;

/// A label selector and a field selector.
#[derive(Debug)]
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    pub(crate) fn read(query: &Query, kind: &Kind) -> Result<Self, Refusal> {
        let labels = label_selector(query.first("labelSelector").unwrap_or(""))?;
        let fields = FieldSelector::parse(query.first("fieldSelector").unwrap_or(""), kind)?;
        Ok(Self { labels, fields })
    }

    /// The object of one name, as a watch of a single object asks for it.
    pub(crate) fn named(mut self, name: &str, kind: &Kind) -> Result<Self, Refusal> {
        self.fields = FieldSelector::parse(&format!("metadata.name={name}"), kind)?;
        Ok(self)
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.selects_everything() && self.fields.selects_everything()
    }

    pub(crate) fn matches(&self, kind: &Kind, stored: &Stored) -> bool {
        self.labels.matches(|name| stored.facts.label(name)) && self.has_fields(kind, stored)
    }

    fn has_fields(&self, kind: &Kind, stored: &Stored) -> bool {
        if self.fields.selects_everything() {
            return true;
        }
        if self.fields.name().is_some_and(|name| *name != *stored.place.name) {
            return false;
        }
        let object = std::cell::OnceCell::new();
        self.fields.matches(|field| match field {
            "metadata.name" => Some(Cow::Borrowed(&*stored.place.name)),
            "metadata.namespace" => Some(Cow::Borrowed(&*stored.place.namespace)),
            field => {
                let object = object.get_or_init(|| shown::in_version(kind, stored.object()));
                FieldSelector::value(object, field).map(|it| Cow::Owned(it.into_owned()))
            }
        })
    }
}
