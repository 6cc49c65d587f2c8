//! Which requests a policy or a binding is about.
//!
//! Reads constraints and a request; says whether they match.
//! Invariant: an empty selector matches everything, an empty list of rules too.

use serde_json::{Map, Value, json};

use super::{Attributes, Binding, Question, kinds};
use crate::catalog::Catalog;
use crate::definition::{Definition, Scope};
use crate::judge::Operation;
use crate::metadata::Metadata;
use crate::selector::LabelSelector;
use crate::verdict::{Subject, Verdict};

/// What a policy or binding is about.
#[derive(Debug, Clone, Default)]
pub(super) struct Constraints {
    pub(super) rules: Vec<ResourceRule>,
    pub(super) excluded: Vec<ResourceRule>,
    pub(super) namespaces: LabelSelector,
    pub(super) objects: LabelSelector,
    /// Whether other versions of a resource match as well.
    pub(super) is_equivalent: bool,
}

/// One line of `resourceRules`.
#[derive(Debug, Clone, Default)]
pub(super) struct ResourceRule {
    pub(super) names: Vec<String>,
    pub(super) operations: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) versions: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) scope: Option<Scope>,
}

/// A request as policies see it.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    pub(super) subject: &'a Subject,
    pub(super) object: &'a Value,
    pub(super) old: Option<&'a Value>,
    pub(super) operation: &'static str,
    pub(super) subresource: &'a str,
    pub(super) namespace: String,
    pub(super) namespace_object: Option<Value>,
    pub(super) user: Value,
    pub(super) is_dry_run: bool,
    definition: Option<&'a Definition>,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        verdict: &'a Verdict,
        attributes: &Attributes<'a>,
    ) -> Self {
        let (subject, object) = (&verdict.subject, &verdict.object);
        let (operation, subresource) = match attributes.operation {
            Operation::Create => ("CREATE", ""),
            Operation::Update { .. } => ("UPDATE", ""),
            Operation::UpdateStatus { .. } => ("UPDATE", "status"),
        };
        let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or("");
        let definition = catalog.definition(api_version, &subject.kind);
        let is_namespaced = match definition {
            Some(definition) => definition.scope == Scope::Namespaced,
            None => kinds::is_namespaced(&subject.kind),
        };
        let namespace = match (is_namespaced, Metadata::of(object).text("namespace")) {
            // The server counts a namespace as living in itself.
            (false, _) if is_namespace(subject) => subject.name.clone(),
            (false, _) => String::new(),
            (true, "") => "default".to_owned(),
            (true, name) => name.to_owned(),
        };
        let namespace_object = (is_namespaced).then(|| match attributes.namespace {
            Some(given) => trimmed_namespace(given),
            None => bare_namespace(&namespace),
        });
        let user = attributes.user.cloned().unwrap_or_else(|| {
            json!({"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]})
        });
        let old = attributes.old;
        Self {
            subject,
            object,
            old,
            operation,
            subresource,
            namespace,
            namespace_object,
            user,
            is_dry_run: false,
            definition,
        }
    }

    /// A request whose kind is known to whoever asks.
    pub(super) fn of_question(question: &'a Question<'a>, subject: &'a Subject) -> Self {
        const NOTHING: &Value = &Value::Null;
        let is_namespaced = question.scope == Scope::Namespaced;
        let namespace = match is_namespaced {
            true => question.namespace_name.to_owned(),
            // The server counts a namespace as living in itself.
            false if is_namespace(subject) => subject.name.clone(),
            false => String::new(),
        };
        let namespace_object = is_namespaced.then(|| match question.namespace {
            Some(given) => trimmed_namespace(given),
            None => bare_namespace(&namespace),
        });
        Self {
            subject,
            object: question.object.unwrap_or(NOTHING),
            old: question.old,
            operation: question.operation,
            subresource: question.subresource,
            namespace,
            namespace_object,
            user: question.user.clone(),
            is_dry_run: question.is_dry_run,
            definition: None,
        }
    }

    fn is_of(&self, namespaces: &LabelSelector) -> bool {
        namespaces.matches_object(self.namespace_object.as_ref().unwrap_or(self.object))
    }

    /// One of the two objects is enough.
    fn is_on(&self, objects: &LabelSelector) -> bool {
        objects.selects_everything()
            || objects.matches_object(self.object)
            || self.old.is_some_and(|old| objects.matches_object(old))
    }

    fn versions(&self) -> impl Iterator<Item = &str> {
        let served = self.definition.into_iter().flat_map(|it| &it.versions);
        served.filter(|version| version.served).map(|version| version.name.as_str())
    }
}

fn is_namespace(subject: &Subject) -> bool {
    subject.kind == "Namespace" && subject.group.is_empty()
}

/// A namespace of which only the name is known.
fn bare_namespace(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {},
        "status": {},
    })
}

/// A namespace with what policies may see of it.
fn trimmed_namespace(namespace: &Value) -> Value {
    let metadata = namespace.get("metadata").and_then(Value::as_object).cloned();
    let mut metadata = metadata.unwrap_or_default();
    for name in ["managedFields", "ownerReferences", "selfLink"] {
        metadata.remove(name);
    }
    let part = |name: &str| namespace.get(name).cloned().unwrap_or(Value::Object(Map::new()));
    json!({"metadata": metadata, "spec": part("spec"), "status": part("status")})
}

impl Constraints {
    pub(super) fn matches(&self, attempt: &Attempt<'_>) -> bool {
        let has_namespace = !attempt.namespace.is_empty();
        let is_in = !has_namespace || attempt.is_of(&self.namespaces);
        is_in
            && attempt.is_on(&self.objects)
            && !self.any(&self.excluded, attempt)
            && (self.rules.is_empty() || self.any(&self.rules, attempt))
    }

    fn any(&self, rules: &[ResourceRule], attempt: &Attempt<'_>) -> bool {
        let version = attempt.subject.version.as_str();
        rules.iter().any(|rule| rule.matches(attempt, version))
            || (self.is_equivalent
                && rules
                    .iter()
                    .any(|rule| attempt.versions().any(|version| rule.matches(attempt, version))))
    }
}

impl Binding {
    pub(super) fn matches(&self, attempt: &Attempt<'_>) -> bool {
        self.constraints.as_ref().is_none_or(|constraints| constraints.matches(attempt))
    }
}

impl ResourceRule {
    fn matches(&self, attempt: &Attempt<'_>, version: &str) -> bool {
        let is_or_any =
            |items: &[String], wanted: &str| items.iter().any(|item| item == "*" || item == wanted);
        let is_cluster = attempt.namespace.is_empty() || is_namespace(attempt.subject);
        let is_scope = match self.scope {
            None => true,
            Some(Scope::Cluster) => is_cluster,
            Some(Scope::Namespaced) => !is_cluster,
        };
        is_scope
            && is_or_any(&self.operations, attempt.operation)
            && is_or_any(&self.groups, &attempt.subject.group)
            && is_or_any(&self.versions, version)
            && self.resources.iter().any(|resource| is_resource(resource, attempt))
            && (self.names.is_empty() || self.names.contains(&attempt.subject.name))
    }
}

fn is_resource(wanted: &str, attempt: &Attempt<'_>) -> bool {
    let (resource, subresource) = wanted.split_once('/').unwrap_or((wanted, ""));
    (resource == "*" || resource == attempt.subject.plural)
        && (subresource == "*" || subresource == attempt.subresource)
}
