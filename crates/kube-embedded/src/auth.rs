//! Who asks, and whether they may.
//!
//! Reads credentials, RBAC objects and requests; returns users, decisions and refusals.
//! Invariant: nothing is allowed that no rule grants, unless authorization is switched off.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

mod attributes;
mod authenticate;
pub(crate) mod base64;
mod bootstrap;
mod escalation;
mod impersonate;
mod rbac;
mod review;
mod token;

pub(crate) use attributes::Attributes;
pub(crate) use authenticate::{Authenticator, Certificate, Credentials};
pub(crate) use bootstrap::bootstrap;
pub(crate) use escalation::confirm_no_escalation;
pub(crate) use impersonate::impersonate;
pub(crate) use rbac::{Authorizer, Rules};
pub(crate) use review::{review, review_token};
pub use token::TokenError;
pub(crate) use token::{Stamp, TokenSigner};

/// The group of everyone with credentials.
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// The group of everyone without.
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The name of whoever shows no credentials.
pub(crate) const ANONYMOUS: &str = "system:anonymous";
/// The group that may do everything.
pub(crate) const MASTERS: &str = "system:masters";
/// What the names of service accounts begin with.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// Whoever asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    pub name: String,
    /// Empty where nobody gave one.
    pub uid: String,
    pub groups: Vec<String>,
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    pub fn new<'a>(name: &str, groups: impl IntoIterator<Item = &'a str>) -> Self {
        let groups = groups.into_iter().map(str::to_owned).collect();
        Self { name: name.to_owned(), groups, ..Self::default() }
    }

    pub(crate) fn anonymous() -> Self {
        Self::new(ANONYMOUS, [UNAUTHENTICATED])
    }

    /// The user that a service account is.
    pub(crate) fn of_account(account: &AccountName<'_>, uid: &str) -> Self {
        let name = format!("{ACCOUNT_PREFIX}{}:{}", account.namespace, account.name);
        Self { name, uid: uid.to_owned(), groups: account.groups(), ..Self::default() }
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|known| known == group)
    }

    /// `userInfo` of reviews.
    pub fn to_value(&self) -> Value {
        let mut fields = Map::new();
        if !self.name.is_empty() {
            fields.insert("username".to_owned(), json!(self.name));
        }
        if !self.uid.is_empty() {
            fields.insert("uid".to_owned(), json!(self.uid));
        }
        if !self.groups.is_empty() {
            fields.insert("groups".to_owned(), json!(self.groups));
        }
        if !self.extra.is_empty() {
            fields.insert("extra".to_owned(), json!(self.extra));
        }
        Value::Object(fields)
    }

    /// The same user among those with credentials.
    #[must_use]
    pub(crate) fn authenticated(mut self) -> Self {
        if !self.is_in(AUTHENTICATED) && !self.is_in(UNAUTHENTICATED) {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }
}

/// Where a service account lives, and its name there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccountName<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> AccountName<'a> {
    /// Reads the name of a user; none unless it is a service account's.
    pub(crate) fn parse(user: &'a str) -> Option<Self> {
        let (namespace, name) = user.strip_prefix(ACCOUNT_PREFIX)?.split_once(':')?;
        let is_whole = !namespace.is_empty() && !name.is_empty() && !name.contains(':');
        is_whole.then_some(Self { namespace, name })
    }

    fn groups(&self) -> Vec<String> {
        let own = format!("system:serviceaccounts:{}", self.namespace);
        vec!["system:serviceaccounts".to_owned(), own]
    }
}
