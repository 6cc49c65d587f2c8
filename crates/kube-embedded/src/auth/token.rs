//! Tokens of service accounts: signed when asked for, verified without a table.
//!
//! Reads a service account and a `TokenRequest`, or a token; returns the answer or the account.
//! Invariant: a token says nothing that its signature does not cover.

mod openid;

use std::fmt;

use rcgen::{KeyPair, PublicKeyData, SigningKey};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{SignatureVerificationAlgorithm, alg_id};
use serde_json::{Value, json};

use super::base64::{self, Alphabet};
use super::{AccountName, User};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// How long a token lives where nobody says.
const USUAL_SECONDS: i64 = 3600;
const LEAST_SECONDS: i64 = 600;
const MOST_SECONDS: i64 = 1 << 32;

/// A claim tells a user by this key which token it showed.
pub(super) const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
#[error("could not use the key that signs tokens")]
pub struct TokenError(#[from] rcgen::Error);

/// Signs tokens and knows them again.
pub(crate) struct TokenSigner {
    key: KeyPair,
    algorithm: &'static dyn SignatureVerificationAlgorithm,
    issuer: String,
}

/// What a token that was signed here says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) audiences: Vec<String>,
    id: String,
}

/// A moment and a number that nobody guesses, for a new token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    /// Seconds since 1970.
    pub(crate) now: i64,
    /// A fresh UUID.
    pub(crate) id: &'a str,
}

impl fmt::Debug for TokenSigner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TokenSigner").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

impl TokenSigner {
    /// Makes a new key.
    pub(crate) fn generate(issuer: impl Into<String>) -> Result<Self, TokenError> {
        Ok(Self { key: KeyPair::generate()?, algorithm: algorithm(), issuer: issuer.into() })
    }

    /// Reads a key that was kept: P-256 in PKCS #8.
    pub(crate) fn from_pem(issuer: impl Into<String>, pem: &str) -> Result<Self, TokenError> {
        let key = KeyPair::from_pkcs8_pem_and_sign_algo(pem, &rcgen::PKCS_ECDSA_P256_SHA256)?;
        Ok(Self { key, algorithm: algorithm(), issuer: issuer.into() })
    }

    /// The key, to be kept.
    pub(crate) fn to_pem(&self) -> String {
        self.key.serialize_pem()
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Answers a `TokenRequest` for a service account.
    pub(crate) fn answer(
        &self,
        account: &Value,
        request: &Value,
        stamp: Stamp<'_>,
    ) -> Result<Value, Refusal> {
        let seconds = request["spec"]["expirationSeconds"].as_i64().unwrap_or(USUAL_SECONDS);
        check_seconds(seconds)?;
        check_unbound(&request["spec"]["boundObjectRef"])?;
        let audiences = texts(&request["spec"]["audiences"]);
        let audiences = if audiences.is_empty() { vec![self.issuer.clone()] } else { audiences };
        let metadata = &account["metadata"];
        let token = self.sign(&json!({
            "aud": audiences,
            "exp": stamp.now + seconds,
            "iat": stamp.now,
            "iss": self.issuer,
            "jti": stamp.id,
            "kubernetes.io": {
                "namespace": metadata["namespace"],
                "serviceaccount": {"name": metadata["name"], "uid": metadata["uid"]},
            },
            "nbf": stamp.now,
            "sub": format!("system:serviceaccount:{}:{}", text(&metadata["namespace"]), text(&metadata["name"])),
        }))?;
        let mut answer = json!({
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"creationTimestamp": rfc_3339(stamp.now)},
            "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": null},
            "status": {"token": token, "expirationTimestamp": rfc_3339(stamp.now + seconds)},
        });
        for name in ["name", "namespace", "uid"] {
            answer["metadata"][name] = metadata[name].clone();
        }
        Ok(answer)
    }

    /// Reads a token; none unless it was signed here and is of this time.
    pub(crate) fn verify(&self, token: &str, now: i64) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (_, payload) = signed.split_once('.')?;
        let signature = base64::decode(Alphabet::Url, signature).ok()?;
        if !self.is_signed_here(signed.as_bytes(), &signature) {
            return None;
        }
        let payload = base64::decode(Alphabet::Url, payload).ok()?;
        let claims: Value = serde_json::from_slice(&payload).ok()?;
        let is_current = claims["nbf"].as_i64()? <= now && now < claims["exp"].as_i64()?;
        let account = &claims["kubernetes.io"]["serviceaccount"];
        (is_current && claims["iss"] == self.issuer.as_str()).then(|| Claims {
            namespace: text(&claims["kubernetes.io"]["namespace"]).to_owned(),
            name: text(&account["name"]).to_owned(),
            uid: text(&account["uid"]).to_owned(),
            audiences: texts(&claims["aud"]),
            id: text(&claims["jti"]).to_owned(),
        })
    }

    fn sign(&self, claims: &Value) -> Result<String, Refusal> {
        let header = json!({"alg": "ES256", "typ": "JWT"});
        let encode = |value: &Value| base64::encode(Alphabet::Url, value.to_string().as_bytes());
        let signed = format!("{}.{}", encode(&header), encode(claims));
        let failed =
            |_| Refusal::new(500, "InternalError", "Internal error occurred: no signature");
        let signature = self.key.sign(signed.as_bytes()).map_err(failed)?;
        let signature = raw_signature(&signature).expect("our own signature is DER");
        Ok(format!("{signed}.{}", base64::encode(Alphabet::Url, &signature)))
    }

    fn is_signed_here(&self, signed: &[u8], raw: &[u8]) -> bool {
        der_signature(raw).is_some_and(|signature| {
            self.algorithm.verify_signature(self.key.der_bytes(), signed, &signature).is_ok()
        })
    }
}

/// What keys of the usual kind sign with.
fn algorithm() -> &'static dyn SignatureVerificationAlgorithm {
    let all = default_provider().signature_verification_algorithms.all.iter();
    let mut fitting = all.filter(|algorithm| {
        *algorithm.signature_alg_id() == *alg_id::ECDSA_SHA256
            && *algorithm.public_key_alg_id() == *alg_id::ECDSA_P256
    });
    *fitting.next().expect("the provider knows P-256")
}

impl Claims {
    /// The user that shows the token.
    pub(crate) fn user(&self) -> User {
        let account = AccountName { namespace: &self.namespace, name: &self.name };
        let mut user = User::of_account(&account, &self.uid);
        user.extra.insert(CREDENTIAL_ID.to_owned(), vec![format!("JTI={}", self.id)]);
        user
    }
}

fn check_seconds(seconds: i64) -> Result<(), Refusal> {
    let why = match seconds {
        ..LEAST_SECONDS => "may not specify a duration less than 10 minutes",
        seconds if seconds > MOST_SECONDS => "may not specify a duration larger than 2^32 seconds",
        _ => return Ok(()),
    };
    let cause = format!("Invalid value: {seconds}: {why}");
    let field = "spec.expirationSeconds";
    let kind = "TokenRequest";
    let message = format!("{kind}.authentication.k8s.io \"\" is invalid: {field}: {cause}");
    Err(Refusal::new(422, "Invalid", message).with_details(json!({
        "group": "authentication.k8s.io",
        "kind": kind,
        "causes": [{"reason": "FieldValueInvalid", "message": cause, "field": field}],
    })))
}

/// Nobody here would notice the end of an object that a token is bound to.
fn check_unbound(reference: &Value) -> Result<(), Refusal> {
    if reference.is_null() {
        return Ok(());
    }
    let (version, kind) = (text(&reference["apiVersion"]), text(&reference["kind"]));
    let version = if version.contains('/') { version.to_owned() } else { format!("/{version}") };
    let message = format!("cannot bind token to object of type {version}, Kind={kind}");
    Err(Refusal::bad_request(message))
}

/// Two numbers of 32 bytes, as tokens carry a signature, from the DER that the key makes.
fn raw_signature(der: &[u8]) -> Option<Vec<u8>> {
    let [0x30, length, rest @ ..] = der else {
        return None;
    };
    let rest = rest.get(..usize::from(*length))?;
    let (first, rest) = take_number(rest)?;
    let (second, rest) = take_number(rest)?;
    rest.is_empty().then(|| [first, second].concat())
}

fn take_number(der: &[u8]) -> Option<([u8; 32], &[u8])> {
    let [0x02, length, rest @ ..] = der else {
        return None;
    };
    let (number, rest) = rest.split_at_checked(usize::from(*length))?;
    let number = match number {
        [0, tail @ ..] if tail.len() == 32 => tail,
        number => number,
    };
    let mut padded = [0; 32];
    padded.get_mut(32_usize.checked_sub(number.len())?..)?.copy_from_slice(number);
    Some((padded, rest))
}

fn der_signature(raw: &[u8]) -> Option<Vec<u8>> {
    let (first, second) = raw.split_at_checked(32).filter(|(_, second)| second.len() == 32)?;
    let numbers = [der_number(first), der_number(second)].concat();
    let length = u8::try_from(numbers.len()).expect("two numbers are shorter than 128 bytes");
    Some([&[0x30, length][..], &numbers].concat())
}

fn der_number(bytes: &[u8]) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
    let bytes = &bytes[start..];
    // DER numbers have a sign: a set first bit would make it negative.
    let sign: &[u8] = if bytes[0] & 0x80 == 0 { &[] } else { &[0] };
    let length = u8::try_from(sign.len() + bytes.len()).expect("it is at most 33 bytes");
    [&[0x02, length], sign, bytes].concat()
}

fn rfc_3339(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX).to_string()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
