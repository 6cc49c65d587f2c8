//! What parts may draw, at random.

use std::collections::BTreeSet;

use proptest::prelude::*;

/// One thing that a part draws; small numbers, so that parts meet each other's rows.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Switch { n: u8, config: u8, group: Option<(u8, u8)> },
    SwitchPort { n: u8, switch: (u8, u8), address: u8, group: Option<(u8, u8)> },
    Router { n: u8, option: u8 },
    RouterPort { n: u8, router: (u8, u8), chassis: BTreeSet<u8> },
    Route { router: (u8, u8), prefix: u8, nexthop: u8, note: u8 },
    Nat { router: (u8, u8), external: u8, logical: u8, stateless: bool },
    Policy { router: (u8, u8), priority: u8, hop: u8, id: Option<u8> },
    PortGroup { n: u8 },
    Acl { id: u8, on: (u8, u8), priority: u8 },
    Meter { n: u8, rates: BTreeSet<u8> },
    MacBinding { port: u8, ip: u8, mac: u8 },
    AddressSet { n: u8, members: BTreeSet<u8> },
    BalancerGroup { n: u8 },
    Balancer { n: u8, groups: BTreeSet<(u8, u8)>, vip: u8 },
}

pub(crate) fn item() -> impl Strategy<Value = Item> {
    let small = 0..3_u8;
    let part = (0..3_u8, 0..3_u8);
    prop_oneof![
        3 => (small.clone(), small.clone(), prop::option::of(part.clone()))
            .prop_map(|(n, config, group)| Item::Switch { n, config, group }),
        4 => (0..6_u8, part.clone(), small.clone(), prop::option::of(part.clone()))
            .prop_map(|(n, switch, address, group)| Item::SwitchPort { n, switch, address, group }),
        3 => (small.clone(), small.clone()).prop_map(|(n, option)| Item::Router { n, option }),
        2 => (small.clone(), part.clone(), prop::collection::btree_set(small.clone(), 0..3))
            .prop_map(|(n, router, chassis)| Item::RouterPort { n, router, chassis }),
        2 => (part.clone(), small.clone(), small.clone(), small.clone())
            .prop_map(|(router, prefix, nexthop, note)| Item::Route { router, prefix, nexthop, note }),
        2 => (part.clone(), small.clone(), small.clone(), any::<bool>())
            .prop_map(|(router, external, logical, stateless)| Item::Nat {
                router, external, logical, stateless,
            }),
        2 => (part.clone(), small.clone(), small.clone(), prop::option::of(small.clone()))
            .prop_map(|(router, priority, hop, id)| Item::Policy { router, priority, hop, id }),
        2 => small.clone().prop_map(|n| Item::PortGroup { n }),
        2 => (small.clone(), part.clone(), small.clone())
            .prop_map(|(id, on, priority)| Item::Acl { id, on, priority }),
        1 => (small.clone(), prop::collection::btree_set(1..4_u8, 1..3))
            .prop_map(|(n, rates)| Item::Meter { n, rates }),
        1 => (small.clone(), small.clone(), small.clone())
            .prop_map(|(port, ip, mac)| Item::MacBinding { port, ip, mac }),
        1 => (small.clone(), prop::collection::btree_set(small.clone(), 0..3))
            .prop_map(|(n, members)| Item::AddressSet { n, members }),
        1 => small.clone().prop_map(|n| Item::BalancerGroup { n }),
        1 => (small.clone(), prop::collection::btree_set(part, 0..3), small)
            .prop_map(|(n, groups, vip)| Item::Balancer { n, groups, vip }),
    ]
}

/// The items of three parts.
pub(crate) fn parts() -> impl Strategy<Value = Vec<Vec<Item>>> {
    prop::collection::vec(prop::collection::vec(item(), 0..14), 3)
}

/// Items that mention only rows which some part draws.
pub(crate) fn grounded_parts() -> impl Strategy<Value = Vec<Vec<Item>>> {
    parts().prop_map(|parts| {
        let drawn = Drawn::of(&parts);
        parts
            .iter()
            .map(|items| items.iter().filter_map(|item| drawn.ground(item)).collect())
            .collect()
    })
}

pub(crate) type Names = Vec<(u8, u8)>;

/// The rows that others may mention, by part and number.
#[derive(Default)]
pub(crate) struct Drawn {
    switches: Names,
    routers: Names,
    groups: Names,
    balancer_groups: Names,
}

impl Drawn {
    fn of(parts: &[Vec<Item>]) -> Self {
        let mut drawn = Self::default();
        for (part, items) in (0_u8..).zip(parts) {
            for item in items {
                match item {
                    Item::Switch { n, .. } => drawn.switches.push((part, *n)),
                    Item::Router { n, .. } => drawn.routers.push((part, *n)),
                    Item::PortGroup { n } => drawn.groups.push((part, *n)),
                    Item::BalancerGroup { n } => drawn.balancer_groups.push((part, *n)),
                    _ => {}
                }
            }
        }
        drawn
    }

    /// The item with each mention replaced by a drawn row; nothing if there is none to live in.
    fn ground(&self, item: &Item) -> Option<Item> {
        let mut item = item.clone();
        match &mut item {
            Item::Switch { group, .. } => {
                *group = group.and_then(|it| pick(&self.balancer_groups, it));
            }
            Item::SwitchPort { switch, group, .. } => {
                *switch = pick(&self.switches, *switch)?;
                *group = group.and_then(|it| pick(&self.groups, it));
            }
            Item::RouterPort { router, .. }
            | Item::Route { router, .. }
            | Item::Nat { router, .. }
            | Item::Policy { router, .. } => *router = pick(&self.routers, *router)?,
            Item::Acl { id, on, .. } => {
                *on = pick(if *id % 2 == 0 { &self.switches } else { &self.groups }, *on)?;
            }
            Item::Balancer { groups, .. } => {
                *groups = groups.iter().filter_map(|it| pick(&self.balancer_groups, *it)).collect();
            }
            Item::Router { .. }
            | Item::PortGroup { .. }
            | Item::Meter { .. }
            | Item::MacBinding { .. }
            | Item::AddressSet { .. }
            | Item::BalancerGroup { .. } => {}
        }
        Some(item)
    }
}

pub(crate) fn pick(names: &[(u8, u8)], (part, n): (u8, u8)) -> Option<(u8, u8)> {
    let at = usize::from(part * 3 + n).checked_rem(names.len())?;
    Some(names[at])
}
