//! Which object a write, an event or a finding is about.
//!
//! Invariant: a name of the whole cluster has an empty namespace.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use udn_model::{NodeName, ObjectName};

use crate::kind::Kind;

/// The longest file name; file systems take 255 bytes.
const LONGEST_FILE_NAME: usize = 240;

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

    /// The name of the target's file in a state directory: `_` is in no name of Kubernetes.
    pub fn file_name(&self) -> String {
        let kind = self.kind.as_str().to_lowercase();
        let parts = [kind.as_str(), &self.namespace, &self.name];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let stem = parts.join("_");
        if stem.len() <= LONGEST_FILE_NAME {
            return format!("{stem}.yaml");
        }
        let digest = Sha256::digest(&stem);
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let start: String = stem.chars().take(LONGEST_FILE_NAME - 60).collect();
        format!("{start}_{hash}.yaml")
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

    /// The object with its name and some annotations.
    pub fn annotated(&self, annotations: &BTreeMap<String, Option<String>>) -> Value {
        let mut metadata = Map::new();
        metadata.insert("annotations".to_owned(), json!(annotations));
        self.object(metadata)
    }
}
