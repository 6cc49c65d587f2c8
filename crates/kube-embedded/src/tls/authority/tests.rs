//! Certificates are what they are asked to be, and the authority lasts.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::tls::peer;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn an_authority_lasts_in_its_folder() {
    let home = tempfile::tempdir().expect("there is room");
    let folder = home.path().join("pki");
    let first = Authority::open(&folder).expect("it is made");
    let second = Authority::open(&folder).expect("it is read");
    assert_eq!(first.pem(), second.pem());
    assert_eq!(first.issuer.key().serialize_pem(), second.issuer.key().serialize_pem());
    assert_eq!((mode(&folder), mode(&folder.join(KEY_FILE))), (0o700, 0o600));
    fs::remove_file(folder.join(CERTIFICATE_FILE)).expect("it is removed");
    let third = Authority::open(&folder).expect("the certificate is made anew");
    assert_eq!(third.issuer.key().serialize_pem(), first.issuer.key().serialize_pem());
}

#[test]
fn a_broken_folder_is_an_error() {
    let other = Authority::generate().expect("it is made");
    for (file, text) in [
        (KEY_FILE, "no key"),
        (CERTIFICATE_FILE, "no certificate"),
        (CERTIFICATE_FILE, other.pem()),
    ] {
        let home = tempfile::tempdir().expect("there is room");
        Authority::open(home.path()).expect("it is made");
        fs::write(home.path().join(file), text).expect("it is written");
        assert!(Authority::open(home.path()).is_err(), "{file}");
    }
}

#[test]
fn a_client_is_its_user_in_all_its_groups() {
    let authority = Authority::generate().expect("it is made");
    let long = "g".repeat(300);
    let groups = ["system:masters", "dev", "ops", &long];
    let identity = authority.client("jané", &groups).expect("it is signed");
    let der = parse(Path::new("-"), &identity.certificate).expect("it is a certificate");
    let user = peer::identity(&der).expect("it names a user");
    assert_eq!(user.name, "jané");
    assert_eq!(user.groups, groups);
}
