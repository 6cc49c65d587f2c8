//! Where an object is written, and by whom.
//!
//! Filled in by who serves the request; read by all that follows from a write.
//! Invariant: what an endpoint does not write never counts as changed through it.

use std::sync::LazyLock;

use kube_schema::Schema;
use serde_json::{Value, json};

use super::compare::{Changes, compare};
use super::fields::Fields;
use super::owners::{Operation, Owner};
use super::shape::Type;
use super::zero;

/// What the server keeps and nobody owns.
pub(super) static NEVER_OWNED: LazyLock<Fields> = LazyLock::new(|| {
    let mut fields = Fields::default();
    fields.insert(["apiVersion"]);
    fields.insert(["kind"]);
    fields.insert(["metadata"]);
    for name in [
        "clusterName",
        "creationTimestamp",
        "generation",
        "managedFields",
        "name",
        "namespace",
        "resourceVersion",
        "selfLink",
        "uid",
    ] {
        fields.insert(["metadata", name]);
    }
    fields
});

/// Where an object is written: the kind and the endpoint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) kind: &'a str,
    /// The version of the endpoint.
    pub(crate) api_version: &'a str,
    /// Of the whole object.
    pub(crate) schema: &'a Schema,
    pub(crate) is_custom: bool,
    /// Empty for the object itself.
    pub(crate) subresource: &'a str,
    /// What this endpoint does not write.
    pub(crate) ignored: &'a [&'a [&'a str]],
    /// All versions the kind is served in, as `group/version`: owners of others are forgotten.
    pub(crate) served: &'a [&'a str],
}

/// Who writes, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manager<'a> {
    pub(crate) name: &'a str,
    /// RFC 3339, whole seconds.
    pub(crate) time: &'a str,
}

impl<'a> Target<'a> {
    pub(super) fn ty(self) -> Type<'a> {
        Type::of_object(self.schema, self.is_custom)
    }

    pub(super) fn owner(self, manager: &str, operation: Operation) -> Owner {
        Owner::new(manager, operation, self.api_version, self.subresource)
    }

    pub(super) fn ignored(self) -> Fields {
        let mut fields = Fields::default();
        for path in self.ignored {
            fields.insert(path.iter().copied());
        }
        fields
    }

    /// What a new object is compared with.
    pub(super) fn empty(self, new: &Value) -> Value {
        if self.is_custom {
            return json!({"apiVersion": self.api_version, "kind": self.kind});
        }
        let mut empty = zero::zero(self.schema, new);
        empty["apiVersion"] = self.api_version.into();
        empty["kind"] = self.kind.into();
        empty
    }

    pub(super) fn compare(self, old: &Value, new: &Value) -> Changes {
        let mut changes = compare(self.ty(), Some(old), Some(new));
        changes.set.subtract(&NEVER_OWNED);
        changes.removed.subtract(&NEVER_OWNED);
        if !changes.is_empty() && !self.ignored.is_empty() {
            let ignored = self.ignored();
            changes.set.subtract_whole(&ignored);
            changes.removed.subtract_whole(&ignored);
        }
        changes
    }
}
