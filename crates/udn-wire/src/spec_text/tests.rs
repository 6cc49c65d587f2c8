use serde_json::json;

use super::*;

#[test]
fn specs_that_say_the_same_are_equal() {
    let read = |text: &str| serde_json::from_str::<SpecText>(text).expect("JSON");
    let spec = read(r#"{"b": [1, 2.5],  "a": {"x": "ü\n"}}"#);
    assert_eq!(spec, read(r#"{"a":{"x":"\u00fc\n"},"b":[1,2.5]}"#));
    assert_ne!(spec, read(r#"{"a":{"x":"u\n"},"b":[1,2.5]}"#));
}

#[test]
fn a_spec_says_what_it_was_made_from() {
    for text in ["null", "7", "18446744073709551615", "-0.25", r#""s""#, "[[],{}]", r#"{"a":null}"#]
    {
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(SpecText::from(&value).value(), value, "{text}");
    }
    assert_eq!(SpecText::default().value(), Value::Null);
}

#[test]
fn a_spec_is_read_once_for_all_who_share_it() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static READS: AtomicUsize = AtomicUsize::new(0);
    fn read(value: &Value) -> usize {
        READS.fetch_add(1, Ordering::SeqCst);
        value.as_array().map_or(0, Vec::len)
    }
    let spec = SpecText::from(&json!([1, 2, 3]));
    assert_eq!((*spec.read_once(read), *spec.clone().read_once(read)), (3, 3));
    assert_eq!(READS.load(Ordering::SeqCst), 1);
    let other = SpecText::from(&json!([1]));
    assert_eq!((*other.read_once(read), READS.load(Ordering::SeqCst)), (1, 2));
}
