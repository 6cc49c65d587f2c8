//! Who is let in, and as whom.

use serde_json::json;

use super::super::token::Stamp;
use super::*;

const NOW: i64 = 1_000_000;

fn authenticator(anonymous: bool) -> Authenticator {
    let signer = TokenSigner::generate("https://kubernetes.default.svc").expect("a key is made");
    let jane = User::new("jane", ["dev"]);
    Authenticator::new(BTreeMap::from([("secret".to_owned(), jane)]), signer, anonymous)
}

fn check(authorization: Option<&str>, name: &str, groups: &[&str]) {
    let credentials = Credentials { authorization, certificate: Certificate::None };
    let user = authenticator(true).authenticate(credentials, &|_| None, NOW).expect("let in");
    assert_eq!(user, User::new(name, groups.iter().copied()));
}

#[test]
fn a_known_token_is_its_user() {
    check(Some("Bearer secret"), "jane", &["dev", "system:authenticated"]);
    check(Some("bearer secret"), "jane", &["dev", "system:authenticated"]);
}

#[test]
fn who_shows_nothing_is_anonymous() {
    for header in [None, Some("Basic Zm9v"), Some("Bearer"), Some("Bearer ")] {
        check(header, "system:anonymous", &["system:unauthenticated"]);
    }
}

#[test]
fn a_certificate_comes_before_a_token() {
    let certificate = Certificate::Known(Arc::new(User::new("jo", ["ops"])));
    let credentials = Credentials { certificate, authorization: Some("Bearer x") };
    let user = authenticator(true).authenticate(credentials, &|_| None, NOW);
    assert_eq!(user, Ok(User::new("jo", ["ops", "system:authenticated"])));
}

#[test]
fn unknown_tokens_and_forbidden_strangers_are_unauthorized() {
    for (anonymous, authorization) in [(true, Some("Bearer secre")), (false, None)] {
        let credentials = Credentials { authorization, certificate: Certificate::None };
        let refusal = authenticator(anonymous).authenticate(credentials, &|_| None, NOW);
        let refusal = refusal.expect_err("nobody knows them");
        assert_eq!(
            refusal.status(),
            json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "Unauthorized", "reason": "Unauthorized", "code": 401})
        );
    }
}

#[test]
fn an_accounts_token_lasts_as_long_as_the_account() {
    let authenticator = authenticator(true);
    let account = json!({"metadata": {"name": "sa", "namespace": "default", "uid": "u-1"}});
    let stamp = Stamp { now: NOW, id: "i" };
    let answer = authenticator.signer().answer(&account, &json!({}), stamp).expect("it is signed");
    let header = format!("Bearer {}", answer["status"]["token"].as_str().expect("a token"));
    let ask = |uid: Option<&str>| {
        let credentials =
            Credentials { authorization: Some(&header), certificate: Certificate::None };
        let uid = uid.map(str::to_owned);
        authenticator.authenticate(credentials, &|_| uid.clone(), NOW).map(|user| user.name)
    };
    assert_eq!(ask(Some("u-1")), Ok("system:serviceaccount:default:sa".to_owned()));
    assert_eq!(ask(Some("u-2")), Err(unauthorized()));
    assert_eq!(ask(None), Err(unauthorized()));
}

#[test]
fn a_token_for_others_is_unauthorized() {
    let authenticator = authenticator(true);
    let account = json!({"metadata": {"name": "sa", "namespace": "default", "uid": "u-1"}});
    let request = json!({"spec": {"audiences": ["vault"]}});
    let stamp = Stamp { now: NOW, id: "i" };
    let answer = authenticator.signer().answer(&account, &request, stamp).expect("it is signed");
    let header = format!("Bearer {}", answer["status"]["token"].as_str().expect("a token"));
    let credentials = Credentials { authorization: Some(&header), certificate: Certificate::None };
    let user = authenticator.authenticate(credentials, &|_| Some("u-1".to_owned()), NOW);
    assert_eq!(user, Err(unauthorized()));
}

#[test]
fn an_unknown_certificate_needs_a_known_token() {
    let ask = |authorization| {
        let credentials = Credentials { certificate: Certificate::Unknown, authorization };
        authenticator(true).authenticate(credentials, &|_| None, NOW).map(|user| user.name)
    };
    assert_eq!(ask(None), Err(unauthorized()));
    assert_eq!(ask(Some("Bearer x")), Err(unauthorized()));
    assert_eq!(ask(Some("Bearer secret")), Ok("jane".to_owned()));
}
