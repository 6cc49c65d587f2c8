//! Conditions that hold, that do not, and that fail.

use serde_json::json;

use super::*;
use crate::auth::User;
use crate::webhook::tests::configmaps;

fn check(expressions: &[&str], want: Result<bool, &str>) {
    let (user, kind) = (User::new("jane", []), configmaps());
    let object = json!({"metadata": {"name": "x"}, "data": {"n": "1"}});
    let review = Review {
        operation: "CREATE",
        kind: &kind,
        subresource: "",
        name: "x",
        namespace: "default",
        object: Some(&object),
        old_object: None,
        options: &Value::Null,
        is_dry_run: false,
        user: &user,
        namespace_object: None,
    };
    let named = expressions.iter().map(|text| json!({"name": "c", "expression": text}));
    let hook = json!({"matchConditions": named.collect::<Vec<_>>()});
    let conditions = Conditions::new();
    let got = conditions.hold(&hook, &review);
    assert_eq!(got, want.map_err(str::to_owned));
    assert_eq!(conditions.hold(&hook, &review), got, "the second time");
}

#[test]
fn all_conditions_hold_or_none_counts() {
    check(&[], Ok(true));
    check(&["object.metadata.name == 'x'", "oldObject == null"], Ok(true));
    check(&["request.operation == 'CREATE' && request.userInfo.username == 'jane'"], Ok(true));
    check(&["request.operation == 'DELETE'"], Ok(false));
}

#[test]
fn a_condition_that_does_not_hold_outweighs_failures() {
    check(&["object.nope == 1", "false"], Ok(false));
    let why = "expression 'object.nope == 1' resulted in error: no such key: nope";
    check(&["object.nope == 1", "true"], Err(why));
}
