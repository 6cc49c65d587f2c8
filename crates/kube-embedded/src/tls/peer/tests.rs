//! Certificates come from outside, whatever they are.

use proptest::prelude::*;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::*;
use crate::tls::Authority;

fn certificate(user: &str) -> CertificateDer<'static> {
    let authority = Authority::generate().expect("it is made");
    let identity = authority.client(user, &["dev"]).expect("it is signed");
    CertificateDer::from_pem_slice(identity.certificate.as_bytes()).expect("it is PEM")
}

#[test]
fn a_certificate_is_known_by_its_digest() {
    let user = identity(&certificate("jane")).expect("it names a user");
    let ids = &user.extra["authentication.kubernetes.io/credential-id"];
    let digest = ids[0].strip_prefix("X509SHA256=").expect("it is a digest");
    assert_eq!((ids.len(), digest.len()), (1, 64));
}

#[test]
fn a_certificate_without_a_name_is_nobody() {
    assert_eq!(identity(&certificate("")), None);
}

#[test]
fn a_broken_certificate_never_panics() {
    let whole = certificate("jane");
    for length in 0..whole.len() {
        assert_eq!(identity(&whole[..length]), None);
    }
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn no_bytes_panic(at in 0_usize..200, byte: u8) {
        let mut bytes = certificate("jane").to_vec();
        bytes[at] = byte;
        let _ = identity(&bytes);
    }
}
