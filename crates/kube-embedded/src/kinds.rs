//! A kind as it is served: names, scope, schema, subresources, and who judges its objects.
//!
//! Made from a CRD or from the built-in table; read by every part that answers requests.
//! Invariant: a kind never changes once it is served; a changed CRD is a new kind.

use std::sync::Arc;

use kube_schema::{Catalog, Column, Operation, Path, Request, Scale, Scope, StrictError};
use serde_json::Value;

use crate::builtin::{self, BuiltIn, LazySchema};
use crate::refusal::Refusal;

/// One version of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Kind {
    /// Empty for the core group.
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) scope: Scope,
    /// Of the whole object.
    pub(crate) schema: Arc<LazySchema>,
    /// What `kubectl get` prints of a custom kind.
    pub(crate) columns: Vec<Column>,
    /// A subresource of its own for `status`.
    pub(crate) has_status: bool,
    pub(crate) scale: Option<Scale>,
    /// What clients of an old version are told.
    pub(crate) deprecation: Option<String>,
    /// Fields of a custom kind that field selectors may name.
    pub(crate) selectable: Vec<String>,
    /// The version objects are stored in.
    pub(crate) storage_version: String,
    pub(crate) judge: Judge,
    /// The type as an object's JSON begins with it.
    pub(crate) types: Arc<str>,
}

/// Who judges the objects of a kind.
#[derive(Debug, Clone)]
pub(crate) enum Judge {
    BuiltIn(&'static BuiltIn),
    /// A catalog that holds the CRD alone.
    Custom(Arc<Catalog>),
}

/// What is to become of an object, before it is judged.
pub(crate) struct Attempt<'a> {
    pub(crate) object: Value,
    pub(crate) operation: Operation<'a>,
    pub(crate) field_validation: FieldValidation,
    /// What is wrong with the object as it was written, to be told with unknown fields.
    pub(crate) complaints: &'a [String],
    /// Records who owns which fields, in the object as it was meant; then adds to it what
    /// admission adds, or refuses it.
    pub(crate) record: &'a (dyn Fn(&mut Value) -> Result<(), Refusal> + Sync),
}

/// What happens to fields that the schema does not know: `?fieldValidation=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

/// An object that may be stored.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Pruned, defaulted and prepared.
    pub(crate) object: Value,
    /// For `Warning` headers.
    pub(crate) warnings: Vec<String>,
}

impl Kind {
    /// `apps/v1`, or `v1` for the core group.
    pub(crate) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The resource as messages name it: `networks.example.org`, or `pods`.
    pub(crate) fn resource(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// The resource objects are stored under: two kinds may show the same objects.
    pub(crate) fn storage(&self) -> String {
        match (self.group.as_str(), self.plural.as_str()) {
            ("events.k8s.io", "events") => "events".to_owned(),
            _ => self.resource(),
        }
    }

    /// Whether objects are stored as this kind shows them.
    pub(crate) fn is_storage_version(&self) -> bool {
        self.version == self.storage_version && self.group != "events.k8s.io"
    }

    /// The package of the server's own type for a built-in kind, as some messages name it.
    pub(crate) fn go_package(&self) -> &str {
        match self.group.as_str() {
            "" | "events.k8s.io" => "core",
            group => group.split('.').next().unwrap_or(""),
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub(crate) fn built_in(&self) -> Option<&'static BuiltIn> {
        match &self.judge {
            Judge::BuiltIn(built_in) => Some(built_in),
            Judge::Custom(_) => None,
        }
    }

    /// An object of this kind as it is read from the store: an object that another version wrote
    /// may hold what this one does not know.
    pub(crate) fn as_stored(&self, object: Value) -> Value {
        let Judge::Custom(catalog) = &self.judge else { return object };
        let managed = object["metadata"]["managedFields"].clone();
        let mut object = catalog.stored(object);
        if !managed.is_null() {
            object["metadata"]["managedFields"] = managed;
        }
        object
    }

    /// Decodes, defaults, prepares and validates an object as the server does before it asks
    /// policies and webhooks.
    pub(crate) fn judge(&self, attempt: Attempt<'_>) -> Result<Judged, Refusal> {
        match &self.judge {
            Judge::BuiltIn(built_in) => builtin::judge(self, built_in, attempt),
            Judge::Custom(catalog) => custom(catalog, attempt),
        }
    }
}

fn custom(catalog: &Catalog, attempt: Attempt<'_>) -> Result<Judged, Refusal> {
    let Attempt { object, operation, field_validation, complaints, record } = attempt;
    let managed = object["metadata"]["managedFields"].clone();
    let mut verdict = catalog.judge(Request::new(object, operation), &mut |_| {});
    let written = complaints.iter().cloned();
    let written = written.map(|message| StrictError { path: Path::root(), message });
    verdict.strict.splice(..0, written);
    let mut warnings = Vec::new();
    if field_validation != FieldValidation::Strict {
        let strict = std::mem::take(&mut verdict.strict);
        if field_validation == FieldValidation::Warn {
            warnings.extend(strict.into_iter().map(|it| it.message));
        }
    }
    match verdict.status() {
        Some(status) => Err(Refusal::from_status(&status)),
        None => {
            warnings.append(&mut verdict.warnings);
            let mut object = verdict.object;
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                match managed.is_null() {
                    true => drop(metadata.remove("managedFields")),
                    false => drop(metadata.insert("managedFields".to_owned(), managed)),
                }
            }
            record(&mut object)?;
            Ok(Judged { object, warnings })
        }
    }
}
