//! Tells who asks from what they show.
//!
//! Reads a verified certificate's identity and the `Authorization` header; returns a [`User`].
//! Invariant: shown credentials that nobody knows are refused, never taken for no credentials.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::token::{Claims, TokenSigner};
use super::{AccountName, User};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// The certificate of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Certificate {
    /// It showed none, or one that names nobody.
    #[default]
    None,
    /// The TLS layer has verified it.
    Known(Arc<User>),
    /// It is of an authority nobody trusts, or not of this time.
    Unknown,
}

/// What a request shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Credentials<'a> {
    pub(crate) certificate: Certificate,
    /// The `Authorization` header.
    pub(crate) authorization: Option<&'a str>,
}

/// Tells the UID of a service account that stands.
pub(crate) type Accounts<'a> = &'a dyn Fn(AccountName<'_>) -> Option<String>;

/// Everyone who is known.
#[derive(Debug)]
pub(crate) struct Authenticator {
    tokens: BTreeMap<String, User>,
    signer: TokenSigner,
    anonymous: bool,
}

/// A token that is known, and whom it is meant for.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) user: User,
    pub(super) audiences: Vec<String>,
}

impl Authenticator {
    /// Knows the given tokens; `anonymous` lets in who shows nothing.
    pub(crate) fn new(
        tokens: BTreeMap<String, User>,
        signer: TokenSigner,
        anonymous: bool,
    ) -> Self {
        Self { tokens, signer, anonymous }
    }

    pub(crate) fn signer(&self) -> &TokenSigner {
        &self.signer
    }

    /// Tells who asks; `now` in seconds since 1970.
    pub(crate) fn authenticate(
        &self,
        credentials: Credentials<'_>,
        accounts: Accounts<'_>,
        now: i64,
    ) -> Result<User, Refusal> {
        if let Certificate::Known(user) = credentials.certificate {
            return Ok(User::clone(&user).authenticated());
        }
        let token = credentials.authorization.and_then(bearer);
        match (token, credentials.certificate) {
            (Some(token), _) => {
                let known = self.known(token, accounts, now).filter(|known| self.is_meant(known));
                known.map(|known| known.user).ok_or_else(unauthorized)
            }
            (None, Certificate::None) if self.anonymous => Ok(User::anonymous()),
            (None, _) => Err(unauthorized()),
        }
    }

    /// Whose token it is, whatever it is meant for.
    pub(super) fn known(&self, token: &str, accounts: Accounts<'_>, now: i64) -> Option<Known> {
        // Every entry is compared whole, so that time tells nothing about them.
        let mut found = None;
        for (known, user) in &self.tokens {
            if is_same(known, token) {
                found = Some(user);
            }
        }
        if let Some(user) = found {
            let audiences = vec![self.signer.issuer().to_owned()];
            return Some(Known { user: user.clone().authenticated(), audiences });
        }
        let claims = self.signer.verify(token, now).filter(|claims| stands(claims, accounts))?;
        let user = claims.user().authenticated();
        Some(Known { user, audiences: claims.audiences })
    }

    fn is_meant(&self, known: &Known) -> bool {
        known.audiences.iter().any(|audience| audience == self.signer.issuer())
    }
}

/// The server's refusal of credentials nobody knows.
pub(super) fn unauthorized() -> Refusal {
    Refusal::new(401, "Unauthorized", "Unauthorized")
}

fn stands(claims: &Claims, accounts: Accounts<'_>) -> bool {
    let account = AccountName { namespace: &claims.namespace, name: &claims.name };
    accounts(account).is_some_and(|uid| uid == claims.uid)
}

/// The token in a header; none for other schemes, which the server passes over.
fn bearer(header: &str) -> Option<&str> {
    let mut words = header.trim().splitn(3, ' ');
    let scheme = words.next()?;
    let token = words.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn is_same(known: &str, shown: &str) -> bool {
    let differences = known.bytes().zip(shown.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    known.len() == shown.len() && differences == 0
}
