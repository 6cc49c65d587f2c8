//! Patches of all forms, and server-side apply.
//!
//! Invariant: a patch is applied to the newest object; only one that names a version can conflict.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::super::answer::Answer;
use super::super::asked::{Asked, WriteOptions};
use super::super::intake;
use super::create::create_named;
use super::update::{Rewrite, rewrite};
use super::{unfit, version};
use crate::apply::{self, Manager};
use crate::builtin;
use crate::patch::{self, Patch};
use crate::refusal::Refusal;
use crate::rest::identity;

/// Answers a patch.
pub(crate) async fn patch(asked: &Asked) -> Result<Answer, Refusal> {
    let options = asked.write_options("PatchOptions")?;
    let is_custom = asked.kind.built_in().is_none();
    let patch = patch::read(&intake::content_type(&asked.headers), &asked.body, is_custom)?;
    match &patch {
        Patch::Apply(config) => apply(asked, config, &options).await,
        Patch::Json(_) | Patch::Merge(_) | Patch::Strategic(_) => {
            change(asked, &patch, &options).await
        }
    }
}

async fn change(asked: &Asked, patch: &Patch, options: &WriteOptions) -> Result<Answer, Refusal> {
    let is_guarded = match patch {
        Patch::Merge(patch) | Patch::Strategic(patch) | Patch::Apply(patch) => {
            patch["metadata"]["resourceVersion"].is_string()
        }
        Patch::Json(_) => false,
    };
    let mut result = Value::Null;
    let answer = rewrite(asked, options, is_guarded, |old| {
        let mut new = patch::change(patch, old, &asked.kind.schema)?;
        if let Some(refusal) = unfit::other_kind(asked, patch, &new) {
            return Err(refusal);
        }
        check_unchanged(asked, old, &mut new)?;
        result = new.clone();
        Ok(Rewrite::To(new))
    });
    let answer = answer.await;
    answer.map_err(|refusal| unfit::explain(asked, patch, &result, refusal))
}

/// A patch may not turn an object into another.
fn check_unchanged(asked: &Asked, old: &Value, new: &mut Value) -> Result<(), Refusal> {
    identity::check(&asked.kind, new.clone())?;
    check_result_name(asked, new)?;
    check_uid(asked, old, new)?;
    version::check(asked, old, new)
}

/// A patch says nothing of which object it is for, so that another uid is a change of it.
fn check_uid(asked: &Asked, old: &Value, new: &Value) -> Result<(), Refusal> {
    let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap_or("").to_owned();
    let given = uid(new);
    if given.is_empty() || given == uid(old) {
        return Ok(());
    }
    let at = Path::of_fields(["metadata", "uid"]);
    let error = FieldError::invalid(at, given.as_str(), "field is immutable");
    // compat: checked for any object, and once more by the kind
    Err(builtin::invalid(&asked.kind, &asked.target.name, &[error.clone(), error]))
}

/// The result of a patch must have the name of its path.
fn check_result_name(asked: &Asked, new: &Value) -> Result<(), Refusal> {
    let want = &asked.target.name;
    match new["metadata"]["name"].as_str().unwrap_or("") {
        "" => Err(Refusal::bad_request(format!(
            "the name of the object ({want} based on URL) was undeterminable: name must be provided"
        ))),
        name if name == want => Ok(()),
        name => Err(Refusal::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({want})"
        ))),
    }
}

async fn apply(asked: &Asked, config: &Value, options: &WriteOptions) -> Result<Answer, Refusal> {
    let is_forced = asked.query.flag("force");
    let merge = |live: Option<&Value>| {
        let now = asked.core.now_text();
        asked.with_tracking(|target| {
            let manager = Manager { name: &options.manager, time: &now };
            apply::apply(live, config, target, manager, is_forced)
        })
    };
    if asked.core.store.find(&asked.key()).is_none() {
        if !asked.target.subresource.is_empty() {
            return Err(Refusal::not_found(&asked.kind, &asked.target.name));
        }
        let options = WriteOptions { is_tracked: true, ..options.clone() };
        let mut object = merge(None)?;
        check_result_name(asked, &object)?;
        check_new(asked, &mut object)?;
        return create_named(asked, object, &options).await;
    }
    let is_guarded = config["metadata"]["resourceVersion"].is_string();
    rewrite(asked, options, is_guarded, |old| {
        let mut new = merge(Some(old))?;
        check_unchanged(asked, old, &mut new)?;
        Ok(Rewrite::Tracked(new))
    })
    .await
}

/// An apply that creates may name a version, which does not matter, and no uid.
fn check_new(asked: &Asked, object: &mut Value) -> Result<(), Refusal> {
    let Some(metadata) = object["metadata"].as_object_mut() else { return Ok(()) };
    metadata.remove("resourceVersion");
    let Some(uid) = metadata.get("uid").and_then(Value::as_str).filter(|it| !it.is_empty()) else {
        return Ok(());
    };
    let why = format!(
        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    );
    Err(Refusal::conflict(&asked.kind, &asked.target.name, &why))
}
