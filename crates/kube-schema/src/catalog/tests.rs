//! What is read into a catalog, and what is not.

use serde_json::{Value, json};

use super::Catalog;

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "shortNames": ["th"],
                "categories": ["all"]},
            "versions": [
                {"name": "v1", "served": true, "storage": true,
                    "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size",
                        "statusReplicasPath": ".status.size"}},
                    "additionalPrinterColumns": [{"name": "Size", "type": "integer",
                        "jsonPath": ".spec.size", "priority": 1}],
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                        "spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}},
                {"name": "v0", "served": false, "storage": false, "deprecated": true,
                    "schema": {"openAPIV3Schema": {"type": "object"}}},
            ],
        },
    })
}

fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut definition = definition();
    change(&mut definition);
    Catalog::read([definition]).expect_err("it is refused").to_string()
}

#[test]
fn a_definition_is_read() {
    let catalog = Catalog::read([definition()]).expect("it is right");
    let found = catalog.definition("example.org/v1", "Thing").expect("it is there");
    assert_eq!(found.name(), "things.example.org");
    assert_eq!((found.list_kind.as_str(), found.singular.as_str()), ("ThingList", "thing"));
    assert_eq!(
        (&found.short_names[..], &found.categories[..]),
        (&["th".to_owned()][..], &["all".to_owned()][..])
    );
    let version = found.version("v1").expect("it is served");
    assert!(version.has_status && version.storage && !version.deprecated);
    assert_eq!(
        version.scale.as_ref().map(|scale| scale.spec_replicas.as_str()),
        Some(".spec.size")
    );
    assert_eq!((version.columns[0].name.as_str(), version.columns[0].priority), ("Size", 1));
    assert!(found.version("v0").is_none(), "it is not served");
    assert_eq!(found.storage_version().map(|version| version.name.as_str()), Some("v1"));
    assert!(catalog.definition("example.org/v0", "Thing").is_none());
    assert!(catalog.definition("example.org/v1", "Other").is_none());
    assert!(catalog.definition("v1", "Thing").is_none());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let opening = "the server would refuse CustomResourceDefinition things.example.org: ";
    let check = |change: fn(&mut Value), want: &str| {
        assert_eq!(refusal(change), format!("{opening}{want}"));
    };
    check(
        |it| it["spec"]["versions"][0]["storage"] = json!(false),
        &format!(
            "spec.versions: Invalid value: {}: must have exactly one version marked as storage version",
            crate::go_text::json(&{
                let mut versions = definition()["spec"]["versions"].clone();
                versions[0]["storage"] = json!(false);
                versions
            }),
        ),
    );
    check(
        |it| it["spec"]["scope"] = json!("Global"),
        "spec.scope: Unsupported value: \"Global\": supported values: \"Cluster\", \"Namespaced\"",
    );
    check(
        |it| it["spec"]["group"] = json!(5),
        "[spec.group: Invalid value: 5: must be a string, \
        spec.group: Required value, metadata.name: Invalid value: \"things.example.org\": must be \
        spec.names.plural+\".\"+spec.group]",
    );
    check(
        |it| drop(it["spec"]["versions"][1].as_object_mut().map(|fields| fields.remove("schema"))),
        "spec.versions[1].schema.openAPIV3Schema: Required value",
    );
    check(
        |it| {
            it["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] =
                json!({});
        },
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not \
         be empty for specified object fields",
    );
}

#[test]
fn other_kinds_are_refused() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    let error = Catalog::read([pod]).expect_err("it is no definition").to_string();
    assert_eq!(error, "cannot use \"Pod\" of \"v1\": neither a CRD nor an admission policy");
    let error = Catalog::read([json!(5)]).expect_err("it is nothing").to_string();
    assert_eq!(error, "cannot use \"\" of \"\": neither a CRD nor an admission policy");
    let error = Catalog::read([definition(), definition()]).expect_err("it is there").to_string();
    assert_eq!(error, "there are two CustomResourceDefinitions called things.example.org");
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let mut deep = json!(1);
    for _ in 0..300 {
        deep = json!([deep]);
    }
    let error = refusal(|it| it["spec"]["deep"] = deep.clone());
    let want = "the manifest of CustomResourceDefinition things.example.org is nested deeper than \
                200 levels";
    assert_eq!(error, want);
    let catalog = Catalog::read([definition()]).expect("it is right");
    let object = json!({"apiVersion": "example.org/v1", "kind": "Thing", "spec": deep});
    let verdict = catalog.create(object.clone());
    let status = verdict.status().expect("it is refused");
    assert_eq!(status["message"], "nested deeper than 200 levels");
    assert!(!catalog.update(json!({}), &object).is_accepted());
}
