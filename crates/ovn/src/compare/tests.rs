//! Tests of compare: one fact each, on an in-memory database.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Condition, Operation, Values};
use ovsdb::{Atom, Datum, Fault};

use super::CompareError;
use crate::northbound::{
    Acl, AclAction, AclDirection, DATABASE, LoadBalancerGroup, LogicalRouter, LogicalRouterPort,
    LogicalRouterStaticRoute, LogicalSwitch, LogicalSwitchPort, Meter, MeterBand, MeterBandAction,
    MeterUnit, NbGlobal, PortGroup,
};
use crate::plan::Reason;
use crate::{Key, Owner, Plan, Rules, Sheet, SimulatedDatabase};

/// Rows named `x.…` belong to part `x`; others belong to nobody we know.
fn owner(row: RowView<'_>) -> Option<Owner> {
    let text = row.entry("external_ids", "part").or_else(|| row.text("name"))?;
    text.split_once('.').map(|(part, _)| Owner::new(part))
}

fn database() -> SimulatedDatabase {
    SimulatedDatabase::new(Rules::new(&DATABASE, owner))
}

fn sheet(part: &str) -> Sheet {
    Sheet::new(Owner::new(part))
}

fn switch(name: &str) -> LogicalSwitch {
    LogicalSwitch { name: name.to_owned(), ..LogicalSwitch::default() }
}

fn port(name: &str) -> LogicalSwitchPort {
    LogicalSwitchPort { name: name.to_owned(), ..LogicalSwitchPort::default() }
}

fn group(name: &str) -> PortGroup {
    PortGroup { name: name.to_owned(), ..PortGroup::default() }
}

fn entries(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn insert(table: &'static str, columns: &[(&'static str, Datum)]) -> Operation {
    let row: Values = columns.iter().map(|(name, datum)| ((*name).into(), datum.clone())).collect();
    Operation::Insert { table: table.into(), row, uuid_name: None, uuid: None }
}

fn apply(database: &mut SimulatedDatabase, sheets: &[&Sheet]) -> Plan {
    let plan = database.plan(sheets.iter().copied()).expect("the sheets can be compared");
    database.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    plan
}

fn row<'s>(database: &'s SimulatedDatabase, key: &Key) -> RowView<'s> {
    let table = database.rows().table(key.table()).expect("the table is replicated");
    table.find_row(crate::key::IDENTITY_INDEX, key.atoms()).expect("the row stands")
}

/// A part with one switch and one port on it.
fn switch_with_port(part: &str) -> (Sheet, Key, Key) {
    let mut drawn = sheet(part);
    let on = drawn.draw(&switch(&format!("{part}.switch")));
    let port = drawn.draw_under(&port(&format!("{part}.port")), &on, LogicalSwitch::PORTS);
    (drawn, on, port)
}

#[test]
fn a_port_lives_in_its_switch() {
    let mut database = database();
    let (drawn, on, port) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let ports = row(&database, &on).get("ports").cloned();
    assert_eq!(ports, Some(Datum::from(row(&database, &port).uuid)));
}

#[test]
fn a_changed_column_is_the_only_thing_written() {
    let mut database = database();
    let (drawn, on, _) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let mut changed = sheet("red");
    changed.draw(&switch("red.switch"));
    let port = LogicalSwitchPort { enabled: Some(false), ..port("red.port") };
    changed.draw_under(&port, &on, LogicalSwitch::PORTS);
    let plan = apply(&mut database, &[&changed]);
    assert_eq!(plan.to_string(), "~ Logical_Switch_Port red.port\n    enabled: [] → false\n");
}

#[test]
fn a_column_that_somebody_else_set_goes_back_to_its_default() {
    let mut database = database();
    let (drawn, _, port) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let uuid = row(&database, &port).uuid;
    let meddle = Operation::Update {
        table: "Logical_Switch_Port".into(),
        conditions: vec![Condition::row(uuid)],
        row: Values::from([("type".into(), Datum::from("virtual"))]),
    };
    database.transact(&[meddle]).expect("anyone may write");
    let plan = apply(&mut database, &[&drawn]);
    assert_eq!(plan.to_string(), "~ Logical_Switch_Port red.port\n    type: virtual → \"\"\n");
}

#[test]
fn columns_that_northd_writes_are_never_compared() {
    let mut database = database();
    let (drawn, _, port) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let uuid = row(&database, &port).uuid;
    let northd = Operation::Update {
        table: "Logical_Switch_Port".into(),
        conditions: vec![Condition::row(uuid)],
        row: Values::from([("up".into(), Datum::from(true)), ("tag".into(), Datum::from(7))]),
    };
    database.transact(&[northd]).expect("northd may write");
    assert!(database.plan([&drawn]).expect("comparable").is_empty());
}

#[test]
fn drawing_what_northd_writes_is_refused() {
    let database = database();
    let (mut drawn, on, _) = switch_with_port("red");
    let up = LogicalSwitchPort { up: Some(true), ..port("red.up") };
    let key = drawn.draw_under(&up, &on, LogicalSwitch::PORTS);
    let refused = database.plan([&drawn]);
    assert_eq!(refused, Err(CompareError::NotDrawable { row: key, column: "up" }));
}

#[test]
fn a_port_moves_between_switches_in_one_plan() {
    let mut database = database();
    let (drawn, _, port_key) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let before = row(&database, &port_key).uuid;
    let mut moved = sheet("red");
    let on = moved.draw(&switch("red.other"));
    moved.draw_under(&port("red.port"), &on, LogicalSwitch::PORTS);
    let plan = apply(&mut database, &[&moved]);
    assert!(plan.is_complete(), "{plan}");
    // Some lists may not be empty, not even until the end of the transaction.
    assert_eq!(plan.unlinks, [], "a switch that goes keeps its list");
    assert_eq!(row(&database, &port_key).uuid, before, "the row itself stays");
    assert_eq!(database.rows().table("Logical_Switch").map(Table::len), Some(1));
}

#[test]
fn a_port_leaves_our_groups_and_stays_in_those_of_others() {
    let mut database = database();
    let (mut drawn, _, port_key) = switch_with_port("red");
    let ours = drawn.draw(&group("red.group"));
    drawn.join(&port_key, &ours, PortGroup::PORTS);
    apply(&mut database, &[&drawn]);
    let uuid = row(&database, &port_key).uuid;
    let columns = [("name", Datum::from("admin_group")), ("ports", Datum::from(uuid))];
    database.transact(&[insert("Port_Group", &columns)]).expect("a group of somebody else");

    let (mut left, _, _) = switch_with_port("red");
    left.draw(&group("red.group"));
    apply(&mut database, &[&left]);
    let members = |name: &str| {
        row(&database, &Key::named(<PortGroup as crate::drawn::Record>::TABLE, name))
            .get("ports")
            .cloned()
    };
    assert_eq!(members("red.group"), Some(Datum::empty_set()));
    assert_eq!(members("admin_group"), Some(Datum::from(uuid)));
}

#[test]
fn a_row_waits_for_the_switch_it_belongs_in() {
    let mut database = database();
    let (_, on, _) = switch_with_port("blue");
    let mut drawn = sheet("red");
    let key = drawn.draw_under(&port("red.port"), &on, LogicalSwitch::PORTS);
    let plan = apply(&mut database, &[&drawn]);
    assert!(plan.is_empty());
    let told = format!("! {key} waits for Logical_Switch blue.switch\n");
    assert_eq!(plan.to_string(), told);
}

#[test]
fn parts_may_refer_to_each_others_new_rows() {
    let mut database = database();
    let (backbone, on, _) = switch_with_port("blue");
    let mut pod = sheet("red");
    pod.draw_under(&port("red.port"), &on, LogicalSwitch::PORTS);
    let plan = apply(&mut database, &[&pod, &backbone]);
    assert!(plan.is_complete(), "{plan}");
    assert_eq!(row(&database, &on).get("ports").map(Datum::len), Some(2));
}

#[test]
fn a_name_taken_by_somebody_else_is_a_conflict() {
    let mut database = database();
    let taken = insert("Logical_Switch", &[("name", Datum::from("red.switch"))]);
    let mut of_blue = taken.clone();
    if let Operation::Insert { row, .. } = &mut of_blue {
        row.insert("external_ids".into(), Datum::map([("part", "blue.")]));
    }
    database.transact(&[of_blue]).expect("a switch of another part");
    let (drawn, _, _) = switch_with_port("red");
    let plan = apply(&mut database, &[&drawn]);
    assert!(plan.is_empty());
    let shown = plan.to_string();
    assert!(shown.contains("! Logical_Switch red.switch already exists and belongs to blue\n"));
}

#[test]
fn a_second_row_of_the_same_name_goes() {
    let mut database = database();
    let twice = insert("Logical_Switch", &[("name", Datum::from("red.switch"))]);
    database.transact(&[twice.clone(), twice]).expect("switch names are not unique");
    let mut drawn = sheet("red");
    drawn.draw(&switch("red.switch"));
    let plan = apply(&mut database, &[&drawn]);
    assert_eq!((plan.inserts.len(), plan.deletes.len()), (0, 1), "{plan}");
}

#[test]
fn a_switch_with_ports_of_another_part_stays() {
    let mut database = database();
    let (backbone, on, _) = switch_with_port("blue");
    let mut pod = sheet("red");
    pod.draw_under(&port("red.port"), &on, LogicalSwitch::PORTS);
    apply(&mut database, &[&backbone, &pod]);
    let plan = apply(&mut database, &[&sheet("blue")]);
    assert_eq!(plan.held.len(), 1);
    assert_eq!(plan.held[0].reason, Reason::Carries(Owner::new("red")));
    // Once the other part is gone too, the switch goes.
    apply(&mut database, &[&sheet("red")]);
    apply(&mut database, &[&sheet("blue")]);
    assert!(database.rows().tables().all(Table::is_empty));
}

#[test]
fn a_row_that_another_part_refers_to_stays() {
    let mut database = database();
    let mut groups = sheet("blue");
    let balancers = LoadBalancerGroup { name: "blue.lbs".to_owned(), ..Default::default() };
    let key = groups.draw(&balancers);
    let mut user = sheet("red");
    let load_balancer_group = [key].into_iter().collect();
    user.draw(&LogicalSwitch { load_balancer_group, ..switch("red.switch") });
    apply(&mut database, &[&groups, &user]);
    let plan = apply(&mut database, &[&sheet("blue")]);
    let reason = Reason::ReferredBy("Logical_Switch red.switch".to_owned());
    assert_eq!(plan.held.iter().map(|held| &held.reason).collect::<Vec<_>>(), [&reason]);
}

#[test]
fn a_meter_is_inserted_together_with_its_bands() {
    let mut database = database();
    let mut drawn = sheet("red");
    let unit = Some(MeterUnit::Pktps);
    let meter = drawn.draw(&Meter { name: "red.meter".to_owned(), unit, ..Meter::default() });
    let band = |rate| MeterBand { action: Some(MeterBandAction::Drop), rate, ..Default::default() };
    drawn.draw_under(&band(25), &meter, Meter::BANDS);
    apply(&mut database, &[&drawn]);
    // The column must never be empty, so the new band comes before the old one goes.
    let mut faster = sheet("red");
    faster.draw(&Meter { name: "red.meter".to_owned(), unit, ..Meter::default() });
    faster.draw_under(&band(50), &meter, Meter::BANDS);
    apply(&mut database, &[&faster]);
    let rates: BTreeSet<i64> = database
        .rows()
        .table("Meter_Band")
        .expect("replicated")
        .rows()
        .filter_map(|row| MeterBand::RATE.read(row))
        .collect();
    assert_eq!(rates, BTreeSet::from([50]));
}

#[test]
fn equal_routes_of_two_routers_are_two_rows() {
    let mut database = database();
    let mut drawn = sheet("red");
    for name in ["red.a", "red.b"] {
        let router = LogicalRouter { name: name.to_owned(), ..LogicalRouter::default() };
        let router = drawn.draw(&router);
        let route = LogicalRouterStaticRoute {
            ip_prefix: "0.0.0.0/0".to_owned(),
            nexthop: "10.0.0.1".to_owned(),
            external_ids: entries(&[("part", "red.")]),
            ..LogicalRouterStaticRoute::default()
        };
        drawn.draw_under(&route, &router, LogicalRouter::STATIC_ROUTES);
    }
    apply(&mut database, &[&drawn]);
    assert_eq!(database.rows().table("Logical_Router_Static_Route").map(Table::len), Some(2));
    assert!(database.plan([&drawn]).expect("comparable").is_empty());
}

#[test]
fn an_acl_with_a_primary_id_keeps_its_row_when_its_match_changes() {
    let mut database = database();
    let acl = |text: &str| Acl {
        action: Some(AclAction::Drop),
        direction: Some(AclDirection::ToLport),
        r#match: text.to_owned(),
        external_ids: entries(&[("part", "red."), (crate::key::PRIMARY_ID, "red:acl:1")]),
        ..Acl::default()
    };
    let draw = |text: &str| {
        let mut drawn = sheet("red");
        let on = drawn.draw(&switch("red.switch"));
        drawn.draw_under(&acl(text), &on, LogicalSwitch::ACLS);
        drawn
    };
    apply(&mut database, &[&draw("ip4")]);
    let plan = apply(&mut database, &[&draw("ip6")]);
    assert_eq!((plan.inserts.len(), plan.updates.len()), (0, 1), "{plan}");
}

#[test]
fn gateway_chassis_that_are_no_longer_drawn_leave_their_port() {
    let mut database = database();
    let draw = |chassis: &[&str]| {
        let mut drawn = sheet("red");
        let router = LogicalRouter { name: "red.router".to_owned(), ..LogicalRouter::default() };
        let router = drawn.draw(&router);
        let port = LogicalRouterPort { name: "red.lrp".to_owned(), ..Default::default() };
        let port = drawn.draw_under(&port, &router, LogicalRouter::PORTS);
        for name in chassis {
            let row = crate::northbound::GatewayChassis {
                name: format!("lrp-{name}"),
                chassis_name: (*name).to_owned(),
                ..Default::default()
            };
            drawn.draw_under(&row, &port, LogicalRouterPort::GATEWAY_CHASSIS);
        }
        drawn
    };
    apply(&mut database, &[&draw(&["c1", "c2"])]);
    apply(&mut database, &[&draw(&["c2"])]);
    assert_eq!(database.rows().table("Gateway_Chassis").map(Table::len), Some(1));
}

#[test]
fn only_drawn_entries_of_a_shared_map_are_ours() {
    let mut database = database();
    let options = Datum::map([("northd_probe_interval", "5000"), ("old", "1")]);
    database.transact(&[insert("NB_Global", &[("options", options)])]).expect("a fresh database");
    let mut drawn = sheet("zone");
    let global =
        NbGlobal { options: entries(&[("use_ct_inv_match", "false")]), ..Default::default() };
    let key = drawn.draw(&global);
    drawn.forbid_entry(&key, NbGlobal::OPTIONS, "old");
    let plan = apply(&mut database, &[&drawn]);
    let told = "~ NB_Global\n    options:use_ct_inv_match: false\n    options:old: gone\n";
    assert_eq!(plan.to_string(), told);
    let now = row(&database, &key).get("options").cloned();
    let want = Datum::map([("northd_probe_interval", "5000"), ("use_ct_inv_match", "false")]);
    assert_eq!(now, Some(want));
    assert!(database.plan([&drawn]).expect("comparable").is_empty());
}

#[test]
fn a_row_drawn_twice_differently_is_refused() {
    let mut drawn = sheet("red");
    let key = drawn.draw(&switch("red.switch"));
    drawn.draw(&LogicalSwitch { other_config: entries(&[("a", "b")]), ..switch("red.switch") });
    assert_eq!(database().plan([&drawn]), Err(CompareError::DrawnTwice { row: key }));
}

#[test]
fn a_plan_is_refused_when_a_compared_column_changed_meanwhile() {
    let mut database = database();
    let (drawn, on, port_key) = switch_with_port("red");
    apply(&mut database, &[&drawn]);
    let mut changed = sheet("red");
    changed.draw(&switch("red.switch"));
    let disabled = LogicalSwitchPort { enabled: Some(false), ..port("red.port") };
    changed.draw_under(&disabled, &on, LogicalSwitch::PORTS);
    let plan = database.plan([&changed]).expect("comparable");
    let meddle = Operation::Update {
        table: "Logical_Switch_Port".into(),
        conditions: vec![Condition::row(row(&database, &port_key).uuid)],
        row: Values::from([("enabled".into(), Datum::from(true))]),
    };
    database.transact(&[meddle]).expect("anyone may write");
    let refused = database.apply(&plan).expect_err("the guard holds");
    assert_eq!(refused.tag, Fault::TIMED_OUT);
}

#[test]
fn a_plan_is_refused_when_the_switch_is_gone_or_the_name_taken() {
    let mut database = database();
    let (drawn, on, _) = switch_with_port("red");
    let first = database.plan([&drawn]).expect("comparable");
    database.apply(&first).expect("the first application succeeds");
    let again = database.apply(&first).expect_err("a second application is refused");
    assert_eq!(again.tag, Fault::TIMED_OUT, "by the guard on the switch's name");

    let mut more = drawn.clone();
    more.draw_under(&port("red.more"), &on, LogicalSwitch::PORTS);
    let plan = database.plan([&more]).expect("comparable");
    let conditions = vec![Condition::row(row(&database, &on).uuid)];
    database
        .transact(&[Operation::Delete { table: "Logical_Switch".into(), conditions }])
        .expect("anyone may delete");
    let refused = database.apply(&plan).expect_err("the guard holds");
    assert_eq!(refused.tag, Fault::TIMED_OUT);
}

#[test]
fn columns_that_the_server_lacks_are_left_out_and_told() {
    let (mut drawn, on, _) = switch_with_port("red");
    let tagged = LogicalSwitchPort { tag_request: Some(5), ..port("red.tagged") };
    drawn.draw_under(&tagged, &on, LogicalSwitch::PORTS);
    let rules = Rules::new(&DATABASE, owner);
    let mut json = DATABASE.to_schema().to_json();
    let columns = json["tables"]["Logical_Switch_Port"]["columns"].as_object_mut();
    columns.expect("an object").remove("tag_request");
    let older = ovsdb::DatabaseSchema::from_json(&json).expect("still a schema");
    let rows = ovsdb::Cache::new(older.into(), &rules.indexes());
    let plan = crate::compare(&drawn, &rows, &rules).expect("comparable");
    assert_eq!(plan.skipped, BTreeSet::from([("Logical_Switch_Port", "tag_request")]));
    let operations = plan.operations(&DATABASE);
    let writes_tag = |operation: &Operation| matches!(operation, Operation::Insert { row, .. } if row.contains_key("tag_request"));
    assert!(!operations.iter().any(writes_tag));
}

#[test]
fn a_sheet_reads_like_a_topology() {
    let mut drawn = sheet("red");
    let on = drawn.draw(&LogicalSwitch {
        other_config: entries(&[("subnet", "10.0.0.0/16")]),
        ..switch("red.switch")
    });
    let addresses = BTreeSet::from(["0a:58:0a:00:00:02 10.0.0.2".to_owned()]);
    let pod = LogicalSwitchPort { addresses, ..port("red.pod") };
    let pod = drawn.draw_under(&pod, &on, LogicalSwitch::PORTS);
    let isolated = drawn.draw(&group("red.isolated"));
    drawn.join(&pod, &isolated, PortGroup::PORTS);
    let want = "\
sheet of red
    switch red.switch
        other_config: {subnet=10.0.0.0/16}
        port red.pod (in ports of Port_Group red.isolated)
            addresses: \"0a:58:0a:00:00:02 10.0.0.2\"
    Port_Group red.isolated
";
    assert_eq!(drawn.to_string(), want);
}

#[test]
fn identity_and_owned_columns_can_be_shown() {
    let shown = Rules::new(&DATABASE, owner).to_string();
    for line in [
        "    identity: primary id, else priority, match within the parent\n",
        "    lists: load_balancer, nat, policies, ports, static_routes\n",
        "    written by others: dynamic_addresses, tag, up\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn keys_of_named_rows_do_not_depend_on_how_they_were_made() {
    let mut drawn = sheet("red");
    let key = drawn.draw(&switch("red.switch"));
    assert_eq!(key, Key::named(<LogicalSwitch as crate::drawn::Record>::TABLE, "red.switch"));
    assert_eq!(key.atoms(), [Atom::from("red.switch")]);
}
