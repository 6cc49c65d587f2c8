//! Reads policies and bindings from their manifests.
//!
//! Reads the JSON of `admissionregistration.k8s.io/v1` objects; returns them compiled.
//! Invariant: an expression that does not compile is an error, as on the server.

use serde_json::Value;

use super::matching::{Constraints, ResourceRule};
use super::{Binding, Policy, Validation};
use crate::cel::{Declared, Env, Object, Program};
use crate::definition::Scope;
use crate::field_error::FieldError;
use crate::manifest::{Complaints, Node};
use crate::selector::LabelSelector;

impl Policy {
    pub(crate) fn read(manifest: &Value) -> Result<Self, Vec<FieldError>> {
        let complaints = Complaints::default();
        let root = Node::root(manifest, &complaints);
        let policy = policy(&root);
        finished(policy, complaints)
    }
}

impl Binding {
    pub(crate) fn read(manifest: &Value) -> Result<Self, Vec<FieldError>> {
        let complaints = Complaints::default();
        let root = Node::root(manifest, &complaints);
        let binding = binding(&root);
        finished(binding, complaints)
    }
}

fn finished<T>(thing: T, complaints: Complaints) -> Result<T, Vec<FieldError>> {
    let errors = complaints.into_errors();
    if errors.is_empty() { Ok(thing) } else { Err(errors) }
}

fn policy(root: &Node<'_>) -> Policy {
    let spec = root.field("spec");
    if spec.field("paramKind").is_given() {
        spec.field("paramKind").complain("parameters of policies are not known here");
    }
    let forgiving = [("Fail", false), ("Ignore", true)];
    let mut env = base_env();
    let variables = variables(&spec.field("variables"), &mut env);
    let constraints = spec.field("matchConstraints");
    if !constraints.field("resourceRules").is_given() {
        constraints.field("resourceRules").needed();
    }
    Policy {
        name: root.field("metadata").field("name").needed(),
        constraints: self::constraints(&constraints),
        variables,
        conditions: spec
            .field("matchConditions")
            .items()
            .iter()
            .filter_map(|item| {
                let source = item.field("expression").needed();
                compile(&source, &item.field("expression"), &env, Yields::Bool)
            })
            .collect(),
        validations: spec
            .field("validations")
            .items()
            .iter()
            .filter_map(|item| validation(item, &env))
            .collect(),
        is_forgiving: spec.field("failurePolicy").choice(&forgiving, Some(false)).unwrap_or(false),
        env,
    }
}

fn binding(root: &Node<'_>) -> Binding {
    let spec = root.field("spec");
    if spec.field("paramRef").is_given() {
        spec.field("paramRef").complain("parameters of policies are not known here");
    }
    let actions = spec.field("validationActions");
    let matched = spec.field("matchResources");
    Binding {
        name: root.field("metadata").field("name").needed(),
        policy: spec.field("policyName").needed(),
        constraints: matched.is_given().then(|| constraints(&matched)),
        denies: actions.texts().iter().any(|action| action == "Deny"),
        warns: actions.texts().iter().any(|action| action == "Warn"),
    }
}

/// What an expression must yield.
#[derive(Clone, Copy)]
enum Yields {
    Bool,
    Text,
    Anything,
}

fn compiled(node: &Node<'_>, env: &Env, yields: Yields) -> Option<Program> {
    compile(&node.needed_or("expression is not specified"), node, env, yields)
}

fn compile(source: &str, node: &Node<'_>, env: &Env, yields: Yields) -> Option<Program> {
    if source.trim().is_empty() {
        return None;
    }
    let program = match Program::compile(source, env) {
        Ok(program) => program,
        Err(error) => {
            node.complain(&format!("compilation failed: {error}"));
            return None;
        }
    };
    let wanted = match yields {
        Yields::Bool if !program.yields_bool() => Some("bool"),
        Yields::Text if !program.yields_string() => Some("string"),
        Yields::Bool | Yields::Text | Yields::Anything => None,
    };
    if let Some(wanted) = wanted {
        node.complain(&format!("must evaluate to {wanted} but got {}", program.output()));
        return None;
    }
    Some(program)
}

fn validation(node: &Node<'_>, env: &Env) -> Option<Validation> {
    let message_expression = node.field("messageExpression");
    let reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"].map(|name| (name, name));
    let reason = node.field("reason").choice(&reasons, Some("Invalid")).unwrap_or("Invalid");
    Some(Validation {
        program: compiled(&node.field("expression"), env, Yields::Bool)?,
        message: node.field("message").text(),
        message_expression: match message_expression.is_given() {
            true => compiled(&message_expression, env, Yields::Text),
            false => None,
        },
        reason: reason.to_owned(),
    })
}

/// Compiles variables one by one; each sees those before it.
fn variables(node: &Node<'_>, env: &mut Env) -> Vec<(String, Program)> {
    let base = env.clone();
    let mut fields: Vec<(String, Declared)> = Vec::new();
    let mut variables = Vec::new();
    *env = base.clone().with("variables", object("kubernetes.variables", fields.clone()));
    for item in node.items() {
        let name = item.field("name").needed();
        let Some(program) = compiled(&item.field("expression"), env, Yields::Anything) else {
            continue;
        };
        let declared = match (program.yields_bool(), program.yields_string()) {
            (true, _) => Declared::Bool,
            (_, true) => Declared::String { max: 0 },
            (false, false) => Declared::DYN,
        };
        fields.push((name.clone(), declared));
        variables.push((name, program));
        *env = base.clone().with("variables", object("kubernetes.variables", fields.clone()));
    }
    variables
}

fn constraints(node: &Node<'_>) -> Constraints {
    let equivalent = [("Exact", false), ("Equivalent", true)];
    Constraints {
        rules: node.field("resourceRules").items().iter().map(rule).collect(),
        excluded: node.field("excludeResourceRules").items().iter().map(rule).collect(),
        namespaces: selector(&node.field("namespaceSelector")),
        objects: selector(&node.field("objectSelector")),
        is_equivalent: node.field("matchPolicy").choice(&equivalent, Some(true)).unwrap_or(true),
    }
}

fn rule(node: &Node<'_>) -> ResourceRule {
    let scopes =
        [("*", None), ("Cluster", Some(Scope::Cluster)), ("Namespaced", Some(Scope::Namespaced))];
    ResourceRule {
        names: node.field("resourceNames").texts(),
        operations: node.field("operations").texts(),
        groups: node.field("apiGroups").texts(),
        versions: node.field("apiVersions").texts(),
        resources: node.field("resources").texts(),
        scope: node.field("scope").choice(&scopes, Some(None)).flatten(),
    }
}

fn selector(node: &Node<'_>) -> LabelSelector {
    for expression in node.field("matchExpressions").items() {
        // Read for the complaints alone.
        expression.field("values").texts();
    }
    node.check(LabelSelector::check);
    LabelSelector::read_or_everything(node.value()).unwrap_or_default()
}

fn object(name: &str, fields: Vec<(String, Declared)>) -> Declared {
    let fields = fields.into_iter().collect();
    Declared::Object(std::sync::Arc::new(Object { name: Some(name.to_owned()), fields }))
}

// compat: apiserver/pkg/admission/plugin/cel/compile.go
fn base_env() -> Env {
    Env::new()
        .with("object", Declared::DYN)
        .with("oldObject", Declared::DYN)
        .with("namespaceObject", namespace_type())
        .with("request", request_type())
}

fn text() -> Declared {
    Declared::String { max: 0 }
}

fn named(names: &[&str], declared: &Declared) -> Vec<(String, Declared)> {
    names.iter().map(|name| ((*name).to_owned(), declared.clone())).collect()
}

fn request_type() -> Declared {
    let kind = object("kubernetes.GroupVersionKind", named(&["group", "version", "kind"], &text()));
    let resource = object(
        "kubernetes.GroupVersionResource",
        named(&["group", "version", "resource"], &text()),
    );
    let texts = Declared::list(text(), 0);
    let mut user = named(&["username", "uid"], &text());
    user.push(("groups".to_owned(), texts.clone()));
    user.push(("extra".to_owned(), Declared::map(texts, 0)));
    let mut fields =
        named(&["subResource", "requestSubResource", "name", "namespace", "operation"], &text());
    fields.extend(named(&["kind", "requestKind"], &kind));
    fields.extend(named(&["resource", "requestResource"], &resource));
    fields.push(("userInfo".to_owned(), object("kubernetes.UserInfo", user)));
    fields.push(("dryRun".to_owned(), Declared::Bool));
    fields.push(("options".to_owned(), Declared::DYN));
    object("kubernetes.AdmissionRequest", fields)
}

fn namespace_type() -> Declared {
    let time = Declared::Timestamp { max: 0 };
    let mut condition = named(&["status", "type", "message", "reason"], &text());
    condition.push(("lastTransitionTime".to_owned(), time.clone()));
    let conditions = Declared::list(object("kubernetes.NamespaceCondition", condition), 0);
    let status = vec![("conditions".to_owned(), conditions), ("phase".to_owned(), text())];
    let finalizers = named(&["finalizers"], &Declared::list(text(), 0));
    let mut metadata =
        named(&["name", "generateName", "namespace", "UID", "resourceVersion"], &text());
    metadata.extend(named(&["labels", "annotations"], &Declared::map(text(), 0)));
    metadata.extend(named(&["creationTimestamp", "deletionTimestamp"], &time));
    metadata.extend(named(&["deletionGracePeriodSeconds", "generation"], &Declared::Int));
    metadata.extend(finalizers.clone());
    object(
        "kubernetes.Namespace",
        vec![
            ("metadata".to_owned(), object("kubernetes.NamespaceMetadata", metadata)),
            ("spec".to_owned(), object("kubernetes.NamespaceSpec", finalizers)),
            ("status".to_owned(), object("kubernetes.NamespaceStatus", status)),
        ],
    )
}
