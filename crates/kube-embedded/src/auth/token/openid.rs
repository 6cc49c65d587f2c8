//! What others need to know to check tokens of service accounts.
//!
//! Reads the public key; returns the documents of `OpenID` discovery.
//! Invariant: nothing here is secret.

use serde_json::{Value, json};

use super::TokenSigner;
use crate::auth::base64::{self, Alphabet};

impl TokenSigner {
    /// `/.well-known/openid-configuration`, for a server at an address.
    pub(crate) fn configuration(&self, address: &str) -> Value {
        json!({
            "issuer": self.issuer,
            "jwks_uri": format!("https://{address}/openid/v1/jwks"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        })
    }

    /// `/openid/v1/jwks`.
    pub(crate) fn keys(&self) -> Value {
        // One byte for the form, then both coordinates.
        let point = self.key.public_key_raw().get(1..).unwrap_or_default();
        let (x, y) = point.split_at(point.len() / 2);
        let text = |bytes: &[u8]| base64::encode(Alphabet::Url, bytes);
        json!({"keys": [
            {"use": "sig", "kty": "EC", "alg": "ES256", "crv": "P-256", "x": text(x), "y": text(y)},
        ]})
    }
}
