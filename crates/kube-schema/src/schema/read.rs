//! Reads a schema from the JSON of a CRD.
//!
//! Reads `openAPIV3Schema` and where it stands; returns the schema, or what is wrong with it.
//! Invariant: a keyword that is not understood is an error, never silently dropped.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    Additional, Kind, ListType, MapType, Pattern, Reason, Rule, Schema, extensions, structural,
};
use crate::field_error::{ErrorKind, FieldError};
use crate::path::Path;

/// Keywords of JSON schema that the server knows and refuses.
const UNSUPPORTED: [&str; 7] = [
    "$ref",
    "$schema",
    "additionalItems",
    "definitions",
    "dependencies",
    "id",
    "patternProperties",
];

/// Reads the schema at `at`; refuses one that the server would refuse.
pub(crate) fn read(manifest: &Value, at: &Path) -> Result<Schema, Vec<FieldError>> {
    let mut reader = Reader::default();
    let schema = reader.schema(manifest, at);
    let mut errors = Vec::new();
    if reader.errors.is_empty() {
        errors.extend(extensions::check(&schema, at));
    }
    // A word that is not known does not keep the server from looking at the structure.
    if reader.errors.iter().all(|error| error.kind == ErrorKind::NotSupported) {
        errors.extend(structural::check(&schema, at));
    }
    errors.extend(reader.errors);
    if errors.is_empty() { Ok(schema) } else { Err(errors) }
}

/// Reads the schema of a kind that the server has without a CRD.
///
/// Such a schema need not be structural, and says how patches merge lists.
pub(super) fn read_native(document: &Value) -> Result<Schema, Vec<FieldError>> {
    let mut reader = Reader { is_native: true, ..Reader::default() };
    let schema = reader.schema(document, &Path::root());
    if reader.errors.is_empty() { Ok(schema) } else { Err(reader.errors) }
}

#[derive(Default)]
struct Reader {
    errors: Vec<FieldError>,
    is_native: bool,
}

impl Reader {
    fn schema(&mut self, manifest: &Value, at: &Path) -> Schema {
        let mut schema = Schema::default();
        let Some(fields) = manifest.as_object() else {
            self.wrong(at, manifest, "must be an object");
            return schema;
        };
        for (name, value) in fields {
            let at = at.field(name);
            if !value.is_null() && !self.word(&mut schema, name, value, &at) {
                self.structure(&mut schema, name, value, &at);
            }
        }
        schema
    }

    /// Reads a keyword whose value is a plain one; says whether it is such a keyword.
    fn word(&mut self, schema: &mut Schema, name: &str, value: &Value, at: &Path) -> bool {
        match name {
            "title" => schema.title = self.text(value, at),
            "description" => schema.description = self.text(value, at),
            "type" => schema.kind = self.kind(value, at),
            "format" => schema.format = self.text(value, at),
            "pattern" => schema.pattern = self.pattern(value, at),
            "nullable" => schema.nullable = self.flag(value, at),
            "default" => schema.default = Some(value.clone()),
            "minimum" => schema.minimum = self.number(value, at),
            "maximum" => schema.maximum = self.number(value, at),
            "exclusiveMinimum" => schema.exclusive_minimum = self.flag(value, at),
            "exclusiveMaximum" => schema.exclusive_maximum = self.flag(value, at),
            "multipleOf" => schema.multiple_of = self.number(value, at),
            "minLength" => schema.min_length = self.count(value, at),
            "maxLength" => schema.max_length = self.count(value, at),
            "minItems" => schema.min_items = self.count(value, at),
            "maxItems" => schema.max_items = self.count(value, at),
            "minProperties" => schema.min_properties = self.count(value, at),
            "maxProperties" => schema.max_properties = self.count(value, at),
            "enum" => schema.enumeration = self.list(value, at).to_vec(),
            "required" => schema.required = self.texts(value, at),
            "uniqueItems" => self.unique_items(value, at),
            "example" | "externalDocs" => {}
            _ => return false,
        }
        true
    }

    /// Reads a keyword that holds schemas, or one of Kubernetes' own.
    fn structure(&mut self, schema: &mut Schema, name: &str, value: &Value, at: &Path) {
        match name {
            "properties" => schema.properties = self.properties(value, at),
            "additionalProperties" => schema.additional = self.additional(value, at),
            "items" if value.is_array() => {
                self.forbid(at, "items must be a schema object and not an array");
            }
            "items" => schema.items = Some(Box::new(self.schema(value, at))),
            "allOf" => schema.all_of = self.schemas(value, at),
            "anyOf" => schema.any_of = self.schemas(value, at),
            "oneOf" => schema.one_of = self.schemas(value, at),
            "not" => schema.not = Some(Box::new(self.schema(value, at))),
            "x-kubernetes-preserve-unknown-fields" => {
                schema.preserve_unknown_fields = self.flag(value, at);
                if !schema.preserve_unknown_fields {
                    self.wrong(at, value, "must be true or undefined");
                }
            }
            "x-kubernetes-int-or-string" => schema.int_or_string = self.flag(value, at),
            "x-kubernetes-embedded-resource" => schema.embedded_resource = self.flag(value, at),
            "x-kubernetes-list-type" => schema.list_type = self.list_type(value, at),
            "x-kubernetes-list-map-keys" => schema.list_map_keys = self.texts(value, at),
            "x-kubernetes-map-type" => schema.map_type = self.map_type(value, at),
            "x-kubernetes-validations" => schema.rules = self.rules(value, at),
            "x-kubernetes-patch-strategy" if self.is_native => {
                schema.patch_strategy = self.text(value, at);
            }
            "x-kubernetes-patch-merge-key" if self.is_native => {
                schema.patch_merge_key = self.text(value, at);
            }
            _ if UNSUPPORTED.contains(&name) => {
                self.forbid(at, &format!("{name} is not supported"));
            }
            _ => self.wrong(at, value, "unknown field"),
        }
    }

    fn properties(&mut self, value: &Value, at: &Path) -> BTreeMap<String, Schema> {
        let fields = self.object(value, at).into_iter().flatten();
        fields.map(|(name, value)| (name.clone(), self.schema(value, &at.key(name)))).collect()
    }

    fn additional(&mut self, value: &Value, at: &Path) -> Additional {
        match value {
            Value::Bool(allowed) => Additional::Any(*allowed),
            _ => Additional::Of(Box::new(self.schema(value, at))),
        }
    }

    fn schemas(&mut self, value: &Value, at: &Path) -> Vec<Schema> {
        let items = self.list(value, at).iter().enumerate();
        items.map(|(place, item)| self.schema(item, &at.index(place))).collect()
    }

    fn rules(&mut self, value: &Value, at: &Path) -> Vec<Rule> {
        let items = self.list(value, at).iter().enumerate();
        items.map(|(place, item)| self.rule(item, &at.index(place))).collect()
    }

    fn rule(&mut self, value: &Value, at: &Path) -> Rule {
        let mut rule = Rule::default();
        for (name, value) in self.object(value, at).into_iter().flatten() {
            let at = at.field(name);
            match name.as_str() {
                "rule" => rule.rule = self.text(value, &at),
                "message" => rule.message = self.text(value, &at),
                "messageExpression" => rule.message_expression = self.text(value, &at),
                "fieldPath" => rule.field_path = self.text(value, &at),
                "optionalOldSelf" => rule.optional_old_self = Some(self.flag(value, &at)),
                "reason" => rule.reason = self.reason(value, &at),
                _ => self.wrong(&at, value, "unknown field"),
            }
        }
        rule
    }

    fn kind(&mut self, value: &Value, at: &Path) -> Option<Kind> {
        const KINDS: [Kind; 6] =
            [Kind::Array, Kind::Boolean, Kind::Integer, Kind::Number, Kind::Object, Kind::String];
        let found = KINDS.into_iter().find(|kind| value.as_str() == Some(kind.name()));
        if found.is_none() && value.as_str() != Some("") {
            let names = KINDS.map(|kind| kind.name().to_owned());
            self.errors.push(FieldError::not_supported(at.clone(), value.clone(), names));
            // A type that is not known is still a type.
            return Some(Kind::String);
        }
        found
    }

    fn list_type(&mut self, value: &Value, at: &Path) -> Option<ListType> {
        let types = [("atomic", ListType::Atomic), ("set", ListType::Set), ("map", ListType::Map)];
        self.choice(value, at, &types)
    }

    fn map_type(&mut self, value: &Value, at: &Path) -> Option<MapType> {
        self.choice(value, at, &[("atomic", MapType::Atomic), ("granular", MapType::Granular)])
    }

    fn reason(&mut self, value: &Value, at: &Path) -> Option<Reason> {
        let reasons = [
            ("FieldValueDuplicate", Reason::Duplicate),
            ("FieldValueForbidden", Reason::Forbidden),
            ("FieldValueInvalid", Reason::Invalid),
            ("FieldValueRequired", Reason::Required),
        ];
        self.choice(value, at, &reasons)
    }

    fn choice<T: Copy>(&mut self, value: &Value, at: &Path, known: &[(&str, T)]) -> Option<T> {
        let found = known.iter().find(|(name, _)| value.as_str() == Some(name));
        if found.is_none() {
            let names = known.iter().map(|(name, _)| (*name).to_owned());
            self.errors.push(FieldError::not_supported(at.clone(), value.clone(), names));
        }
        found.map(|(_, it)| *it)
    }

    fn pattern(&mut self, value: &Value, at: &Path) -> Option<Pattern> {
        let source = self.text(value, at);
        if source.is_empty() {
            return None;
        }
        let compiled = Pattern::new(&source);
        if let Err(error) = &compiled {
            let why = format!("must be a valid regular expression, but isn't: {error}");
            self.wrong(at, value, &why);
        }
        compiled.ok()
    }

    fn unique_items(&mut self, value: &Value, at: &Path) {
        if self.flag(value, at) {
            self.forbid(
                at,
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            );
        }
    }

    fn text(&mut self, value: &Value, at: &Path) -> String {
        match value {
            Value::String(text) => text.clone(),
            _ => {
                self.wrong(at, value, "must be a string");
                String::new()
            }
        }
    }

    fn flag(&mut self, value: &Value, at: &Path) -> bool {
        value.as_bool().unwrap_or_else(|| {
            self.wrong(at, value, "must be a boolean");
            false
        })
    }

    fn number(&mut self, value: &Value, at: &Path) -> Option<f64> {
        let number = value.as_f64();
        if number.is_none() {
            self.wrong(at, value, "must be a number");
        }
        number
    }

    fn count(&mut self, value: &Value, at: &Path) -> Option<i64> {
        let count = value.as_i64();
        if count.is_none() {
            self.wrong(at, value, "must be an integer");
        }
        count
    }

    fn texts(&mut self, value: &Value, at: &Path) -> Vec<String> {
        let items = self.list(value, at).iter().enumerate();
        items.map(|(place, item)| self.text(item, &at.index(place))).collect()
    }

    fn list<'a>(&mut self, value: &'a Value, at: &Path) -> &'a [Value] {
        value.as_array().map(Vec::as_slice).unwrap_or_else(|| {
            self.wrong(at, value, "must be an array");
            &[]
        })
    }

    fn object<'a>(&mut self, value: &'a Value, at: &Path) -> Option<&'a Map<String, Value>> {
        let fields = value.as_object();
        if fields.is_none() {
            self.wrong(at, value, "must be an object");
        }
        fields
    }

    fn wrong(&mut self, at: &Path, value: &Value, why: &str) {
        self.errors.push(FieldError::invalid(at.clone(), value.clone(), why));
    }

    fn forbid(&mut self, at: &Path, why: &str) {
        self.errors.push(FieldError::forbidden(at.clone(), why));
    }
}
