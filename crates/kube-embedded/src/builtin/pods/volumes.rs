//! What the server fills in of a volume, and what it checks.
//!
//! Changes volumes of pods and of templates.
//! Invariant: filling in twice changes nothing.

use kube_schema::{FieldError, Path};
use serde_json::{Value, json};

use crate::builtin::fields::{fill, fill_absent, has, items_mut, text};

/// Read by everyone, written by the owner.
const MODE: i64 = 0o644;

pub(super) fn default(volume: &mut Value) {
    let has_source =
        volume.as_object().is_some_and(|fields| fields.keys().any(|name| name != "name"));
    if !has_source {
        volume["emptyDir"] = json!({});
    }
    for name in ["secret", "configMap", "downwardAPI", "projected"] {
        if has(volume, name) {
            fill_absent(&mut volume[name], "defaultMode", MODE);
        }
    }
    if has(volume, "downwardAPI") {
        references(&mut volume["downwardAPI"]);
    }
    if has(volume, "hostPath") {
        fill_absent(&mut volume["hostPath"], "type", "");
    }
    if has(volume, "projected") {
        for source in items_mut(&mut volume["projected"], "sources") {
            if has(source, "serviceAccountToken") {
                fill_absent(&mut source["serviceAccountToken"], "expirationSeconds", 3600);
            }
            if has(source, "downwardAPI") {
                references(&mut source["downwardAPI"]);
            }
        }
    }
    if has(volume, "ephemeral") && has(&volume["ephemeral"], "volumeClaimTemplate") {
        let template = &mut volume["ephemeral"]["volumeClaimTemplate"];
        fill(&mut template["spec"], "volumeMode", "Filesystem");
    }
    iscsi(volume);
}

fn references(source: &mut Value) {
    for item in items_mut(source, "items") {
        if has(item, "fieldRef") {
            fill(&mut item["fieldRef"], "apiVersion", "v1");
        }
    }
}

fn iscsi(volume: &mut Value) {
    if has(volume, "iscsi") {
        fill(&mut volume["iscsi"], "iscsiInterface", "default");
    }
}

/// Checks that a volume has one source, and that the source says what it is.
pub(super) fn check(volume: &Value, at: &Path) -> Vec<FieldError> {
    let needed = [
        ("hostPath", "path"),
        ("secret", "secretName"),
        ("configMap", "name"),
        ("persistentVolumeClaim", "claimName"),
    ];
    let mut errors = Vec::new();
    let sources = volume.as_object().map_or(0, |fields| fields.len() - 1);
    for (source, field) in needed {
        if has(volume, source) && text(&volume[source], &format!("/{field}")).is_empty() {
            errors.push(FieldError::required(at.field(source).field(field), ""));
        }
    }
    if sources > 1 {
        let order = ["hostPath", "secret", "persistentVolumeClaim", "downwardAPI", "configMap"];
        let second = order.iter().rfind(|name| has(volume, name)).unwrap_or(&"projected");
        let why = "may not specify more than 1 volume type";
        errors.push(FieldError::forbidden(at.field(second), why));
    }
    errors
}
