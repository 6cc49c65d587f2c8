//! Requests that are more than a write of an object: bindings, evictions, reviews, tokens.
//!
//! Reads a request; answers it, or leaves it to the verbs that all kinds share.
//! Invariant: what is not answered here is answered as for any kind.

mod pods;

use serde_json::{Value, json};

use super::answer::Answer;
use super::asked::Asked;
use super::write::{self, remove as remove_stored};
use super::{MODIFIED, intake};
use crate::builtin;
use crate::kinds::{FieldValidation, Judged};
use crate::lifecycle;
use crate::refusal::Refusal;

const TOKEN_REQUEST: &str = "io.k8s.api.authentication.v1.TokenRequest";

/// Answers a request that needs more; none for all others.
pub(crate) async fn answer(asked: &Asked, verb: &str) -> Result<Option<Answer>, Refusal> {
    let target = &asked.target;
    let is_core = asked.kind.group.is_empty();
    let group = asked.kind.group.as_str();
    Ok(Some(match (target.resource.as_str(), target.subresource.as_str(), verb) {
        ("pods", "binding", "create") if is_core => pods::bind(asked, Some(&target.name)).await?,
        ("bindings", "", "create") if is_core => pods::bind(asked, None).await?,
        ("pods", "eviction", "create") if is_core => pods::evict(asked).await?,
        ("pods", "log" | "exec" | "attach" | "portforward" | "proxy", _) if is_core => {
            pods::reach(asked)?
        }
        ("namespaces", "finalize", "update") if is_core => finalize(asked).await?,
        ("serviceaccounts", "token", "create") if is_core => {
            let options = asked.write_options("CreateOptions")?;
            let Judged { object, warnings } = sent(asked, TOKEN_REQUEST, options.field_validation)?;
            asked.core.access.issue_token(asked, &object)?.with_warnings(warnings)
        }
        (_, "", "create") if ["authorization.k8s.io", "authentication.k8s.io"].contains(&group) => {
            let review = intake::object(&asked.headers, &asked.body)?;
            asked.core.access.review(asked, &review)?
        }
        (_, "scale", _) => write::scale(asked, verb).await?,
        _ => return Ok(None),
    }))
}

/// The body of a request for a subresource that takes objects of a kind of its own.
fn sent(asked: &Asked, schema: &str, field_validation: FieldValidation) -> Result<Judged, Refusal> {
    let object = intake::object(&asked.headers, &asked.body)?;
    let mut parts = schema.rsplit('.');
    let (kind, package) = (parts.next().unwrap_or(""), parts.nth(1).unwrap_or(""));
    let given = object["kind"].as_str().unwrap_or("");
    if !given.is_empty() && given != kind {
        let version = object["apiVersion"].as_str().and_then(|it| it.rsplit('/').next());
        let version = version.unwrap_or("");
        let api_version = object["apiVersion"].as_str().unwrap_or("");
        // compat: the server names a file of its own
        let why = match asked.core.served().named(api_version, given) {
            Some(_) => {
                format!("converting ({version}.{given}) to ({package}.{kind}): unknown conversion")
            }
            None => format!(
                "no kind {given:?} is registered for version {api_version:?} in scheme \
                 \"pkg/runtime/scheme.go:111\""
            ),
        };
        return Err(Refusal::bad_request(format!(
            "{given} in version {version:?} cannot be handled as a {kind}: {why}"
        )));
    }
    builtin::judge_named(&object, schema, field_validation)
}

fn success() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}

/// Changes the finalizers of a namespace, and nothing else of it.
async fn finalize(asked: &Asked) -> Result<Answer, Refusal> {
    let Asked { core, kind, target, .. } = asked;
    let options = asked.write_options("UpdateOptions")?;
    let wanted = intake::object(&asked.headers, &asked.body)?;
    write::check_name(asked, &wanted)?;
    let version = wanted["metadata"]["resourceVersion"].as_str().unwrap_or("").to_owned();
    loop {
        let Some(stored) = core.store.find(&asked.key()) else {
            return Err(Refusal::not_found(kind, &target.name));
        };
        if !version.is_empty() && stored.revision.to_string() != version {
            return Err(Refusal::conflict(kind, &target.name, MODIFIED));
        }
        let new = builtin::finalized(&wanted, &stored.object());
        let errors = builtin::check_finalized(&new);
        if !errors.is_empty() {
            return Err(builtin::invalid(kind, &target.name, &errors));
        }
        let shown = Answer::value(200, asked.shown()?.value(new.clone()));
        if options.is_dry_run || new == stored.object() {
            return Ok(shown);
        }
        let (key, is_over) = (asked.key(), lifecycle::is_over(&new));
        let kept = match is_over {
            true => remove_stored(core, kind, key, stored.revision, stored.object()).await?,
            false => write::replace(core, kind, key, stored.revision, new).await?,
        };
        match kept {
            write::Kept::Stored(_) if is_over => return Ok(shown),
            write::Kept::Stored(stored) => {
                return Ok(Answer::value(200, asked.shown()?.value(stored.object())));
            }
            write::Kept::Overtaken => {}
        }
    }
}
