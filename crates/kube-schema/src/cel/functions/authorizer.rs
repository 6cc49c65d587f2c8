//! The authorizer of admission policies, which only a server has.
//!
//! Declared so that expressions check as on the server; running one is an error.
//! Invariant: no expression is ever told that it is allowed to do something.

use super::{Failure, Implementation};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "allowed" | "check" | "error" | "errored" | "fieldSelector" | "group" | "labelSelector"
        | "name" | "namespace" | "path" | "reason" | "resource" | "serviceAccount"
        | "subresource" => |_| Err(Failure::new("the authorizer is known to the server alone")),
        _ => return None,
    })
}
