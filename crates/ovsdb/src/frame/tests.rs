//! Tests of this module.

use super::*;

const STREAM: &str = concat!(
    r#"{"id":0,"method":"echo","params":[]}"#,
    "\n \t\r",
    r#"{"text":"a \" { [ \\","n":[[],{"deep":[1,2,{"x":null}]}]}{}"#,
    r#"{"é":"日本 \u0041"}"#,
    "   ",
);

fn messages(chunks: &[&[u8]], limits: FrameLimits) -> Result<Vec<String>, FrameError> {
    let mut framer = Framer::new(limits);
    let mut found = Vec::new();
    for chunk in chunks {
        framer.push(chunk);
        while let Some(message) = framer.next_message()? {
            found.push(String::from_utf8(message.to_vec()).unwrap());
        }
    }
    Ok(found)
}

fn check_refused(stream: &[u8], limits: FrameLimits, want: &FrameError) {
    assert_eq!(messages(&[stream], limits).unwrap_err(), *want);
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(messages(&bytes, limits).unwrap_err(), *want, "byte by byte");
}

#[test]
fn messages_are_the_same_wherever_the_stream_is_cut() {
    let whole = messages(&[STREAM.as_bytes()], FrameLimits::default()).unwrap();
    assert_eq!(whole.len(), 4);
    assert_eq!(whole[2], "{}");
    for first in 0..STREAM.len() {
        for second in [first, first + 1, first + 7] {
            let (head, tail) = STREAM.as_bytes().split_at(first);
            let (middle, tail) = tail.split_at((second - first).min(tail.len()));
            let cut = messages(&[head, middle, tail], FrameLimits::default()).unwrap();
            assert_eq!(cut, whole, "cut at {first} and {second}");
        }
    }
    let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
    assert_eq!(messages(&bytes, FrameLimits::default()).unwrap(), whole);
}

#[test]
fn garbage_between_messages_is_refused() {
    let limits = FrameLimits::default();
    check_refused(b"{} x", limits, &FrameError::Garbage { byte: b'x' });
    check_refused(b"[1]", limits, &FrameError::Garbage { byte: b'[' });
    check_refused(b"}", limits, &FrameError::Garbage { byte: b'}' });
    check_refused(b"\xff{}", limits, &FrameError::Garbage { byte: 0xff });
}

#[test]
fn a_message_beyond_the_limits_is_refused() {
    let limits = FrameLimits { size: 20, depth: 3 };
    assert_eq!(
        messages(&[br#"{"a":"0123456789abc"}"#], limits).unwrap_err(),
        FrameError::TooLarge { limit: 20 }
    );
    check_refused(
        br#"{"a":"0123456789abcd"#,
        FrameLimits { size: 10, depth: 3 },
        &FrameError::TooLarge { limit: 10 },
    );
    check_refused(b"{[[[", limits, &FrameError::TooDeep { limit: 3 });
    assert_eq!(messages(&[b"{[[]]}"], limits).unwrap(), ["{[[]]}"]);
}

#[test]
fn what_is_held_stays_within_the_limit() {
    let limits = FrameLimits { size: 1000, depth: 10 };
    let mut framer = Framer::new(limits);
    framer.push(br#"{"endless":""#);
    let mut refused = false;
    for _ in 0..100 {
        framer.push(&[b'x'; 64]);
        refused = framer.next_message().is_err();
        assert!(framer.buffered() <= limits.size + 64 + 12);
        if refused {
            break;
        }
    }
    assert!(refused);
}

#[test]
fn a_large_buffer_is_given_back() {
    let mut framer = Framer::default();
    let large = format!(r#"{{"x":"{}"}}"#, "y".repeat(4 * KEPT_CAPACITY));
    framer.push(large.as_bytes());
    assert!(framer.next_message().unwrap().is_some());
    assert!(framer.next_message().unwrap().is_none());
    assert!(framer.buffer.capacity() <= 2 * KEPT_CAPACITY);
    framer.push(b"{}");
    assert_eq!(framer.next_message().unwrap().unwrap(), b"{}");
}
