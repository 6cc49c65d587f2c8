//! Asks admission webhooks about a request.
//!
//! Reads webhook configurations and a [`Review`]; returns the changed object and warnings, or the
//! refusal of the webhook or of the server that could not ask it.
//! Invariant: a webhook is asked only about what it matches, and never about configurations of
//! admission.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::Value;
use tracing::warn;

use crate::auth::{Attributes, User};
use crate::kinds::Kind;
use crate::refusal::Refusal;
use answer::{Role, Verdict};
use conditions::Conditions;
use dial::Caller;
use hook::Hook;

mod answer;
mod conditions;
mod dial;
mod hook;
mod matching;
mod request;

#[cfg(test)]
mod tests;

pub use dial::Resolve;

/// A request that webhooks may be asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Review<'a> {
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub(crate) operation: &'a str,
    pub(crate) kind: &'a Kind,
    /// Empty for the object itself.
    pub(crate) subresource: &'a str,
    pub(crate) name: &'a str,
    /// Empty outside namespaces; a namespace's own name for a namespace.
    pub(crate) namespace: &'a str,
    /// None where it is deleted.
    pub(crate) object: Option<&'a Value>,
    /// None where it is created.
    pub(crate) old_object: Option<&'a Value>,
    /// `CreateOptions` and the like, with kind and version.
    pub(crate) options: &'a Value,
    pub(crate) is_dry_run: bool,
    pub(crate) user: &'a User,
    pub(crate) namespace_object: Option<&'a Value>,
}

/// Asks webhooks.
#[derive(Debug)]
pub(crate) struct Webhooks {
    caller: Caller,
    conditions: Conditions,
}

/// What became of one call, and the version the webhook saw.
type Asked = Result<Option<(Verdict, String)>, Refusal>;

impl Webhooks {
    /// Services are found where `resolve` says.
    pub(crate) fn new(resolve: Resolve) -> Self {
        Self { caller: Caller::new(resolve), conditions: Conditions::new() }
    }

    /// Asks mutating webhooks, one after the other; returns the object as they left it.
    ///
    /// The object of a deletion is null and stays so.
    pub(crate) async fn mutate(
        &self,
        configurations: &[Arc<Value>],
        review: Review<'_>,
    ) -> Result<(Value, Vec<String>), Refusal> {
        let mut draft = Draft { object: review.object.cloned(), warnings: Vec::new() };
        if !configurations.is_empty() && !matching::is_exempt(&review) {
            let hooks = Hook::all(configurations);
            let stale = self.pass(&hooks, &review, &mut draft).await?;
            // Once more for those that have not seen the last word; then no more.
            self.pass(&stale, &review, &mut draft).await?;
        }
        Ok((draft.object.unwrap_or(Value::Null), draft.warnings))
    }

    /// Asks validating webhooks, all at once.
    pub(crate) async fn validate(
        &self,
        configurations: &[Arc<Value>],
        review: Review<'_>,
    ) -> Result<Vec<String>, Refusal> {
        if configurations.is_empty() || matching::is_exempt(&review) {
            return Ok(Vec::new());
        }
        let hooks = Hook::all(configurations);
        let asked = hooks.iter().map(|hook| self.ask(hook, Role::Validating, &review));
        let mut warnings = Vec::new();
        for verdict in join_all(asked).await {
            if let Some((verdict, _)) = verdict? {
                warnings.extend(verdict.warnings);
                verdict.outcome?;
            }
        }
        Ok(warnings)
    }

    /// Calls webhooks in order; returns those that want to see what was changed after them.
    async fn pass(
        &self,
        hooks: &[Hook],
        review: &Review<'_>,
        draft: &mut Draft,
    ) -> Result<Vec<Hook>, Refusal> {
        let mut asked: Vec<Hook> = Vec::new();
        let mut stale: Vec<Hook> = Vec::new();
        for hook in hooks {
            let now = Review { object: draft.object.as_ref(), ..*review };
            let Some((verdict, version)) = self.ask(hook, Role::Mutating, &now).await? else {
                continue;
            };
            if draft.take(hook.name(), verdict, [&review.kind.version, &version])? {
                stale.append(&mut asked);
            }
            if hook.is_reinvoked() {
                asked.push(hook.clone());
            }
        }
        Ok(stale)
    }

    /// Asks one webhook; none if it does not match, or failed and is forgiven.
    async fn ask(&self, hook: &Hook, role: Role, review: &Review<'_>) -> Asked {
        let Some(version) = matching::version(hook.value(), review) else {
            return Ok(None);
        };
        match self.conditions.hold(hook.value(), review) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) if hook.is_forgiving() => return Ok(None),
            Err(why) => return Err(place(review).refused(&why)),
        }
        let name = hook.name();
        if review.is_dry_run && !hook.allows_dry_run() {
            let message = format!("admission webhook {name:?} does not support dry run");
            return Err(Refusal::bad_request(message));
        }
        let uid = fresh_uid();
        let body = request::admission_review(review, version, &uid);
        let answer = self.caller.post(hook, &body).await;
        match answer.and_then(|answer| answer::read(&answer, role, name, &uid)) {
            Ok(verdict) => Ok(Some((verdict, version.to_owned()))),
            Err(why) if hook.is_forgiving() => {
                warn!(webhook = name, why, "failed calling webhook, failing open");
                Ok(None)
            }
            Err(why) => Err(answer::internal(&format!("failed calling webhook {name:?}: {why}"))),
        }
    }
}

/// An object on its way through webhooks.
#[derive(Debug)]
struct Draft {
    object: Option<Value>,
    warnings: Vec<String>,
}

impl Draft {
    /// Takes over what a webhook wants of the object in the second of two versions; says whether
    /// anything changed.
    fn take(
        &mut self,
        hook: &str,
        verdict: Verdict,
        [own, seen]: [&str; 2],
    ) -> Result<bool, Refusal> {
        self.warnings.extend(verdict.warnings);
        let allowed = verdict.outcome?;
        let Some(patch) = allowed.patch else {
            return Ok(false);
        };
        let Some(object) = &mut self.object else {
            let why = format!(
                "admission webhook {hook:?} attempted to modify the object, which is not \
                 supported for this operation"
            );
            return Err(answer::internal(&why));
        };
        let mut changed = object.clone();
        request::rename(&mut changed, own, seen);
        let mut changed = answer::apply(&patch, &changed)?;
        request::rename(&mut changed, seen, own);
        let is_changed = changed != *object;
        *object = changed;
        Ok(is_changed)
    }
}

fn place<'a>(review: &Review<'a>) -> Attributes<'a> {
    Attributes {
        group: &review.kind.group,
        version: &review.kind.version,
        resource: &review.kind.plural,
        namespace: review.namespace,
        name: review.name,
        ..Attributes::default()
    }
}

/// A UUID that names one call; it need not be hard to guess.
fn fresh_uid() -> String {
    let random = fastrand::u128(..) & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let text = format!("{random:032x}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}
