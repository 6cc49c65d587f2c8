//! Messages as bytes, and switches of every kind.

use tokio::net::UnixListener;

use super::*;

fn mac() -> MacAddress {
    "0a:58:0a:0a:00:03".parse().unwrap()
}

#[test]
fn a_guard_is_one_message_of_the_protocol() {
    let added = Guard::Added(mac()).to_message();
    assert_eq!(added.len(), 48 + 32);
    assert_eq!(added[..8], [6, 14, 0, 80, 0, 0, 0, 0]);
    assert_eq!(added[8..16], GUARD_COOKIE.to_be_bytes());
    assert_eq!(added[48..62], [0, 1, 0, 30, 0x80, 0, 8, 6, 0x0a, 0x58, 0x0a, 0x0a, 0, 3]);
    assert_eq!(
        added[62..],
        [0x80, 0, 10, 2, 0x86, 0xdd, 0x80, 0, 20, 1, 58, 0x80, 0, 58, 1, 134, 0, 0]
    );
    let removed = Guard::Removed(mac()).to_message();
    assert_eq!((added[25], removed[25]), (0, 4));
}

/// What comes of a switch that answers with these bytes and then hangs up.
async fn check(answer: Vec<u8>, want: Result<(), &str>) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("br-int.mgmt");
    let listener = UnixListener::bind(&socket).unwrap();
    let switch = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(&answer).await.unwrap();
        stream.shutdown().await.unwrap();
        // Read to the end, so that the asker never meets a closed connection while it writes; what
        // it did not take of the answer may end that early.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    };
    let guards = [Guard::Added(mac())];
    let (told, ()) = tokio::join!(change(&socket, &guards), switch);
    match want {
        Ok(()) => told.unwrap(),
        Err(want) => {
            let said = told.unwrap_err().to_string();
            assert!(said.contains(want), "{said}");
        }
    }
}

#[tokio::test]
async fn only_the_answer_to_the_barrier_ends_it_well() {
    let done = message(BARRIER_REPLY, &[]);
    let hello = message(HELLO, &[0, 1, 0, 8, 0, 0, 0, 0x7e]);
    check([hello.clone(), message(ECHO_REQUEST, b"x"), done.clone()].concat(), Ok(())).await;
    let refused = message(ERROR, &[0, 5, 0, 2, 1, 2, 3]);
    check([hello.clone(), refused, done].concat(), Err("type 5 code 2")).await;
    check(message(ERROR, &[]), Err("the switch refused a flow")).await;
    check(hello, Err("early eof")).await;
    check(vec![6, 21, 0, 7, 0, 0, 0, 0], Err("without a header")).await;
    check(vec![6, 21, 0xff, 0xff, 0, 0, 0, 0, 1], Err("early eof")).await;
}
