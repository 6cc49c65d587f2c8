//! The wire's own examples.

use super::{fixed_masquerade, join_address, network_masquerade, transit_pair};
use crate::address::Subnet;
use crate::numbers::{NetworkId, NodeId};

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

// proves: T-04
#[test]
fn transit_pairs_lie_at_twice_the_node_id() {
    let check = |transit: &str, id: u16, want: Option<(&str, &str)>| {
        let pair = transit_pair(subnet(transit), NodeId::new(id).unwrap());
        let got = pair.map(|it| (it.transit_router.to_string(), it.gateway_router.to_string()));
        assert_eq!(got, want.map(|(a, b)| (a.to_owned(), b.to_owned())), "{transit} {id}");
    };
    check("100.88.0.0/16", 2, Some(("100.88.0.4/31", "100.88.0.5/31")));
    check("100.88.0.0/16", 5, Some(("100.88.0.10/31", "100.88.0.11/31")));
    check("100.88.0.0/16", 4999, Some(("100.88.39.14/31", "100.88.39.15/31")));
    check("fd97::/64", 2, Some(("fd97::4/127", "fd97::5/127")));
    check("100.88.0.0/29", 4, None);
}

#[test]
fn join_addresses_lie_at_the_node_id() {
    let join = join_address(subnet("100.65.0.0/16"), NodeId::new(5).unwrap()).unwrap();
    assert_eq!(join.to_string(), "100.65.0.5/16");
}

#[test]
fn masquerade_addresses_lie_at_fixed_offsets() {
    let own = network_masquerade(subnet("169.254.0.0/17"), NetworkId::new(3).unwrap()).unwrap();
    assert_eq!(own.gateway_router.to_string(), "169.254.0.15");
    assert_eq!(own.management.to_string(), "169.254.0.16");
    let fixed = fixed_masquerade(subnet("fd69::/112")).unwrap();
    assert_eq!(
        (fixed.host.to_string(), fixed.next_hop.to_string()),
        ("fd69::2".into(), "fd69::4".into())
    );
    assert_eq!(network_masquerade(subnet("169.254.169.0/29"), NetworkId::new(1).unwrap()), None);
}
