//! CRDs and admission policies, which define how other objects are judged.
//!
//! Reads them through `kube-schema`, which refuses what the server refuses.
//! Invariant: what passes here can be compiled by whoever serves it.

mod approval;
mod names;
mod validate;
mod version_checks;

use kube_schema::{Catalog, CatalogError, FieldError, Path};
use serde_json::{Value, json};

use super::fields::{below, fill, fill_absent, has, items, text};
use super::{Strategy, admission, checks};
use approval::approval_condition;

pub(crate) use names::accept_names;

pub(super) const DEFINITION: Strategy = Strategy {
    default: default_definition,
    prepare_create: |definition| {
        definition["status"] = json!({
            "conditions": null,
            "acceptedNames": {"plural": "", "kind": ""},
        });
        store_first_version(definition);
    },
    prepare_update: store_version,
    validate: validate::validate,
    has_generation: true,
    needs_version: true,
    ..Strategy::PLAIN
};

pub(super) const POLICY: Strategy = Strategy {
    default: |policy| {
        let spec = below(policy, "spec");
        fill(spec, "failurePolicy", "Fail");
        if has(spec, "matchConstraints") {
            constraints(&mut spec["matchConstraints"]);
        }
    },
    prepare_status: keep_metadata,
    validate: |policy, _| judge_policy(policy),
    has_generation: true,
    needs_version: true,
    ..Strategy::PLAIN
};

pub(super) const BINDING: Strategy = Strategy {
    default: |binding| {
        let spec = below(binding, "spec");
        if has(spec, "matchResources") {
            constraints(&mut spec["matchResources"]);
        }
    },
    validate: |binding, _| {
        let errors = check_binding(&binding["spec"]);
        if errors.is_empty() { refused(check_policy(binding)) } else { errors }
    },
    has_generation: true,
    needs_version: true,
    ..Strategy::PLAIN
};

/// Lists of which a policy must have one.
const LISTS: [&str; 2] = ["validations", "auditAnnotations"];

fn judge_policy(policy: &Value) -> Vec<FieldError> {
    let mut errors = check_fields(&policy["spec"]);
    // What was looked at already is not told twice.
    let is_told = |error: &FieldError| {
        let at = error.path.to_string();
        at == "spec.failurePolicy" || at.starts_with("spec.matchConstraints")
    };
    let is_empty = LISTS.iter().all(|list| items(&policy["spec"], list).is_empty());
    let found = if is_empty { Vec::new() } else { refused(check_policy(policy)) };
    let is_clean = errors.is_empty();
    errors.extend(found.into_iter().filter(|error| is_clean || !is_told(error)));
    errors
}

/// Checks what is not an expression of a policy.
fn check_fields(spec: &Value) -> Vec<FieldError> {
    let at = Path::of_fields(["spec"]);
    let mut errors = Vec::new();
    let policy = text(spec, "/failurePolicy");
    errors.extend(checks::one_of(policy, &["Fail", "Ignore"], at.field("failurePolicy")));
    let constraints = at.field("matchConstraints");
    if !has(spec, "matchConstraints") {
        errors.push(FieldError::required(constraints.clone(), ""));
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        for (place, rule) in items(&spec["matchConstraints"], list).iter().enumerate() {
            let at = constraints.field(list).index(place);
            errors.extend(admission::check_rule(rule, &at));
        }
    }
    if LISTS.iter().all(|list| items(spec, list).is_empty()) {
        let why = "validations or auditAnnotations must contain at least one item";
        errors.extend(LISTS.map(|list| FieldError::required(at.field(list), why)));
    }
    errors
}

fn check_binding(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if text(spec, "/policyName").is_empty() {
        errors.push(FieldError::required(Path::of_fields(["spec", "policyName"]), ""));
    }
    let at = Path::of_fields(["spec", "validationActions"]);
    let actions = items(spec, "validationActions");
    if actions.is_empty() {
        let why = "at least one validation action is required";
        errors.push(FieldError::required(at.clone(), why));
    }
    for (place, action) in actions.iter().enumerate() {
        let action = action.as_str().unwrap_or("");
        errors.extend(checks::one_of(action, &["Audit", "Deny", "Warn"], at.index(place)));
    }
    if ["Deny", "Warn"].iter().all(|both| actions.iter().any(|it| it == both)) {
        let why = "must not contain both Deny and Warn (repeating the same validation failure \
                   information in the API response and headers serves no purpose)";
        errors.push(FieldError::invalid(at, Value::from(actions.to_vec()), why));
    }
    errors
}

/// Reads a CRD as the server would; the catalog holds it alone.
fn check_definition(definition: &Value) -> Result<Catalog, Vec<FieldError>> {
    read(definition)
}

/// Reads a policy or a binding as the server would; the catalog holds it alone.
fn check_policy(policy: &Value) -> Result<Catalog, Vec<FieldError>> {
    read(policy)
}

fn read(manifest: &Value) -> Result<Catalog, Vec<FieldError>> {
    Catalog::read([manifest.clone()]).map_err(|error| match error {
        CatalogError::Refused { errors, .. } => errors,
        other => vec![FieldError::invalid(Path::root(), Value::Null, other.to_string())],
    })
}

fn refused(catalog: Result<Catalog, Vec<FieldError>>) -> Vec<FieldError> {
    catalog.err().unwrap_or_default()
}

fn default_definition(definition: &mut Value) {
    let spec = below(definition, "spec");
    let names = below(spec, "names");
    let kind = text(names, "/kind").to_owned();
    if !kind.is_empty() {
        fill(names, "singular", kind.to_lowercase());
        fill(names, "listKind", format!("{kind}List"));
    }
    let conversion = below(spec, "conversion");
    fill(conversion, "strategy", "None");
    if let Some(service) = conversion.pointer_mut("/webhook/clientConfig/service") {
        fill_absent(service, "port", 443);
    }
    store_first_version(definition);
}

/// Some version is always stored.
fn store_first_version(definition: &mut Value) {
    let version = storage_version(definition);
    let status = below(definition, "status");
    if items(status, "storedVersions").is_empty() && !version.is_empty() {
        status["storedVersions"] = json!([version]);
    }
}

/// Remembers that a version was stored once.
fn store_version(definition: &mut Value, _old: &Value) {
    let version = Value::from(storage_version(definition));
    let status = below(definition, "status");
    fill_absent(status, "storedVersions", json!([]));
    if let Some(stored) = status["storedVersions"].as_array_mut()
        && version != ""
        && !stored.contains(&version)
    {
        stored.push(version);
    }
}

fn keep_metadata(object: &mut Value, old: &Value) {
    for name in ["labels", "annotations", "finalizers", "ownerReferences"] {
        super::pipeline::keep(below(object, "metadata"), &old["metadata"], name);
    }
}

fn storage_version(definition: &Value) -> String {
    let versions = items(&definition["spec"], "versions");
    let stored = versions.iter().find(|version| version["storage"] == true);
    stored.map_or("", |version| text(version, "/name")).to_owned()
}

/// What an update of a CRD may not change.
fn fixed(definition: &Value, old: &Value) -> Vec<FieldError> {
    let is_established = items(&old["status"], "conditions")
        .iter()
        .any(|it| it["type"] == "Established" && it["status"] == "True");
    let always: [&[&str]; 2] = [&["spec", "group"], &["spec", "names", "plural"]];
    let later: [&[&str]; 2] = [&["spec", "scope"], &["spec", "names", "kind"]];
    let fields = later.into_iter().filter(|_| is_established).chain(always);
    fields
        .filter_map(|names| {
            let pointer = format!("/{}", names.join("/"));
            let value = |object: &Value| object.pointer(&pointer).cloned().unwrap_or_default();
            let at = Path::of_fields(names.iter().copied());
            checks::immutable(&value(definition), &value(old), at)
        })
        .collect()
}

fn constraints(constraints: &mut Value) {
    fill(constraints, "matchPolicy", "Equivalent");
    fill_absent(constraints, "namespaceSelector", json!({}));
    fill_absent(constraints, "objectSelector", json!({}));
    for name in ["resourceRules", "excludeResourceRules"] {
        admission::rules(constraints, name);
    }
}
