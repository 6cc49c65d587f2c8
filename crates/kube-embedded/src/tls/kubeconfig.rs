//! Writes kubeconfigs.
//!
//! Reads where the server is and how to log in; returns a text that needs no other file.
//! Invariant: the text is one kubectl reads, whatever a token holds.

use serde_json::{Value, json};

use super::Identity;
use crate::auth::base64::{self, Alphabet};

#[cfg(test)]
mod tests;

/// How the user of a kubeconfig logs in.
#[derive(Debug)]
pub(crate) enum Login<'a> {
    Token(&'a str),
    Certificate(&'a Identity),
}

/// A kubeconfig for the server at this URL, which shows a certificate of this authority.
pub(crate) fn kubeconfig(server: &str, authority_pem: &str, login: &Login<'_>) -> String {
    let encode = |pem: &str| base64::encode(Alphabet::Standard, pem.as_bytes());
    let user = match login {
        Login::Token(token) => json!({"token": token}),
        Login::Certificate(identity) => json!({
            "client-certificate-data": encode(&identity.certificate),
            "client-key-data": encode(&identity.key),
        }),
    };
    let name = "udn";
    let config: Value = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": name,
            "cluster": {"server": server, "certificate-authority-data": encode(authority_pem)},
        }],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    });
    serde_saphyr::to_string(&config).expect("plain JSON is always YAML")
}
