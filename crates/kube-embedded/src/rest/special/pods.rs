//! What pods have below them: their binding, their eviction, and ways into their containers.
//!
//! Reads a request; changes the pod as it asks.
//! Invariant: nothing here reaches a container, for there is no node to run one.

use serde_json::{Value, json};

use super::{sent, success};
use crate::builtin;
use crate::kinds::{Judged, Kind};
use crate::lifecycle::DeleteOptions;
use crate::refusal::Refusal;
use crate::rest::write::{self, Kept};
use crate::rest::{Answer, Asked, remove};
use crate::store::{Key, Stored};

const BINDING: &str = "io.k8s.api.core.v1.Binding";
const EVICTION: &str = "io.k8s.api.policy.v1.Eviction";

/// Gives a pod its node; the name is the path's, where it has one.
pub(super) async fn bind(asked: &Asked, name: Option<&str>) -> Result<Answer, Refusal> {
    let options = asked.write_options("CreateOptions")?;
    let Judged { object: binding, warnings } = sent(asked, BINDING, options.field_validation)?;
    let given = binding["metadata"]["name"].as_str().unwrap_or("");
    let name = name.unwrap_or(given);
    if name != given {
        return Err(Refusal::bad_request("name in URL does not match name in Binding object"));
    }
    let pods = asked.core.served().at_path("", "v1", "pods").cloned();
    let kind = pods.ok_or_else(Refusal::no_such_resource)?;
    let key = Key::new("pods", &asked.target.namespace, name);
    let now = asked.core.now_text();
    loop {
        let Some(stored) = asked.core.store.find(&key) else {
            return Err(Refusal::not_found(&kind, name));
        };
        check_meant(&kind, &key, &binding, &stored)?;
        let pod = builtin::bind(&stored.object(), &binding, &now)?;
        if options.is_dry_run {
            break;
        }
        match write::replace(&asked.core, &kind, key.clone(), stored.revision, pod).await? {
            Kept::Stored(_) => break,
            Kept::Overtaken => {}
        }
    }
    Ok(Answer::value(201, success()).with_warnings(warnings))
}

/// A binding may say which pod of a name it means.
fn check_meant(kind: &Kind, key: &Key, binding: &Value, stored: &Stored) -> Result<(), Refusal> {
    let revision = stored.revision.to_string();
    let facts =
        [("uid", "UID", &*stored.facts.uid), ("resourceVersion", "ResourceVersion", &revision)];
    for (field, word, found) in facts {
        let asked = binding["metadata"][field].as_str().unwrap_or("");
        if asked.is_empty() || asked == found {
            continue;
        }
        let (namespace, name) = (&key.place.namespace, &key.place.name);
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/pods/{namespace}/{name}, \
             ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {word} in precondition: \
             {asked}, {word} in object meta: {found}"
        );
        return Err(Refusal::conflict(kind, name, &why));
    }
    Ok(())
}

/// Deletes a pod as its eviction asks.
pub(super) async fn evict(asked: &Asked) -> Result<Answer, Refusal> {
    let write_options = asked.write_options("CreateOptions")?;
    let Judged { object: eviction, warnings } =
        sent(asked, EVICTION, write_options.field_validation)?;
    if eviction["metadata"]["name"] != asked.target.name.as_str() {
        return Err(Refusal::bad_request("name in URL does not match name in Eviction object"));
    }
    let body = eviction.get("deleteOptions").filter(|it| it.is_object()).cloned();
    let options = DeleteOptions::read(body, &asked.query)?;
    if !options.is_dry_run {
        note(asked, &options).await?;
    }
    remove::end(&asked.core, &asked.kind, &asked.key(), &options).await?;
    Ok(Answer::value(201, success()).with_warnings(warnings))
}

/// Says in the status of a pod that it is evicted, unless another pod is meant.
async fn note(asked: &Asked, options: &DeleteOptions) -> Result<(), Refusal> {
    let Asked { core, kind, .. } = asked;
    let now = core.now_text();
    loop {
        let Some(stored) = core.store.find(&asked.key()) else {
            return Err(Refusal::not_found(kind, &asked.target.name));
        };
        let is_other = options.uid.as_deref().is_some_and(|uid| *uid != *stored.facts.uid);
        if is_other || options.resource_version.is_some() || stored.facts.is_terminating {
            return Ok(());
        }
        let pod = builtin::evicted(&stored.object(), &now);
        match write::replace(core, kind, asked.key(), stored.revision, pod).await? {
            Kept::Stored(_) => return Ok(()),
            Kept::Overtaken => {}
        }
    }
}

/// Answers who wants into a container.
pub(super) fn reach(asked: &Asked) -> Result<Answer, Refusal> {
    let Some(pod) = asked.core.store.find(&asked.key()) else {
        return Err(Refusal::not_found(&asked.kind, &asked.target.name));
    };
    let pod = pod.object();
    let node = pod["spec"]["nodeName"].as_str().unwrap_or("");
    let name = &asked.target.name;
    match (node, asked.target.subresource.as_str()) {
        // compat: a pod that runs nowhere has said nothing yet
        ("", "log") => return Ok(Answer::text(204, "")),
        ("", "proxy") => return Err(Refusal::bad_request("address not allowed")),
        ("", _) => {
            let message = format!("pod {name} does not have a host assigned");
            return Err(Refusal::bad_request(message));
        }
        _ => {}
    }
    if asked.core.store.find(&Key::new("nodes", "", node)).is_none() {
        // compat: the server calls the node it looks for a pod
        return Err(Refusal::not_found(&asked.kind, node));
    }
    let message = format!("Internal error occurred: no kubelet answers on node {node}");
    let details = json!({"causes": [{"message": format!("no kubelet answers on node {node}")}]});
    Err(Refusal::new(500, "InternalError", message).with_details(details))
}
