//! Messages of the kernel about parameters, byte by byte.

use rtnetlink::packet_core::ErrorMessage;
use rtnetlink::packet_route::link::{InfoKind, LinkAttribute, LinkInfo};

use super::*;

/// A message about `attributes`, each a type and a value.
fn message(attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut message = vec![0; ATTRIBUTES];
    message[TYPE].copy_from_slice(&CHANGED.to_ne_bytes());
    for (kind, value) in attributes {
        let length = u16::try_from(4 + value.len()).unwrap();
        message.extend(length.to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(*value);
        message.resize(message.len().next_multiple_of(4), 0);
    }
    message
}

fn check(attributes: &[(u16, &[u8])], want: Option<u32>) {
    let message = message(attributes);
    assert_eq!(kind(&message), Some(CHANGED));
    assert_eq!(link(&message), want, "{attributes:?}");
}

#[test]
fn a_link_is_found_behind_other_attributes() {
    check(&[(LINK, &7i32.to_ne_bytes())], Some(7));
    check(&[(2, &[1]), (3, &1i32.to_ne_bytes()), (LINK, &9i32.to_ne_bytes())], Some(9));
}

#[test]
fn what_stands_for_all_links_is_of_none() {
    check(&[(LINK, &(-1i32).to_ne_bytes())], None);
    check(&[(2, &1i32.to_ne_bytes())], None);
    check(&[], None);
}

#[test]
fn cut_messages_are_of_no_link() {
    let whole = message(&[(3, &1i32.to_ne_bytes()), (LINK, &9i32.to_ne_bytes())]);
    assert_eq!(link(&whole), Some(9));
    for length in 0..whole.len() {
        assert_eq!(link(&whole[..length]), None, "{length} bytes");
    }
    // A length of less than the attribute's own head leads nowhere.
    let mut lying = whole;
    lying[ATTRIBUTES..ATTRIBUTES + 2].copy_from_slice(&0u16.to_ne_bytes());
    assert_eq!(link(&lying), None);
}

#[test]
fn only_values_that_changed_are_told() {
    let seven = (LINK, &7i32.to_ne_bytes()[..]);
    assert_eq!(told(&message(&[seven])), Told::OfLink(7));
    assert_eq!(told(&message(&[(LINK, &(-1i32).to_ne_bytes())])), Told::OfAll);
    let mut gone = message(&[seven]);
    gone[TYPE].copy_from_slice(&(CHANGED + 1).to_ne_bytes());
    assert_eq!(told(&gone), Told::Nothing);
    assert_eq!(told(&[]), Told::Nothing);
}

/// A link of this kind.
fn found(kind: InfoKind) -> Result<Option<LinkMessage>, rtnetlink::Error> {
    let mut link = LinkMessage::default();
    link.attributes.push(LinkAttribute::LinkInfo(vec![LinkInfo::Kind(kind)]));
    Ok(Some(link))
}

#[test]
fn a_cable_s_parameters_are_not_the_host_s() {
    assert!(is_of_cable(&found(InfoKind::Veth)));
    assert!(is_of_cable(&Ok(None)), "it went again");
    assert!(is_of_cable(&Err(rtnetlink::Error::NetlinkError(ErrorMessage::default()))));
}

#[test]
fn any_other_link_s_parameters_are_the_host_s() {
    assert!(!is_of_cable(&found(InfoKind::Dummy)));
    assert!(!is_of_cable(&Ok(Some(LinkMessage::default()))), "a wire or a port of the switch");
    assert!(!is_of_cable(&Err(rtnetlink::Error::RequestFailed)), "nobody knows");
}
