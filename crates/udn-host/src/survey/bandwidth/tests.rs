//! Bandwidths as people write them.

use super::*;

fn check(key: &str, text: &str, want: Result<Bandwidth, &str>) {
    let annotations = [(key.to_owned(), text.to_owned())].into_iter().collect();
    let metadata = Metadata { annotations, ..Metadata::default() };
    let said = bandwidth(&metadata).map_err(|error| error.to_string());
    match want {
        Ok(want) => assert_eq!(said, Ok(want), "{text}"),
        Err(want) => assert!(said.as_ref().is_err_and(|it| it.contains(want)), "{text}: {said:?}"),
    }
}

#[test]
fn quantities_are_read_as_kubernetes_writes_them() {
    for (text, bits) in [
        ("1k", 1_000),
        ("10M", 10_000_000),
        ("1.5M", 1_500_000),
        ("1Ki", 1_024),
        ("2Gi", 2_147_483_648),
        ("1e6", 1_000_000),
        ("+20000", 20_000),
        ("1P", 1_000_000_000_000_000),
        ("1000000000m", 1_000_000),
    ] {
        check(INGRESS_BANDWIDTH, text, Ok(Bandwidth { ingress: Some(bits), egress: None }));
        check(EGRESS_BANDWIDTH, text, Ok(Bandwidth { ingress: None, egress: Some(bits) }));
    }
}

#[test]
fn what_is_no_bandwidth_is_refused_with_the_key() {
    for text in ["", "M", "fast", "-1M", "1.2.3M", "10 M", "1MM", "1e", "1e99", "NaN", "inf"] {
        check(EGRESS_BANDWIDTH, text, Err("kubernetes.io/egress-bandwidth: \""));
    }
    check(INGRESS_BANDWIDTH, "999", Err("too little"));
    check(INGRESS_BANDWIDTH, "1001T", Err("too much"));
    check(INGRESS_BANDWIDTH, "1E", Err("too much"));
}

#[test]
fn a_pod_that_asks_for_nothing_has_any() {
    check("other", "10M", Ok(Bandwidth::default()));
}
