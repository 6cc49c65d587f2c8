//! Judges one object as the API server would.
//!
//! Reads an object, and its former version if there is one; returns findings with their places.
//! Invariant: the messages are the server's; where it would stop, so do we.

use std::io;

use kube_schema::{
    Catalog, Denial, ErrorKind, FieldError, Path, Schema, Scope, Source, Step as SchemaStep,
    StrictError, Verdict,
};
use serde_json::{Value, json};
use udn_manifest::manifest::{MAX_OBJECT, Object, Step, path_text};
use udn_manifest::remedy;
use udn_model::Severity;
use udn_wire::Kind;

use super::changes::changes;
use super::finding::{Finding, FoundBy};
use super::identity::Identity;

/// A finding, and the way to its field.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) steps: Vec<Step>,
    /// Whether the field's name is at fault, and not its value.
    pub(super) is_about_key: bool,
    pub(super) finding: Finding,
}

impl Judged {
    /// What the review of all objects together found.
    pub(super) fn of_cluster(
        identity: &Identity,
        steps: Vec<Step>,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let finding = Finding {
            object: identity.to_string(),
            path: path_text(&steps),
            file: None,
            line: None,
            column: None,
            severity: Severity::Error,
            reason: reason.into(),
            message: message.into(),
            source: FoundBy::Cluster,
            help: None,
        };
        Self { steps, is_about_key: false, finding }
    }
}

/// What came of judging.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) findings: Vec<Judged>,
    /// The object as it would be stored, if it is accepted.
    pub(super) accepted: Option<Value>,
}

/// Whether there is anything to say about objects of this kind.
pub(super) fn is_known(catalog: &Catalog, object: &Object) -> bool {
    let Object { api_version, kind, .. } = object;
    catalog.definition(api_version, kind).is_some() || Kind::find(api_version, kind).is_some()
}

/// Puts an object where kubectl would: into a namespace, if its kind lives in one.
pub(super) fn settle_namespace(catalog: &Catalog, value: &mut Value, namespace: &str) {
    let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let (api_version, kind) = (word("apiVersion"), word("kind"));
    let is_namespaced = match catalog.definition(&api_version, &kind) {
        Some(crd) => crd.scope == Scope::Namespaced,
        None => Kind::find(&api_version, &kind).is_some_and(Kind::is_namespaced),
    };
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
    if let (true, Some(metadata)) = (is_namespaced, metadata) {
        metadata.entry("namespace").or_insert_with(|| namespace.into());
    }
}

/// Judges a creation, or an update of `old`.
pub(super) fn judge(
    catalog: &Catalog,
    object: &Object,
    value: Value,
    old: Option<&Value>,
) -> Judgement {
    let judged = JudgedObject { catalog, object, identity: Identity::of(&value) };
    let mut findings: Vec<Judged> =
        object.second_keys().into_iter().map(|it| judged.second(it.path)).collect();
    if let Some(size) = oversize(&value) {
        findings.push(judged.too_large(size));
        return Judgement { findings, accepted: None };
    }
    let old = old.map(|old| stored(catalog, old));
    let verdict = match &old {
        Some(old) => update(catalog, value, old),
        None => catalog.create(value),
    };
    findings.extend(judged.read(&verdict, old.as_ref()));
    let is_accepted = verdict.is_accepted() && findings.is_empty();
    Judgement { findings, accepted: is_accepted.then_some(verdict.object) }
}

/// A former version as a server would have stored it.
fn stored(catalog: &Catalog, old: &Value) -> Value {
    // What has a version was stored by a server.
    if old["metadata"]["resourceVersion"].is_string() {
        return old.clone();
    }
    let mut old = catalog.create(old.clone()).object;
    if let Some(metadata) = old.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("resourceVersion").or_insert_with(|| json!("1"));
    }
    old
}

/// Asks about an update as kubectl would send it: what the server keeps is taken from the old.
fn update(catalog: &Catalog, mut value: Value, old: &Value) -> Verdict {
    let kept = ["uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"];
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        for key in kept {
            if let (None, Some(former)) = (metadata.get(key), old["metadata"].get(key)) {
                metadata.insert(key.to_owned(), former.clone());
            }
        }
    }
    catalog.update(value, old)
}

/// The size of an object that a server would not even read.
fn oversize(value: &Value) -> Option<usize> {
    let mut scale = Scale(0);
    serde_json::to_writer(&mut scale, value).ok()?;
    (scale.0 > MAX_OBJECT).then_some(scale.0)
}

/// Weighs what is written to it.
struct Scale(usize);

impl io::Write for Scale {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct JudgedObject<'a> {
    catalog: &'a Catalog,
    object: &'a Object,
    identity: Identity,
}

impl JudgedObject<'_> {
    /// What a verdict says first: unknown fields, wrong fields, or denials.
    fn read(&self, verdict: &Verdict, old: Option<&Value>) -> Vec<Judged> {
        if !verdict.strict.is_empty() {
            return verdict.strict.iter().map(|error| self.unknown(error)).collect();
        }
        if !verdict.errors.is_empty() {
            let told = |error| self.with_changes(self.of_field(error), verdict, old);
            return verdict.errors.iter().map(told).collect();
        }
        if !verdict.denials.is_empty() {
            return verdict.denials.iter().map(|denial| self.denied(denial)).collect();
        }
        let refused = verdict.status().map(|status| {
            let word = |key: &str| status[key].as_str().unwrap_or_default().to_owned();
            self.about(Vec::new(), &word("reason"), word("message"), None)
        });
        refused.into_iter().collect()
    }

    /// Adds what was changed, where nothing may be.
    fn with_changes(&self, mut judged: Judged, verdict: &Verdict, old: Option<&Value>) -> Judged {
        let is_kept = judged.finding.message.ends_with(" is immutable");
        let changed = old.filter(|_| is_kept);
        let changed = changed.and_then(|old| changes(old, &verdict.object, &judged.steps));
        if let (Some(help), Some(changed)) = (&mut judged.finding.help, changed) {
            help.push_str(&format!(" ({changed})"));
        }
        judged
    }

    fn unknown(&self, error: &StrictError) -> Judged {
        let steps = steps_of(&error.path);
        let help = remedy::unknown_field(&last_name(&steps), self.known_beside(&error.path));
        self.about_key(steps, "UnknownField", error.message.clone(), Some(help))
    }

    fn denied(&self, denial: &Denial) -> Judged {
        let steps = remedy::policy_path(&denial.message);
        let help = remedy::rule(&denial.message, true).map(str::to_owned);
        let mut denied = self.about(steps, "Denied", denial.text(), help);
        denied.finding.source = FoundBy::Policy;
        denied
    }

    fn of_field(&self, error: &FieldError) -> Judged {
        let steps = steps_of(&error.path);
        let reason = error.kind.reason();
        let help = match error.source {
            Source::Cel => {
                let is_there = self.object.place(&steps).is_exact;
                remedy::rule(&error.detail, is_there).map(str::to_owned)
            }
            Source::Schema => self.range(error).or_else(|| self.missing(error)),
        };
        let help = help.unwrap_or_else(|| remedy::field(reason, &last_name(&steps), &error.detail));
        let mut judged = self.about(steps, reason, error.body(), Some(help));
        judged.finding.source = match error.source {
            Source::Cel => FoundBy::Cel,
            Source::Schema => FoundBy::Schema,
        };
        judged.finding.path =
            if error.path.is_root() { String::new() } else { error.path.to_string() };
        judged
    }

    fn second(&self, steps: Vec<Step>) -> Judged {
        let message = format!("duplicate field \"{}\"", path_text(&steps));
        let help = remedy::second_field(&last_name(&steps));
        self.about_key(steps, "DuplicateField", message, Some(help))
    }

    // compat: the server answers 413 with these words
    fn too_large(&self, size: usize) -> Judged {
        let message = format!("Request entity too large: limit is {MAX_OBJECT}");
        let help = format!("the object has {size} bytes; make it smaller, or several of it");
        self.about(Vec::new(), "RequestEntityTooLarge", message, Some(help))
    }

    fn about_key(
        &self,
        steps: Vec<Step>,
        reason: &str,
        message: String,
        help: Option<String>,
    ) -> Judged {
        Judged { is_about_key: true, ..self.about(steps, reason, message, help) }
    }

    fn about(
        &self,
        steps: Vec<Step>,
        reason: &str,
        message: String,
        help: Option<String>,
    ) -> Judged {
        let mut judged = Judged::of_cluster(&self.identity, steps, reason, message);
        judged.finding.source = FoundBy::Schema;
        judged.finding.help = help;
        judged
    }

    /// What to write instead of a number that is out of bounds.
    fn range(&self, error: &FieldError) -> Option<String> {
        let is_bound = [" or equal to ", " than "].iter().any(|it| error.detail.contains(it));
        let schema = self.schema(error.path.steps()).filter(|_| is_bound)?;
        Some(remedy::range(schema.minimum?, schema.maximum?))
    }

    /// What to add where a field is missing that may only have certain values.
    fn missing(&self, error: &FieldError) -> Option<String> {
        let schema = self.schema(error.path.steps())?;
        let allowed: Vec<&str> = schema.enumeration.iter().filter_map(Value::as_str).collect();
        let name = last_name(&steps_of(&error.path));
        (error.kind == ErrorKind::Required).then(|| remedy::missing(&name, &allowed))
    }

    /// The names that the schema has where an unknown one stands.
    fn known_beside(&self, path: &Path) -> Vec<&str> {
        let above = path.steps().split_last().map(|(_, above)| above);
        let schema = above.and_then(|above| self.schema(above));
        schema.map_or(Vec::new(), |schema| schema.properties.keys().map(String::as_str).collect())
    }

    /// The schema of a field.
    fn schema(&self, steps: &[SchemaStep]) -> Option<&Schema> {
        let Object { api_version, kind, .. } = self.object;
        let (_, version) = api_version.split_once('/')?;
        let root = &self.catalog.definition(api_version, kind)?.version(version)?.schema;
        steps.iter().try_fold(root, |schema, step| match step {
            SchemaStep::Field(name) | SchemaStep::Key(name) => schema.of_field(name),
            SchemaStep::Index(_) => schema.items.as_deref(),
        })
    }
}

fn steps_of(path: &Path) -> Vec<Step> {
    let steps = path.steps().iter().map(|step| match step {
        SchemaStep::Field(name) | SchemaStep::Key(name) => Step::field(name),
        SchemaStep::Index(index) => Step::Index(*index),
    });
    steps.collect()
}

/// The last name on the way.
fn last_name(steps: &[Step]) -> String {
    let names = steps.iter().rev().find_map(|step| match step {
        Step::Field(name) => Some(name.clone()),
        Step::Index(_) => None,
    });
    names.unwrap_or_default()
}
