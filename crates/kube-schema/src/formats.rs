//! The formats of strings that the server checks.
//!
//! Reads the name of a format and a text; says whether the text is of that format.
//! Invariant: a format that is not in the table checks nothing.

mod base64;
mod patterns;
mod time;
mod uri;

use std::net::{IpAddr, Ipv6Addr};

use crate::metadata::names;

pub(crate) use base64::decode as decode_base64;
pub(crate) use time::duration;

/// Says whether a text is of a format.
type Check = fn(&str) -> bool;

/// A format and its check; names are compared without their dashes.
// compat: kube-openapi/pkg/validation/strfmt, apiextensions validation/formats.go
const FORMATS: [(&str, Check); 26] = [
    ("bsonobjectid", |text| text.len() == 24 && text.bytes().all(|it| it.is_ascii_hexdigit())),
    ("uri", uri::is_request_uri),
    ("email", patterns::is_email),
    ("hostname", patterns::is_hostname),
    ("ipv4", |text| text.contains('.') && sloppy_ip(text).is_some()),
    ("ipv6", |text| text.contains(':') && text.parse::<Ipv6Addr>().is_ok()),
    ("cidr", is_cidr),
    ("mac", is_mac),
    ("uuid", |text| patterns::is_uuid(text, None)),
    ("uuid3", |text| patterns::is_uuid(text, Some('3'))),
    ("uuid4", |text| patterns::is_uuid(text, Some('4'))),
    ("uuid5", |text| patterns::is_uuid(text, Some('5'))),
    ("isbn", |text| patterns::is_isbn10(text) || patterns::is_isbn13(text)),
    ("isbn10", patterns::is_isbn10),
    ("isbn13", patterns::is_isbn13),
    ("creditcard", patterns::is_credit_card),
    ("ssn", patterns::is_social_security),
    ("hexcolor", patterns::is_hex_color),
    ("rgbcolor", patterns::is_rgb_color),
    ("byte", is_base64),
    ("password", |_| true),
    ("date", time::is_date),
    ("duration", |text| duration(text).is_ok()),
    ("datetime", time::is_date_time),
    ("k8sshortname", |text| text.len() <= 63 && names::is_label(text)),
    ("k8slongname", |text| text.len() <= 253 && names::is_subdomain(text)),
];

/// The check of a format, if the server knows it.
pub(crate) fn checker(name: &str) -> Option<Check> {
    let is = |known: &str| name.bytes().filter(|byte| *byte != b'-').eq(known.bytes());
    FORMATS.iter().find(|(known, _)| is(known)).map(|(_, check)| *check)
}

/// An address as Go read it before 1.17: zeros in front of a number mean nothing.
fn sloppy_ip(text: &str) -> Option<IpAddr> {
    let (head, tail) = match text.rfind(':') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let groups = head.split(':').map(without_zeros).collect::<Vec<_>>().join(":");
    let last = tail.split('.').map(without_zeros).collect::<Vec<_>>().join(".");
    format!("{groups}{last}").parse().ok()
}

fn without_zeros(group: &str) -> &str {
    match group.trim_start_matches('0') {
        "" if !group.is_empty() => "0",
        rest => rest,
    }
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let is_digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    match (sloppy_ip(address), without_zeros(length).parse::<u32>()) {
        (Some(IpAddr::V4(_)), Ok(length)) => is_digits && length <= 32,
        (Some(IpAddr::V6(_)), Ok(length)) => is_digits && length <= 128,
        (None, _) | (_, Err(_)) => false,
    }
}

/// A hardware address as Go's `net.ParseMAC` reads it.
fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (group, separator) = match (bytes.get(2), bytes.get(4)) {
        (Some(&mark @ (b':' | b'-')), _) => (2, mark),
        (_, Some(b'.')) => (4, b'.'),
        _ => return false,
    };
    let groups: Vec<&[u8]> = bytes.split(|byte| *byte == separator).collect();
    let is_group = |it: &&[u8]| it.len() == group && it.iter().all(u8::is_ascii_hexdigit);
    [6, 8, 20].contains(&(groups.len() * group / 2)) && groups.iter().all(is_group)
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let is_body = body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte));
    let padding = text.len() - body.len();
    !text.is_empty() && is_body && text.len().is_multiple_of(4) && padding <= 2
}

#[cfg(test)]
mod tests;
