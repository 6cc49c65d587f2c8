//! Deletions, of one object or of many.
//!
//! Invariant: an answer says whether the object is gone or still there.

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::Answer;
use super::asked::Asked;
use super::list;
use super::shown;
use super::write::{self, Kept};
use super::{MODIFIED, intake};
use crate::core::{Core, DEFINITIONS};
use crate::kinds::Kind;
use crate::lifecycle::{self, DeleteOptions, Deletion, Manner};
use crate::refusal::Refusal;
use crate::store::{Key, Stored};

/// How often a deletion is decided anew when another write came first.
const TRIES: usize = 10;

/// How a deletion ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The last state that is known.
    pub(crate) object: Value,
    pub(crate) is_gone: bool,
}

/// Answers a deletion of one object.
pub(crate) async fn delete(asked: &Asked) -> Result<Answer, Refusal> {
    let options = options(asked)?;
    let kind = &asked.kind;
    refuse_protected(kind, &asked.target.name)?;
    let warnings = admit(asked, &asked.key(), &options).await?;
    let ended = end(&asked.core, kind, &asked.key(), &options).await?;
    let object = shown::in_version(kind, ended.object);
    if !ended.is_gone || returns_object(kind) {
        // compat: only the old field tells old clients that the object is still there
        let is_told = options.orphan_dependents == Some(false);
        let code = if !ended.is_gone && is_told { 202 } else { 200 };
        let answer = Answer::value(code, asked.shown()?.value(object));
        return Ok(answer.with_warnings(warnings));
    }
    let mut details = json!({"name": asked.target.name, "kind": kind.plural,
        "uid": object["metadata"]["uid"]});
    if !kind.group.is_empty() {
        details["group"] = Value::from(kind.group.as_str());
    }
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {},
        "status": "Success", "details": details});
    Ok(Answer::value(200, success).with_warnings(warnings))
}

/// Asks policies and webhooks about a deletion.
async fn admit(asked: &Asked, key: &Key, options: &DeleteOptions) -> Result<Vec<String>, Refusal> {
    let Some(stored) = asked.core.store.find(key) else {
        return Ok(Vec::new());
    };
    let old = shown::in_version(&asked.kind, stored.object());
    let admission = write::Admission {
        kind: &asked.kind,
        namespace: &key.place.namespace,
        // A deletion of many names none of them.
        name: &asked.target.name,
        subresource: "",
        user: &asked.user,
        object: None,
        old: Some(&old),
        is_dry_run: options.is_dry_run,
    };
    let mutated = write::mutate(&asked.core, &admission).await?;
    let mut warnings = mutated.map(|(_, warnings)| warnings).unwrap_or_default();
    warnings.extend(write::admit(&asked.core, &admission).await?);
    Ok(warnings)
}

/// Answers a deletion of a whole collection.
pub(crate) async fn delete_all(asked: &Asked) -> Result<Answer, Refusal> {
    let options = options(asked)?;
    let kind = &asked.kind;
    let page = list::page(asked)?;
    for stored in &page.objects {
        let key = Key { resource: kind.storage().into(), place: stored.place.clone() };
        admit(asked, &key, &options).await?;
        match end(&asked.core, kind, &key, &options).await {
            Ok(_) => {}
            Err(refusal) if refusal.code == 404 => {}
            Err(refusal) => return Err(refusal),
        }
    }
    // The answer shows objects as they were found.
    list::answer(asked, page)
}

fn options(asked: &Asked) -> Result<DeleteOptions, Refusal> {
    let body = match asked.body.is_empty() {
        true => None,
        false => Some(intake::object(&asked.headers, &asked.body)?),
    };
    DeleteOptions::read(body, &asked.query)
}

/// Ends an object, or starts its end.
pub(crate) async fn end(
    core: &Arc<Core>,
    kind: &Kind,
    key: &Key,
    options: &DeleteOptions,
) -> Result<Ended, Refusal> {
    let name = &key.place.name;
    for _ in 0..TRIES {
        let Some(stored) = core.store.find(key) else {
            return Err(Refusal::not_found(kind, name));
        };
        check_preconditions(kind, &stored, options)?;
        if let Some(ended) = attempt(core, kind, key, &stored, options).await? {
            return Ok(ended);
        }
    }
    Err(Refusal::conflict(kind, name, MODIFIED))
}

/// Decides once, and does so; none if another write came first.
async fn attempt(
    core: &Arc<Core>,
    kind: &Kind,
    key: &Key,
    stored: &Stored,
    options: &DeleteOptions,
) -> Result<Option<Ended>, Refusal> {
    let object = stored.object();
    let deletion = lifecycle::deletion(&object, manner(kind), options, core.now());
    let is_kept = |deletion: &Deletion| matches!(deletion, Deletion::Mark(_) | Deletion::Unchanged);
    if options.is_dry_run {
        let is_gone = !is_kept(&deletion);
        let object = match deletion {
            Deletion::Mark(marked) | Deletion::MarkAndRemove(marked) => marked,
            Deletion::Remove | Deletion::Unchanged => object,
        };
        return Ok(Some(Ended { object, is_gone }));
    }
    let stored_kind = core.served().stored_as(&key.resource).cloned();
    let kind = stored_kind.as_deref().unwrap_or(kind);
    let ended = |kept: Kept, is_gone: bool| match kept {
        Kept::Stored(stored) => Some(Ended { object: stored.object(), is_gone }),
        Kept::Overtaken => None,
    };
    Ok(match deletion {
        Deletion::Unchanged => Some(Ended { object, is_gone: false }),
        Deletion::Remove => {
            let kept = write::remove(core, kind, key.clone(), stored.revision, object.clone());
            ended(kept.await?, true).map(|_| Ended { object, is_gone: true })
        }
        Deletion::Mark(marked) => {
            let kept = write::replace(core, kind, key.clone(), stored.revision, marked).await?;
            ended(kept, false)
        }
        Deletion::MarkAndRemove(marked) => {
            let kept = write::replace(core, kind, key.clone(), stored.revision, marked).await?;
            let Kept::Stored(marked) = kept else { return Ok(None) };
            let object = marked.object();
            let kept = write::remove(core, kind, key.clone(), marked.revision, object.clone());
            ended(kept.await?, true).map(|_| Ended { object, is_gone: true })
        }
    })
}

fn manner(kind: &Kind) -> Manner {
    match kind.built_in() {
        Some(built_in) => {
            Manner { grace: built_in.strategy.grace, has_dependents: kind.plural != "events" }
        }
        None => Manner { grace: |_, _| None, has_dependents: true },
    }
}

fn check_preconditions(
    kind: &Kind,
    stored: &Stored,
    options: &DeleteOptions,
) -> Result<(), Refusal> {
    // compat: namespaces and CRDs are marked by storage code of their own
    let is_container = ["namespaces", DEFINITIONS].contains(&kind.resource().as_str());
    let failed = |what: &str, asked: &str, found: &str, guess: &str| {
        if is_container {
            let why = format!(
                "Precondition failed: {what} in precondition: {asked}, {what} in object meta: \
                 {found}"
            );
            return Err(Refusal::conflict(kind, &stored.place.name, &why));
        }
        let why = format!(
            "the {what} in the precondition ({asked}) does not match the {what} in record \
             ({found}). The object might have been {guess}"
        );
        // compat: apiserver/pkg/registry/rest/delete.go, BeforeDelete names the kind
        let named = Kind { plural: kind.kind.clone(), ..kind.clone() };
        Err(Refusal::conflict(&named, &stored.place.name, &why))
    };
    if let Some(uid) = options.uid.as_deref().filter(|uid| **uid != *stored.facts.uid) {
        return failed("UID", uid, &stored.facts.uid, "deleted and then recreated");
    }
    let found = stored.revision.to_string();
    match options.resource_version.as_deref() {
        Some(asked) if asked != found => failed("ResourceVersion", asked, &found, "modified"),
        _ => Ok(()),
    }
}

/// Some kinds are answered with the object that went, most with a word.
fn returns_object(kind: &Kind) -> bool {
    const KINDS: [&str; 4] = ["pods", "serviceaccounts", "services", "persistentvolumeclaims"];
    kind.group.is_empty() && KINDS.contains(&kind.plural.as_str())
}

/// Namespaces no cluster can be without.
fn refuse_protected(kind: &Kind, name: &str) -> Result<(), Refusal> {
    let is_namespace = kind.group.is_empty() && kind.plural == "namespaces";
    if !is_namespace || !["default", "kube-system", "kube-public"].contains(&name) {
        return Ok(());
    }
    let message = format!("namespaces {name:?} is forbidden: this namespace may not be deleted");
    let details = json!({"name": name, "kind": "namespaces"});
    Err(Refusal::new(403, "Forbidden", message).with_details(details))
}
