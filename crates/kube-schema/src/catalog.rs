//! Everything objects are judged by: definitions, policies and their bindings.
//!
//! Reads parsed manifests once; judges any number of objects.
//! Invariant: judging never changes a catalog, and never panics whatever it is given.

use serde_json::Value;

use crate::decode;
use crate::definition::{self, Definition, Version};
use crate::field_error::FieldError;
use crate::intake::{self, TooDeep};
use crate::judge::{self, Operation, Request};
use crate::policy::{self, Binding, Policy};
use crate::rules::RuleRun;
use crate::verdict::{self, Verdict};

/// Definitions and policies, compiled.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    definitions: Vec<Definition>,
    policies: Vec<Policy>,
    bindings: Vec<Binding>,
}

/// Why manifests cannot be read into a catalog.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    #[error("cannot use {kind:?} of {api_version:?}: neither a CRD nor an admission policy")]
    Kind { api_version: String, kind: String },
    #[error("the manifest of {kind} {name} is {source}")]
    Depth { kind: String, name: String, source: TooDeep },
    #[error("the server would refuse {kind} {name}: {}", verdict::aggregate(errors))]
    Refused { kind: String, name: String, errors: Vec<FieldError> },
    #[error("there are two {kind}s called {name}")]
    Twice { kind: String, name: String },
}

impl Catalog {
    /// Reads CRDs, `ValidatingAdmissionPolicy`s and their bindings; other kinds are an error.
    pub fn read(manifests: impl IntoIterator<Item = Value>) -> Result<Self, CatalogError> {
        let mut catalog = Self::default();
        for manifest in manifests {
            catalog.add(manifest)?;
        }
        Ok(catalog)
    }

    fn add(&mut self, manifest: Value) -> Result<(), CatalogError> {
        let text = |pointer: &str| {
            manifest.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned()
        };
        let (api_version, kind, name) =
            (text("/apiVersion"), text("/kind"), text("/metadata/name"));
        let manifest = intake::take(manifest).map_err(|source| {
            let (kind, name) = (kind.clone(), name.clone());
            CatalogError::Depth { kind, name, source }
        })?;
        let refused =
            |errors| CatalogError::Refused { kind: kind.clone(), name: name.clone(), errors };
        let is_new = match (api_version.as_str(), kind.as_str()) {
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => {
                let definition = definition::read(&manifest).map_err(refused)?;
                push(&mut self.definitions, definition, Definition::name)
            }
            (policy::API_VERSION, "ValidatingAdmissionPolicy") => {
                let policy = Policy::read(&manifest).map_err(refused)?;
                push(&mut self.policies, policy, |it| it.name().to_owned())
            }
            (policy::API_VERSION, "ValidatingAdmissionPolicyBinding") => {
                let binding = Binding::read(&manifest).map_err(refused)?;
                push(&mut self.bindings, binding, |it| it.name().to_owned())
            }
            _ => return Err(CatalogError::Kind { api_version, kind }),
        };
        match is_new {
            true => Ok(()),
            false => Err(CatalogError::Twice { kind, name }),
        }
    }

    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter()
    }

    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.policies.iter()
    }

    pub(crate) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.bindings.iter()
    }

    /// The definition of a kind in a version it serves.
    pub fn definition(&self, api_version: &str, kind: &str) -> Option<&Definition> {
        self.version(api_version, kind).map(|(definition, _)| definition)
    }

    pub(crate) fn version(&self, api_version: &str, kind: &str) -> Option<(&Definition, &Version)> {
        let (group, name) = api_version.split_once('/')?;
        let mut found = self.definitions.iter().filter(|it| it.kind == kind && it.group == group);
        found.find_map(|definition| Some((definition, definition.version(name)?)))
    }

    /// What the server says to a create, with strict field validation.
    ///
    /// A kind without a definition is judged by policies alone.
    pub fn create(&self, object: Value) -> Verdict {
        self.create_observed(object, &mut |_| {})
    }

    /// What the server says to an update of `old`.
    pub fn update(&self, object: Value, old: &Value) -> Verdict {
        self.update_observed(object, old, &mut |_| {})
    }

    /// What the server says to an update of the status of `old`.
    pub fn update_status(&self, object: Value, old: &Value) -> Verdict {
        self.judge(Request::new(object, Operation::UpdateStatus { old }), &mut |_| {})
    }

    /// A create whose rules are watched as they run.
    pub fn create_observed(&self, object: Value, observer: &mut dyn FnMut(RuleRun<'_>)) -> Verdict {
        self.judge(Request::new(object, Operation::Create), observer)
    }

    /// An update whose rules are watched as they run.
    pub fn update_observed(
        &self,
        object: Value,
        old: &Value,
        observer: &mut dyn FnMut(RuleRun<'_>),
    ) -> Verdict {
        self.judge(Request::new(object, Operation::Update { old }), observer)
    }

    /// An object of a custom kind as a server reads it from its store: what its version does not
    /// know is gone, and defaults are there.
    pub fn stored(&self, object: Value) -> Value {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or("");
        match self.version(text("apiVersion"), text("kind")) {
            Some((_, version)) => decode::decode_stored(object, version),
            None => object,
        }
    }

    /// What the server says to a request; the observer sees every rule that runs.
    pub fn judge(&self, request: Request<'_>, observer: &mut dyn FnMut(RuleRun<'_>)) -> Verdict {
        judge::judge(self, request, observer)
    }
}

/// Adds a thing unless one of its name is there.
fn push<T>(things: &mut Vec<T>, thing: T, name: impl Fn(&T) -> String) -> bool {
    let is_new = !things.iter().any(|other| name(other) == name(&thing));
    if is_new {
        things.push(thing);
    }
    is_new
}

#[cfg(test)]
mod tests;
