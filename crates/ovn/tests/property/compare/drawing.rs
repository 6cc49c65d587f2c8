//! Draws random items on sheets.

use std::collections::{BTreeMap, BTreeSet};

use ovn::northbound::*;
use ovn::{Key, Owner, Sheet};

use super::items::Item;

pub(crate) fn name(part: u8, kind: &str, n: u8) -> String {
    format!("part{part}.{kind}{n}")
}

pub(crate) fn marked(part: u8, id: Option<String>) -> BTreeMap<String, String> {
    let mark = ("part".to_owned(), format!("part{part}."));
    let id = id.map(|id| (ovn::key::PRIMARY_ID.to_owned(), id));
    [Some(mark), id].into_iter().flatten().collect()
}

pub(crate) fn text_set(texts: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    texts.into_iter().collect()
}

pub(crate) fn switch_key((part, n): (u8, u8)) -> Key {
    Key::named(<LogicalSwitch as ovn::drawn::Record>::TABLE, &name(part, "switch", n))
}

pub(crate) fn router_key((part, n): (u8, u8)) -> Key {
    Key::named(<LogicalRouter as ovn::drawn::Record>::TABLE, &name(part, "router", n))
}

pub(crate) fn group_key((part, n): (u8, u8)) -> Key {
    Key::named(<PortGroup as ovn::drawn::Record>::TABLE, &name(part, "group", n))
}

pub(crate) fn balancer_group_key((part, n): (u8, u8)) -> Key {
    Key::named(<LoadBalancerGroup as ovn::drawn::Record>::TABLE, &name(part, "balancers", n))
}

/// Draws a part's items; of two with the same identity only the first.
pub(crate) fn draw(part: u8, items: &[Item]) -> Sheet {
    let mut sheet = Sheet::new(Owner::new(&format!("part{part}")));
    for item in items {
        let mut trial = sheet.clone();
        draw_item(&mut trial, part, item);
        if trial.clashes().next().is_none() {
            sheet = trial;
        }
    }
    sheet
}

pub(crate) fn draw_item(sheet: &mut Sheet, part: u8, item: &Item) {
    match item {
        Item::Switch { n, config, group } => {
            sheet.draw(&LogicalSwitch {
                name: name(part, "switch", *n),
                other_config: BTreeMap::from([(
                    "subnet".to_owned(),
                    format!("10.{config}.0.0/16"),
                )]),
                load_balancer_group: group.iter().map(|group| balancer_group_key(*group)).collect(),
                ..LogicalSwitch::default()
            });
        }
        Item::SwitchPort { n, switch, address, group } => {
            let port = LogicalSwitchPort {
                name: name(part, "port", *n),
                addresses: text_set([format!(
                    "0a:58:00:00:{part:02x}:{n:02x} 10.0.{part}.{address}{n}"
                )]),
                ..LogicalSwitchPort::default()
            };
            let key = sheet.draw_under(&port, &switch_key(*switch), LogicalSwitch::PORTS);
            if let Some(group) = group {
                sheet.join(&key, &group_key(*group), PortGroup::PORTS);
            }
        }
        Item::PortGroup { n } => {
            sheet.draw(&PortGroup { name: name(part, "group", *n), ..PortGroup::default() });
        }
        Item::Acl { id, on, priority } => {
            let acl = Acl {
                action: Some(AclAction::Drop),
                direction: Some(AclDirection::ToLport),
                priority: i64::from(*priority),
                external_ids: marked(part, Some(format!("{part}:acl:{id}"))),
                ..Acl::default()
            };
            let (list, parent) = if id % 2 == 0 {
                (LogicalSwitch::ACLS, switch_key(*on))
            } else {
                (PortGroup::ACLS, group_key(*on))
            };
            sheet.draw_under(&acl, &parent, list);
        }
        Item::Meter { n, rates } => {
            let meter = sheet.draw(&Meter {
                name: name(part, "meter", *n),
                unit: Some(MeterUnit::Pktps),
                ..Meter::default()
            });
            for rate in rates {
                let action = Some(MeterBandAction::Drop);
                let band = MeterBand { action, rate: i64::from(*rate), ..MeterBand::default() };
                sheet.draw_under(&band, &meter, Meter::BANDS);
            }
        }
        Item::MacBinding { port, ip, mac } => {
            sheet.draw(&StaticMacBinding {
                logical_port: name(part, "lrp", *port),
                ip: format!("169.254.0.{ip}"),
                mac: format!("0a:58:00:00:00:{mac:02x}"),
                ..StaticMacBinding::default()
            });
        }
        Item::AddressSet { n, members } => {
            sheet.draw(&AddressSet {
                name: name(part, "set", *n),
                addresses: members.iter().map(|member| format!("10.0.0.{member}")).collect(),
                ..AddressSet::default()
            });
        }
        Item::BalancerGroup { n } => {
            sheet.draw(&LoadBalancerGroup {
                name: name(part, "balancers", *n),
                ..LoadBalancerGroup::default()
            });
        }
        Item::Balancer { n, groups, vip } => {
            let key = sheet.draw(&LoadBalancer {
                name: name(part, "balancer", *n),
                vips: BTreeMap::from([(format!("10.96.0.{vip}:80"), "10.0.0.1:80".to_owned())]),
                ..LoadBalancer::default()
            });
            for group in groups {
                sheet.join(&key, &balancer_group_key(*group), LoadBalancerGroup::LOAD_BALANCER);
            }
        }
        routing => draw_routing(sheet, part, routing),
    }
}

pub(crate) fn draw_routing(sheet: &mut Sheet, part: u8, item: &Item) {
    match item {
        Item::Router { n, option } => {
            sheet.draw(&LogicalRouter {
                name: name(part, "router", *n),
                options: BTreeMap::from([("chassis".to_owned(), option.to_string())]),
                ..LogicalRouter::default()
            });
        }
        Item::RouterPort { n, router, chassis } => {
            let port = LogicalRouterPort {
                name: name(part, "lrp", *n),
                mac: format!("0a:58:00:01:{part:02x}:{n:02x}"),
                ..LogicalRouterPort::default()
            };
            let key = sheet.draw_under(&port, &router_key(*router), LogicalRouter::PORTS);
            for chassis in chassis {
                let row = GatewayChassis {
                    name: format!("{}-{chassis}", port.name),
                    chassis_name: chassis.to_string(),
                    ..GatewayChassis::default()
                };
                sheet.draw_under(&row, &key, LogicalRouterPort::GATEWAY_CHASSIS);
            }
        }
        Item::Route { router, prefix, nexthop, note } => {
            let route = LogicalRouterStaticRoute {
                ip_prefix: format!("10.{part}.{prefix}.0/24"),
                nexthop: format!("100.64.0.{nexthop}"),
                external_ids: BTreeMap::from([
                    ("part".to_owned(), format!("part{part}.")),
                    ("note".to_owned(), note.to_string()),
                ]),
                ..LogicalRouterStaticRoute::default()
            };
            sheet.draw_under(&route, &router_key(*router), LogicalRouter::STATIC_ROUTES);
        }
        Item::Nat { router, external, logical, stateless } => {
            let nat = Nat {
                r#type: Some(NatType::Snat),
                external_ip: format!("169.254.{part}.{external}"),
                logical_ip: format!("10.0.0.{logical}"),
                options: BTreeMap::from([("stateless".to_owned(), stateless.to_string())]),
                external_ids: marked(part, None),
                ..Nat::default()
            };
            sheet.draw_under(&nat, &router_key(*router), LogicalRouter::NAT);
        }
        Item::Policy { router, priority, hop, id } => {
            let policy = LogicalRouterPolicy {
                priority: i64::from(*priority),
                action: Some(LogicalRouterPolicyAction::Reroute),
                r#match: format!("part{part}"),
                nexthops: text_set([format!("10.0.0.{hop}")]),
                external_ids: marked(part, id.map(|id| format!("{part}:policy:{id}"))),
                ..LogicalRouterPolicy::default()
            };
            sheet.draw_under(&policy, &router_key(*router), LogicalRouter::POLICIES);
        }
        other => unreachable!("{other:?} is drawn elsewhere"),
    }
}
