//! Which object a write, an event or a finding is about.
//!
//! Invariant: a name of the whole cluster has an empty namespace.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};
use udn_model::{NodeName, ObjectName};

use crate::kind::Kind;

/// Which object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Target {
    pub kind: Kind,
    /// Empty for objects of the whole cluster.
    pub namespace: String,
    pub name: String,
}

impl Target {
    pub fn nad(name: &ObjectName) -> Self {
        Self::namespaced(Kind::Nad, name)
    }

    pub fn pod(name: &ObjectName) -> Self {
        Self::namespaced(Kind::Pod, name)
    }

    pub fn claim(name: &ObjectName) -> Self {
        Self::namespaced(Kind::Claim, name)
    }

    pub fn node(name: &NodeName) -> Self {
        Self { kind: Kind::Node, namespace: String::new(), name: name.to_string() }
    }

    fn namespaced(kind: Kind, name: &ObjectName) -> Self {
        Self { kind, namespace: name.namespace.to_string(), name: name.name.to_string() }
    }

    /// The object with nothing but its name.
    pub fn object(&self, metadata: Map<String, Value>) -> Value {
        let mut all = metadata;
        all.insert("name".to_owned(), self.name.clone().into());
        if !self.namespace.is_empty() {
            all.insert("namespace".to_owned(), self.namespace.clone().into());
        }
        json!({
            "apiVersion": self.kind.api_version(),
            "kind": self.kind.as_str(),
            "metadata": all,
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name } = self;
        match namespace.as_str() {
            "" => write!(f, "{kind} {name}"),
            namespace => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}
