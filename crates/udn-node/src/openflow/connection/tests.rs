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
async fn check(answer: Vec<u8>, want: Result<&[Vec<u8>], &str>) {
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
    let requests = Requests::change(&[Guard::Added(mac())]);
    let ask = async { Connection::open(&socket).await?.ask(&requests).await };
    let (told, ()) = tokio::join!(ask, switch);
    match want {
        Ok(want) => assert_eq!(told.unwrap(), *want),
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
    check([hello.clone(), message(ECHO_REQUEST, b"x"), done.clone()].concat(), Ok(&[])).await;
    let part = message(MULTIPART_REPLY, b"part");
    let told = [b"part".to_vec(), b"part".to_vec()];
    check([part.clone(), hello.clone(), part, done.clone()].concat(), Ok(&told)).await;
    let refused = message(ERROR, &[0, 5, 0, 2, 1, 2, 3]);
    check([hello.clone(), refused, done].concat(), Err("type 5 code 2")).await;
    check(message(ERROR, &[]), Err("the switch refused a flow")).await;
    check(hello, Err("early eof")).await;
    check(vec![6, 21, 0, 7, 0, 0, 0, 0], Err("without a header")).await;
    check(vec![6, 21, 0xff, 0xff, 0, 0, 0, 0, 1], Err("early eof")).await;
}

/// A switch that has no end of answers.
#[tokio::test]
async fn a_switch_is_not_listened_to_without_end() {
    let part = message(MULTIPART_REPLY, &[0; 60_000]);
    check(part.repeat(MOST_BYTES / 60_000 + 1), Err("no end of answers")).await;
}

#[test]
fn the_guards_are_asked_for_by_their_cookie() {
    let asked = Requests::list().0;
    assert_eq!(asked[..8], [6, 18, 0, 56, 0, 0, 0, 0]);
    assert_eq!(asked[8..16], [0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(asked[32..40], GUARD_COOKIE.to_be_bytes());
    assert_eq!(asked[40..48], [0xff; 8]);
    assert_eq!(asked[48..], [0, 1, 0, 4, 0, 0, 0, 0]);
}

/// A flow as a switch tells it, whose matches are these.
fn flow(matches: &[u8]) -> Vec<u8> {
    let rest = [[0, 1, 0, 4, 0, 0, 0, 0], [0x80, 0, 1, 0, 0, 0, 0, 0]].concat();
    let length = u16::try_from(FLOW_HEADER + matches.len() + rest.len()).unwrap();
    let mut flow = length.to_be_bytes().to_vec();
    flow.resize(FLOW_HEADER, 0);
    [flow, matches.to_vec(), rest].concat()
}

fn answer(flows: &[Vec<u8>]) -> Vec<u8> {
    [&[0, 1, 0, 0, 0, 0, 0, 0], flows.concat().as_slice()].concat()
}

fn other() -> MacAddress {
    "0a:58:0a:0a:00:04".parse().unwrap()
}

#[test]
fn guarded_macs_are_those_of_all_flows_in_all_answers() {
    let anybody = flow(&[0, 1, 0, 10, 0x80, 0, 10, 2, 0x86, 0xdd, 0, 0, 0, 0, 0, 0]);
    let first = answer(&[flow(&matches(mac())), anybody, flow(&matches(other()))]);
    let third = flow(&matches("0a:58:0a:0a:00:05".parse().unwrap()));
    let found = guarded(&[first, answer(&[]), answer(&[third])]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.contains(&mac()) && found.contains(&other()));
}

#[test]
fn cut_and_lying_answers_tell_what_they_have() {
    let whole = answer(&[flow(&matches(mac())), flow(&matches(other()))]);
    for length in 0..whole.len() {
        assert!(guarded(&[whole[..length].to_vec()]).len() <= 2, "{length} bytes");
    }
    for place in 0..whole.len() {
        for value in [0, 1, 3, 4, 0x7f, 0xff] {
            let mut lying = whole.clone();
            lying[place] = value;
            assert!(guarded(&[lying]).len() <= 2, "byte {place} is {value}");
        }
    }
}
