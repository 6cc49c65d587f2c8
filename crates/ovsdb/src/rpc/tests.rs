//! Tests of this module.

use super::*;

fn outline(text: &str) -> String {
    match Message::parse(text.as_bytes()) {
        Ok(Message::Request { id, method, params }) => format!("request {id} {method} {params}"),
        Ok(Message::Notification { method, params }) => format!("notification {method} {params}"),
        Ok(Message::Response { id, result: Ok(result) }) => format!("result {id} {result}"),
        Ok(Message::Response { id, result: Err(error) }) => format!("error {id} {error}"),
        Err(RpcError::Syntax(source)) => format!("refused: {source}"),
        Err(error) => format!("refused: {error}"),
    }
}

fn check(text: &str, want: &str) {
    let got = outline(text);
    assert!(got.starts_with(want), "{text}: {got}");
}

#[test]
fn messages_are_told_apart() {
    check(r#"{"id":7,"method":"echo","params":["x"]}"#, r#"request 7 echo ["x"]"#);
    check(r#"{"params":[],"method":"update2","id":null}"#, "notification update2 []");
    check(r#"{"method":"update2","params":[]}"#, "notification update2 []");
    check(r#"{"id":["a",1],"result":{"x":[1]},"error":null}"#, r#"result ["a",1] {"x":[1]}"#);
    check(r#"{"id":1,"error":"unknown method"}"#, r#"error 1 "unknown method""#);
    check(r#"{"result":[],"id":"a"}"#, r#"result "a" []"#);
    check(r#"{"id":1,"result":null,"error":null}"#, "result 1 null");
    check(r#"{"id":1,"method":"\u0065cho","params":[]}"#, "request 1 echo []");
}

#[test]
fn the_last_of_equal_members_counts() {
    check(r#"{"id":1,"id":2,"method":"a","params":[]}"#, "request 2 a []");
}

#[test]
fn what_is_no_message_is_refused() {
    check("{}", "refused: a message without id");
    check(r#"{"id":null,"result":1}"#, "refused: a message without id");
    check(r#"{"id":1,"method":"x"}"#, "refused: a message without params");
    check(r#"{"id":1,"method":"x","params":{}}"#, "refused: a message whose parameters");
    check(r#"{"id":1,"method":3,"params":[]}"#, "refused: invalid type");
    check(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#, "refused: unexpected member");
    check(r#"{"id":1"#, "refused: EOF");
    check(r#"{"id":1]"#, "refused: expected");
    assert!(Message::parse(b"{\"id\":\"\xff\",\"result\":1}").is_err(), "invalid UTF-8");
}

#[test]
fn what_is_written_reads_back() {
    let mut buffer = Vec::new();
    write_request(&mut buffer, 4, "transact", &TransactParams { database: "d", operations: &[1] });
    check(std::str::from_utf8(&buffer).unwrap(), r#"request 4 transact ["d",1]"#);
    buffer.clear();
    write_notification(&mut buffer, "update", &["m"]);
    check(std::str::from_utf8(&buffer).unwrap(), r#"notification update ["m"]"#);
    buffer.clear();
    write_result(&mut buffer, RawValue::NULL, &1);
    assert_eq!(buffer, br#"{"id":null,"result":1,"error":null}"#);
    buffer.clear();
    write_error(&mut buffer, RawValue::TRUE, &"no");
    assert_eq!(buffer, br#"{"id":true,"result":null,"error":"no"}"#);
}
