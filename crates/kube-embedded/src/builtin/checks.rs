//! Checks that several kinds share.
//!
//! Reads values with their paths; returns errors in the server's words.
//! Invariant: an empty answer means the value is fine.

use std::net::IpAddr;

use kube_schema::{FieldError, Path, names};
use serde_json::Value;

pub(super) const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";

/// Errors for each complaint about a text.
pub(super) fn all(at: &Path, text: &str, wrong: Vec<String>) -> Vec<FieldError> {
    wrong.into_iter().map(|why| FieldError::invalid(at.clone(), text, why)).collect()
}

pub(super) fn label(text: &str, at: &Path) -> Vec<FieldError> {
    all(at, text, names::label(text))
}

pub(super) fn subdomain(text: &str, at: &Path) -> Vec<FieldError> {
    all(at, text, names::subdomain(text))
}

/// A number of a port.
pub(super) fn port(number: i64, at: Path) -> Option<FieldError> {
    let is_port = (1..=65535).contains(&number);
    (!is_port).then(|| FieldError::invalid(at, Value::from(number), PORT_RANGE))
}

/// A port by number or name.
pub(super) fn port_or_name(port_or_name: &Value, at: &Path) -> Vec<FieldError> {
    match port_or_name {
        Value::String(name) => all(at, name, port_name(name)),
        _ => port(port_or_name.as_i64().unwrap_or(0), at.clone()).into_iter().collect(),
    }
}

/// What is wrong with the name of a port.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut complain = |is_wrong: bool, why: &str| {
        if is_wrong {
            wrong.push(why.to_owned());
        }
    };
    let is_letter = |it: char| it.is_ascii_lowercase();
    let is_known = |it: char| is_letter(it) || it.is_ascii_digit() || it == '-';
    complain(name.len() > 15, "must be no more than 15 characters");
    complain(
        !name.chars().all(is_known) || name.is_empty(),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    complain(!name.contains(is_lowercase), "must contain at least one letter (a-z)");
    complain(name.contains("--"), "must not contain consecutive hyphens");
    complain(name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen");
    wrong
}

fn is_lowercase(symbol: char) -> bool {
    symbol.is_ascii_alphabetic()
}

/// A text that must be one of several.
pub(super) fn one_of(text: &str, supported: &[&str], at: Path) -> Option<FieldError> {
    (!supported.contains(&text)).then(|| not_supported(text, supported, at))
}

pub(super) fn not_supported(text: &str, supported: &[&str], at: Path) -> FieldError {
    FieldError::not_supported(at, text, supported.iter().map(|it| (*it).to_owned()))
}

/// An address.
pub(super) fn address(text: &str, at: &Path) -> Option<FieldError> {
    let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    text.parse::<IpAddr>().is_err().then(|| FieldError::invalid(at.clone(), text, why))
}

/// An address that endpoints may have.
pub(super) fn endpoint_address(text: &str, at: &Path) -> Option<FieldError> {
    let address: IpAddr = text.parse().ok()?;
    let is_local_multicast = match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    };
    let unspecified = format!("may not be unspecified ({text})");
    let why = match address {
        _ if address.is_unspecified() => unspecified.as_str(),
        _ if address.is_loopback() => "may not be in the loopback range (127.0.0.0/8, ::1/128)",
        _ if is_link_local => "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        _ if is_local_multicast => {
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        }
        _ => return None,
    };
    Some(FieldError::invalid(at.clone(), text, why))
}

/// A number that may not be negative.
pub(super) fn not_negative(number: i64, at: Path) -> Option<FieldError> {
    let why = "must be greater than or equal to 0";
    (number < 0).then(|| FieldError::invalid(at, Value::from(number), why))
}

/// A field that stays as it is.
pub(super) fn immutable(new: &Value, old: &Value, at: Path) -> Option<FieldError> {
    (new != old).then(|| FieldError::invalid(at, new.clone(), "field is immutable"))
}
