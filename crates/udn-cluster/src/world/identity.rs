//! Names that Kubernetes would accept, and uids for objects that nobody gave one.
//!
//! Invariant: the same object gets the same uid in every process.

use sha2::{Digest, Sha256};
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

/// Where kubectl puts an object that names no namespace.
const DEFAULT_NAMESPACE: &str = "default";

/// Under which selectors find a namespace by its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Completes what a manifest may leave out, and refuses names that no server would take.
pub(super) fn complete(kind: Kind, metadata: &mut Metadata) -> Result<(), String> {
    if metadata.name.is_empty() {
        return Err("has no metadata.name; give it one".to_owned());
    }
    if !is_name(&metadata.name, 253, true) {
        return Err(format!(
            "metadata.name \"{}\" is not a name: use lower-case letters, digits, '-' and '.', \
             at most 253 of them, with a letter or digit at both ends",
            metadata.name.escape_default()
        ));
    }
    if !kind.is_namespaced() {
        metadata.namespace.clear();
    } else if metadata.namespace.is_empty() {
        metadata.namespace = DEFAULT_NAMESPACE.to_owned();
    } else if !is_name(&metadata.namespace, 63, false) {
        return Err(format!(
            "metadata.namespace \"{}\" is not the name of a namespace: use lower-case letters, \
             digits and '-', at most 63 of them, with a letter or digit at both ends",
            metadata.namespace.escape_default()
        ));
    }
    if metadata.uid.is_empty() {
        metadata.uid = uid(kind, metadata);
    }
    if kind == Kind::Namespace {
        // compat: the server gives every namespace its name as a label, for selectors
        metadata.labels.insert(NAME_LABEL.to_owned(), metadata.name.clone());
    }
    Ok(())
}

fn is_name(text: &str, longest: usize, may_have_dots: bool) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_inner = |byte: u8| is_plain(byte) || byte == b'-' || (may_have_dots && byte == b'.');
    let bytes = text.as_bytes();
    (1..=longest).contains(&bytes.len())
        && bytes.iter().all(|byte| is_inner(*byte))
        && bytes.first().is_some_and(|byte| is_plain(*byte))
        && bytes.last().is_some_and(|byte| is_plain(*byte))
}

/// A uid in the shape of a UUID, version 8: in a directory nobody else assigns one.
fn uid(kind: Kind, metadata: &Metadata) -> String {
    let digest = Sha256::digest(format!("{kind}/{}/{}", metadata.namespace, metadata.name));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    let number = u128::from_be_bytes(bytes);
    let version = 0x8 << 76;
    let variant = 0b10 << 62;
    let marked = (number & !(0xf << 76) & !(0b11 << 62)) | version | variant;
    let hex = format!("{marked:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
