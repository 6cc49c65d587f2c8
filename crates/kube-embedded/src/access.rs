//! Who may ask what: identity and permission of every request.
//!
//! Reads credentials and roles; returns who asks, or a refusal.
//! Invariant: with authorisation on, nothing is answered that no role allows.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use axum::body::Body;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, Request};
use serde_json::Value;

use crate::auth::{
    self, AccountName, Attributes, Authenticator, Authorizer, Credentials, Rules, Stamp,
    TokenSigner, User,
};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::rest::{Answer, Asked, Target};
use crate::store::Key;
use crate::tls::Peer;

/// The kinds that say who may do what.
pub(crate) const ROLES: [&str; 4] = [
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
];

/// Whom a server lets in.
#[derive(Debug)]
pub(crate) struct Access {
    authenticator: Authenticator,
    /// None while everything is allowed.
    rules: Option<RwLock<Arc<Rules>>>,
    /// Who asks in this process, without a connection.
    inside: User,
}

impl Access {
    pub(crate) fn new(
        tokens: BTreeMap<String, User>,
        signer: TokenSigner,
        has_roles: bool,
        allows_anonymous: bool,
    ) -> Self {
        Self {
            authenticator: Authenticator::new(tokens, signer, allows_anonymous),
            rules: has_roles.then(RwLock::default),
            inside: User::new("kubernetes-admin", ["system:masters", "system:authenticated"]),
        }
    }

    /// Takes up roles and bindings as they are stored now.
    pub(crate) fn follow(&self, core: &Core) {
        let Some(rules) = &self.rules else { return };
        let objects = ROLES.iter().flat_map(|resource| core.store.list(resource, None).objects);
        let objects: Vec<Value> = objects.map(|it| it.object()).collect();
        *rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Rules::new(&objects));
    }

    fn authorizer(&self) -> Authorizer {
        match &self.rules {
            None => Authorizer::AlwaysAllow,
            Some(rules) => {
                Authorizer::Rbac(rules.read().unwrap_or_else(PoisonError::into_inner).clone())
            }
        }
    }

    /// Who sends a request, and whom they act as.
    pub(crate) fn identify(&self, core: &Core, request: &Request<Body>) -> Result<User, Refusal> {
        let peer = request.extensions().get::<Peer>();
        let header = request.headers().get(AUTHORIZATION);
        let user = match (peer, header) {
            (None, None) => self.inside.clone(),
            _ => {
                let credentials = Credentials {
                    certificate: peer.map(|peer| peer.certificate.clone()).unwrap_or_default(),
                    authorization: header.and_then(|it| it.to_str().ok()),
                };
                let now = core.now().as_second();
                let accounts = |name: AccountName<'_>| account_uid(core, name);
                self.authenticator.authenticate(credentials, &accounts, now)?
            }
        };
        auth::impersonate(request.headers(), user, &self.authorizer())
    }

    pub(crate) fn allow_path(
        &self,
        user: &User,
        method: &Method,
        path: &str,
    ) -> Result<(), Refusal> {
        let verb = method.as_str().to_lowercase();
        self.authorizer().authorize(user, &Attributes::of_path(&verb, path))
    }

    pub(crate) fn allow(&self, user: &User, verb: &str, target: &Target) -> Result<(), Refusal> {
        let attributes = Attributes {
            verb,
            group: &target.group,
            version: &target.version,
            resource: &target.resource,
            subresource: &target.subresource,
            namespace: &target.namespace,
            name: &target.name,
            path: None,
        };
        self.authorizer().authorize(user, &attributes)
    }

    /// Refuses roles that give more than their author has.
    pub(crate) fn confirm(
        &self,
        user: &User,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), Refusal> {
        match self.authorizer() {
            Authorizer::AlwaysAllow => Ok(()),
            Authorizer::Rbac(rules) => auth::confirm_no_escalation(&rules, user, object, old),
        }
    }

    /// Who signs tokens.
    pub(crate) fn signer(&self) -> &TokenSigner {
        self.authenticator.signer()
    }

    /// Answers a `TokenRequest`.
    pub(crate) fn issue_token(&self, asked: &Asked, request: &Value) -> Result<Answer, Refusal> {
        let Some(account) = asked.core.store.find(&asked.key()) else {
            return Err(Refusal::not_found(&asked.kind, &asked.target.name));
        };
        let id = asked.core.new_uid();
        let stamp = Stamp { now: asked.core.now().as_second(), id: &id };
        let answer = self.authenticator.signer().answer(&account.object(), request, stamp)?;
        Ok(Answer::value(201, answer))
    }

    /// Answers who somebody is, and what they may do.
    pub(crate) fn review(&self, asked: &Asked, review: &Value) -> Result<Answer, Refusal> {
        let core = &asked.core;
        let answer = match asked.kind.kind.as_str() {
            "TokenReview" => {
                let accounts = |name: AccountName<'_>| account_uid(core, name);
                auth::review_token(review, &self.authenticator, &accounts, core.now().as_second())?
            }
            _ => auth::review(review, &asked.user, &self.authorizer(), &core.now_text())?,
        };
        Ok(Answer::value(201, answer))
    }
}

fn account_uid(core: &Core, account: AccountName<'_>) -> Option<String> {
    let key = Key::new("serviceaccounts", account.namespace, account.name);
    core.store.find(&key).map(|it| it.facts.uid.to_string())
}
