//! The shared cases about admission policies: refused as on a cluster of OVN-Kubernetes.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use crate::cases::{Case, all};
use serde_json::{Value, json};

use crate::catalog::catalog;

/// An object of the case's kind with the metadata that stands at a path.
fn object(case: &Case, path: &str) -> Value {
    let mut metadata = json!({ "name": "it", "namespace": "ns" });
    let fields = case.at(path).as_object().unwrap().clone();
    metadata.as_object_mut().unwrap().extend(fields);
    json!({ "apiVersion": "v1", "kind": case.at("/kind"), "metadata": metadata })
}

#[test]
fn updates_are_refused_with_the_same_words() {
    let Some(cases) = all("admission-policy") else {
        println!("admission-policy: 0 run, 0 listed, all skipped");
        println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
        return;
    };
    let catalog = catalog();
    for case in &cases {
        assert_eq!((case.text("/operation"), case.text("/expect")), ("UPDATE", "reject"));
        let (old, new) = (object(case, "/metadata_before"), object(case, "/metadata_after"));
        let verdict = catalog.update(new, &old);
        let told: Vec<&str> = verdict.denials.iter().map(|it| it.message.as_str()).collect();
        let want = case.text("/expected_error_substring");
        assert!(told.iter().any(|it| it.contains(want)), "{}: {told:?}", case.id);
        assert!(catalog.update(old.clone(), &old).is_accepted(), "{}: nothing changed", case.id);
    }
    let count = cases.len();
    println!(
        "admission-policy: {count} cases: {count} run, of which {count} agree; 0 listed; 0 skipped"
    );
}
