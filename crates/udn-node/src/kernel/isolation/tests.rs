//! Elements as the kernel tells them, and whatever else it might tell.

use proptest::prelude::*;
use udn_host::isolation::Element;
use udn_host::isolation::Port;

use super::messages::{additions, element};
use super::seen::of_list;
use super::*;
use crate::kernel::netlink::attribute;

fn check(address: &str, port: Option<(u8, u16)>) {
    let port = port.map(|(protocol, number)| Port { protocol, number });
    let wanted = Element { address: address.parse().expect("an address"), port };
    let set = AddressSet::ALL[0];
    let [(_, _, sent)] = &additions(set, &[wanted].into())[..] else { panic!("one message") };
    let list = attribute(sent.as_bytes(), 3).expect("it has elements");
    assert_eq!(of_list(list), [wanted]);
}

#[test]
fn elements_are_read_as_they_are_written() {
    check("10.244.0.5", None);
    check("10.244.0.5", Some((6, 80)));
    check("fd00::5", None);
    check("fd00::5", Some((132, 65535)));
}

#[test]
fn many_elements_take_several_messages() {
    let address =
        |number: u32| Element { address: std::net::Ipv4Addr::from(number).into(), port: None };
    let all = (0..600).map(address).collect();
    assert_eq!(additions(AddressSet::ALL[0], &all).len(), 3);
}

proptest! {
    // soak: draws from PROPTEST_RNG_SEED
    #[test]
    fn any_answer_ends_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = element(&bytes);
        prop_assert!(of_list(&bytes).len() <= bytes.len());
    }
}
