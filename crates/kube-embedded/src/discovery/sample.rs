//! Kinds for tests: two custom ones, and a few of the built-in ones.
//!
//! Reads the definitions beside this file; returns kinds.
//! Invariant: the definitions are those the expected answers were observed with.

use std::sync::Arc;

use serde_json::Value;

use crate::builtin;
use crate::kinds::Kind;
use crate::served;

/// `widgets.example.org` in two versions and `gizmos.other.example.org`.
pub(crate) fn custom() -> Vec<Arc<Kind>> {
    let text = include_str!("sample/definitions.json");
    let manifests: Vec<Value> = serde_json::from_str(text).expect("the file is JSON");
    manifests.iter().flat_map(served::custom_kinds).map(Arc::new).collect()
}

/// The served versions of a definition.
pub(crate) fn kinds_of(manifest: &Value) -> Vec<Kind> {
    served::custom_kinds(manifest)
}

/// Pods, namespaces and limit ranges.
pub(crate) fn core() -> Vec<Arc<Kind>> {
    ["LimitRange", "Namespace", "Pod"].map(|kind| Arc::new(built_in("", kind))).into()
}

/// A built-in kind.
pub(crate) fn built_in(group: &str, kind: &str) -> Kind {
    let mut kinds = builtin::kinds().into_iter();
    let found = kinds.find(|it| it.group == group && it.kind == kind);
    found.unwrap_or_else(|| panic!("{kind} of {group:?} is built in"))
}
