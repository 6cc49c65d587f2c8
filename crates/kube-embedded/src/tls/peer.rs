//! Who is at the other end of a connection.
//!
//! Reads a client certificate that was verified; returns the user it stands for.
//! Invariant: a certificate without a common name is nobody.

use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;
use x509_parser::parse_x509_certificate;
use x509_parser::x509::AttributeTypeAndValue;

use crate::auth::{Certificate, User};

#[cfg(test)]
mod tests;

/// The other end, as an extension of every request.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) certificate: Certificate,
}

/// The user in a certificate: its common name, in the groups of its organizations.
pub(super) fn identity(certificate: &[u8]) -> Option<User> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let text = |attribute: &AttributeTypeAndValue<'_>| attribute.as_str().ok().map(str::to_owned);
    let subject = parsed.subject();
    let name = subject.iter_common_name().last().and_then(text)?;
    let groups = subject.iter_organization().filter_map(text).collect();
    let mut user = User { name, groups, ..User::default() };
    let id = format!("X509SHA256={}", sha_256(certificate));
    user.extra.insert("authentication.kubernetes.io/credential-id".to_owned(), vec![id]);
    (!user.name.is_empty()).then_some(user)
}

fn sha_256(bytes: &[u8]) -> String {
    let suite = TLS13_AES_128_GCM_SHA256.tls13().expect("it is a suite of TLS 1.3");
    let digest = suite.common.hash_provider.hash(bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
