//! A small map against a tree.

use std::collections::BTreeMap;

use super::Texts;

#[test]
fn behaves_as_an_ordered_map() {
    let (mut texts, mut tree) = (Texts::default(), BTreeMap::new());
    // All orders of few keys, with repeats.
    for number in 0..3_usize.pow(7) {
        let key = ["b", "a", "c"][number / 3_usize.pow((number % 7) as u32) % 3].to_owned();
        let text = number.to_string();
        match number % 5 {
            0 => assert_eq!(texts.remove(&key), tree.remove(&key)),
            1..=4 => {
                assert_eq!(texts.insert(key.clone(), text.clone()), tree.insert(key, text));
            }
            _ => unreachable!("a remainder of five"),
        }
        assert!(texts.iter().eq(tree.iter().map(|(key, text)| (key.as_str(), text))));
        assert_eq!(texts.get("a"), tree.get("a"));
        assert_eq!(texts.contains_key("c"), tree.contains_key("c"));
        assert_eq!((texts.len(), texts.is_empty()), (tree.len(), tree.is_empty()));
    }
    let mut rest = texts.clone();
    rest.retain(|key, _| key != "a");
    tree.remove("a");
    assert!(rest.iter().eq(tree.iter().map(|(key, text)| (key.as_str(), text))));
}

#[test]
fn is_read_in_order_and_without_nulls() {
    let texts: Texts =
        serde_json::from_str(r#"{"b": "2", "c": null, "a": "1", "b": "3"}"#).unwrap();
    assert_eq!(serde_json::to_string(&texts).unwrap(), r#"{"a":"1","b":"3"}"#);
}

#[test]
fn a_frequent_key_has_no_text_of_its_own() {
    let texts: Texts = serde_json::from_value(serde_json::json!({
        "k8s.ovn.org/network-id": "7",
        "mine": "8",
    }))
    .expect("texts");
    let is_shared = |(key, _): &(super::Key, String)| matches!(key, std::borrow::Cow::Borrowed(_));
    assert_eq!(texts.0.iter().map(is_shared).collect::<Vec<_>>(), [true, false]);
}
