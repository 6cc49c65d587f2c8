//! Who else is asked before something is stored: policies and webhooks.
//!
//! Reads what is to be stored; returns warnings, or the refusal.
//! Invariant: policies see the object as it would be stored.

use kube_schema::{Catalog, Question};
use serde_json::{Value, json};

use crate::auth::User;
use crate::core::Core;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::webhook::Review;

/// What is admitted.
#[derive(Debug)]
pub(crate) struct Admission<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) user: &'a User,
    /// None for a deletion.
    pub(crate) object: Option<&'a Value>,
    /// None for a create.
    pub(crate) old: Option<&'a Value>,
    pub(crate) is_dry_run: bool,
}

/// Lets mutating webhooks change an object before it is judged.
pub(crate) async fn mutate(
    core: &Core,
    admission: &Admission<'_>,
) -> Result<Option<(Value, Vec<String>)>, Refusal> {
    let configurations = core.configurations().mutating;
    if configurations.is_empty() {
        return Ok(None);
    }
    let namespace = core.namespace(admission.namespace);
    let options = admission.options();
    let review = admission.review(&options, namespace.as_ref());
    core.webhooks.mutate(&configurations, review).await.map(Some)
}

/// Asks policies, then validating webhooks.
pub(crate) async fn admit(core: &Core, admission: &Admission<'_>) -> Result<Vec<String>, Refusal> {
    if let Some(object) = admission.object {
        core.access.confirm(admission.user, object, admission.old)?;
    }
    let configurations = core.configurations().validating;
    let policies = core.policies();
    if configurations.is_empty() && policies.policies().next().is_none() {
        return Ok(Vec::new());
    }
    let namespace = core.namespace(admission.namespace);
    let mut warnings = ask_policies(&policies, admission, namespace.as_ref())?;
    let options = admission.options();
    let review = admission.review(&options, namespace.as_ref());
    warnings.extend(core.webhooks.validate(&configurations, review).await?);
    Ok(warnings)
}

fn ask_policies(
    policies: &Catalog,
    admission: &Admission<'_>,
    namespace: Option<&Value>,
) -> Result<Vec<String>, Refusal> {
    let kind = admission.kind;
    // Policies are not asked about policies, lest one locks everybody out.
    if kind.group == "admissionregistration.k8s.io" || policies.policies().next().is_none() {
        return Ok(Vec::new());
    }
    let opinion = policies.ask(&Question {
        group: &kind.group,
        version: &kind.version,
        kind: &kind.kind,
        resource: &kind.plural,
        scope: kind.scope,
        subresource: admission.subresource,
        name: admission.name,
        namespace_name: admission.namespace,
        operation: admission.operation(),
        object: admission.object,
        old: admission.old,
        namespace,
        user: &admission.user.to_value(),
        is_dry_run: admission.is_dry_run,
    });
    match opinion.refusal {
        Some(status) => Err(Refusal::from_status(&status)),
        None => Ok(opinion.warnings),
    }
}

impl Admission<'_> {
    /// The options of the request, as webhooks are told of them.
    fn options(&self) -> Value {
        let kind = match self.operation() {
            "CREATE" => "CreateOptions",
            "DELETE" => "DeleteOptions",
            _ => "UpdateOptions",
        };
        let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
        if self.is_dry_run {
            options["dryRun"] = json!(["All"]);
        }
        options
    }

    fn review<'b>(&'b self, options: &'b Value, namespace: Option<&'b Value>) -> Review<'b> {
        let is_namespace = self.kind.group.is_empty() && self.kind.plural == "namespaces";
        Review {
            operation: self.operation(),
            kind: self.kind,
            subresource: self.subresource,
            name: self.name,
            namespace: if is_namespace { self.name } else { self.namespace },
            object: self.object,
            old_object: self.old,
            options,
            is_dry_run: self.is_dry_run,
            user: self.user,
            namespace_object: namespace,
        }
    }

    pub(crate) fn operation(&self) -> &'static str {
        match (self.object, self.old) {
            (Some(_), Some(_)) => "UPDATE",
            (None, Some(_)) => "DELETE",
            (Some(_) | None, None) => "CREATE",
        }
    }
}
