//! Changes objects that are there: the one loop behind update, patch and the server's own changes.
//!
//! Invariant: a change is made of the newest object, or it is refused.

use std::sync::Arc;

use kube_schema::Operation;
use serde_json::Value;

use super::super::answer::Answer;
use super::super::asked::{Asked, WriteOptions};
use super::super::{sent, shown};
use super::admit::{Admission, admit, mutate};
use super::create::{create_named, spoiled};
use super::settle::settle;
use super::stored::{Kept, remove, replace};
use super::version;
use crate::apply;
use crate::builtin;
use crate::kinds::{Attempt, Judged};
use crate::lifecycle;
use crate::refusal::Refusal;
use crate::rest::{MODIFIED, identity};
use crate::store::{Body, Stored};

/// How often a change is made anew when another came first.
const TRIES: usize = 5;

/// What an object becomes.
pub(crate) enum Rewrite {
    /// A new object that is yet to be judged and whose fields are yet to be tracked.
    To(Value),
    /// A new object whose managed fields are right already.
    Tracked(Value),
}

impl Rewrite {
    fn object(&self) -> &Value {
        match self {
            Self::To(object) | Self::Tracked(object) => object,
        }
    }

    fn with(&self, object: Value) -> Self {
        match self {
            Self::To(_) => Self::To(object),
            Self::Tracked(_) => Self::Tracked(object),
        }
    }
}

/// Answers an update.
pub(crate) async fn update(asked: &Asked) -> Result<Answer, Refusal> {
    let mut options = asked.write_options("UpdateOptions")?;
    let mut object = sent::object(asked, &mut options)?;
    identity::set_namespace(&mut object, &asked.kind, &asked.target.namespace)?;
    check_name(asked, &object)?;
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or("").to_owned();
    if asked.core.store.find(&asked.key()).is_none() && may_create(asked) {
        // An object that is not there has no version to be compared with.
        drop(object["metadata"].as_object_mut().map(|it| it.remove("resourceVersion")));
        return create_named(asked, object, &options).await;
    }
    rewrite(asked, &options, version::is_named(&version)?, |old| {
        let mut object = object.clone();
        version::check(asked, old, &mut object)?;
        Ok(Rewrite::To(object))
    })
    .await
}

fn may_create(asked: &Asked) -> bool {
    let is_created = asked.kind.built_in().is_some_and(|it| it.strategy.creates_on_update);
    is_created && asked.target.subresource.is_empty()
}

pub(crate) fn check_name(asked: &Asked, object: &Value) -> Result<(), Refusal> {
    let name = object["metadata"]["name"].as_str().unwrap_or("");
    let want = &asked.target.name;
    if name == want {
        return Ok(());
    }
    let message = match name {
        "" => format!(
            "the name of the object ({want} based on URL) was undeterminable: name must be provided"
        ),
        _ => format!("the name of the object ({name}) does not match the name on the URL ({want})"),
    };
    Err(Refusal::bad_request(message))
}

/// Makes a change of the object a request names; guarded changes are tried once.
pub(crate) async fn rewrite(
    asked: &Asked,
    options: &WriteOptions,
    is_guarded: bool,
    mut change: impl FnMut(&Value) -> Result<Rewrite, Refusal>,
) -> Result<Answer, Refusal> {
    let name = &asked.target.name;
    for _ in 0..TRIES {
        let Some(current) = asked.core.store.find(&asked.key()) else {
            return Err(Refusal::not_found(&asked.kind, name));
        };
        let old = shown::in_version(&asked.kind, current.object());
        let new = change(&old)?;
        match attempt(asked, options, &current, &old, new).await? {
            Some(answer) => return Ok(answer),
            None if is_guarded => break,
            None => {}
        }
    }
    Err(Refusal::conflict(&asked.kind, name, MODIFIED))
}

/// Makes one change; none if another came first.
async fn attempt(
    asked: &Asked,
    options: &WriteOptions,
    current: &Arc<Stored>,
    old: &Value,
    new: Rewrite,
) -> Result<Option<Answer>, Refusal> {
    let Asked { core, kind, .. } = asked;
    let mut warnings = Vec::new();
    let mut was_mutated = false;
    let new = match mutate(core, &admission(asked, new.object(), old, options)).await? {
        None => new,
        Some((object, more)) => {
            warnings.extend(more);
            was_mutated = true;
            new.with(object)
        }
    };
    let judged = judge(asked, options, old, new);
    let judged = if was_mutated { judged.map_err(spoiled)? } else { judged? };
    let Judged { mut object, warnings: more } = judged;
    warnings.extend(more);
    warnings.extend(admit(core, &admission(asked, &object, old, options)).await?);
    settle(core, kind, &mut object)?;
    apply::settle_times(old, &mut object);
    let shown = asked.shown()?;
    let is_same = kind.is_storage_version()
        && Body::new(&object, &kind.types).as_ref() == Some(&current.body);
    if options.is_dry_run || is_same {
        let answer = Answer::value(200, shown.value(object));
        return Ok(Some(answer.with_warnings(warnings)));
    }
    if lifecycle::is_over(&object) && lifecycle::may_end(old) {
        // The last change is told to who made it alone: watches see the object as it was before.
        let kept = remove(core, kind, asked.key(), current.revision, old.clone()).await?;
        let answer = Answer::value(200, shown.value(object)).with_warnings(warnings);
        return Ok(matches!(kept, Kept::Stored(_)).then_some(answer));
    }
    let kept = replace(core, kind, asked.key(), current.revision, object).await?;
    Ok(match kept {
        Kept::Overtaken => None,
        Kept::Stored(stored) => {
            let mut json = Vec::new();
            shown.write(&stored, &mut json);
            Some(Answer::json(200, json).with_warnings(warnings))
        }
    })
}

fn admission<'a>(
    asked: &'a Asked,
    object: &'a Value,
    old: &'a Value,
    options: &WriteOptions,
) -> Admission<'a> {
    Admission {
        kind: &asked.kind,
        namespace: &asked.target.namespace,
        name: &asked.target.name,
        subresource: &asked.target.subresource,
        user: &asked.user,
        object: Some(object),
        old: Some(old),
        is_dry_run: options.is_dry_run,
    }
}

fn judge(
    asked: &Asked,
    options: &WriteOptions,
    old: &Value,
    new: Rewrite,
) -> Result<Judged, Refusal> {
    let Asked { core, kind, target, .. } = asked;
    let (object, is_tracked) = match new {
        Rewrite::To(object) => (object, false),
        Rewrite::Tracked(object) => (object, true),
    };
    let now = core.now_text();
    let record = |object: &mut Value| {
        if !is_tracked {
            asked.track(Some(old), object, &options.manager, &now);
        }
        Ok(())
    };
    if target.subresource == "ephemeralcontainers" {
        let mut object = builtin::with_ephemeral_containers(kind, &object, old)?;
        record(&mut object)?;
        return Ok(Judged { object, warnings: Vec::new() });
    }
    let operation = match target.subresource.as_str() {
        "status" => Operation::UpdateStatus { old },
        _ => Operation::Update { old },
    };
    let (field_validation, complaints) = (options.field_validation, &options.complaints[..]);
    kind.judge(Attempt { object, operation, field_validation, complaints, record: &record })
}
