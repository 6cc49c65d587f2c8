//! Acting as somebody else.
//!
//! Reads `Impersonate-*` headers; returns the other user where the asking one may be them.
//! Invariant: every part of the other user is granted on its own, or all is refused.

use std::collections::BTreeMap;

use axum::http::HeaderMap;

use super::{ANONYMOUS, AUTHENTICATED, AccountName, Attributes, Authorizer, UNAUTHENTICATED, User};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

const EXTRA_PREFIX: &str = "impersonate-extra-";
const AUTHENTICATION: &str = "authentication.k8s.io";

/// What the headers ask for.
#[derive(Debug, Default)]
struct Wish {
    user: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
    uid: String,
}

/// The user that the request acts as: the other one, or the same where no header asks.
pub(crate) fn impersonate(
    headers: &HeaderMap,
    user: User,
    authorizer: &Authorizer,
) -> Result<User, Refusal> {
    let wish = Wish::read(headers);
    if wish.user.is_empty() {
        return match wish.references() {
            references if references.is_empty() => Ok(user),
            references => Err(Refusal::bad_request(format!(
                "requested [{}] without impersonating a user",
                references.join(" ")
            ))),
        };
    }
    for attributes in wish.attributes() {
        authorizer.authorize(&user, &attributes)?;
    }
    Ok(wish.into_user())
}

impl Wish {
    fn read(headers: &HeaderMap) -> Self {
        let texts = |name: &str| -> Vec<String> {
            let values = headers.get_all(name).into_iter();
            values.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
        };
        let first = |name: &str| texts(name).into_iter().next().unwrap_or_default();
        let keys = headers.keys().filter_map(|name| {
            let key = name.as_str().strip_prefix(EXTRA_PREFIX)?;
            Some((unescape(key).to_lowercase(), texts(name.as_str())))
        });
        Self {
            user: first("impersonate-user"),
            groups: texts("impersonate-group"),
            extra: keys.collect(),
            uid: first("impersonate-uid"),
        }
    }

    /// What is asked for beside the user, as the server prints references to it.
    fn references(&self) -> Vec<String> {
        let groups = self.groups.iter().map(|group| format!("{{Group  {group}    }}"));
        let extra = self.extra.iter().flat_map(|(key, values)| {
            let print = move |value| format!("{{UserExtra  {value}  {AUTHENTICATION}/v1  {key}}}");
            values.iter().map(print)
        });
        let uid = Some(&self.uid).filter(|uid| !uid.is_empty());
        let uid = uid.map(|uid| format!("{{UID  {uid}  {AUTHENTICATION}/v1  }}"));
        groups.chain(extra).chain(uid).collect()
    }

    fn attributes(&self) -> Vec<Attributes<'_>> {
        let act = Attributes { verb: "impersonate", version: "v1", ..Attributes::default() };
        let user = match AccountName::parse(&self.user) {
            Some(AccountName { namespace, name }) => {
                Attributes { resource: "serviceaccounts", namespace, name, ..act }
            }
            None => Attributes { resource: "users", name: &self.user, ..act },
        };
        let groups = self.groups.iter().map(|name| Attributes { resource: "groups", name, ..act });
        let special = Attributes { group: AUTHENTICATION, ..act };
        let extra = self.extra.iter().flat_map(|(key, values)| {
            let extra = Attributes { resource: "userextras", subresource: key, ..special };
            values.iter().map(move |name| Attributes { name, ..extra })
        });
        let uid = Some(self.uid.as_str()).filter(|uid| !uid.is_empty());
        let uid = uid.map(|name| Attributes { resource: "uids", name, ..special });
        std::iter::once(user).chain(groups).chain(extra).chain(uid).collect()
    }

    fn into_user(self) -> User {
        let account = AccountName::parse(&self.user);
        let mut groups = match account {
            Some(account) if self.groups.is_empty() => account.groups(),
            _ => self.groups,
        };
        let has = |groups: &[String], group: &str| groups.iter().any(|known| known == group);
        let is_marked = has(&groups, AUTHENTICATED) || has(&groups, UNAUTHENTICATED);
        match self.user.as_str() {
            ANONYMOUS if !has(&groups, UNAUTHENTICATED) => groups.push(UNAUTHENTICATED.to_owned()),
            ANONYMOUS => {}
            _ if !is_marked => groups.push(AUTHENTICATED.to_owned()),
            _ => {}
        }
        User { name: self.user, uid: self.uid, groups, extra: self.extra }
    }
}

/// Resolves `%2f` in a header's name; what is no such thing stays.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
