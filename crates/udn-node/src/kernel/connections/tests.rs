//! Which connections go, by example, and whatever else a kernel might say.

use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

fn tuple(from: Ipv4Addr, to: Ipv4Addr) -> Attributes {
    let addresses = Attributes::default().bytes(1, &from.octets()).bytes(2, &to.octets());
    Attributes::default().nest(ADDRESSES, &addresses)
}

/// A connection from one address to another, whose answers go elsewhere.
fn connection([from, to, answers_to]: [[u8; 4]; 3], zone: Option<u16>) -> Vec<u8> {
    let all = Attributes::default()
        .nest(TUPLES[0], &tuple(from.into(), to.into()))
        .nest(TUPLES[1], &tuple(to.into(), answers_to.into()));
    let all = zone.into_iter().fold(all, |all, zone| all.bytes(ZONE, &zone.to_be_bytes()));
    let all = all.bytes(NUMBER, &[1, 2, 3, 4]);
    [&[2, 0, 0, 0], all.as_bytes()].concat()
}

const POD: [u8; 4] = [10, 10, 0, 5];
const PEER: [u8; 4] = [10, 10, 0, 6];
const NODE: [u8; 4] = [172, 18, 0, 3];

fn check(ends: [[u8; 4]; 3], zone: Option<u16>, want: bool) {
    let traces = Traces([(IpAddr::from(POD), [0, 7].into())].into());
    let body = connection(ends, zone);
    let found = deletion(&body, &traces);
    assert_eq!(found.is_some(), want, "{ends:?} in {zone:?}");
    let Some(found) = found else { return };
    assert_eq!((found.kind, found.header), (0x102, [2, 0, 0, 0]));
    let named = found.attributes.as_bytes();
    for kind in [TUPLES[0], NUMBER] {
        assert_eq!(attribute(named, kind), attribute(&body[4..], kind));
    }
    assert_eq!(attribute(named, ZONE), Some(&zone.unwrap_or_default().to_be_bytes()[..]));
}

#[test]
fn a_connection_goes_that_an_address_began_or_answers_in_one_of_its_zones() {
    check([POD, PEER, POD], Some(7), true);
    check([POD, PEER, NODE], Some(7), true);
    check([PEER, POD, PEER], Some(7), true);
    check([POD, PEER, POD], None, true);
    check([POD, PEER, POD], Some(8), false);
    check([PEER, NODE, PEER], Some(7), false);
}

// soak: draws from UDN_SEED
#[test]
fn mutated_connections_end_without_a_panic() {
    let traces = Traces([(IpAddr::from(POD), [0, 7].into())].into());
    let sound = [
        connection([POD, PEER, NODE], Some(7)),
        connection([PEER, POD, PEER], None),
        connection([PEER, NODE, PEER], Some(8)),
    ];
    crate::mutations::play(32, &sound, |bytes| {
        if let Some(Message { attributes, .. }) = deletion(bytes, &traces) {
            // What is asked of the kernel has what was told and a zone.
            assert!(attributes.as_bytes().len() <= bytes.len() + 16);
        }
    });
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn any_bytes_end_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..128),
        at in any::<prop::sample::Index>(),
    ) {
        let traces = Traces([(IpAddr::from(POD), [0, 7].into())].into());
        let _ = deletion(&bytes, &traces);
        let mut body = connection([POD, PEER, POD], Some(7));
        let at = at.index(body.len());
        body[at] = bytes.first().copied().unwrap_or_default();
        let _ = deletion(&body, &traces);
        let _ = deletion(&body[..at], &traces);
    }
}
