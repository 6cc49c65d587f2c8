//! What may be asked at a path.
//!
//! Reads what a path names, and the kind found there; returns the verb, or the refusal.
//! Invariant: built-in kinds are refused as the server's router does, custom ones as their own
//! part of the server does.

use axum::http::Method;
use serde_json::{Value, json};

use super::answer::Answer;
use super::path::Target;
use super::query::Query;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::served::Served;

/// What a request wants to do; none for methods that no verb stands for.
pub(crate) fn verb(method: &Method, target: &Target, query: &Query) -> Option<&'static str> {
    let is_collection = target.name.is_empty();
    Some(match *method {
        Method::GET | Method::HEAD if target.is_watch => "watch",
        Method::GET | Method::HEAD if is_collection && query.flag("watch") => "watch",
        Method::GET | Method::HEAD if is_collection => "list",
        Method::GET | Method::HEAD => "get",
        Method::POST => "create",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE if is_collection => "deletecollection",
        Method::DELETE => "delete",
        _ => return None,
    })
}

/// The answer to a path that leads nowhere: groups of the server tell it otherwise than strangers.
pub(crate) fn nowhere(served: &Served, group: &str) -> Answer {
    let mut all = served.all().iter();
    match group.is_empty() || all.any(|kind| kind.group == group && kind.built_in().is_some()) {
        true => Refusal::no_such_resource().into(),
        false => nothing(),
    }
}

/// The answer to a path nobody knows.
pub(crate) fn nothing() -> Answer {
    Answer::text(404, "404 page not found\n")
}

pub(crate) fn not_allowed() -> Refusal {
    let message = "the server does not allow this method on the requested resource";
    Refusal::new(405, "MethodNotAllowed", message).with_details(json!({}))
}

/// Whether a kind answers a method at this place; if not, how it says so.
pub(crate) fn check(
    kind: &Kind,
    target: &Target,
    method: &Method,
    verb: Option<&'static str>,
) -> Result<&'static str, Answer> {
    match kind.built_in() {
        Some(_) => check_built_in(kind, target, method, verb).map_err(Answer::from),
        None => check_custom(kind, target, verb),
    }
}

fn check_built_in(
    kind: &Kind,
    target: &Target,
    method: &Method,
    verb: Option<&'static str>,
) -> Result<&'static str, Refusal> {
    let built_in = kind.built_in().ok_or_else(Refusal::no_such_resource)?;
    let below = built_in.subresources.iter().find(|it| it.name == target.subresource);
    let is_collection = target.name.is_empty();
    let is_everywhere = kind.is_namespaced() && target.namespace.is_empty();
    let is_foreign = !kind.is_namespaced() && !target.namespace.is_empty();
    let is_unknown = !target.subresource.is_empty() && below.is_none();
    if target.is_beyond || is_unknown || is_foreign || is_everywhere && !is_collection {
        return Err(Refusal::no_such_resource());
    }
    let verbs = below.map_or(built_in.verbs, |it| it.verbs);
    verb.filter(|verb| match *verb {
        "create" if target.subresource.is_empty() && !is_collection => false,
        "update" | "patch" if is_collection => false,
        "list" | "watch" => true,
        _ => !is_everywhere,
    })
    .filter(|verb| verbs.contains(verb) && *method != Method::HEAD)
    .ok_or_else(not_allowed)
}

fn check_custom(
    kind: &Kind,
    target: &Target,
    verb: Option<&'static str>,
) -> Result<&'static str, Answer> {
    let verb: &'static str = verb.unwrap_or("");
    let is_list = matches!(verb, "list" | "watch");
    if kind.is_namespaced() == target.namespace.is_empty() && !(kind.is_namespaced() && is_list) {
        return Err(nothing());
    }
    let is_offered = match target.subresource.as_str() {
        "" => !verb.is_empty(),
        "status" if kind.has_status => matches!(verb, "get" | "update" | "patch"),
        "scale" if kind.scale.is_some() => matches!(verb, "get" | "update" | "patch"),
        _ => return Err(Refusal::not_found(kind, &target.name).into()),
    };
    if !is_offered {
        let message = format!("{verb} is not supported on resources of kind {:?}", kind.resource());
        let details = json!({"group": kind.group, "kind": kind.plural});
        return Err(Refusal::new(405, "MethodNotAllowed", message).with_details(details).into());
    }
    if target.name.is_empty() && matches!(verb, "update" | "patch") {
        return Err(Refusal::bad_request("name must be provided").into());
    }
    Ok(verb)
}

/// Whether a name can be part of a path.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    let faults: Vec<String> = match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => ['/', '%']
            .iter()
            .filter(|it| name.contains(**it))
            .map(|it| format!("may not contain '{it}'"))
            .collect(),
    };
    if faults.is_empty() {
        return Ok(());
    }
    let name = Value::from(name);
    Err(Refusal::bad_request(format!("Name parameter invalid: {name}: {}", faults.join(";"))))
}
