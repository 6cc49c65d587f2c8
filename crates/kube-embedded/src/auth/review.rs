//! Answers the questions clients ask about themselves and others.
//!
//! Reads a review object; returns it with its status filled in.
//! Invariant: an answer is what the same request would be decided by, and changes nothing.

use serde_json::{Map, Value, json};

use super::authenticate::{Accounts, Authenticator};
use super::rbac::{Rule, go_list};
use super::{Attributes, Authorizer, User};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// Answers a review of any kind but [`review_token`]'s; `now` in RFC 3339.
pub(crate) fn review(
    request: &Value,
    user: &User,
    authorizer: &Authorizer,
    now: &str,
) -> Result<Value, Refusal> {
    let spec = &request["spec"];
    let status = match request["kind"].as_str() {
        Some("SelfSubjectReview") => {
            return Ok(answered(
                request,
                json!({"creationTimestamp": now}),
                None,
                json!({"userInfo": user.to_value()}),
            ));
        }
        Some("SelfSubjectRulesReview") => {
            let status = rules(spec, user, authorizer)?;
            return Ok(answered(request, metadata(request), Some(json!({})), status));
        }
        Some("SelfSubjectAccessReview") => {
            check_attributes(spec)?;
            access(spec, user, authorizer)
        }
        Some("SubjectAccessReview") => {
            check_attributes(spec)?;
            access(spec, &subject(spec)?, authorizer)
        }
        Some("LocalSubjectAccessReview") => {
            check_attributes(spec)?;
            let subject = subject(spec)?;
            check_local(request)?;
            access(spec, &subject, authorizer)
        }
        _ => return Err(Refusal::no_such_resource()),
    };
    Ok(answered(request, metadata(request), Some(spec.clone()), status))
}

/// Answers a `TokenReview`; `now` in seconds since 1970.
pub(crate) fn review_token(
    request: &Value,
    authenticator: &Authenticator,
    accounts: Accounts<'_>,
    now: i64,
) -> Result<Value, Refusal> {
    let spec = &request["spec"];
    let Some(token) = spec["token"].as_str().filter(|token| !token.is_empty()) else {
        let message = "token is required for TokenReview in authentication";
        return Err(Refusal::bad_request(message));
    };
    let wanted = texts(&spec["audiences"]);
    let own = vec![authenticator.signer().issuer().to_owned()];
    let wanted = if wanted.is_empty() { own } else { wanted };
    let status = match authenticator.known(token, accounts, now) {
        Some(known) => {
            let met: Vec<&String> =
                wanted.iter().filter(|audience| known.audiences.contains(audience)).collect();
            match met.is_empty() {
                false => json!({
                    "authenticated": true,
                    "user": known.user.to_value(),
                    "audiences": met,
                }),
                true => failed(&format!(
                    "[invalid bearer token, token audiences {} is invalid for the target \
                     audiences {}]",
                    go_list(&known.audiences),
                    go_list(&wanted),
                )),
            }
        }
        None => failed("invalid bearer token"),
    };
    Ok(answered(request, metadata(request), Some(spec.clone()), status))
}

fn failed(why: &str) -> Value {
    json!({"user": {}, "error": why})
}

fn answered(request: &Value, metadata: Value, spec: Option<Value>, status: Value) -> Value {
    let mut answer = Map::new();
    for name in ["apiVersion", "kind"] {
        answer.insert(name.to_owned(), request[name].clone());
    }
    answer.insert("metadata".to_owned(), metadata);
    if let Some(spec) = spec {
        answer.insert("spec".to_owned(), spec);
    }
    answer.insert("status".to_owned(), status);
    Value::Object(answer)
}

fn metadata(request: &Value) -> Value {
    match &request["metadata"] {
        Value::Null => json!({}),
        metadata => metadata.clone(),
    }
}

fn access(spec: &Value, user: &User, authorizer: &Authorizer) -> Value {
    let decision = authorizer.decide(user, &attributes(spec));
    let mut status = json!({"allowed": decision.allowed});
    if !decision.reason.is_empty() {
        status["reason"] = json!(decision.reason);
    }
    status
}

fn attributes(spec: &Value) -> Attributes<'_> {
    let resource = &spec["resourceAttributes"];
    if resource.is_null() {
        let path = &spec["nonResourceAttributes"];
        return Attributes::of_path(text(&path["verb"]), text(&path["path"]));
    }
    Attributes {
        verb: text(&resource["verb"]),
        group: text(&resource["group"]),
        version: text(&resource["version"]),
        resource: text(&resource["resource"]),
        subresource: text(&resource["subresource"]),
        namespace: text(&resource["namespace"]),
        name: text(&resource["name"]),
        path: None,
    }
}

/// The user in the question.
fn subject(spec: &Value) -> Result<User, Refusal> {
    let (name, groups) = (text(&spec["user"]), texts(&spec["groups"]));
    if name.is_empty() && groups.is_empty() {
        let why = "at least one of user or group must be specified";
        return Err(invalid("spec.user", "\"\"", why));
    }
    let extra = spec["extra"].as_object().into_iter().flatten();
    let extra = extra.map(|(key, values)| (key.clone(), texts(values))).collect();
    Ok(User { name: name.to_owned(), uid: text(&spec["uid"]).to_owned(), groups, extra })
}

fn check_attributes(spec: &Value) -> Result<(), Refusal> {
    let has = |field: &str| !spec[field].is_null();
    match (has("resourceAttributes"), has("nonResourceAttributes")) {
        (true, true) => {
            let why = "cannot be specified in combination with resourceAttributes";
            Err(invalid("spec.nonResourceAttributes", &printed_path(spec), why))
        }
        (false, false) => {
            let why =
                "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            Err(invalid("spec.resourceAttributes", "null", why))
        }
        (true, false) | (false, true) => Ok(()),
    }
}

fn check_local(request: &Value) -> Result<(), Refusal> {
    let spec = &request["spec"];
    if !spec["nonResourceAttributes"].is_null() {
        let why = "disallowed on this kind of request";
        return Err(invalid("spec.nonResourceAttributes", &printed_path(spec), why));
    }
    let namespace = text(&spec["resourceAttributes"]["namespace"]);
    if namespace != text(&request["metadata"]["namespace"]) {
        let field = "spec.resourceAttributes.namespace";
        return Err(invalid(field, &json!(namespace).to_string(), "must match metadata.namespace"));
    }
    Ok(())
}

/// The attributes as Go's encoder writes the server's inner type.
fn printed_path(spec: &Value) -> String {
    let path = &spec["nonResourceAttributes"];
    json!({"Path": text(&path["path"]), "Verb": text(&path["verb"])}).to_string()
}

/// The server names no kind here.
fn invalid(field: &str, value: &str, why: &str) -> Refusal {
    let cause = format!("Invalid value: {value}: {why}");
    let message = format!(".authorization.k8s.io \"\" is invalid: {field}: {cause}");
    Refusal::new(422, "Invalid", message).with_details(json!({
        "group": "authorization.k8s.io",
        "causes": [{"reason": "FieldValueInvalid", "message": cause, "field": field}],
    }))
}

fn rules(spec: &Value, user: &User, authorizer: &Authorizer) -> Result<Value, Refusal> {
    let namespace = text(&spec["namespace"]);
    if namespace.is_empty() {
        return Err(Refusal::bad_request("no namespace on request"));
    }
    let everything = Rule::everything();
    let held: Vec<&Rule> = match authorizer {
        Authorizer::AlwaysAllow => everything.iter().collect(),
        Authorizer::Rbac(rules) => rules.rules_of(user, namespace),
    };
    let listed = |is_wanted: fn(&Rule) -> bool| -> Vec<Value> {
        held.iter().filter(|rule| is_wanted(rule)).map(|rule| rule.to_value()).collect()
    };
    Ok(json!({
        "resourceRules": listed(|rule| !rule.resources.is_empty()),
        "nonResourceRules": listed(|rule| !rule.paths.is_empty()),
        "incomplete": false,
    }))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
