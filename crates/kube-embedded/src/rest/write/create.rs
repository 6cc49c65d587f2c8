//! Creates objects.
//!
//! Invariant: a name that the server makes up is never taken twice.

use kube_schema::Operation;
use serde_json::{Map, Value};

use super::super::answer::Answer;
use super::super::asked::{Asked, WriteOptions};
use super::super::sent;
use super::admit::{Admission, admit, mutate};
use super::provide::provide;
use super::settle::settle;
use super::stored::{Kept, insert};
use crate::builtin;
use crate::core::{Core, DEFINITIONS};
use crate::kinds::{Attempt, Kind};
use crate::refusal::Refusal;
use crate::rest::identity;
use crate::store::Key;

/// How often another name is made up before the server gives in.
const TRIES: usize = 8;
/// The longest prefix of a made-up name.
const PREFIX_LIMIT: usize = 58;

/// Answers a create.
pub(crate) async fn create(asked: &Asked) -> Result<Answer, Refusal> {
    let mut options = asked.write_options("CreateOptions")?;
    let object = sent::object(asked, &mut options)?;
    create_object(asked, object, &options).await
}

/// Creates the object that an update or an apply did not find.
pub(crate) async fn create_named(
    asked: &Asked,
    mut object: Value,
    options: &WriteOptions,
) -> Result<Answer, Refusal> {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("name").or_insert_with(|| Value::from(asked.target.name.as_str()));
    }
    create_object(asked, object, options).await
}

async fn create_object(
    asked: &Asked,
    mut object: Value,
    options: &WriteOptions,
) -> Result<Answer, Refusal> {
    identity::set_namespace(&mut object, &asked.kind, &asked.target.namespace)?;
    let name = object["metadata"]["name"].as_str().unwrap_or("");
    check_namespace(asked, name)?;
    check_definition(asked, name)?;
    let prefix = made_up_prefix(&object);
    let Some(prefix) = prefix else {
        let name = object["metadata"]["name"].as_str().unwrap_or("").to_owned();
        let answer = try_create(asked, object, options).await?;
        return answer.ok_or_else(|| taken(asked, &name));
    };
    for _ in 0..TRIES {
        let mut named = object.clone();
        set(&mut named, "name", format!("{prefix}{}", asked.core.new_suffix()));
        if let Some(answer) = try_create(asked, named, options).await? {
            return Ok(answer);
        }
    }
    let resource = asked.kind.resource();
    let message = format!(
        "{resource} {prefix:?} already exists, the server was not able to generate a unique name for the object"
    );
    Err(Refusal::new(409, "AlreadyExists", message))
}

/// The refusal of a name that another object has.
fn taken(asked: &Asked, name: &str) -> Refusal {
    let mut refusal = Refusal::already_exists(&asked.kind, name);
    let is_going = |key: &Key| asked.core.store.find(key).is_some_and(|it| it.facts.is_terminating);
    if is_going(&asked.key_of(name)) {
        refusal.message = format!("object is being deleted: {}", refusal.message);
    }
    refusal
}

/// Creates an object under its name; none if the name is taken.
async fn try_create(
    asked: &Asked,
    object: Value,
    options: &WriteOptions,
) -> Result<Option<Answer>, Refusal> {
    let Asked { core, kind, .. } = asked;
    let mutated = mutate(core, &admission(asked, &object, options)).await?;
    let was_mutated = mutated.is_some();
    let (object, mut warnings) = mutated.unwrap_or_else(|| (object, Vec::new()));
    let (mut object, more) = match was_mutated {
        true => prepare(asked, object, options).map_err(spoiled)?,
        false => prepare(asked, object, options)?,
    };
    warnings.extend(more);
    warnings.extend(admit(core, &admission(asked, &object, options)).await?);
    settle(core, kind, &mut object)?;
    let key = asked.key_of(object["metadata"]["name"].as_str().unwrap_or(""));
    let shown = asked.shown()?;
    if options.is_dry_run {
        let is_taken = core.store.find(&key).is_some();
        let answer = Answer::value(201, shown.value(object)).with_warnings(warnings);
        return Ok((!is_taken).then_some(answer));
    }
    match insert(core, kind, key, object).await? {
        Kept::Overtaken => Ok(None),
        Kept::Stored(stored) => {
            let mut json = Vec::new();
            shown.write(&stored, &mut json);
            Ok(Some(Answer::json(201, json).with_warnings(warnings)))
        }
    }
}

/// What a webhook left is the server's own fault, not the client's.
pub(super) fn spoiled(refusal: Refusal) -> Refusal {
    match refusal.message.split_once(" cannot be handled as a ") {
        Some((_, why)) if refusal.code == 400 => {
            let why = why.split_once(": ").map_or(why, |(_, why)| why);
            let message = format!("Internal error occurred: {why}");
            Refusal::new(500, "InternalError", message)
                .with_details(serde_json::json!({"causes": [{"message": why}]}))
        }
        _ => refusal,
    }
}

fn admission<'a>(asked: &'a Asked, object: &'a Value, options: &WriteOptions) -> Admission<'a> {
    Admission {
        kind: &asked.kind,
        namespace: &asked.target.namespace,
        name: object["metadata"]["name"].as_str().unwrap_or(""),
        subresource: &asked.target.subresource,
        user: &asked.user,
        object: Some(object),
        old: None,
        is_dry_run: options.is_dry_run,
    }
}

/// Judges a new object, and gives it what the server gives.
fn prepare(
    asked: &Asked,
    object: Value,
    options: &WriteOptions,
) -> Result<(Value, Vec<String>), Refusal> {
    let Asked { core, kind, .. } = asked;
    let now = core.now_text();
    let record = |object: &mut Value| {
        if !options.is_tracked {
            asked.track(None, object, &options.manager, &now);
        }
        provide(core, kind, &asked.target.namespace, object)
    };
    let attempt = Attempt {
        object,
        operation: Operation::Create,
        field_validation: options.field_validation,
        complaints: &options.complaints,
        record: &record,
    };
    let judged = kind.judge(attempt)?;
    let mut object = judged.object;
    if kind.storage() == "pods" {
        builtin::note_gates(&mut object, &now);
    }
    set(&mut object, "uid", core.new_uid());
    set(&mut object, "creationTimestamp", now);
    Ok((object, judged.warnings))
}

/// Nothing is created in a namespace that is not there or going.
fn check_namespace(asked: &Asked, name: &str) -> Result<(), Refusal> {
    let Asked { core, kind, target, .. } = asked;
    if !kind.is_namespaced() {
        return Ok(());
    }
    namespace_takes(core, kind, &target.namespace, name)
}

/// Nothing is created of a kind that is going.
fn check_definition(asked: &Asked, name: &str) -> Result<(), Refusal> {
    let Asked { core, kind, .. } = asked;
    let key = Key::new(DEFINITIONS, "", &kind.resource());
    let is_going = || core.store.find(&key).is_some_and(|it| it.facts.is_terminating);
    if kind.built_in().is_some() || !is_going() {
        return Ok(());
    }
    let why = "create not allowed while custom resource definition is terminating";
    Err(Refusal::forbidden(kind, name, why))
}

fn namespace_takes(core: &Core, kind: &Kind, namespace: &str, name: &str) -> Result<(), Refusal> {
    let served = core.served();
    let Some(namespaces) = served.at_path("", "v1", "namespaces") else {
        return Ok(());
    };
    let Some(found) = core.store.find(&Key::new("namespaces", "", namespace)) else {
        return Err(Refusal::not_found(namespaces, namespace));
    };
    // Access reviews leave nothing behind.
    if !found.facts.is_terminating || kind.group == "authorization.k8s.io" {
        return Ok(());
    }
    Err(identity::terminating(kind, namespace, name))
}

fn made_up_prefix(object: &Value) -> Option<String> {
    let metadata = object["metadata"].as_object()?;
    if metadata.get("name").and_then(Value::as_str).is_some_and(|name| !name.is_empty()) {
        return None;
    }
    let prefix = metadata.get("generateName")?.as_str().filter(|it| !it.is_empty())?;
    let end = (0..=PREFIX_LIMIT.min(prefix.len())).rev().find(|end| prefix.is_char_boundary(*end));
    Some(prefix[..end.unwrap_or(0)].to_owned())
}

fn set(object: &mut Value, name: &str, text: String) {
    if let Some(fields) = object.as_object_mut() {
        let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert(name.to_owned(), Value::from(text));
        }
    }
}
