//! Answers, and what kube-apiserver 1.35 made of them.

use super::*;

const UID: &str = "u-1";

fn answer(response: Value) -> Vec<u8> {
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
    });
    review.to_string().into_bytes()
}

fn check_failed(role: Role, answer: &[u8], want: &str) {
    assert_eq!(read(answer, role, "x", UID), Err(want.to_owned()));
}

fn check_denied(status: Value, want: Refusal) {
    let answer = answer(json!({"uid": UID, "allowed": false, "status": status}));
    let verdict = read(&answer, Role::Validating, "x", UID).expect("it makes sense");
    assert_eq!(verdict.outcome, Err(want));
}

fn patched(patch: &Value, kind: &str) -> Vec<u8> {
    let patch = base64::encode(Alphabet::Standard, patch.to_string().as_bytes());
    answer(json!({"uid": UID, "allowed": true, "patch": patch, "patchType": kind}))
}

#[test]
fn a_denial_is_told_in_the_webhooks_words() {
    let denied = |code, reason, message: &str| {
        Refusal::new(code, reason, format!("admission webhook \"x\" denied the request{message}"))
    };
    check_denied(Value::Null, denied(400, "", " without explanation"));
    check_denied(json!({"message": "no way"}), denied(400, "", ": no way"));
    check_denied(json!({"message": "no way", "code": 200}), denied(400, "", ": no way"));
    check_denied(
        json!({"reason": "Forbidden", "code": 403}),
        denied(403, "Forbidden", ": Forbidden"),
    );
    let details = json!({"name": "zz", "causes": [{"field": "a", "message": "b"}]});
    check_denied(
        json!({"message": "no way", "code": 422, "reason": "Invalid", "details": details}),
        denied(422, "Invalid", ": no way").with_details(details),
    );
}

#[test]
fn warnings_with_line_ends_are_dropped() {
    let answer = answer(json!({"uid": UID, "allowed": true, "warnings": ["careful", "a\nb"]}));
    let verdict = read(&answer, Role::Validating, "x", UID).expect("it makes sense");
    assert_eq!(verdict.warnings, ["careful"]);
    assert_eq!(verdict.outcome, Ok(Allowed { patch: None }));
}

#[test]
fn what_does_not_fit_is_a_failed_call() {
    let both = |answer: &[u8], why: &str| {
        for role in [Role::Mutating, Role::Validating] {
            check_failed(role, answer, &format!("received invalid webhook response: {why}"));
        }
    };
    both(
        b"{}",
        "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
    );
    both(&answer(Value::Null), "webhook response was absent");
    both(&answer(json!({"allowed": true})), r#"expected response.uid="u-1", got """#);
    both(&answer(json!({"allowed": true, "uid": "x"})), r#"expected response.uid="u-1", got "x""#);
}

#[test]
fn odd_patches_are_failed_calls() {
    let invalid = "received invalid webhook response: ";
    let patch = patched(&json!([{"op": "remove", "path": "/a"}]), "JSONPatch");
    let why = "validating webhook may not return response.patch";
    check_failed(Role::Validating, &patch, &format!("{invalid}{why}"));
    let only_type = answer(json!({"uid": UID, "allowed": true, "patchType": "JSONPatch"}));
    let why = "webhook returned response.patchType but not response.patch";
    check_failed(Role::Mutating, &only_type, &format!("{invalid}{why}"));
    let why = "validating webhook may not return response.patchType";
    check_failed(Role::Validating, &only_type, &format!("{invalid}{why}"));
    let only_patch = answer(json!({"uid": UID, "allowed": true, "patch": "W10="}));
    let why = "webhook returned response.patch but not response.patchType";
    check_failed(Role::Mutating, &only_patch, &format!("{invalid}{why}"));
    let broken = answer(json!({"uid": UID, "allowed": true, "patch": "***", "patchType": "x"}));
    let why = "failed to call webhook: illegal base64 data at input byte 0";
    check_failed(Role::Mutating, &broken, why);
    let why = "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch";
    check_failed(Role::Mutating, &patched(&json!({}), "JSONPatch"), why);
    let merge = patched(&json!([{"op": "remove", "path": "/a"}]), "Merge");
    check_failed(Role::Mutating, &merge, "unsupported patch type \"Merge\"");
}

#[test]
fn a_patch_that_does_not_apply_is_told() {
    for (operation, why) in [
        (
            json!({"op": "replace", "path": "/nope/x", "value": 1}),
            "replace operation does not apply: doc is missing path: /nope/x: missing value",
        ),
        (
            json!({"op": "add", "path": "/zip/zap", "value": 1}),
            "add operation does not apply: doc is missing path: \"/zip/zap\": missing value",
        ),
        (
            json!({"op": "remove", "path": "/zip"}),
            "error in remove for path: '/zip': Unable to remove nonexistent key: zip: missing value",
        ),
        (
            json!({"op": "test", "path": "/metadata/name", "value": "k"}),
            "testing value /metadata/name failed: test failed",
        ),
    ] {
        let answer = patched(&json!([operation]), "JSONPatch");
        let verdict = read(&answer, Role::Mutating, "x", UID).expect("it makes sense");
        let patch = verdict.outcome.expect("it is allowed").patch.expect("it is a patch");
        let object = json!({"metadata": {"name": "x"}});
        assert_eq!(apply(&patch, &object), Err(internal(why)));
    }
}
