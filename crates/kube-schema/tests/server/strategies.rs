//! Objects that nobody wrote: any value, and specs that may well be right.
//!
//! Invariant: names that the definition knows are tried more often than others.

use std::sync::LazyLock;

use kube_schema::Catalog;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The definition of widgets.
pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let text = include_str!("widgets.yaml");
    let definition: Value = serde_saphyr::from_str(text).expect("the file is YAML");
    Catalog::read([definition]).expect("the definition is right")
});

/// Every property of the definition.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let definition = CATALOG.definition("test.example.org/v1", "Widget").expect("it is there");
    let schema = &definition.versions[0].schema;
    let spec = schema.properties["spec"].properties.keys();
    let more =
        ["a", "b", "c", "name", "number", "known", "strict", "metadata", "kind", "apiVersion"];
    spec.cloned().chain(more.map(str::to_owned)).collect()
});

fn scalar() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-dx]{0,6}",
        "\\PC{0,4}",
        proptest::sample::select(vec![
            "10.0.0.0/8",
            "1.2.3.4",
            "2024-01-01T00:00:00Z",
            "5m",
            "aGk=",
            "no",
            "bad",
            "stuck"
        ])
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..120).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Halves are read back exactly, whoever reads them.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 16.0)),
        proptest::sample::select(vec![1e20, 1e21, 1e-7, -0.5e300]).prop_map(Value::from),
        text.prop_map(Value::from),
    ]
}

/// Any value.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 48, 6, |inner| {
        let name = prop_oneof![
            8 => proptest::sample::select(NAMES.clone()),
            1 => "\\PC{0,4}".prop_map(String::from),
        ];
        let fields = btree_map(name, inner.clone(), 0..6);
        prop_oneof![
            vec(inner, 0..5).prop_map(Value::from),
            fields.prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Fields of a spec: any value, or one that may well be right.
pub(crate) fn spec() -> impl Strategy<Value = Value> {
    let odd = (proptest::sample::select(NAMES.clone()), value());
    let right = proptest::sample::select(vec![
        ("small", json!(0.75)),
        ("even", json!(4)),
        ("even", json!(4.0)),
        ("text", json!("abc")),
        ("choice", json!("a")),
        ("maybe", json!(null)),
        ("either", json!("x")),
        ("filled", json!({})),
        ("filled", json!({"mode": null})),
        ("tags", json!(["a", "b"])),
        ("list", json!(["a"])),
        ("ports", json!([{"name": "a"}, {"name": "b", "number": 5}])),
        ("pairs", json!([{"a": "x"}, {"a": "x", "b": 1}])),
        ("labels", json!({"a.b/c": "x"})),
        ("free", json!({"a": [null, {}]})),
        ("loose", json!({"x": 1.0, "strict": {"known": "y"}})),
        ("embedded", json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {}}})),
        ("one", json!({"a": "x"})),
        ("any", json!({"b": "xyz"})),
        ("when", json!("2024-01-01T00:00:00Z")),
        ("born", json!("now")),
    ])
    .prop_map(|(name, value)| (name.to_owned(), value));
    let fields = vec(prop_oneof![1 => odd, 4 => right], 0..8);
    (1i64..101, fields).prop_map(|(size, fields)| {
        let mut spec: Map<String, Value> = fields.into_iter().collect();
        spec.insert("size".to_owned(), Value::from(size));
        Value::Object(spec)
    })
}

/// A widget with this spec.
pub(crate) fn widget(spec: Value) -> Value {
    json!({"apiVersion": "test.example.org/v1", "kind": "Widget",
        "metadata": {"name": "w", "labels": {"a": "b"}}, "spec": spec})
}
