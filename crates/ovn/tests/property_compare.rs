//! What must hold for any sheets over any standing rows.
//!
//! Parts draw random rows of most northbound tables; the in-memory engine, which is tested against
//! the real server, applies the plans.

use std::collections::{BTreeMap, BTreeSet};

use ovn::audit::{Problem, audit};
use ovn::northbound::*;
use ovn::{Key, Owner, Plan, Rules, Sheet, Standing};
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Operation, Values};
use ovsdb::{Datum, Row, Uuid};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

/// Rows show their part in a name of the form `part.rest`, or in `external_ids`.
fn owner(row: RowView<'_>) -> Option<Owner> {
    let named = ["name", "logical_port"].iter().find_map(|column| row.text(column));
    let text = row.entry("external_ids", "part").or(named)?;
    let part = text.split_once('.')?.0;
    part.starts_with("part").then(|| Owner::new(part))
}

fn rules() -> Rules {
    Rules::new(&DATABASE, owner)
}

/// One thing that a part draws; small numbers, so that parts meet each other's rows.
#[derive(Debug, Clone)]
enum Item {
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

fn item() -> impl Strategy<Value = Item> {
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
fn parts() -> impl Strategy<Value = Vec<Vec<Item>>> {
    prop::collection::vec(prop::collection::vec(item(), 0..14), 3)
}

fn name(part: u8, kind: &str, n: u8) -> String {
    format!("part{part}.{kind}{n}")
}

fn marked(part: u8, id: Option<String>) -> BTreeMap<String, String> {
    let mark = ("part".to_owned(), format!("part{part}."));
    let id = id.map(|id| (ovn::key::PRIMARY_ID.to_owned(), id));
    [Some(mark), id].into_iter().flatten().collect()
}

fn text_set(texts: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    texts.into_iter().collect()
}

fn switch_key((part, n): (u8, u8)) -> Key {
    Key::named(<LogicalSwitch as ovn::drawn::Record>::TABLE, &name(part, "switch", n))
}

fn router_key((part, n): (u8, u8)) -> Key {
    Key::named(<LogicalRouter as ovn::drawn::Record>::TABLE, &name(part, "router", n))
}

fn group_key((part, n): (u8, u8)) -> Key {
    Key::named(<PortGroup as ovn::drawn::Record>::TABLE, &name(part, "group", n))
}

fn balancer_group_key((part, n): (u8, u8)) -> Key {
    Key::named(<LoadBalancerGroup as ovn::drawn::Record>::TABLE, &name(part, "balancers", n))
}

/// Draws a part's items; of two with the same identity only the first.
fn draw(part: u8, items: &[Item]) -> Sheet {
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

fn draw_item(sheet: &mut Sheet, part: u8, item: &Item) {
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

fn draw_routing(sheet: &mut Sheet, part: u8, item: &Item) {
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

fn draw_all(parts: &[Vec<Item>]) -> Vec<Sheet> {
    (0_u8..).zip(parts).map(|(part, items)| draw(part, items)).collect()
}

/// Plans and applies; a refusal by the database fails the test with the plan shown.
fn settle(standing: &mut Standing, sheets: &[Sheet]) -> Plan {
    let plan = standing.plan(sheets).expect("generated sheets can be compared");
    if let Err(fault) = standing.apply(&plan) {
        panic!("refused: {fault}\n{plan}");
    }
    plan
}

/// Adds rows that belong to nobody we know.
fn add_foreign_rows(standing: &mut Standing) {
    let row = |name: &str| Values::from([("name".into(), Datum::from(name))]);
    let insert = |table: &'static str, row, uuid_name: &str| Operation::Insert {
        table: table.into(),
        row,
        uuid_name: Some(uuid_name.to_owned()),
        uuid: None,
    };
    let mut switch = row("admin-switch");
    switch.insert("ports".into(), Datum::from(ovsdb::Atom::Named("port".into())));
    standing
        .transact(&[
            insert("Logical_Switch", switch, "switch"),
            insert("Logical_Switch_Port", row("admin-port"), "port"),
            insert("Port_Group", row("admin_group"), "group"),
        ])
        .expect("foreign rows are valid");
}

/// Every row of the database whose owner satisfies the test.
fn rows_of(standing: &Standing, of: impl Fn(Option<Owner>) -> bool) -> BTreeMap<Uuid, Row> {
    let tables = standing.rows().tables();
    let rows = tables.flat_map(Table::rows);
    rows.filter(|row| of(owner(*row))).map(|row| (row.uuid, row.row.clone())).collect()
}

fn cases(number: u32) -> Config {
    // A failing case stays in the tree, beside this file.
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: number, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn second_plan_is_empty(before in parts(), after in parts()) {
        let mut standing = Standing::new(rules());
        add_foreign_rows(&mut standing);
        settle(&mut standing, &draw_all(&before));
        let sheets = draw_all(&after);
        settle(&mut standing, &sheets);
        let again = standing.plan(&sheets).expect("the same sheets can be compared again");
        prop_assert!(again.is_empty(), "{again}");
    }

    #[test]
    fn an_incremental_history_ends_where_a_fresh_start_ends(before in parts(), after in parts()) {
        let mut incremental = Standing::new(rules());
        settle(&mut incremental, &draw_all(&before));
        let sheets = draw_all(&after);
        settle(&mut incremental, &sheets);
        let mut fresh = Standing::new(rules());
        settle(&mut fresh, &sheets);
        let counts = |standing: &Standing| -> Vec<(String, usize)> {
            standing.rows().tables().map(|table| (table.schema().name.to_string(), table.len())).collect()
        };
        // A standing row keeps what it has while something it needs is away; a new row waits.
        if incremental.plan(&sheets).expect("comparable").is_complete() {
            prop_assert_eq!(counts(&incremental), counts(&fresh));
        }
    }

    #[test]
    fn rows_of_other_owners_stay_untouched(before in parts(), after in parts()) {
        let mut standing = Standing::new(rules());
        add_foreign_rows(&mut standing);
        settle(&mut standing, &draw_all(&before));
        // Only the first part changes; its rows may be in the lists of others, so lists that
        // others own are left out of the comparison.
        let first = Owner::new("part0");
        let others = |standing: &Standing| {
            let rows = rows_of(standing, |owner| owner.as_ref() != Some(&first));
            rows.into_iter().map(|(uuid, row)| (uuid, without_lists(standing, uuid, &row))).collect()
        };
        let kept: BTreeMap<Uuid, Vec<(String, Datum)>> = others(&standing);
        settle(&mut standing, &[draw(0, &after[0])]);
        let now: BTreeMap<Uuid, Vec<(String, Datum)>> = others(&standing);
        for (uuid, row) in &kept {
            // Rows without an owner mark belong to whom lists them.
            if is_marked_or_foreign(row) {
                prop_assert_eq!(Some(row), now.get(uuid));
            }
        }
    }

    #[test]
    fn the_order_of_drawing_does_not_matter(
        before in parts(),
        after in parts(),
        turn in 0..20_usize,
    ) {
        let mut standing = Standing::new(rules());
        settle(&mut standing, &draw_all(&before));
        let sheets = draw_all(&after);
        let mut shuffled: Vec<Sheet> = sheets.iter().map(|sheet| redraw_rotated(sheet, turn)).collect();
        shuffled.rotate_left(turn % 3);
        prop_assert_eq!(standing.plan(&sheets).unwrap(), standing.plan(&shuffled).unwrap());
    }

    #[test]
    fn an_empty_sheet_removes_exactly_its_part(before in parts()) {
        let mut standing = Standing::new(rules());
        add_foreign_rows(&mut standing);
        let sheets = draw_all(&before);
        settle(&mut standing, &sheets);
        let gone: Vec<Sheet> = sheets.iter().map(|sheet| Sheet::new(sheet.owner.clone())).collect();
        settle(&mut standing, &gone);
        let left = rows_of(&standing, |_| true);
        prop_assert_eq!(left.len(), 3, "the foreign rows and nothing else");
    }

    #[test]
    fn what_was_applied_has_no_dangling_rows_and_no_orphans(before in parts()) {
        let mut standing = Standing::new(rules());
        let sheets = draw_all(&before);
        settle(&mut standing, &sheets);
        let owners: BTreeSet<Owner> = sheets.iter().map(|sheet| sheet.owner.clone()).collect();
        let notes = audit(standing.rows(), standing.rules(), Some(&owners));
        // Generated names may point at ports that no part drew; everything else must be clean.
        let serious = notes.iter().find(|note| match &note.problem {
            Problem::DanglingReference { column, .. } => column != "logical_port",
            Problem::DuplicateName { .. } | Problem::Orphan { .. } => true,
            Problem::DuplicateAddress { .. } => false,
        });
        prop_assert_eq!(serious, None);
    }
}

fn is_marked_or_foreign(row: &[(String, Datum)]) -> bool {
    let unmarked = ["chassis_name", "rate"];
    !row.iter().any(|(column, _)| unmarked.contains(&column.as_str()))
}

fn without_lists(standing: &Standing, uuid: Uuid, row: &Row) -> Vec<(String, Datum)> {
    let tables: Vec<_> = standing.rows().tables().collect();
    let table = tables.iter().find(|table| table.row(uuid).is_some()).expect("the row stands");
    let schema = table.schema();
    row.columns()
        .map(|(id, datum)| (schema.column(id).name.to_string(), datum.clone()))
        .filter(|(column, _)| {
            ovn::rules::Treatment::of(&schema.name, column) != ovn::rules::Treatment::List
        })
        .collect()
}

/// The same sheet, built by inserting its rows in another order.
fn redraw_rotated(sheet: &Sheet, turn: usize) -> Sheet {
    let mut rows: Vec<_> = sheet.rows().map(|(key, row)| (key.clone(), row.clone())).collect();
    let turn = turn.checked_rem(rows.len()).unwrap_or(0);
    rows.rotate_left(turn);
    Sheet::from_rows(sheet.owner.clone(), rows)
}
