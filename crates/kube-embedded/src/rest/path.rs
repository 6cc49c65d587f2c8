//! What a path leads to.
//!
//! Reads a path as it stands in the request line; returns the resource it names, or its parts.
//! Invariant: names in a target are as decoded; whether they exist is asked elsewhere.

use std::borrow::Cow;

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    Resource(Target),
    /// Documents and health, by their path without slashes at the ends.
    Other(String),
}

/// A resource, or an object of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) resource: String,
    /// Empty without a namespace.
    pub(crate) namespace: String,
    /// Empty for the whole collection.
    pub(crate) name: String,
    pub(crate) subresource: String,
    /// Whether the path goes on behind the subresource.
    pub(crate) is_beyond: bool,
    /// Whether the path is one of the old `/watch/` ones.
    pub(crate) is_watch: bool,
}

impl Route {
    /// Reads a path; none if it is malformed.
    pub(crate) fn read(path: &str) -> Option<Self> {
        if path.starts_with("//") {
            return Some(Self::Other(path.to_owned()));
        }
        if !has_whole_escapes(path) {
            return None;
        }
        // What is no text names nothing, but may be asked for.
        let path: Cow<'_, str> = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        let trimmed = path.trim_matches('/');
        let parts: Vec<&str> = trimmed.split('/').collect();
        let target = match &parts[..] {
            ["api", version, rest @ ..] if !rest.is_empty() => target("", version, rest),
            ["apis", group, version, rest @ ..] if !rest.is_empty() => target(group, version, rest),
            _ => None,
        };
        Some(match target {
            Some(target) => Self::Resource(target),
            None => Self::Other(trimmed.to_owned()),
        })
    }
}

/// Whether two digits follow every percent sign.
fn has_whole_escapes(path: &str) -> bool {
    let mut after = path.split('%').skip(1).map(str::as_bytes);
    after.all(|it| it.len() >= 2 && it[..2].iter().all(u8::is_ascii_hexdigit))
}

fn target(group: &str, version: &str, parts: &[&str]) -> Option<Target> {
    let (is_watch, parts) = match parts {
        ["watch", rest @ ..] => (true, rest),
        _ => (false, parts),
    };
    let mut target = Target {
        group: group.to_owned(),
        version: version.to_owned(),
        is_watch,
        ..Target::default()
    };
    let rest = match parts {
        // A namespace itself, and what stands below it.
        ["namespaces", name] => return Some(target.object("namespaces", name, "")),
        ["namespaces", name, below @ ("status" | "finalize")] if group.is_empty() => {
            return Some(target.object("namespaces", name, below));
        }
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => {
            (*namespace).clone_into(&mut target.namespace);
            rest
        }
        rest => rest,
    };
    match rest {
        [resource] => Some(target.object(resource, "", "")),
        [resource, name] => Some(target.object(resource, name, "")),
        [resource, name, below, rest @ ..] => {
            target.is_beyond = !rest.is_empty();
            Some(target.object(resource, name, below))
        }
        _ => None,
    }
}

impl Target {
    fn object(mut self, resource: &str, name: &str, subresource: &str) -> Self {
        resource.clone_into(&mut self.resource);
        name.clone_into(&mut self.name);
        subresource.clone_into(&mut self.subresource);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, Target};

    fn check(path: &str, want: [&str; 6]) {
        let Some(Route::Resource(target)) = Route::read(path) else {
            panic!("{path} names no resource");
        };
        let Target { group, version, namespace, resource, name, subresource, .. } = target;
        assert_eq!([group, version, namespace, resource, name, subresource], want, "{path}");
    }

    #[test]
    fn paths_name_resources() {
        check("/api/v1/pods", ["", "v1", "", "pods", "", ""]);
        check("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]);
        check("/api/v1/namespaces/a", ["", "v1", "", "namespaces", "a", ""]);
        check("/api/v1/namespaces/a/status", ["", "v1", "", "namespaces", "a", "status"]);
        check("/api/v1/namespaces/a/pods/b/status", ["", "v1", "a", "pods", "b", "status"]);
        check("/apis/g.org/v2/nets/b", ["g.org", "v2", "", "nets", "b", ""]);
        check("/apis/g.org/v2/namespaces/a/nets", ["g.org", "v2", "a", "nets", "", ""]);
        check("/api/v1/namespaces/a/pods/b%2Fstatus", ["", "v1", "a", "pods", "b", "status"]);
    }

    #[test]
    fn documents_name_no_resource() {
        for path in ["/", "/api", "/api/v1", "/apis/g/v1", "/openapi/v3/api/v1", "/healthz"] {
            assert!(matches!(Route::read(path), Some(Route::Other(_))), "{path}");
        }
    }
}
