//! Validates a CRD in the server's order, and names fields as the server does inside.
//!
//! Reads a CRD, and the old one of an update; returns what is wrong with it. Schemas and rules are
//! read by `kube-schema`.
//! Invariant: what all versions share is told once, at the place where old versions had it.

use kube_schema::{BadValue, FieldError, Path, Step, names};
use serde_json::{Value, json};

use super::super::checks;
use super::super::fields::{has, items, text};
use super::version_checks::{columns, selectable_fields, subresources};
use super::{approval, check_definition};

/// What versions may share.
const SHARED: [&str; 4] =
    ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

pub(super) fn validate(definition: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.is_none() {
        errors.extend(check_name(definition));
    }
    errors.extend(check_spec(definition));
    if let Some(old) = old {
        errors.extend(super::fixed(definition, old));
    }
    errors.extend(check_stored(definition));
    errors.extend(approval::check(definition, old));
    if definition["spec"]["preserveUnknownFields"] == true {
        let why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                   spec.versions[*].schema instead";
        let at = Path::of_fields(["spec", "preserveUnknownFields"]);
        errors.push(FieldError::invalid(at, Value::from(true), why));
    }
    errors
}

fn check_name(definition: &Value) -> Option<FieldError> {
    let name = text(definition, "/metadata/name");
    let want =
        format!("{}.{}", text(definition, "/spec/names/plural"), text(definition, "/spec/group"));
    if name.is_empty() || !names::subdomain(name).is_empty() || name == want {
        return None;
    }
    let why = "must be spec.names.plural+\".\"+spec.group";
    Some(FieldError::invalid(Path::of_fields(["metadata", "name"]), name, why))
}

fn check_spec(definition: &Value) -> Vec<FieldError> {
    let spec = &definition["spec"];
    let at = Path::of_fields(["spec"]);
    let mut errors = check_group(text(spec, "/group"), at.field("group"));
    let scopes = ["Cluster", "Namespaced"];
    match text(spec, "/scope") {
        "" => errors.push(FieldError::required(at.field("scope"), "")),
        scope => errors.extend(checks::one_of(scope, &scopes, at.field("scope"))),
    }
    errors.extend(check_versions(definition, &at));
    for name in ["plural", "singular", "kind", "listKind"] {
        if text(&spec["names"], &format!("/{name}")).is_empty() {
            errors.push(FieldError::required(at.field("names").field(name), ""));
        }
    }
    errors.extend(check_names(&spec["names"], &at.field("names")));
    if let Some(version) = items(spec, "versions").first() {
        errors.extend(check_version(definition, version, &at, &|name| is_shared(spec, name)));
    }
    errors.extend(check_conversion(&spec["conversion"], &at.field("conversion")));
    errors
}

fn check_group(group: &str, at: Path) -> Vec<FieldError> {
    if group.is_empty() {
        return vec![FieldError::required(at, "")];
    }
    let wrong = names::subdomain(group);
    if !wrong.is_empty() {
        return vec![FieldError::invalid(at, group, wrong.join(","))];
    }
    let why = "should be a domain with at least one dot";
    (!group.contains('.')).then(|| FieldError::invalid(at, group, why)).into_iter().collect()
}

/// Whether all versions have the same of something.
fn is_shared(spec: &Value, name: &str) -> bool {
    let versions = items(spec, "versions");
    versions.iter().all(|version| version.get(name) == versions[0].get(name))
}

fn check_versions(definition: &Value, at: &Path) -> Vec<FieldError> {
    let spec = &definition["spec"];
    let versions = items(spec, "versions");
    let here = at.field("versions");
    let mut errors = Vec::new();
    for (place, version) in versions.iter().enumerate() {
        if !has(&version["schema"], "openAPIV3Schema") {
            let at = here.index(place).field("schema").field("openAPIV3Schema");
            errors.push(FieldError::required(at, ""));
        }
    }
    for (place, version) in versions.iter().enumerate() {
        let at = here.index(place);
        let name = text(version, "/name");
        errors.extend(joined(&at.field("name"), name, "", names::old_label(name)));
        let is_own = |name: &str| !is_shared(spec, name);
        errors.extend(check_version(definition, version, &at, &is_own));
    }
    let mut seen: Vec<&str> = versions.iter().map(|it| text(it, "/name")).collect();
    seen.sort_unstable();
    let count = seen.len();
    seen.dedup();
    let wrong = |why: &str| FieldError::invalid(here.clone(), inside(spec), why);
    if seen.len() < count {
        errors.push(wrong("must contain unique version names"));
    }
    if let Some(first) = versions.first() {
        let name = text(first, "/name");
        errors.extend(joined(&at.field("version"), name, "", names::old_label(name)));
    }
    if versions.iter().filter(|version| version["storage"] == true).count() != 1 {
        errors.push(wrong("must have exactly one version marked as storage version"));
    }
    errors
}

/// Checks those parts of a version that are told at a place.
fn check_version(
    definition: &Value,
    version: &Value,
    at: &Path,
    is_told: &dyn Fn(&str) -> bool,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if is_told("schema") {
        errors.extend(schema_errors(definition, version, at));
    }
    if is_told("subresources") {
        errors.extend(subresources(&version["subresources"], &at.field("subresources")));
    }
    if is_told("additionalPrinterColumns") {
        errors.extend(columns(version, &at.field("additionalPrinterColumns")));
    }
    if is_told("selectableFields") {
        errors.extend(selectable_fields(version, &at.field("selectableFields")));
    }
    errors
}

/// What `kube-schema` finds in the schema of a version, told at another place.
fn schema_errors(definition: &Value, version: &Value, at: &Path) -> Vec<FieldError> {
    if !has(&version["schema"], "openAPIV3Schema") {
        return Vec::new();
    }
    let versions = items(&definition["spec"], "versions");
    let place = versions.iter().position(|it| it == version).unwrap_or(0);
    let is_hoisted = at.steps().len() == 1;
    let found = check_definition(definition).err().unwrap_or_default();
    let prefix = Path::of_fields(["spec", "versions"]).index(place).field("schema");
    found
        .into_iter()
        .filter(|error| error.path.steps().starts_with(prefix.steps()))
        .map(|mut error| {
            let rest = &error.path.steps()[prefix.steps().len()..];
            error.value = rule_value(version, rest, error.value);
            let base = at.field(if is_hoisted { "validation" } else { "schema" });
            error.path = rest.iter().fold(base, |path, step| match step {
                Step::Field(name) => path.field(name),
                Step::Key(key) => path.key(key),
                Step::Index(index) => path.index(*index),
            });
            error
        })
        .collect()
}

/// A rule is printed whole, with the names its fields have inside the server.
fn rule_value(version: &Value, rest: &[Step], value: BadValue) -> BadValue {
    let [head @ .., Step::Field(list), Step::Index(place), Step::Field(last)] = rest else {
        return value;
    };
    if list != "x-kubernetes-validations" || !["rule", "messageExpression"].contains(&&**last) {
        return value;
    }
    let holder = head.iter().try_fold(&version["schema"], |value, step| match step {
        Step::Field(name) | Step::Key(name) => value.get(name),
        Step::Index(index) => value.get(index),
    });
    let Some(rule) = holder.and_then(|it| it.get(list)?.get(place)) else { return value };
    let shown = |name: &str| json!(text(rule, &format!("/{name}"))).to_string();
    BadValue::Rendered(format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\
         \"OptionalOldSelf\":{}}}",
        shown("rule"),
        shown("message"),
        shown("messageExpression"),
        rule["reason"],
        shown("fieldPath"),
        rule["optionalOldSelf"],
    ))
}

/// Versions as the server keeps them inside.
fn inside(spec: &Value) -> BadValue {
    let versions = items(spec, "versions");
    if versions.is_empty() {
        return BadValue::Json(Value::Null);
    }
    let own = |version: &Value, name: &str| match is_shared(spec, name) {
        true => Value::Null,
        false => version[name].clone(),
    };
    let shown = versions.iter().map(|version| {
        let [schema, below, columns, fields] = SHARED.map(|name| own(version, name));
        format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\
             \"DeprecationWarning\":{},\"Schema\":{schema},\"Subresources\":{below},\
             \"AdditionalPrinterColumns\":{columns},\"SelectableFields\":{fields}}}",
            version["name"],
            version["served"] == true,
            version["storage"] == true,
            version["deprecated"] == true,
            version["deprecationWarning"],
        )
    });
    BadValue::Rendered(format!("[{}]", shown.collect::<Vec<_>>().join(",")))
}

/// One error for all that is wrong with a name.
fn joined(at: &Path, name: &str, before: &str, wrong: Vec<String>) -> Option<FieldError> {
    let why = format!("{before}{}", wrong.join(","));
    (!wrong.is_empty()).then(|| FieldError::invalid(at.clone(), name, why))
}

fn check_names(given: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = |field: &str| text(given, &format!("/{field}")).to_owned();
    for field in ["plural", "singular"] {
        let name = name(field);
        if !name.is_empty() {
            errors.extend(joined(&at.field(field), &name, "", names::old_label(&name)));
        }
    }
    let mixed = "may have mixed case, but should otherwise match: ";
    for field in ["kind", "listKind"] {
        let name = name(field);
        if !name.is_empty() {
            let wrong = names::old_label(&name.to_lowercase());
            errors.extend(joined(&at.field(field), &name, mixed, wrong));
        }
    }
    let listed = |field: &str| -> Vec<FieldError> {
        let names = items(given, field).iter().enumerate();
        let errors = names.filter_map(|(place, name)| {
            let name = name.as_str().unwrap_or("");
            joined(&at.field(field).index(place), name, "", names::old_label(name))
        });
        errors.collect()
    };
    errors.extend(listed("shortNames"));
    if !name("kind").is_empty() && name("kind") == name("listKind") {
        let why = "kind and listKind may not be the same";
        errors.push(FieldError::invalid(at.field("listKind"), name("listKind").as_str(), why));
    }
    errors.extend(listed("categories"));
    errors
}

fn check_conversion(conversion: &Value, at: &Path) -> Vec<FieldError> {
    let strategies = ["None", "Webhook"];
    let strategy = text(conversion, "/strategy");
    let mut errors: Vec<FieldError> =
        checks::one_of(strategy, &strategies, at.field("strategy")).into_iter().collect();
    let config = &conversion["webhook"]["clientConfig"];
    let here = at.field("webhookClientConfig");
    match (strategy, config.is_null()) {
        ("Webhook", true) => {
            errors.push(FieldError::required(here, "required when strategy is set to Webhook"));
        }
        ("Webhook", false) if has(config, "url") == has(config, "service") => {
            errors.push(FieldError::required(here, "exactly one of url or service is required"));
        }
        ("Webhook", false) | (_, true) => {}
        (_, false) => {
            let why = "should not be set when strategy is not set to Webhook";
            errors.push(FieldError::forbidden(here, why));
        }
    }
    let reviews = items(&conversion["webhook"], "conversionReviewVersions");
    if strategy == "Webhook" && reviews.is_empty() {
        errors.push(FieldError::required(at.field("conversionReviewVersions"), ""));
    }
    errors
}

/// Versions that were stored once must still be there.
fn check_stored(definition: &Value) -> Vec<FieldError> {
    let at = Path::of_fields(["status", "storedVersions"]);
    let stored = items(&definition["status"], "storedVersions");
    if stored.is_empty() {
        return vec![FieldError::invalid(at, Value::Null, "must have at least one stored version")];
    }
    let versions = items(&definition["spec"], "versions");
    let mut errors = Vec::new();
    for version in versions.iter().filter(|version| version["storage"] == true) {
        if !stored.contains(&version["name"]) {
            let why = format!("must have the storage version {}", text(version, "/name"));
            errors.push(FieldError::invalid(at.clone(), Value::from(stored.to_vec()), why));
        }
    }
    for (place, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| version["name"] == *name) {
            let name = name.as_str().unwrap_or("");
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must \
                 remain in spec.versions until a storage migration ensures no data remains \
                 persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(at.index(place), name, why));
        }
    }
    errors
}
