//! One thing to write, for a server or for a state directory.
//!
//! Invariant: an annotation publication carries all that we write on its target, so that its file
//! can be replaced as a whole.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use udn_wire::Target;

/// One change to one object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Publication {
    pub target: Target,
    pub change: Change,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// The whole object.
    Apply(Value),
    /// Some annotations; `None` removes one, which a state directory cannot say.
    Annotate(BTreeMap<String, Option<String>>),
    /// First our finalizer goes, then the object.
    Delete,
}

impl Publication {
    /// Annotations to write on a target.
    pub fn annotate(target: Target, annotations: BTreeMap<String, String>) -> Self {
        let annotations = annotations.into_iter().map(|(key, text)| (key, Some(text)));
        Self { target, change: Change::Annotate(annotations.collect()) }
    }

    /// The text of the target's file in a state directory; `None` when the file must go.
    pub fn to_yaml(&self) -> Option<String> {
        let object = match &self.change {
            Change::Apply(object) => object.clone(),
            Change::Annotate(annotations) => self.target.annotated(annotations),
            Change::Delete => return None,
        };
        let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
        let text = serde_saphyr::to_string_with_options(&object, options);
        Some(text.expect("a JSON value can be written as YAML"))
    }
}
