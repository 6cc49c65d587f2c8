use super::*;

fn check(response: &Response, want: Result<Option<CniResult>, (Code, &str, &str)>) {
    let read = response.read();
    let read = read
        .as_ref()
        .map(Option::as_ref)
        .map_err(|it| (it.code, it.message.as_str(), it.details.as_str()));
    let want = want.as_ref().map(Option::as_ref).map_err(|it| *it);
    assert_eq!(read, want, "{response:?}");
}

fn response(status: u16, code: Option<u32>, body: &str) -> Response {
    Response { status, code, body: body.to_owned() }
}

#[test]
fn a_success_looks_as_on_the_wire() {
    assert_eq!(Response::success(None), response(200, None, r#"{"Result":null}"#));
    let result = CniResult::default();
    assert_eq!(Response::success(Some(&result)), response(200, None, r#"{"Result":{}}"#));
    assert_eq!(Response::success(None).content_type(), "application/json");
}

#[test]
fn a_success_is_read_back() {
    check(&Response::success(None), Ok(None));
    check(&Response::success(Some(&CniResult::default())), Ok(Some(CniResult::default())));
}

#[test]
fn answers_without_a_result_are_successes_too() {
    check(&response(200, None, ""), Ok(None));
    check(&response(200, None, " \n"), Ok(None));
    check(&response(200, None, "{}"), Ok(None));
    check(&response(200, None, r#"{"Result":null,"PodIFInfo":{"IPs":null}}"#), Ok(None));
}

#[test]
fn an_error_is_text_with_its_number_beside() {
    let error = CniError::new(Code::TryAgainLater, "pod a/b\nwaits").with_details("one\ntwo");
    let failure = Response::failure(&error);
    assert_eq!(failure, response(400, Some(11), "pod a/b waits\none\ntwo"));
    assert_eq!(failure.content_type(), "text/plain; charset=utf-8");
    check(&failure, Err((Code::TryAgainLater, "pod a/b waits", "one\ntwo")));
}

#[test]
fn every_error_is_read_back() {
    for code in Code::ALL {
        for details in ["", "details"] {
            let error = CniError::new(code, "message").with_details(details);
            check(&Response::failure(&error), Err((code, "message", details)));
        }
    }
}

#[test]
fn a_server_of_ovn_kubernetes_gives_no_number() {
    check(&response(400, None, "failed\n"), Err((Code::Internal, "failed", "")));
    check(&response(400, Some(12), "failed"), Err((Code::Internal, "failed", "")));
    let message = "the node's CNI server answered status 404";
    check(&response(404, None, ""), Err((Code::Internal, message, "")));
}

#[test]
fn nonsense_is_an_error() {
    let message = "the node's CNI server answered what cannot be read";
    for body in ["x", "[1", "[]", r#"{"Result":[]}"#, r#"{"Result":{"ips":1}}"#] {
        let error = response(200, None, body).read().unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::Undecodable, message), "{body}");
        assert!(!error.details.is_empty());
    }
}
