//! A request for one resource: who asks what, of which object, and how.
//!
//! Invariant: everything a verb needs to know is here, read once.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use bytes::Bytes;
use serde_json::Value;

use super::accept::Accepted;
use super::identity;
use super::intake;
use super::path::Target;
use super::query::Query;
use super::shown::Shown;
use crate::apply::{self, Manager};
use crate::auth::User;
use crate::core::Core;
use crate::kinds::{FieldValidation, Kind};
use crate::refusal::Refusal;
use crate::store::Key;
use crate::table::Include;

/// One request.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) core: Arc<Core>,
    pub(crate) kind: Arc<Kind>,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) user: User,
    pub(crate) accepted: Accepted,
    /// How many changes ago a list is to be, as a fault.
    pub(crate) stale: Option<u64>,
}

/// How a write is to be made.
#[derive(Debug, Clone)]
pub(crate) struct WriteOptions {
    pub(crate) is_dry_run: bool,
    pub(crate) field_validation: FieldValidation,
    /// Who owns the fields that change.
    pub(crate) manager: String,
    /// Whether the object says already who owns its fields.
    pub(crate) is_tracked: bool,
    /// Complaints about how the object was written, for those who want them.
    pub(crate) complaints: Vec<String>,
}

impl Asked {
    pub(crate) fn shown(&self) -> Result<Shown<'_>, Refusal> {
        Ok(Shown {
            kind: &self.kind,
            view: self.accepted.view,
            is_old: self.accepted.is_old,
            include: Include::parse(self.query.first("includeObject").unwrap_or(""))?,
            now: self.core.now_text(),
        })
    }

    /// The namespace the request is about; none for all of them.
    pub(crate) fn namespace(&self) -> Option<&str> {
        let namespace = self.target.namespace.as_str();
        (!namespace.is_empty()).then_some(namespace)
    }

    pub(crate) fn key(&self) -> Key {
        self.key_of(&self.target.name)
    }

    pub(crate) fn key_of(&self, name: &str) -> Key {
        Key::new(&self.kind.storage(), &self.target.namespace, name)
    }

    pub(crate) fn write_options(&self, options_kind: &str) -> Result<WriteOptions, Refusal> {
        let dry_run: Vec<&str> = self.query.all("dryRun").collect();
        let invalid = |field: &str, why: String| {
            let message = format!("{options_kind}.meta.k8s.io \"\" is invalid: {field}: {why}");
            let causes = serde_json::json!([
                {"reason": "FieldValueNotSupported", "message": why, "field": field}
            ]);
            let details = serde_json::json!(
                {"group": "meta.k8s.io", "kind": options_kind, "causes": causes}
            );
            Refusal::new(422, "Invalid", message).with_details(details)
        };
        if dry_run.iter().any(|it| *it != "All") {
            let list = serde_json::json!(dry_run);
            let why = format!("Unsupported value: {list}: supported values: \"All\"");
            return Err(invalid("dryRun", why));
        }
        let field_validation = self.query.field_validation().ok_or_else(|| {
            let given = self.query.first("fieldValidation").unwrap_or("");
            let why = format!(
                "Unsupported value: {given:?}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""
            );
            invalid("fieldValidation", why)
        })?;
        let given = self.query.first("fieldManager").unwrap_or("");
        let is_patch = options_kind == "PatchOptions";
        let is_apply = is_patch
            .then(|| intake::content_type(&self.headers).starts_with("application/apply-patch"));
        apply::check_options(options_kind, given, is_apply, self.query.optional_flag("force"))?;
        Ok(WriteOptions {
            is_dry_run: !dry_run.is_empty(),
            field_validation,
            manager: apply::manager_of(given, self.agent()),
            is_tracked: false,
            complaints: Vec::new(),
        })
    }

    /// Records who owns the fields of an object.
    pub(crate) fn track(&self, old: Option<&Value>, new: &mut Value, manager: &str, time: &str) {
        let manager = Manager { name: manager, time };
        self.with_tracking(|target| apply::track(old, new, target, manager));
    }

    /// Hands over where fields are tracked, and by which rules.
    pub(crate) fn with_tracking<T>(&self, act: impl FnOnce(apply::Target<'_>) -> T) -> T {
        let api_version = self.kind.api_version();
        let served = self.core.served();
        let served = served.all().iter();
        let served = served.filter(|it| it.kind == self.kind.kind && it.group == self.kind.group);
        let served: Vec<String> = served.map(|it| it.api_version()).collect();
        let served: Vec<&str> = served.iter().map(String::as_str).collect();
        act(apply::Target {
            kind: &self.kind.kind,
            api_version: &api_version,
            schema: &self.kind.schema,
            is_custom: self.kind.built_in().is_none(),
            subresource: &self.target.subresource,
            ignored: identity::reset_fields(&self.kind, &self.target.subresource),
            served: &served,
        })
    }

    /// Who asks, as a program: what it calls itself before the first slash.
    fn agent(&self) -> &str {
        self.headers.get(USER_AGENT).and_then(|it| it.to_str().ok()).unwrap_or("")
    }
}
