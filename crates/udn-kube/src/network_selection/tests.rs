//! What pods ask for.

use super::{decode, encode};

fn check(text: &str, want: &str) {
    let got = match decode(Some(text), "home") {
        Ok(selections) => selections
            .iter()
            .map(|it| {
                let interface = it.interface.as_deref().unwrap_or("-");
                format!("{} {} {interface}", it.definition, it.index)
            })
            .collect::<Vec<_>>()
            .join("; "),
        Err(unreadable) => unreadable.to_string(),
    };
    assert_eq!(got, want, "{text}");
}

#[test]
fn nothing_is_asked_for_in_three_ways() {
    for text in ["", "null", "  "] {
        check(text, "");
    }
    check("[]", "");
    assert_eq!(decode(None, "home"), Ok(Vec::new()));
}

#[test]
fn both_forms_are_read() {
    check("red", "home/red 0 -");
    check("ns/red@net7, blue", "ns/red 0 net7; home/blue 0 -");
    check("a/n,a/n,b/n,a/n", "a/n 0 -; a/n 1 -; b/n 0 -; a/n 2 -");
    check(r#"[{"name":"red","namespace":"ns","interface":"net7","mac":"x"}]"#, "ns/red 0 net7");
    check(r#"[{"name":"red"},{"name":"red","namespace":"home"}]"#, "home/red 0 -; home/red 1 -");
}

#[test]
fn what_names_nothing_is_told() {
    let nameless = |text: &str| {
        format!(
            "k8s.v1.cni.cncf.io/networks: \"{text}\" names no NAD; write namespace/name or \
             namespace/name@link"
        )
    };
    for text in ["a/b/c", "@if", "a/", "/b", "a@b@c", "a@"] {
        check(text, &nameless(text));
    }
    check("a,,b", &nameless(""));
    check(
        r#"[{"namespace":"a"}]"#,
        "k8s.v1.cni.cncf.io/networks: an element has no name; write {\"name\": \"a-nad\"}",
    );
    assert!(decode(Some("[{]"), "home").is_err());
}

#[test]
fn the_json_form_is_written() {
    let selections = decode(Some("ns/red@net7,ns/red"), "home").unwrap();
    let text =
        r#"[{"name":"red","namespace":"ns","interface":"net7"},{"name":"red","namespace":"ns"}]"#;
    assert_eq!(encode(&selections), text);
    assert_eq!(decode(Some(text), "elsewhere"), Ok(selections));
}
