//! Vectors of RFC 4648, and what is refused.

use proptest::prelude::*;

use super::*;

fn check(bytes: &[u8], standard: &str, url: &str) {
    assert_eq!(encode(Alphabet::Standard, bytes), standard);
    assert_eq!(encode(Alphabet::Url, bytes), url);
    assert_eq!(decode(Alphabet::Standard, standard).as_deref(), Ok(bytes));
    assert_eq!(decode(Alphabet::Url, url).as_deref(), Ok(bytes));
}

#[test]
fn the_vectors_hold() {
    check(b"", "", "");
    check(b"f", "Zg==", "Zg");
    check(b"fo", "Zm8=", "Zm8");
    check(b"foo", "Zm9v", "Zm9v");
    check(b"foob", "Zm9vYg==", "Zm9vYg");
    check(&[0xfb, 0xff, 0xfe], "+//+", "-__-");
}

#[test]
fn other_text_is_refused_where_it_starts() {
    for (text, at) in [("***", 0), ("Zg=", 3), ("Zg==Zg==", 2), ("Z", 1), ("=", 0), ("Zm9v=", 4)] {
        assert_eq!(decode(Alphabet::Standard, text), Err(NotBase64(at)), "{text}");
    }
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn every_text_comes_back(bytes: Vec<u8>) {
        for alphabet in [Alphabet::Standard, Alphabet::Url] {
            prop_assert_eq!(decode(alphabet, &encode(alphabet, &bytes)), Ok(bytes.clone()));
        }
    }

    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn no_text_panics(text: String) {
        let _ = decode(Alphabet::Standard, &text);
        let _ = decode(Alphabet::Url, &text);
    }
}
