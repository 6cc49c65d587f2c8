//! Paths of a kind and what may be done there.
//!
//! Reads a kind; returns the path items of its collection, its objects and their subresources.
//! Invariant: a path has the methods of the verbs that discovery lists, and no others.

use serde_json::{Map, Value, json};

use super::names::{self, capitalized, reference};
use super::shared;
use crate::discovery;
use crate::kinds::Kind;

/// What an operation is about.
struct Target<'a> {
    kind: &'a Kind,
    /// Group, version and kind of what is sent and answered.
    group_version_kind: Value,
    schema: String,
    list_schema: String,
    /// In names of operations: `NamespacedWidgetStatus`.
    suffix: String,
    /// In descriptions: `status of the specified Widget`.
    described: String,
}

/// How a verb of discovery shows in HTTP and in a document.
struct Verb {
    name: &'static str,
    method: &'static str,
    action: &'static str,
    operation: &'static str,
    query: &'static [&'static str],
}

const LIST: [&str; 10] = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];
const WRITE: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];
const PATCH: [&str; 4] = ["dryRun", "fieldManager", "fieldValidation", "force"];
const DELETE: [&str; 4] = ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"];
const DELETE_COLLECTION: [&str; 11] = [
    "continue",
    "dryRun",
    "fieldSelector",
    "gracePeriodSeconds",
    "labelSelector",
    "limit",
    "orphanDependents",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "timeoutSeconds",
];

const ON_COLLECTIONS: [Verb; 3] = [
    Verb { name: "list", method: "get", action: "list", operation: "list", query: &LIST },
    Verb { name: "create", method: "post", action: "post", operation: "create", query: &WRITE },
    Verb {
        name: "deletecollection",
        method: "delete",
        action: "deletecollection",
        operation: "delete",
        query: &DELETE_COLLECTION,
    },
];
const ON_OBJECTS: [Verb; 4] = [
    Verb {
        name: "get",
        method: "get",
        action: "get",
        operation: "read",
        query: &["resourceVersion"],
    },
    Verb { name: "update", method: "put", action: "put", operation: "replace", query: &WRITE },
    Verb { name: "patch", method: "patch", action: "patch", operation: "patch", query: &PATCH },
    Verb {
        name: "delete",
        method: "delete",
        action: "delete",
        operation: "delete",
        query: &DELETE,
    },
];
/// `create` below an object, as bindings and evictions are made.
const CREATE_BELOW: Verb =
    Verb { name: "create", method: "post", action: "post", operation: "create", query: &WRITE };

/// All paths of a kind.
pub(super) fn paths(kind: &Kind) -> Map<String, Value> {
    let base = format!("/{}", names::version_path(&kind.group, &kind.version));
    let (scope, prefix) = match kind.is_namespaced() {
        true => ("/namespaces/{namespace}", "Namespaced"),
        false => ("", ""),
    };
    let collection = format!("{base}{scope}/{}", kind.plural);
    let object = format!("{collection}/{{name}}");
    let verbs = discovery::verbs(kind);
    let own = Target {
        kind,
        group_version_kind: json!({"group": kind.group, "version": kind.version, "kind": kind.kind}),
        schema: names::component(kind),
        list_schema: names::list_component(kind),
        suffix: format!("{prefix}{}", kind.kind),
        described: kind.kind.clone(),
    };
    let mut paths = Map::new();
    paths.extend(item(&collection, &own, verbs, &ON_COLLECTIONS));
    paths.extend(item(&object, &own, verbs, &ON_OBJECTS));
    if kind.is_namespaced() {
        let everywhere = Target { suffix: format!("{}ForAllNamespaces", kind.kind), ..own };
        let path = format!("{base}/{}", kind.plural);
        paths.extend(item(&path, &everywhere, verbs, &ON_COLLECTIONS[..1]));
    }
    for part in discovery::subresources(kind) {
        let below = subresource(kind, &part, prefix);
        let path = format!("{object}/{}", part.name);
        let [get, update, patch, delete] = ON_OBJECTS;
        let all = [get, update, patch, delete, CREATE_BELOW];
        paths.extend(item(&path, &below, part.verbs, &all));
    }
    paths
}

fn subresource<'a>(kind: &'a Kind, part: &discovery::Below<'_>, prefix: &str) -> Target<'a> {
    let is_built_in = kind.built_in().is_some();
    Target {
        kind,
        group_version_kind: json!({"group": part.group, "version": part.version, "kind": part.kind}),
        schema: names::schema(part.group, part.version, part.kind, is_built_in),
        list_schema: String::new(),
        suffix: format!("{prefix}{}{}", kind.kind, capitalized(part.name)),
        described: format!("{} of {}", part.name, kind.kind),
    }
}

/// A path and its operations; none where no verb is served there.
fn item(
    path: &str,
    target: &Target<'_>,
    served: &[&str],
    verbs: &[Verb],
) -> Option<(String, Value)> {
    let verbs = verbs.iter().filter(|verb| served.contains(&verb.name));
    let mut operations: Map<String, Value> =
        verbs.map(|verb| (verb.method.to_owned(), operation(verb, target))).collect();
    if operations.is_empty() {
        return None;
    }
    let in_path = ["name", "namespace"].into_iter();
    let in_path = in_path.filter(|name| path.contains(&format!("{{{name}}}")));
    let mut parameters: Vec<Value> = in_path
        .map(|name| {
            let schema = json!({"type": "string", "uniqueItems": true});
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        })
        .collect();
    parameters.push(query_parameter("pretty"));
    operations.insert("parameters".to_owned(), Value::from(parameters));
    Some((path.to_owned(), Value::from(operations)))
}

fn operation(verb: &Verb, target: &Target<'_>) -> Value {
    let (camel, version) = (names::camel(&target.kind.group), capitalized(&target.kind.version));
    let (body, answer) = match verb.action {
        "list" => (None, target.list_schema.as_str()),
        "delete" | "deletecollection" => (Some(shared::DELETE_OPTIONS), shared::STATUS),
        "patch" => (Some(shared::PATCH), target.schema.as_str()),
        "get" => (None, target.schema.as_str()),
        _ => (Some(target.schema.as_str()), target.schema.as_str()),
    };
    let suffix = match verb.action {
        "deletecollection" => format!("Collection{}", target.suffix),
        _ => target.suffix.clone(),
    };
    let name = verb.operation;
    let mut document = json!({
        "tags": [names::tag(target.kind)],
        "description": format!("{name} {}", target.described),
        "operationId": format!("{name}{camel}{version}{suffix}"),
        "parameters": verb.query.iter().map(|name| query_parameter(name)).collect::<Vec<_>>(),
        "responses": responses(verb, answer),
        "x-kubernetes-action": verb.action,
        "x-kubernetes-group-version-kind": target.group_version_kind,
    });
    if let Some(schema) = body {
        let is_required = !matches!(verb.action, "delete" | "deletecollection");
        let types = body_types(verb, target.kind.built_in().is_some());
        document["requestBody"] =
            json!({"content": content(types, schema), "required": is_required});
    }
    document
}

fn body_types(verb: &Verb, is_built_in: bool) -> &'static [&'static str] {
    const PATCHES: [&str; 4] = [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ];
    match (verb.action, is_built_in) {
        ("patch", true) => &PATCHES,
        // Custom kinds cannot say how lists merge.
        ("patch", false) => &PATCHES[..3],
        _ => &OBJECTS,
    }
}

const OBJECTS: [&str; 2] = ["application/json", "application/yaml"];

fn responses(verb: &Verb, schema: &str) -> Value {
    let codes: &[(&str, &str)] = match verb.action {
        "post" => &[("200", "OK"), ("201", "Created"), ("202", "Accepted")],
        "put" | "patch" => &[("200", "OK"), ("201", "Created")],
        "delete" => &[("200", "OK"), ("202", "Accepted")],
        _ => &[("200", "OK")],
    };
    let mut responses: Map<String, Value> = codes
        .iter()
        .map(|(code, text)| {
            let content = content(&OBJECTS, schema);
            ((*code).to_owned(), json!({"description": text, "content": content}))
        })
        .collect();
    responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
    Value::from(responses)
}

fn content(types: &[&str], schema: &str) -> Value {
    let schema = json!({"schema": reference(schema)});
    types.iter().map(|name| ((*name).to_owned(), schema.clone())).collect::<Map<_, _>>().into()
}

fn query_parameter(name: &str) -> Value {
    let kind = match name {
        "allowWatchBookmarks" | "force" | "orphanDependents" | "sendInitialEvents" | "watch" => {
            "boolean"
        }
        "gracePeriodSeconds" | "limit" | "timeoutSeconds" => "integer",
        _ => "string",
    };
    json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
}
