//! Databases that are emptied or away, and an API server that forgets, repeats or says nothing.
//!
//! Invariant: once everybody is back, the rows are those of a fresh build, the report says so, and
//! nothing more is written.

use std::time::Duration;

use kube_embedded::{FaultPlan, PerMille};
use ovsdb::cache::Table;
use ovsdb::op::Operation;
use udn_wire::Kind;

use super::databases::Side;
use super::objects::{HERE, pod, pod_on};
use super::rig::{Rig, in_its_own_time, quiet};
use super::running_zone::RunningZone;
use super::stories::base;

async fn standing() -> (Rig, RunningZone) {
    let rig = Rig::start().await;
    rig.create(base()).await;
    let zone = rig.zone();
    rig.settle().await;
    rig.assert_well("at first").await;
    (rig, zone)
}

/// All is as it should be, and full passes find nothing to write.
async fn end(rig: Rig, zone: RunningZone, after: &str) {
    rig.settle().await;
    rig.assert_well(after).await;
    let sent = zone.fuse.count();
    quiet(rig.settings.full_pass * 2).await;
    let more = zone.fuse.sent().split_off(usize::try_from(sent).expect("it is small"));
    assert_eq!(more, [], "{after}: full passes write nothing");
    drop(zone);
    rig.end().await;
}

/// Deletes every row that can be deleted; others go with those that list them.
async fn wipe(rig: &Rig, side: Side, is_spared: impl Fn(&str) -> bool) {
    let rows = rig.databases.rows(side);
    let filled = rows.tables().filter(|it| !it.is_empty()).map(Table::schema);
    let tables = filled.filter(|it| it.is_root && !is_spared(&it.name));
    let delete =
        |table: &str| Operation::Delete { table: table.to_owned().into(), conditions: vec![] };
    let operations: Vec<Operation> = tables.map(|table| delete(&table.name)).collect();
    rig.databases.write(side, &operations).await;
}

#[test]
fn an_emptied_northbound_database_is_filled_again() {
    in_its_own_time(async {
        for spared in ["NB_Global", "nothing"] {
            let (rig, zone) = standing().await;
            wipe(&rig, Side::Northbound, |table| table == spared).await;
            end(rig, zone, &format!("all but {spared} deleted")).await;
        }
    });
}

#[test]
fn an_emptied_southbound_database_is_filled_again() {
    in_its_own_time(async {
        let (rig, zone) = standing().await;
        wipe(&rig, Side::Southbound, |_| false).await;
        rig.pause().await;
        rig.check_rows().await.unwrap_or_else(|why| panic!("deleted: {why}"));
        let (mut rig, zone) = (rig, zone);
        rig.databases.restart_empty(Side::Southbound);
        end(rig, zone, "another southbound database").await;
    });
}

/// The new database counts from the beginning, and northd is late.
#[test]
fn another_northbound_database_is_filled() {
    in_its_own_time(async {
        let (mut rig, zone) = standing().await;
        rig.databases.northd.hold();
        rig.databases.restart_empty(Side::Northbound);
        rig.settle().await;
        let questions = zone.fuse.count();
        rig.settle().await;
        assert_eq!(zone.fuse.count(), questions, "nobody is asked who is not there");
        rig.databases.northd.release();
        end(rig, zone, "another northbound database").await;
    });
}

/// Each connection breaks again and again while networks are wanted.
#[test]
fn a_server_that_is_away_for_a_while_is_made_up_for() {
    in_its_own_time(async {
        let (mut rig, zone) = standing().await;
        for number in 0..3 {
            rig.databases.restart_empty(Side::Northbound);
            rig.databases.restart_empty(Side::Southbound);
            rig.site.create(pod("red", &format!("more-{number}"), HERE)).await;
            quiet(Duration::from_millis(200)).await;
        }
        end(rig, zone, "three servers").await;
    });
}

#[test]
fn a_watch_whose_past_is_forgotten_begins_anew() {
    in_its_own_time(async {
        let (rig, zone) = standing().await;
        let cut = FaultPlan { watch_cut: PerMille(1000), ..FaultPlan::default() };
        rig.site.server().faults().set(Some(cut));
        rig.site.create(pod("red", "more", HERE)).await;
        rig.site.delete(Kind::Pod, "blue", "one").await;
        rig.site.delete(Kind::ClusterUserDefinedNetwork, "", "wire").await;
        rig.site.delete(Kind::Pod, "plain", "one").await;
        rig.site.create(pod_on("plain", "three", HERE, "flat")).await;
        quiet(Duration::from_millis(10)).await;
        for resource in ["pods", "namespaces", "nodes", "services"] {
            rig.site.server().compact(resource);
        }
        rig.site.server().compact("network-attachment-definitions.k8s.cni.cncf.io");
        rig.site.server().faults().set(None);
        rig.settle().await;
        rig.site.delete(Kind::Pod, "plain", "two").await;
        end(rig, zone, "lists instead of watches").await;
    });
}

#[test]
fn late_double_and_stale_news_end_alike() {
    in_its_own_time(async {
        let (rig, zone) = standing().await;
        let plan = FaultPlan {
            seed: 17,
            event_delay: PerMille(500),
            longest_delay: Duration::from_secs(2),
            event_twice: PerMille(300),
            watch_cut: PerMille(200),
            stale: PerMille(500),
            stalest: 30,
            refuse: PerMille(100),
            ..FaultPlan::default()
        };
        rig.site.server().faults().set(Some(plan));
        for number in 0..8 {
            let name = format!("more-{number}");
            // A refused request of the test's own says nothing about the controller.
            drop(rig.site.try_create(pod("red", &name, HERE)).await);
            drop(rig.site.try_create(pod_on("plain", &name, HERE, "flat,wire")).await);
            quiet(Duration::from_millis(300)).await;
        }
        rig.site.server().faults().set(None);
        end(rig, zone, "after all the news").await;
    });
}
