//! Texts with every end Go takes or refuses.

use super::decode;

#[test]
fn texts_are_decoded_as_go_decodes_them() {
    let cases: [(&str, &[u8]); 9] = [
        ("", b""),
        ("aGkx", b"hi1"),
        ("aG==", b"h"),
        ("aH==", b"h"),
        ("aGk=", b"hi"),
        ("a-b_", &[107, 230, 255]),
        ("a\nGk=\r\n", b"hi"),
        ("aG=\n=", b"h"),
        ("aG==\n\n", b"h"),
    ];
    for (text, want) in cases {
        assert_eq!(decode(text).as_deref(), Ok(want), "{text:?}");
    }
}

/// The places are those that `base64.URLEncoding` told.
#[test]
fn what_is_not_base_64_is_refused_where_go_refuses_it() {
    let cases = [
        ("a", 0),
        ("aG", 0),
        ("aGk", 0),
        ("aGkxa", 4),
        ("aGkxaG", 4),
        ("a=", 1),
        ("aG=", 3),
        ("aGk==", 4),
        ("aG=k", 2),
        ("aG= =", 2),
        ("=", 0),
        ("====", 0),
        ("aGkx=", 4),
        ("aGk=aGk=", 4),
        ("a+b/", 1),
        ("aG=\n", 4),
        ("aG=\nk", 3),
        ("aGk=\nx", 5),
        ("aGk\n", 1),
        ("é", 0),
        ("aGkx aGkx", 4),
    ];
    for (text, place) in cases {
        assert_eq!(decode(text), Err(place), "{text:?}");
    }
}
