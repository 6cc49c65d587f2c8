//! Gives a certificate another subject.
//!
//! Reads a certificate in DER and names; returns the part that is signed, to be signed anew.
//! Invariant: nothing but the subject and the signature changes.

use x509_parser::parse_x509_certificate;

use crate::auth::base64::{self, Alphabet};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const BIT_STRING: u8 = 0x03;
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

/// A certificate that waits for its signature.
#[derive(Debug)]
pub(super) struct Unsigned {
    pub(super) signed: Vec<u8>,
    algorithm: Vec<u8>,
}

/// Puts a user and groups where the subject was; none if this is no certificate.
pub(super) fn rename(certificate: &[u8], user: &str, groups: &[&str]) -> Option<Unsigned> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let old = parsed.tbs_certificate.subject.as_raw();
    let tbs = parsed.tbs_certificate.as_ref();
    let content = content(tbs)?;
    // The subject is a slice of the certificate itself, so that its place is known.
    let start = (old.as_ptr() as usize).checked_sub(content.as_ptr() as usize)?;
    let (before, rest) = content.split_at_checked(start)?;
    let (_, after) = rest.split_at_checked(old.len())?;
    let names = std::iter::once((COMMON_NAME, user));
    let names = names.chain(groups.iter().map(|group| (ORGANIZATION, *group)));
    let names: Vec<u8> = names.flat_map(|(kind, text)| attribute(kind, text)).collect();
    let signed = wrap(SEQUENCE, &[before, &wrap(SEQUENCE, &names), after].concat());
    let rest = self::content(certificate)?.get(tbs.len()..)?;
    let algorithm = rest.get(..2 + usize::from(*rest.get(1)?))?.to_vec();
    Some(Unsigned { signed, algorithm })
}

impl Unsigned {
    pub(super) fn into_pem(self, signature: &[u8]) -> String {
        let bits = wrap(BIT_STRING, &[&[0], signature].concat());
        let whole = wrap(SEQUENCE, &[self.signed, self.algorithm, bits].concat());
        let text = base64::encode(Alphabet::Standard, &whole);
        let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
        for line in text.as_bytes().chunks(64) {
            pem.extend(line.iter().copied().map(char::from));
            pem.push('\n');
        }
        pem + "-----END CERTIFICATE-----\n"
    }
}

fn attribute(kind: &[u8], text: &str) -> Vec<u8> {
    let parts = [wrap(OBJECT_IDENTIFIER, kind), wrap(UTF8_STRING, text.as_bytes())].concat();
    wrap(SET, &wrap(SEQUENCE, &parts))
}

/// What lies in a DER element.
fn content(der: &[u8]) -> Option<&[u8]> {
    let length = *der.get(1)?;
    let skipped = if length < 0x80 { 2 } else { 2 + usize::from(length & 0x7f) };
    der.get(skipped..)
}

fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
    let bytes = content.len().to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
    let length = &bytes[first..];
    let mut der = vec![tag];
    match length {
        [short @ ..=0x7f] => der.push(*short),
        long => {
            der.push(0x80 | u8::try_from(long.len()).expect("a length has at most eight bytes"));
            der.extend_from_slice(long);
        }
    }
    der.extend_from_slice(content);
    der
}
