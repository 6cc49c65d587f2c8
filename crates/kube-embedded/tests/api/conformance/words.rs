//! Turns requests as they are written into requests as they are sent.
//!
//! Reads an [`Ask`] and the [`Words`] of a run; returns a [`Message`].
//! Invariant: `NS` and `GROUP` differ from run to run, and in nothing but their letters.

use std::collections::BTreeMap;

use serde_json::Value;

use super::script::Ask;

/// Short names of resources: plural, group and version, kind, and whether it is namespaced.
const RESOURCES: &[(&str, &str, &str, bool)] = &[
    ("configmaps", "v1", "ConfigMap", true),
    ("endpoints", "v1", "Endpoints", true),
    ("endpointslices", "discovery.k8s.io/v1", "EndpointSlice", true),
    ("events", "v1", "Event", true),
    ("leases", "coordination.k8s.io/v1", "Lease", true),
    ("namespaces", "v1", "Namespace", false),
    ("nodes", "v1", "Node", false),
    ("pods", "v1", "Pod", true),
    ("secrets", "v1", "Secret", true),
    ("serviceaccounts", "v1", "ServiceAccount", true),
    ("services", "v1", "Service", true),
    ("newevents", "events.k8s.io/v1", "Event", true),
    ("crds", "apiextensions.k8s.io/v1", "CustomResourceDefinition", false),
    ("policies", "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", false),
    ("bindings", "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", false),
    ("roles", "rbac.authorization.k8s.io/v1", "Role", true),
    ("rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding", true),
    ("clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole", false),
    ("clusterrolebindings", "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", false),
    ("widgets", "GROUP/v1", "Widget", true),
    ("oldwidgets", "GROUP/v1beta1", "Widget", true),
    ("gadgets", "GROUP/v1", "Gadget", false),
];

/// Short names that are not the plural.
const PLURALS: &[(&str, &str)] = &[
    ("newevents", "events"),
    ("crds", "customresourcedefinitions"),
    ("policies", "validatingadmissionpolicies"),
    ("bindings", "validatingadmissionpolicybindings"),
    ("oldwidgets", "widgets"),
];

/// What the words of a script stand for.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    pub(crate) namespace: String,
    pub(crate) group: String,
    pub(crate) variables: BTreeMap<String, String>,
}

/// A request ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Words {
    pub(crate) fn message(&self, ask: &Ask) -> Message {
        let (path, kind) = self.path(&ask.path);
        let (method, content) = match ask.verb.as_str() {
            "APPLY" => ("PATCH", "application/apply-patch+yaml"),
            "MERGE" => ("PATCH", "application/merge-patch+json"),
            "STRATEGIC" => ("PATCH", "application/strategic-merge-patch+json"),
            "JSON" => ("PATCH", "application/json-patch+json"),
            verb => (verb, "application/json"),
        };
        let takes_kind = matches!(ask.verb.as_str(), "APPLY" | "POST" | "PUT");
        let body = self.body(&ask.body, kind.filter(|_| takes_kind));
        let mut headers: Vec<_> =
            ask.headers.iter().map(|(name, value)| (name.clone(), self.expand(value))).collect();
        if !body.is_empty() && !has(&headers, "content-type") {
            headers.push(("content-type".to_owned(), content.to_owned()));
        }
        if !has(&headers, "accept") {
            headers.push(("accept".to_owned(), "application/json".to_owned()));
        }
        headers.push(("user-agent".to_owned(), "conformance/1".to_owned()));
        Message { method: method.to_owned(), path, headers, body }
    }

    /// A literal path, or one that starts with the short name of a resource.
    fn path(&self, path: &str) -> (String, Option<(String, &'static str)>) {
        let path = self.expand(path);
        if path.starts_with('/') {
            return (path, None);
        }
        let end = path.find(['/', '?']).unwrap_or(path.len());
        let (short, rest) = path.split_at(end);
        let known = RESOURCES.iter().find(|(name, ..)| *name == short);
        let (_, version, kind, is_namespaced) = known.unwrap_or_else(|| panic!("what is {path}?"));
        let plural = PLURALS.iter().find(|(name, _)| *name == short).map_or(short, |(_, it)| it);
        let version = self.expand(version);
        let root = if version.contains('/') { "apis" } else { "api" };
        let place = match is_namespaced {
            true => format!("namespaces/{}/", self.namespace),
            false => String::new(),
        };
        let below = rest.split('?').next().unwrap_or("").split('/').nth(2);
        let is_whole = matches!(below, None | Some("status" | "finalize"));
        let kind = is_whole.then(|| (version.clone(), *kind));
        (format!("/{root}/{version}/{place}{plural}{rest}"), kind)
    }

    fn body(&self, text: &str, kind: Option<(String, &str)>) -> Vec<u8> {
        let text = self.expand(text);
        if text.trim().is_empty() {
            return Vec::new();
        }
        if let Some(raw) = text.strip_prefix("raw") {
            return raw.as_bytes()[1..].to_vec();
        }
        let (text, is_exact) = match text.strip_prefix('!') {
            Some(text) => (text, true),
            None => (text.as_str(), false),
        };
        // Otherwise `y` would be true.
        let options = serde_saphyr::options! { strict_booleans: true };
        let parsed = serde_saphyr::from_str_with_options(text, options);
        let mut value: Value = parsed.unwrap_or_else(|error| panic!("{text}: {error}"));
        if let (Some(object), Some((version, kind)), false) =
            (value.as_object_mut(), kind, is_exact)
        {
            object.entry("apiVersion").or_insert_with(|| Value::from(version));
            object.entry("kind").or_insert_with(|| Value::from(kind));
        }
        serde_json::to_vec(&value).expect("a value is JSON")
    }

    /// Replaces `NS`, `GROUP`, `${variable}`, `${repeat text count}` and
    /// `${operations count}`.
    pub(crate) fn expand(&self, text: &str) -> String {
        let text = replace_word(text, "NS", &self.namespace);
        let text = replace_word(&text, "GROUP", &self.group);
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((head, tail)) = rest.split_once("${") {
            let (inner, after) = tail.split_once('}').expect("a variable is closed");
            out.push_str(head);
            out.push_str(&self.value(inner));
            rest = after;
        }
        out + rest
    }

    fn value(&self, inner: &str) -> String {
        let parts: Vec<&str> = inner.split(' ').collect();
        match parts.as_slice() {
            ["repeat", text, count] => text.repeat(count.parse().expect("it is a count")),
            ["operations", count] => {
                let one = r#"{"op":"test","path":"/data/x","value":"1"}"#;
                vec![one; count.parse().expect("it is a count")].join(",")
            }
            _ => self.variables.get(inner).unwrap_or_else(|| panic!("what is {inner}?")).clone(),
        }
    }
}

fn has(headers: &[(String, String)], name: &str) -> bool {
    headers.iter().any(|(it, _)| it.eq_ignore_ascii_case(name))
}

fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (head, tail) = rest.split_at(at);
        let after = &tail[word.len()..];
        out.push_str(head);
        let joined = head.chars().next_back().is_some_and(char::is_alphabetic)
            || after.chars().next().is_some_and(char::is_alphabetic);
        out.push_str(if joined { word } else { by });
        rest = after;
    }
    out + rest
}
