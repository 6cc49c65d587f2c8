//! Config maps, secrets and service accounts.
//!
//! Reads and changes them.
//! Invariant: what is immutable stays so until it is deleted.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::Strategy;
use super::fields::{below, entries, fill, has, remove, text};

const SIZE_LIMIT: usize = 1024 * 1024;
const FROZEN: &str = "field is immutable when `immutable` is set";
const KEY_SHAPE: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or \
    '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
    '[-._a-zA-Z0-9]+')";

pub(super) const CONFIG_MAP: Strategy = Strategy { validate: check_map, ..Strategy::PLAIN };

pub(super) const SECRET: Strategy = Strategy {
    default: default_secret,
    validate: check_secret,
    warn: warn_secret,
    selectable: &["type"],
    ..Strategy::PLAIN
};

pub(super) const SERVICE_ACCOUNT: Strategy = Strategy::PLAIN;

/// Puts texts among the bytes, and the type of secrets without one.
fn default_secret(secret: &mut Value) {
    let texts: Vec<(String, String)> = entries(secret, "stringData")
        .map(|(key, text)| (key.clone(), STANDARD.encode(text.as_str().unwrap_or(""))))
        .collect();
    remove(secret, "stringData");
    for (key, bytes) in texts {
        below(secret, "data")[key.as_str()] = Value::from(bytes);
    }
    fill(secret, "type", "Opaque");
}

fn check_map(map: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(old) = old.filter(|old| old["immutable"] == true) {
        errors.extend(frozen(map, old, &["data", "binaryData"]));
    }
    let mut size = 0;
    for (key, value) in entries(map, "data") {
        let at = Path::of_fields(["data"]).key(key);
        errors.extend(wrong_key(key, &at));
        if map["binaryData"].get(key.as_str()).is_some() {
            let why = "duplicate of key present in binaryData";
            errors.push(FieldError::invalid(at, key.as_str(), why));
        }
        size += value.as_str().unwrap_or("").len();
    }
    for (key, value) in entries(map, "binaryData") {
        errors.extend(wrong_key(key, &Path::of_fields(["binaryData"]).key(key)));
        size += decoded_length(value);
    }
    if size > SIZE_LIMIT {
        errors.push(FieldError::too_long(Path::root().key(""), SIZE_LIMIT as i64));
    }
    errors
}

fn check_secret(secret: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(old) = old {
        let at = Path::of_fields(["type"]);
        errors.extend(super::checks::immutable(&secret["type"], &old["type"], at));
        if old["immutable"] == true {
            errors.extend(frozen(secret, old, &["data"]));
        }
    }
    let mut size = 0;
    for (key, value) in entries(secret, "data") {
        errors.extend(wrong_key(key, &Path::of_fields(["data"]).key(key)));
        size += decoded_length(value);
    }
    if size > SIZE_LIMIT {
        errors.push(FieldError::too_long(Path::of_fields(["data"]), SIZE_LIMIT as i64));
    }
    errors.extend(missing_keys(secret));
    errors
}

/// The keys a typed secret must have.
fn missing_keys(secret: &Value) -> Vec<FieldError> {
    let required = |keys: &[&str]| {
        let missing = keys.iter().filter(|key| secret["data"].get(**key).is_none());
        let at = Path::of_fields(["data"]);
        missing.map(|key| FieldError::required(at.key(key), "")).collect::<Vec<_>>()
    };
    match text(secret, "/type") {
        "kubernetes.io/tls" => required(&["tls.crt", "tls.key"]),
        "kubernetes.io/dockerconfigjson" => json_under(secret, ".dockerconfigjson"),
        "kubernetes.io/dockercfg" => json_under(secret, ".dockercfg"),
        "kubernetes.io/ssh-auth" => required(&["ssh-privatekey"]),
        "kubernetes.io/basic-auth" => match required(&["username", "password"]) {
            both if both.len() == 2 => both,
            _ => Vec::new(),
        },
        "kubernetes.io/service-account-token" => {
            let key = "kubernetes.io/service-account.name";
            let annotations = &secret["metadata"]["annotations"];
            let at = Path::of_fields(["metadata", "annotations"]).key(key);
            let is_there = has(annotations, key);
            if is_there { Vec::new() } else { vec![FieldError::required(at, "")] }
        }
        _ => Vec::new(),
    }
}

/// A key that must hold an object of JSON.
fn json_under(secret: &Value, key: &str) -> Vec<FieldError> {
    let at = Path::of_fields(["data"]).key(key);
    let Some(bytes) = secret["data"].get(key).map(decoded) else {
        return vec![FieldError::required(at, "")];
    };
    let why = match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Object(_) | Value::Null) => return Vec::new(),
        Ok(value) => format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            kube_schema::json_type(&value)
        ),
        Err(_) => crate::patch::complaint(&bytes),
    };
    vec![FieldError::invalid(at, "<secret contents redacted>", why)]
}

/// What to warn of in a certificate with its key.
fn warn_secret(secret: &Value) -> Vec<String> {
    if text(secret, "/type") != "kubernetes.io/tls" {
        return Vec::new();
    }
    let is_pem = |key: &str| {
        let bytes = decoded(&secret["data"][key]);
        String::from_utf8_lossy(&bytes).contains("-----BEGIN ")
    };
    let part = match (is_pem("tls.crt"), is_pem("tls.key")) {
        (false, _) => "certificate",
        (true, false) => "key",
        (true, true) => return Vec::new(),
    };
    vec![format!("tls: failed to find any PEM data in {part} input")]
}

/// The bytes of a value; none where the server would have refused it before.
fn decoded(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap_or("")).unwrap_or_default()
}

fn frozen(new: &Value, old: &Value, names: &[&str]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if new["immutable"] != true {
        errors.push(FieldError::forbidden(Path::of_fields(["immutable"]), FROZEN));
    }
    for name in names.iter().filter(|name| new[**name] != old[**name]) {
        errors.push(FieldError::forbidden(Path::of_fields([*name]), FROZEN));
    }
    errors
}

fn wrong_key(key: &str, at: &Path) -> Vec<FieldError> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let mut wrong = Vec::new();
    if key.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    match key {
        "." | ".." => wrong.push(format!("must not be '{key}'")),
        _ if key.starts_with("..") => wrong.push("must not start with '..'".to_owned()),
        _ if key.is_empty() || !key.bytes().all(is_known) => wrong.push(KEY_SHAPE.to_owned()),
        _ => {}
    }
    super::checks::all(at, key, wrong)
}

fn decoded_length(value: &Value) -> usize {
    let text = value.as_str().unwrap_or("");
    let padding = text.len() - text.trim_end_matches('=').len();
    (text.len() / 4 * 3).saturating_sub(padding)
}
