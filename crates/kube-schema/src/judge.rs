//! Takes a request through the server's stations: decode, prepare, validate, ask policies.
//!
//! Reads a [`Request`] and the catalog; returns a [`Verdict`].
//! Invariant: a step is reached only if the server would reach it.

mod prepare;
mod validate;

use serde_json::Value;

use crate::catalog::Catalog;
use crate::decode::{self, Decoded};
use crate::definition::{Definition, Version};
use crate::go_text;
use crate::intake;
use crate::metadata::Metadata;
use crate::policy::{self, Attributes};
use crate::rules::RuleRun;
use crate::verdict::{Refusal, Subject, Verdict};
use validate::Change;

/// What is asked of the server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request<'a> {
    pub object: Value,
    pub operation: Operation<'a>,
    /// The namespace the object is in, for policies that look at it.
    pub namespace: Option<&'a Value>,
    /// Who asks, as `userInfo` of an admission request.
    pub user: Option<&'a Value>,
}

/// What is to be done with the object.
#[derive(Debug, Clone, Copy)]
pub enum Operation<'a> {
    Create,
    Update {
        old: &'a Value,
    },
    /// An update through the `status` subresource.
    UpdateStatus {
        old: &'a Value,
    },
}

impl<'a> Request<'a> {
    pub fn new(object: Value, operation: Operation<'a>) -> Self {
        Self { object, operation, namespace: None, user: None }
    }

    /// The same request with the namespace that policies see.
    #[must_use]
    pub fn in_namespace(mut self, namespace: &'a Value) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// The same request from a known user.
    #[must_use]
    pub fn by_user(mut self, user: &'a Value) -> Self {
        self.user = Some(user);
        self
    }
}

/// Judges a request.
pub(crate) fn judge(
    catalog: &Catalog,
    request: Request<'_>,
    observer: &mut dyn FnMut(RuleRun<'_>),
) -> Verdict {
    let Request { object, operation, namespace, user } = request;
    let old = match operation {
        Operation::Create => None,
        Operation::Update { old } | Operation::UpdateStatus { old } => Some(old),
    };
    let object = match intake::take(object) {
        Ok(object) => object,
        Err(why) => return refused(Value::Null, Subject::default(), bad_request(why.to_string())),
    };
    let old = match old.cloned().map(intake::take).transpose() {
        Ok(old) => old,
        Err(why) => return refused(object, Subject::default(), bad_request(why.to_string())),
    };
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let found = catalog.version(&api_version, &kind);
    let mut verdict = match found {
        Some((definition, version)) => {
            let operation = match (operation, old.as_ref()) {
                (Operation::Update { .. }, Some(old)) => Operation::Update { old },
                (Operation::UpdateStatus { .. }, Some(old)) => Operation::UpdateStatus { old },
                _ => Operation::Create,
            };
            judge_custom(definition, version, object, operation, observer)
        }
        None => unjudged(object, policy::subject(&api_version, &kind)),
    };
    if verdict.refusal.is_none() && verdict.errors.is_empty() {
        let attributes = Attributes { operation, old: old.as_ref(), namespace, user };
        verdict.denials = policy::ask(catalog, &verdict, &attributes);
    }
    prepare::finish(&mut verdict, operation);
    verdict
}

fn judge_custom(
    definition: &Definition,
    version: &Version,
    object: Value,
    operation: Operation<'_>,
    observer: &mut dyn FnMut(RuleRun<'_>),
) -> Verdict {
    let mut subject = Subject::of(definition, version);
    let given = object.clone();
    let Decoded { mut object, strict } = match decode::decode(object, version) {
        Ok(decoded) => decoded,
        Err(why) => {
            let message = subject.undecodable(&why);
            return refused(given, subject, bad_request(message));
        }
    };
    drop(given);
    subject.name = Metadata::of(&object).text("name").to_owned();
    let mut warnings = Vec::new();
    let result = match operation {
        Operation::Create => {
            prepare::create(&mut object, definition, version);
            subject.name = Metadata::of(&object).text("name").to_owned();
            Ok(validate::create(&object, definition, version, observer))
        }
        Operation::Update { old } => {
            let old = decode::decode_stored(old.clone(), version);
            prepare::update(&mut object, old, definition, version, &subject).map(|old| {
                let change = Change { object: &object, old: &old, definition, version };
                change.validate(observer, &mut warnings)
            })
        }
        Operation::UpdateStatus { old } => {
            let old = decode::decode_stored(old.clone(), version);
            prepare::update_status(&mut object, old, definition, version, &subject).map(|old| {
                let change = Change { object: &object, old: &old, definition, version };
                change.validate_status(observer, &mut warnings)
            })
        }
    };
    let (errors, refusal) = match result {
        Ok(errors) => (errors, None),
        Err(refusal) => (Vec::new(), Some(refusal)),
    };
    Verdict { object, strict, errors, denials: Vec::new(), warnings, subject, refusal }
}

fn unjudged(object: Value, mut subject: Subject) -> Verdict {
    subject.name = Metadata::of(&object).text("name").to_owned();
    Verdict {
        object,
        strict: Vec::new(),
        errors: Vec::new(),
        denials: Vec::new(),
        warnings: Vec::new(),
        subject,
        refusal: None,
    }
}

fn refused(object: Value, subject: Subject, refusal: Refusal) -> Verdict {
    Verdict { refusal: Some(refusal), ..unjudged(object, subject) }
}

fn bad_request(message: String) -> Refusal {
    Refusal::BadRequest { message }
}

impl Subject {
    pub(crate) fn of(definition: &Definition, version: &Version) -> Self {
        Self {
            group: definition.group.clone(),
            version: version.name.clone(),
            kind: definition.kind.clone(),
            plural: definition.plural.clone(),
            name: String::new(),
        }
    }

    /// What the server says to an object it cannot decode.
    pub(crate) fn undecodable(&self, why: &str) -> String {
        let Self { version, kind, .. } = self;
        let version = go_text::quoted(version);
        format!("{kind} in version {version} cannot be handled as a {kind}: {why}")
    }
}

#[cfg(test)]
mod tests;
