use std::time::Duration;

use super::*;

const LIMITS: Limits = Limits { time: Duration::from_secs(1), answer: 1024 };

/// Gives its bytes in pieces of one size.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(self.1).min(buffer.len());
        let (piece, rest) = self.0.split_at(count);
        buffer[..count].copy_from_slice(piece);
        self.0 = rest;
        Ok(count)
    }
}

/// Status, code and body, or the error; whole and in pieces.
fn check(said: &str, want: Result<(u16, Option<u32>, &str), &str>) {
    for piece in [1, 2, 7, 4096] {
        let received = receive(&mut Pieces(said.as_bytes(), piece), LIMITS);
        let received = received.map_err(|error| error.to_string());
        let want =
            want.map(|(status, code, body)| Response { status, code, body: body.to_owned() });
        assert_eq!(received, want.map_err(str::to_owned), "{said:?} in pieces of {piece}");
    }
}

#[test]
fn an_answer_with_a_length_ends_there() {
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore", Ok((200, None, "ok")));
    check("HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", Ok((200, None, "")));
    check("HTTP/1.0 200\nContent-Length: 2\n\nok", Ok((200, None, "ok")));
}

#[test]
fn an_answer_in_chunks_ends_with_an_empty_one() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let body = "4\r\nabcd\r\nB;x=y\r\nefghijklmno\r\n0\r\n\r\nmore";
    check(&format!("{head}{body}"), Ok((200, None, "abcdefghijklmno")));
    check(&format!("{head}0\r\nTrailer: x\r\n\r\n"), Ok((200, None, "")));
}

#[test]
fn an_answer_without_either_ends_with_the_connection() {
    check("HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\nno", Ok((400, None, "no")));
}

#[test]
fn the_number_of_an_error_is_read() {
    check(
        "HTTP/1.1 400 x\r\nx-cni-error-code: 11\r\nContent-Length: 0\r\n\r\n",
        Ok((400, Some(11), "")),
    );
    check(
        "HTTP/1.1 400 x\r\nX-CNI-Error-Code: x\r\nContent-Length: 0\r\n\r\n",
        Ok((400, None, "")),
    );
}

#[test]
fn what_comes_before_the_answer_says_nothing() {
    let said = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    check(said, Ok((200, None, "ok")));
}

#[test]
fn an_answer_that_stops_midway_is_an_error() {
    let ended = Err("the connection ended before the answer did");
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    check("", ended);
    check("HTTP/1.1 200 OK", ended);
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", ended);
    check("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", ended);
    check(head, ended);
    check(&format!("{head}4\r\nabcd"), ended);
    check(&format!("{head}4\r\nabcd\r\n"), ended);
    check(&format!("{head}4\r\nabcd\r\n0\r\n"), ended);
}

#[test]
fn nonsense_is_refused() {
    let check = |said: &str, reason: &str| {
        check(said, Err(&format!("the answer is no HTTP: {reason}")));
    };
    for line in ["\n", "x\n", "SSH-2.0\n", "HTTP/2 200\n", "HTTP/1.1 20\n", "HTTP/1.1 099 x\n"] {
        check(line, "its first line has no status");
    }
    let head = "HTTP/1.1 200 OK\r\n";
    check(&format!("{head}x\r\n\r\n"), "a header has no colon");
    check(&format!("{head}Content-Length: +2\r\n\r\nok"), "its length is no number");
    check(&format!("{head}Content-Length: -1\r\n\r\nok"), "its length is no number");
    check(&format!("{head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), "it has two lengths");
    check(&format!("{head}Transfer-Encoding: gzip\r\n\r\n"), "its transfer encoding is not known");
    let head = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    for line in ["\r\n", "x\r\n", "-1\r\n", "+1\r\n", "ffffffffffffffffff\r\n"] {
        check(&format!("{head}{line}"), "a chunk has no size");
    }
    check(&format!("{head}1\r\nab\r\n0\r\n\r\n"), "a chunk is longer than its size");
}

#[test]
fn a_large_answer_is_refused_as_soon_as_it_shows() {
    let large = Err("the answer is larger than 1024 bytes");
    check("HTTP/1.1 200 OK\r\nContent-Length: 1025\r\n\r\n", large);
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n", large);
    check(&format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(1024)), large);
    check(&"x".repeat(1025), large);
    check(&"HTTP/1.1 100 x\r\n\r\n".repeat(100), large);
}

#[test]
fn an_answer_may_fill_the_limit_and_more_may_follow_it() {
    let said = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
    let body = "x".repeat(1024 - said.len());
    check(&format!("{said}{body}"), Ok((200, None, &body)));
    let said = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    check(&format!("{said}{body}{body}"), Ok((200, None, "ok")));
}

/// Fails in one way.
struct Broken(io::ErrorKind);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

#[test]
fn errors_of_the_socket_are_told() {
    let check = |kind, want: &str| {
        assert_eq!(receive(&mut Broken(kind), LIMITS).unwrap_err().to_string(), want);
    };
    check(io::ErrorKind::WouldBlock, "no answer within 1 s");
    check(io::ErrorKind::TimedOut, "no answer within 1 s");
    check(io::ErrorKind::ConnectionReset, "cannot receive the answer");
}
