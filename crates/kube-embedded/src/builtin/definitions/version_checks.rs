//! Checks what a version of a CRD has beside its schema.
//!
//! Reads one version and the place where its errors are told; returns the errors.
//! Invariant: a path into objects that passes here begins with a dot.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::super::fields::{has, items, text};

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// More selectable fields than this no version may have.
const MOST_FIELDS: usize = 8;

fn simple_path(path: &str, at: &Path) -> Option<FieldError> {
    let why = match path.chars().next() {
        None => "must not be empty",
        Some('.') => return None,
        Some(_) => "must be a simple json path starting with .",
    };
    Some(FieldError::invalid(at.clone(), path, why))
}

pub(super) fn subresources(given: &Value, at: &Path) -> Vec<FieldError> {
    let scale = &given["scale"];
    if scale.is_null() {
        return Vec::new();
    }
    let at = at.field("scale");
    let check = |name: &str, below: &[&str], why: &str| {
        let (path, at) = (text(scale, &format!("/{name}")), at.field(name));
        let is_below = below.iter().any(|it| path.starts_with(it));
        simple_path(path, &at).or_else(|| (!is_below).then(|| FieldError::invalid(at, path, why)))
    };
    let mut errors = Vec::new();
    for (name, below) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        if text(scale, &format!("/{name}")).is_empty() {
            errors.push(FieldError::required(at.field(name), ""));
            continue;
        }
        let why = format!("should be a json path under {below}");
        errors.extend(check(name, &[&format!("{below}.")], &why));
    }
    if !text(scale, "/labelSelectorPath").is_empty() {
        let why = "should be a json path under either .spec or .status";
        errors.extend(check("labelSelectorPath", &[".spec.", ".status."], why));
    }
    errors
}

pub(super) fn columns(version: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, column) in items(version, "additionalPrinterColumns").iter().enumerate() {
        let at = at.index(place);
        if text(column, "/name").is_empty() {
            errors.push(FieldError::required(at.field("name"), ""));
        }
        let types = format!("must be one of {}", COLUMN_TYPES.join(","));
        match text(column, "/type") {
            "" => errors.push(FieldError::required(at.field("type"), types)),
            known if COLUMN_TYPES.contains(&known) => {}
            other => errors.push(FieldError::invalid(at.field("type"), other, types)),
        }
        let format = text(column, "/format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
            let why = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.push(FieldError::invalid(at.field("format"), format, why));
        }
        // compat: apiextensions/validation, ValidateCustomResourceColumnDefinition spells it so
        let at = at.field("JSONPath");
        match text(column, "/jsonPath") {
            "" => errors.push(FieldError::required(at, "")),
            path => errors.extend(simple_path(path, &at)),
        }
    }
    errors
}

pub(super) fn selectable_fields(version: &Value, at: &Path) -> Vec<FieldError> {
    let fields = items(version, "selectableFields");
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut errors = Vec::new();
    let mut seen = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let at = at.index(place).field("jsonPath");
        let path = text(field, "/jsonPath");
        if path.is_empty() {
            errors.push(FieldError::required(at, ""));
            continue;
        }
        let Some(found) = field_schema(schema, path) else {
            let why = "is an invalid path: does not refer to a valid field";
            errors.push(FieldError::invalid(at, path, why));
            continue;
        };
        if !["string", "integer", "boolean"].contains(&text(found, "/type")) {
            let why = "must point to a field of type string, boolean or integer. Enum string \
                       fields and strings with formats are allowed.";
            errors.push(FieldError::invalid(at.clone(), path, why));
        }
        if seen.contains(&path) {
            errors.push(FieldError::duplicate(at, path));
        }
        seen.push(path);
    }
    if let (Ok(count), Ok(limit)) = (i64::try_from(fields.len()), i64::try_from(MOST_FIELDS))
        && count > limit
    {
        errors.push(FieldError::too_many(at.clone(), count, limit));
    }
    errors
}

/// The schema of the field a path leads to, through named fields alone.
fn field_schema<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    let mut names = path.strip_prefix('.')?.split('.');
    names.try_fold(schema, |schema, name| {
        let properties = schema.get("properties").filter(|_| has(schema, "properties"))?;
        properties.get(name)
    })
}
