use axum::http::{Request, Version};

use super::turned_away;

fn check(version: Version, headers: &[(&str, &str)], want: Option<u16>) {
    let mut request = Request::builder().version(version).uri("/version");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(()).expect("it can be sent");
    assert_eq!(turned_away(&request).map(|code| code.as_u16()), want, "{headers:?}");
}

#[test]
fn a_request_names_one_host() {
    check(Version::HTTP_11, &[("host", "x:6443")], None);
    check(Version::HTTP_11, &[("host", "[::1]:6443")], None);
    check(Version::HTTP_11, &[("host", "")], None);
    check(Version::HTTP_11, &[], Some(400));
    check(Version::HTTP_11, &[("host", "x"), ("host", "y")], Some(400));
    check(Version::HTTP_11, &[("host", "a b")], Some(400));
    check(Version::HTTP_10, &[], None);
    check(Version::HTTP_2, &[], None);
}

#[test]
fn only_chunks_are_understood() {
    let host = ("host", "x");
    check(Version::HTTP_11, &[host, ("transfer-encoding", "Chunked")], None);
    check(Version::HTTP_11, &[host, ("transfer-encoding", "gzip, chunked")], Some(501));
}

#[test]
fn only_going_on_can_be_expected() {
    let host = ("host", "x");
    check(Version::HTTP_11, &[host, ("expect", "100-Continue")], None);
    check(Version::HTTP_11, &[host, ("expect", "nothing")], Some(417));
}
