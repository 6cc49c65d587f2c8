//! The annotation that `kubectl apply` keeps on the client's behalf, when `kubectl` applies here.
//!
//! Reads the live object and the configuration; returns what kubectl may overwrite.
//! Invariant: nothing happens for appliers that are not called `kubectl`.

use kube_schema::go_text;
use serde_json::Value;

use super::Target;
use super::compare::{compare, gather};
use super::fields::Fields;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
const APPLIER: &str = "kubectl";

/// All annotations of an object together may be this long.
// compat: apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB
const MOST_ANNOTATED: usize = 256 * 1024;

/// The fields that kubectl applied from the client and that are still as it applied them.
pub(super) fn allowed(live: &Value, target: Target<'_>, manager: &str) -> Fields {
    let last = annotation(live).filter(|_| manager == APPLIER);
    let last: Option<Value> = last.and_then(|last| serde_json::from_str(last).ok());
    let Some(last) = last.filter(|last| last["apiVersion"] == target.api_version) else {
        return Fields::default();
    };
    let ty = target.ty();
    let mut fields = gather(ty, &last);
    let changes = compare(ty, Some(&last), Some(live));
    fields.subtract(&changes.set);
    fields.subtract(&changes.removed);
    fields
}

/// Writes the configuration into the annotation, where there is one.
pub(super) fn refresh(object: &mut Value, config: &Value, manager: &str) {
    if manager != APPLIER || annotation(object).is_none() {
        return;
    }
    let mut config = config.clone();
    let annotations = config.get_mut("metadata").and_then(|it| it.get_mut("annotations"));
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.remove(ANNOTATION);
    }
    let text = go_text::json(&config) + "\n";
    let Some(annotations) = object["metadata"]["annotations"].as_object_mut() else {
        return;
    };
    annotations.insert(ANNOTATION.to_owned(), text.into());
    let size: usize =
        annotations.iter().map(|(name, it)| name.len() + it.as_str().map_or(0, str::len)).sum();
    if size > MOST_ANNOTATED {
        annotations.remove(ANNOTATION);
    }
}

fn annotation(object: &Value) -> Option<&str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}
