//! Validates a prepared object, in the server's order.
//!
//! Reads the object, perhaps the old one, and the definition; returns field errors.
//! Invariant: rules run only where the plain schema left nothing that would mislead them.

use serde_json::Value;

use crate::correlate::Pair;
use crate::definition::{Definition, Version};
use crate::field_error::FieldError;
use crate::metadata::Metadata;
use crate::metadata::check::{self, NameRule};
use crate::path::Path;
use crate::rules::{Old, RuleRun, Walk};
use crate::{embedded, list_types, openapi, scale};

/// Validates a create.
pub(super) fn create(
    object: &Value,
    definition: &Definition,
    version: &Version,
    observer: &mut dyn FnMut(RuleRun<'_>),
) -> Vec<FieldError> {
    let schema = &version.schema;
    let (metadata, at) = (Metadata::of(object), Path::of_fields(["metadata"]));
    let mut errors = check::object(metadata, definition.scope, NameRule::Subdomain, &at);
    errors.extend(openapi::validate(object, schema, None, &Path::root()));
    errors.extend(scale::check_spec(object, version.scale.as_ref()));
    errors.extend(scale::check_status(object, version.scale.as_ref()));
    errors.extend(embedded::check(object, schema));
    errors.extend(list_types::check(object, schema));
    rules(&mut errors, object, None, version, observer);
    errors
}

/// An object that is to take the place of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) object: &'a Value,
    pub(super) old: &'a Value,
    pub(super) definition: &'a Definition,
    pub(super) version: &'a Version,
}

impl Change<'_> {
    /// Validates an update.
    pub(super) fn validate(
        &self,
        observer: &mut dyn FnMut(RuleRun<'_>),
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let Self { object, version, .. } = *self;
        let schema = &version.schema;
        self.around(observer, warnings, |pair| {
            let mut errors = openapi::validate(object, schema, Some(pair), &Path::root());
            errors.extend(scale::check_spec(object, version.scale.as_ref()));
            errors.extend(scale::check_status(object, version.scale.as_ref()));
            errors.extend(embedded::check(object, schema));
            errors
        })
    }

    /// Validates an update of the status.
    pub(super) fn validate_status(
        &self,
        observer: &mut dyn FnMut(RuleRun<'_>),
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        let Self { object, version, .. } = *self;
        let status = object.get("status").zip(version.schema.properties.get("status"));
        self.around(observer, warnings, |pair| {
            let mut errors = Vec::new();
            if let Some((status, schema)) = status {
                let (pair, at) = (pair.field("status"), Path::of_fields(["status"]));
                errors.extend(openapi::validate(status, schema, pair.as_ref(), &at));
            }
            errors.extend(scale::check_status(object, version.scale.as_ref()));
            errors
        })
    }

    /// What both kinds of update check before and after their own part.
    fn around(
        &self,
        observer: &mut dyn FnMut(RuleRun<'_>),
        warnings: &mut Vec<String>,
        own: impl FnOnce(&Pair<'_>) -> Vec<FieldError>,
    ) -> Vec<FieldError> {
        let Self { object, old, definition, version } = *self;
        let schema = &version.schema;
        let pair = Pair::new(object, old, schema);
        let mut errors = metadata_update(object, old, definition);
        errors.extend(own(&pair));
        if list_types::check(old, schema).is_empty() {
            errors.extend(list_types::check(object, schema));
        }
        let old = Some(Old { object: old, pair: Some(&pair) });
        warnings.extend(rules(&mut errors, object, old, version, observer));
        errors
    }
}

/// Metadata is checked for any object and then, once more, for a custom resource.
fn metadata_update(object: &Value, old: &Value, definition: &Definition) -> Vec<FieldError> {
    let (new, old, at) = (Metadata::of(object), Metadata::of(old), Path::of_fields(["metadata"]));
    let mut errors = check::object(new, definition.scope, NameRule::PathSegment, &at);
    errors.extend(check::update(new, old, &at));
    errors.extend(check::update(new, old, &at));
    errors
}

/// Runs the rules; returns what they say of values that may stay as they are.
fn rules(
    errors: &mut Vec<FieldError>,
    object: &Value,
    old: Option<Old<'_>>,
    version: &Version,
    observer: &mut dyn FnMut(RuleRun<'_>),
) -> Vec<String> {
    let Some(tree) = &version.rules else {
        return Vec::new();
    };
    if errors.iter().any(|error| error.kind.blocks_rules()) {
        let why = "some validation rules were not checked because the object was invalid; \
                   correct the existing errors to complete validation";
        errors.push(FieldError::invalid(Path::root(), Value::Null, why).of_rule());
        return Vec::new();
    }
    let (found, forgiven) = Walk::run_forgiving(tree, &version.schema, object, old, observer);
    errors.extend(found);
    forgiven.iter().map(ToString::to_string).collect()
}
