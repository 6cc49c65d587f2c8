//! Laws of reading manifests: any value comes back from its text, and stands where it is said to.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Map, Value};
use udn_manifest::manifest::{Step, documents, path_text};

/// Words that YAML gives a meaning to, and others.
fn word() -> impl Strategy<Value = String> {
    let known =
        ["yes", "no", "~", "null", "0x1f", "1_000", ".5", "<<", "- a", "a: b", "#", "é😀", ""];
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        "[a-zA-Z][a-zA-Z0-9./:-]{0,12}",
        "\\PC{0,12}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An object whose one field is any value.
fn object() -> impl Strategy<Value = Value> {
    value().prop_map(|value| Value::Object(Map::from_iter([("spec".to_owned(), value)])))
}

/// Every path to a value without parts, with the value.
fn leaves(value: &Value, path: &mut Vec<Step>, found: &mut Vec<(Vec<Step>, Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(Step::field(name));
                leaves(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(Step::Index(index));
                leaves(value, path, found);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push((path.clone(), value.clone()));
        }
    }
}

/// Reads a text back, and every value without parts from the very place it is said to stand.
fn check(text: &str, want: &Value) -> Result<(), TestCaseError> {
    let document = documents(text).next().expect("the text says something");
    let object = document
        .objects()
        .map_err(|error| TestCaseError::fail(format!("{error} at {:?} in\n{text}", error.span)))?;
    let object = object.first().expect("one object");
    prop_assert_eq!(&object.value, want, "{}", text);
    let mut found = Vec::new();
    leaves(want, &mut Vec::new(), &mut found);
    for (path, leaf) in found {
        let place = object.place(&path);
        let name = path_text(&path);
        prop_assert!(place.is_exact && place.is_scalar, "{} in\n{}", name, text);
        let written = &text[place.value.range()];
        let alone = format!("a: {written}\n");
        let read = documents(&alone).next().expect("a document").objects().expect("a value");
        prop_assert_eq!(&read[0].value["a"], &leaf, "{} is {:?} in\n{}", name, written, text);
    }
    Ok(())
}

fn config() -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_value_comes_back_from_json_at_its_place(value in object()) {
        check(&serde_json::to_string_pretty(&value).expect("JSON"), &value)?;
        check(&value.to_string(), &value)?;
    }

    #[test]
    fn any_value_comes_back_from_flow_yaml_at_its_place(value in object()) {
        // A comment before the brace makes it YAML.
        check(&format!("# flow\n{value}\n"), &value)?;
    }

    #[test]
    fn any_value_comes_back_from_block_yaml_at_its_place(value in object()) {
        let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
        let text = serde_saphyr::to_string_with_options(&value, options).expect("YAML");
        check(&text, &value)?;
    }

    #[test]
    fn any_text_is_read_to_an_end(text in "[-a&*<:{}\\[\\],'\"|> \t\n#%!0-9y]{0,60}") {
        for document in documents(&text) {
            if let Ok(objects) = document.objects() {
                for object in objects {
                    let place = object.place(&Step::parse_path("a[0].b"));
                    prop_assert!(document.text.get(place.mark(document.text).range()).is_some());
                    object.second_keys();
                }
            }
        }
    }
}
