//! What the node's report says, and when.
//!
//! Invariant: nobody is told of anything that OVN has not confirmed.

use ovsdb::op::{Condition, Function, Operation};
use serde_json::{Value, json};
use udn_control::zone::FIELD_MANAGER;
use udn_wire::Kind;
use udn_wire::api::ReportStatus;

use super::databases::Side;
use super::fuse::Turn;
use super::objects::HERE;
use super::rig::{Rig, in_its_own_time, quiet};
use super::stories::base;
use crate::kit::objects::{cudn, layer2, primary_namespace};

/// A cluster in which everything stands and is told of.
async fn standing() -> Rig {
    let rig = Rig::start().await;
    rig.create(base()).await;
    rig
}

fn green() -> [Value; 2] {
    let network = layer2("Primary", &["10.50.0.0/16", "fd50::/64"]);
    [primary_namespace("green", "green"), cudn("green", "green", network)]
}

fn up_to(report: &ReportStatus) -> Option<u64> {
    report.programmed_up_to.as_deref().map(|it| it.parse().expect("versions are numbers"))
}

/// The names and reasons of what is not programmed.
fn named(report: &ReportStatus) -> Vec<(String, String)> {
    let listed = report.not_programmed.iter().flatten();
    listed.map(|it| (it.network.clone(), it.reason.clone())).collect()
}

async fn is_ready(rig: &Rig, network: &str) -> bool {
    let network = rig.site.read(Kind::ClusterUserDefinedNetwork, "", network).await;
    let conditions = network.expect("it is there")["status"]["conditions"].clone();
    let conditions = conditions.as_array().cloned().unwrap_or_default();
    conditions.iter().any(|it| it["type"] == "Ready" && it["status"] == "True")
}

/// How many rows have a name that begins so.
fn named_rows(rig: &Rig, table: &str, beginning: &str) -> usize {
    let rows = rig.databases.rows(Side::Northbound);
    let all = rows.table(table).expect("the schema has it").rows();
    all.filter(|row| row.text("name").is_some_and(|it| it.starts_with(beginning))).count()
}

#[test]
fn nothing_is_programmed_before_ovn_confirms_it() {
    in_its_own_time(async {
        let rig = standing().await;
        let zone = rig.zone();
        rig.settle().await;
        rig.assert_well("at first").await;
        let before = up_to(&rig.report().await);
        rig.databases.northd.hold();
        rig.create(green()).await;
        rig.settle().await;
        rig.check_rows().await.unwrap_or_else(|why| panic!("committed, not confirmed: {why}"));
        assert_eq!(named_rows(&rig, "Logical_Switch", "cluster_udn_green_"), 1);
        assert_eq!(up_to(&rig.report().await), before, "the report stays behind");
        assert!(!is_ready(&rig, "green").await, "a network waits for its nodes");
        rig.databases.northd.release();
        rig.settle().await;
        rig.assert_well("confirmed").await;
        assert!(up_to(&rig.report().await) > before);
        drop(zone);
        rig.end().await;
    });
}

#[test]
fn a_new_controller_believes_its_predecessor_for_seconds_only() {
    in_its_own_time(async {
        let rig = standing().await;
        let first = rig.zone();
        rig.settle().await;
        let before = up_to(&rig.report().await);
        assert!(before.is_some());
        drop(first);
        rig.databases.northd.hold();
        let second = rig.zone();
        quiet(std::time::Duration::from_secs(5)).await;
        assert_eq!(up_to(&rig.report().await), before, "rows outlive the controller");
        rig.settle().await;
        assert_eq!(up_to(&rig.report().await), None, "nobody has confirmed them to this one");
        rig.databases.northd.release();
        rig.settle().await;
        rig.assert_well("confirmed").await;
        drop(second);
        rig.end().await;
    });
}

#[test]
fn a_question_that_is_lost_is_asked_again() {
    for turn in [Turn::CutBefore, Turn::CutAfter] {
        in_its_own_time(async {
            let rig = standing().await;
            let zone = rig.zone();
            rig.settle().await;
            zone.fuse.meet_question(turn);
            rig.create(green()).await;
            rig.settle().await;
            rig.assert_well(&format!("{turn:?}")).await;
            drop(zone);
            rig.end().await;
        });
    }
}

#[test]
fn a_network_whose_name_is_taken_is_named_alone_until_ovn_has_confirmed_it() {
    in_its_own_time(async {
        let rig = Rig::start().await;
        let name = ("name".into(), ovsdb::Datum::from("cluster_udn_red_ovn_layer2_switch"));
        let table = "Logical_Switch";
        let taken = Operation::Insert {
            table: table.into(),
            row: [name.clone()].into(),
            uuid_name: None,
            uuid: None,
        };
        rig.databases.write(Side::Northbound, &[taken]).await;
        rig.create(base()).await;
        let zone = rig.zone();
        rig.settle().await;
        let report = rig.report().await;
        assert_eq!(named(&report), [("cluster_udn_red".to_owned(), "RowConflict".to_owned())]);
        assert_eq!(report.not_programmed_count, Some(1));
        let newest = rig.newest_nad().await;
        assert!(up_to(&report) >= Some(newest), "the others are programmed: {report:#?}");
        let message = report.not_programmed.iter().flatten().find_map(|it| it.message.clone());
        let message = message.expect("it is told why");
        assert!(message.contains("cluster_udn_red_ovn_layer2_switch"), "{message}");
        assert_eq!(named_rows(&rig, table, "cluster_udn_blue_"), 1, "blue stands beside it");

        rig.databases.northd.hold();
        let (column, value) = name;
        let conditions = vec![
            Condition::new(column, Function::Equal, value),
            Condition::new("external_ids", Function::Equal, ovsdb::Datum::empty_map()),
        ];
        let gone = Operation::Delete { table: table.into(), conditions };
        rig.databases.write(Side::Northbound, &[gone]).await;
        rig.settle().await;
        rig.check_rows().await.unwrap_or_else(|why| panic!("mended: {why}"));
        assert_eq!(named(&rig.report().await).len(), 1, "mended, but not confirmed");
        rig.databases.northd.release();
        rig.settle().await;
        rig.assert_well("mended and confirmed").await;
        drop(zone);
        rig.end().await;
    });
}

#[test]
fn what_others_say_in_the_report_is_left_alone() {
    in_its_own_time(async {
        let rig = standing().await;
        let zone = rig.zone();
        rig.settle().await;
        let physical = json!([{ "name": "datacenter", "bridge": "br-data" }]);
        let status = json!({ "physicalNetworks": physical });
        rig.site.apply_status(Kind::Report, HERE, "udn-node", status).await;
        rig.create(green()).await;
        rig.settle().await;
        rig.assert_well("beside another's fields").await;
        let report = rig.site.read(Kind::Report, "", HERE).await.expect("it is there");
        assert_eq!(report["status"]["physicalNetworks"], physical);
        let owner = &report["metadata"]["ownerReferences"][0];
        assert_eq!((&owner["kind"], &owner["name"]), (&json!("Node"), &json!(HERE)));
        let managers = report["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let ours = managers.iter().filter(|it| it["manager"] == FIELD_MANAGER);
        assert!(ours.clone().count() > 0);
        assert!(ours.into_iter().all(|it| !it.to_string().contains("physicalNetworks")));
        drop(zone);
        rig.end().await;
    });
}
