use std::io::BufRead;
use std::os::unix::net::UnixListener;
use std::thread;

use super::*;

const LIMITS: Limits = Limits { time: Duration::from_secs(20), answer: 1024 * 1024 };
const SHORT: Limits = Limits { time: Duration::from_millis(50), answer: 1024 };

/// Posts to a server that does this with its only caller.
fn check<S>(serve: S, body: &[u8], limits: Limits) -> Result<Response, HttpError>
where
    S: FnOnce(UnixStream) + Send,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| serve(listener.accept().unwrap().0));
        post(&path, "/place", body, limits)
    })
}

#[test]
fn a_request_is_one_post() {
    let mut heard = Vec::new();
    let serve = |mut stream: UnixStream| {
        let mut reader = io::BufReader::new(&stream);
        while !heard.ends_with(b"\r\n\r\n") {
            reader.read_until(b'\n', &mut heard).unwrap();
        }
        let mut body = [0; 4];
        reader.read_exact(&mut body).unwrap();
        heard.extend_from_slice(&body);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
    };
    let response = check(serve, b"body", LIMITS).unwrap();
    assert_eq!(response, Response { status: 200, code: None, body: "ok".to_owned() });
    let want = "POST /place HTTP/1.1\r\nHost: dummy\r\nContent-Type: application/json\r\n\
                Content-Length: 4\r\nConnection: close\r\n\r\nbody";
    assert_eq!(String::from_utf8(heard).unwrap(), want);
}

#[test]
fn a_server_may_answer_before_it_has_read_all() {
    let serve = |mut stream: UnixStream| {
        stream.write_all(b"HTTP/1.1 413 x\r\nContent-Length: 5\r\n\r\nlarge").unwrap();
    };
    let response = check(serve, &vec![b'x'; 8 * 1024 * 1024], LIMITS).unwrap();
    assert_eq!((response.status, response.body.as_str()), (413, "large"));
}

#[test]
fn a_server_that_hangs_up_is_away() {
    let error = check(drop, &vec![b'x'; 8 * 1024 * 1024], LIMITS).unwrap_err();
    assert!(matches!(error, HttpError::Send { .. }), "{error:?}");
    assert_eq!(error.code(), Code::TryAgainLater);
}

#[test]
fn a_server_that_says_nothing_is_waited_for_only_so_long() {
    let begun = Instant::now();
    let error = check(|stream| drop(io::copy(&mut &stream, &mut io::sink())), b"x", SHORT);
    assert!(matches!(error, Err(HttpError::TimedOut { .. })), "{error:?}");
    assert!(begun.elapsed() >= SHORT.time);
}

#[test]
fn a_server_that_reads_nothing_is_waited_for_only_so_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    let error = post(&path, "/", &vec![b'x'; 8 * 1024 * 1024], SHORT).unwrap_err();
    assert!(matches!(error, HttpError::TimedOut { .. }), "{error:?}");
}

#[test]
fn a_server_that_accepts_nobody_is_waited_for_only_so_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    let mut waiting = Vec::new();
    let error = loop {
        match open(&path, Duration::from_millis(20)) {
            Ok(stream) => waiting.push(stream),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    let error = post(&path, "/", b"x", SHORT).unwrap_err();
    assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
    assert_eq!(error.code(), Code::TryAgainLater);
}

#[test]
fn a_socket_that_is_not_there_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let missing = post(&path, "/", b"x", LIMITS).unwrap_err();
    drop(UnixListener::bind(&path).unwrap());
    let stale = post(&path, "/", b"x", LIMITS).unwrap_err();
    let long = post(&folder.path().join("x".repeat(200)), "/", b"x", LIMITS).unwrap_err();
    for error in [missing, stale, long] {
        assert!(matches!(error, HttpError::Connect { .. }), "{error:?}");
        assert_eq!(error.code(), Code::TryAgainLater);
    }
}
