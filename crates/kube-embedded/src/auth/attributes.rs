//! What is asked for, as authorization sees it.
//!
//! Made from the path and method of a request; returns the refusal if nobody grants it.
//! Invariant: the words of the refusal are those of kube-apiserver.

use serde_json::{Map, Value, json};

use super::User;
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// One action on a resource or on another path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attributes<'a> {
    /// In lower case; the HTTP method where the path is no resource.
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) subresource: &'a str,
    /// Empty for the whole cluster. A namespace counts as living in itself.
    pub(crate) namespace: &'a str,
    /// Empty for a collection.
    pub(crate) name: &'a str,
    /// The path of a request that is about no resource.
    pub(crate) path: Option<&'a str>,
}

impl<'a> Attributes<'a> {
    /// A request that is about no resource.
    pub(crate) fn of_path(verb: &'a str, path: &'a str) -> Self {
        Self { verb, path: Some(path), ..Self::default() }
    }

    /// The resource as rules name it: `pods` or `pods/log`.
    pub(crate) fn full_resource(&self) -> String {
        match self.subresource {
            "" => self.resource.to_owned(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }

    /// The refusal for a user to whom nobody grants this; `why` may be empty.
    pub(crate) fn forbidden(&self, user: &User, why: &str) -> Refusal {
        let (user, verb) = (&user.name, self.verb);
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        if let Some(path) = self.path {
            let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}{why}");
            return Refusal::new(403, "Forbidden", message).with_details(json!({}));
        }
        let (resource, group) = (self.full_resource(), self.group);
        let place = match self.namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {namespace:?}"),
        };
        self.refused(&format!(
            "User {user:?} cannot {verb} resource {resource:?} in API group {group:?} {place}{why}"
        ))
    }

    /// The refusal with a reason of its own: `pods "x" is forbidden: …`.
    pub(crate) fn refused(&self, why: &str) -> Refusal {
        let what = match self.group {
            "" => self.resource.to_owned(),
            group => format!("{}.{group}", self.resource),
        };
        let message = match self.name {
            "" => format!("{what} is forbidden: {why}"),
            name => format!("{what} {name:?} is forbidden: {why}"),
        };
        Refusal::new(403, "Forbidden", message).with_details(self.details())
    }

    fn details(&self) -> Value {
        let named = [("name", self.name), ("group", self.group), ("kind", self.resource)];
        let named = named.into_iter().filter(|(_, text)| !text.is_empty());
        Value::Object(named.map(|(key, text)| (key.to_owned(), json!(text))).collect::<Map<_, _>>())
    }
}
