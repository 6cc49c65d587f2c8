//! Tokens are known again, and nothing else is.

use super::*;

const NOW: i64 = 1_794_802_103;

fn signer() -> TokenSigner {
    TokenSigner::generate("https://kubernetes.default.svc").expect("a key is made")
}

fn issue(signer: &TokenSigner, spec: Value) -> Result<Value, Refusal> {
    let account = json!({"metadata": {"name": "sa", "namespace": "default", "uid": "u-1"}});
    signer.answer(&account, &json!({ "spec": spec }), Stamp { now: NOW, id: "id-1" })
}

fn token(answer: &Value) -> &str {
    answer["status"]["token"].as_str().expect("there is a token")
}

#[test]
fn a_token_is_its_accounts_user() {
    let signer = signer();
    let answer = issue(&signer, json!({})).expect("it is answered");
    assert_eq!(answer["status"]["expirationTimestamp"], "2026-11-16T05:08:23Z");
    assert_eq!(answer["spec"]["expirationSeconds"], 3600);
    assert_eq!(answer["spec"]["audiences"], json!(["https://kubernetes.default.svc"]));
    let claims = signer.verify(token(&answer), NOW).expect("it is known");
    assert_eq!(
        claims.user().to_value(),
        json!({
            "username": "system:serviceaccount:default:sa",
            "uid": "u-1",
            "groups": ["system:serviceaccounts", "system:serviceaccounts:default"],
            "extra": {"authentication.kubernetes.io/credential-id": ["JTI=id-1"]},
        })
    );
}

#[test]
fn many_signatures_are_all_known() {
    let signer = signer();
    for _ in 0..64 {
        let answer = issue(&signer, json!({})).expect("it is answered");
        assert!(signer.verify(token(&answer), NOW).is_some());
    }
}

#[test]
fn a_kept_key_knows_its_tokens() {
    let signer = signer();
    let answer = issue(&signer, json!({})).expect("it is answered");
    let again = TokenSigner::from_pem(signer.issuer(), &signer.to_pem()).expect("it is a key");
    assert!(again.verify(token(&answer), NOW).is_some());
}

#[test]
fn tokens_of_another_time_or_key_are_unknown() {
    let signer = signer();
    let answer = issue(&signer, json!({"expirationSeconds": 600})).expect("it is answered");
    let good = token(&answer);
    assert!(signer.verify(good, NOW + 599).is_some());
    assert!(signer.verify(good, NOW + 600).is_none());
    assert!(signer.verify(good, NOW - 1).is_none());
    let other = TokenSigner::generate(signer.issuer()).expect("a key is made");
    assert!(other.verify(good, NOW).is_none());
}

#[test]
fn a_changed_token_is_unknown() {
    let signer = signer();
    let answer = issue(&signer, json!({})).expect("it is answered");
    let good = token(&answer);
    let (head, tail) = good.split_once('.').expect("it has a header");
    for bad in ["", ".", "..", "a.b.c", head, &format!("x{head}.{tail}"), &format!("{good}A")] {
        assert!(signer.verify(bad, NOW).is_none(), "{bad}");
    }
}

#[test]
fn short_and_long_lives_are_refused() {
    let signer = signer();
    for (seconds, why) in [
        (5_i64, "may not specify a duration less than 10 minutes"),
        (4_294_967_297, "may not specify a duration larger than 2^32 seconds"),
    ] {
        let refusal = issue(&signer, json!({"expirationSeconds": seconds})).expect_err("too odd");
        let message = format!(
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: \
             Invalid value: {seconds}: {why}"
        );
        assert_eq!((refusal.code, refusal.message), (422, message));
    }
}

#[test]
fn tokens_are_bound_to_nothing_else() {
    let bound = json!({"apiVersion": "v1", "kind": "Pod", "name": "x"});
    let refusal = issue(&signer(), json!({"boundObjectRef": bound})).expect_err("it is refused");
    assert_eq!(refusal.message, "cannot bind token to object of type /v1, Kind=Pod");
}
