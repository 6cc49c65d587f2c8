//! Texts as Go 1.25 printed them.

use serde_json::json;

use super::{cannot_unmarshal, float, json, plain, quoted, type_name};
use crate::path::Step;

#[test]
fn strings_are_quoted_as_go_quotes_them() {
    let cases = [
        ("plain", r#""plain""#),
        ("a\"b\\c", r#""a\"b\\c""#),
        ("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#),
        ("\0\u{1b}\u{7f}", r#""\x00\x1b\x7f""#),
        ("é世🦀", "\"é世🦀\""),
        ("a\u{301}", "\"a\u{301}\""),
        ("\u{ad}\u{a0}\u{200b}\u{2028}\u{e000}", r#""\u00ad\u00a0\u200b\u2028\ue000""#),
        ("\u{e0001}\u{10ffff}", r#""\U000e0001\U0010ffff""#),
        // Go knows Unicode 15.0: the last of each pair came later.
        ("\u{116c9}\u{116d0}", "\"\u{116c9}\\U000116d0\""),
        ("\u{20c0}\u{20c1}", "\"\u{20c0}\\u20c1\""),
        ("\u{323af}\u{323b0}\u{33479}", "\"\u{323af}\\U000323b0\\U00033479\""),
    ];
    for (text, want) in cases {
        assert_eq!(quoted(text), want, "{text:?}");
    }
}

#[test]
fn floats_are_written_as_go_writes_them() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (-2.25, "-2.25"),
        (123456.0, "123456"),
        (1234567.0, "1.234567e+06"),
        (1e20, "1e+20"),
        (-1e21, "-1e+21"),
        (1.25e100, "1.25e+100"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1e-300, "1e-300"),
        (f64::MAX, "1.7976931348623157e+308"),
    ];
    for (number, want) in cases {
        assert_eq!(float(number), want);
    }
}

#[test]
fn json_is_written_as_go_writes_it() {
    let value =
        json!({"b": [1, 1.5, 1e21, 1e-7, 1e-6], "a": "<&>\u{2028}\u{1}\n", "c": null, "d": true});
    let want = r#"{"a":"\u003c\u0026\u003e\u2028\u0001\n","b":[1,1.5,1e+21,1e-7,0.000001],"c":null,"d":true}"#;
    assert_eq!(json(&value), want);
    assert_eq!(json(&json!(18446744073709551615u64)), "18446744073709552000");
    assert_eq!(json(&json!({})), "{}");
    assert_eq!(json(&json!([])), "[]");
}

#[test]
fn values_are_printed_as_go_prints_them() {
    let value = json!({"b": [1, 1.5, "x y"], "a": null, "c": {"d": true}});
    assert_eq!(plain(&value), "map[a:<nil> b:[1 1.5 x y] c:map[d:true]]");
    let types = ["map[string]interface {}", "[]interface {}", "int64", "float64"];
    let values = [&value, &value["b"], &value["b"][0], &value["b"][1]];
    assert_eq!(values.map(type_name), types);
}

#[test]
fn what_does_not_fit_is_told_by_its_struct() {
    let at = [Step::Field("spec".to_owned()), Step::Index(1), Step::Field("x".to_owned())];
    assert_eq!(
        cannot_unmarshal("number", Some("Spec"), &at, "string"),
        "json: cannot unmarshal number into Go struct field Spec.spec.x of type string"
    );
    assert_eq!(
        cannot_unmarshal("number", None, &at, "string"),
        "json: cannot unmarshal number into Go value of type string"
    );
}
