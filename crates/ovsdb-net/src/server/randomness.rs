//! Random identifiers for rows and transactions.
//!
//! Invariant: version 4, variant 1, the other bits from the system's generator.

use std::sync::LazyLock;

use ovsdb::Uuid;
use rustls::crypto::{SecureRandom, aws_lc_rs};

static GENERATOR: LazyLock<&'static dyn SecureRandom> =
    LazyLock::new(|| aws_lc_rs::default_provider().secure_random);

/// Draws a random identifier.
pub fn random_uuid() -> Uuid {
    let mut bytes = [0; 16];
    GENERATOR.fill(&mut bytes).expect("the system's generator works, or TLS would not either");
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Uuid::from_bytes(bytes)
}
