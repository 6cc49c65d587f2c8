//! Numbers on NADs.

use super::NadAnnotations;
use crate::keys::{NETWORK_ID, NETWORK_NAME, TUNNEL_KEYS};
use crate::texts::Texts;

fn decode(pairs: &[(&str, &str)]) -> Result<NadAnnotations, String> {
    let annotations: Texts =
        pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
    NadAnnotations::decode(&annotations).map_err(|unreadable| unreadable.to_string())
}

#[test]
fn what_is_written_is_read_back() {
    let pairs = [
        (NETWORK_ID, "1"),
        (NETWORK_NAME, "cluster_udn_red"),
        (TUNNEL_KEYS, "[16711684,16715779]"),
    ];
    let read = decode(&pairs).unwrap();
    let written = read.encode();
    let written: Vec<(&str, &str)> = written.iter().map(|(k, v)| (k, &**v)).collect();
    assert_eq!(written, pairs);
    assert_eq!(decode(&[]), Ok(NadAnnotations::default()));
    assert_eq!(decode(&[(TUNNEL_KEYS, "[]")]).unwrap().tunnel_keys, Some(Vec::new()));
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    for text in ["0", "4096", "-1", "x", "", "1.0"] {
        let want = format!(
            "k8s.ovn.org/network-id: \"{text}\" is not a number from 1 to 4095; remove the \
             annotation and the cluster controller writes it again"
        );
        assert_eq!(decode(&[(NETWORK_ID, text)]), Err(want));
    }
    for text in ["[0]", "[16777216]", "{}", "", "[\"1\"]"] {
        assert!(decode(&[(TUNNEL_KEYS, text)]).is_err(), "{text}");
    }
}
