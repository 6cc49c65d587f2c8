//! The roles and bindings that stand from the start.
//!
//! Reads a file that was asked of kube-apiserver; returns its objects.
//! Invariant: they are a part of what the server itself creates, unchanged.

use serde_json::Value;

#[cfg(test)]
mod tests;

pub(crate) fn bootstrap() -> Vec<Value> {
    serde_json::from_str(include_str!("bootstrap.json")).expect("the file is a list of objects")
}
