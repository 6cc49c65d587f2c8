//! Random histories: users, nodes, other writers, crashes, lost connections and a bad API server at once.
//!
//! Invariant: a seed gives the same history; whatever it was, the rows at the end are those of a fresh
//! build, the report says so, and a full pass finds nothing to write.

use std::time::Duration;

use fastrand::Rng;
use kube_embedded::{FaultPlan, PerMille};
use ovsdb::op::Operation;
use serde_json::{Value, json};
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::keys::NODE_CHASSIS;

use super::damage::{changes, disowned, ours, removal};
use super::databases::Side;
use super::fuse::Fates;
use super::objects::{HERE, THERE, config, nad, node, pod, pod_on, vlan};
use super::rig::{Rig, quiet};
use super::story::Act;
use super::supervised::Supervised;
use crate::kit::objects::{cudn, layer2, layer3, localnet, namespace, primary_namespace, udn};

/// How many things happen in a history.
const LENGTH: usize = 40;

/// How seldom a connection breaks at something that is sent, and a controller dies.
const RARITY: u32 = 12;

const DEEP: [(&str, Option<u8>); 2] = [("10.77.0.0/16", Some(24)), ("fd77::/48", Some(64))];
const BOTH: [&str; 2] = ["10.10.0.0/16", "fd10::/64"];
const PODS: [&str; 4] = ["one", "two", "three", "four"];

/// Plays the history of a seed.
pub(super) async fn play(seed: u64) -> Result<(), String> {
    let mut dice = Rng::with_seed(seed);
    // Half of the clusters have the default network.
    let builds_default_network = seed.is_multiple_of(2);
    let cluster = ClusterSettings { builds_default_network, ..ClusterSettings::default() };
    let mut rig = Rig::start_with(cluster).await;
    let mut fates = Fates { dice: Some((dice.fork(), RARITY)), ..Fates::default() };
    let mut supervised = Supervised::start(rig.setting(), fates.next());
    rig.create(first()).await;
    let mut left = Vec::new();
    for _ in 0..LENGTH {
        rig.site.server().faults().set(None);
        match dice.u8(..20) {
            0..12 => user(&rig, &mut dice).await,
            12..15 => left.extend(damage(&rig, &mut dice).await),
            15 => {
                let (zone, ..) = supervised.stop().await;
                drop(zone);
                supervised = Supervised::start(rig.setting(), fates.next());
            }
            16 => rig.databases.restart_empty(*dice.choice(&SIDES).expect("there are two")),
            17 => rig.databases.northd.hold(),
            18 => rig.databases.northd.release(),
            _ => rig.pause().await,
        }
        rig.site.server().faults().set(is_bad(&mut dice));
        quiet(Duration::from_millis(dice.u64(..400))).await;
    }
    rig.site.server().faults().set(None);
    rig.databases.northd.release();
    rig.settle().await;
    for (side, removal) in left {
        rig.databases.write(side, &removal).await;
    }
    // The dice go on falling while all comes to rest, so that it may take longer.
    rig.settle().await;
    rig.settle().await;
    rig.check().await?;
    let (zone, ..) = supervised.stop().await;
    zone.take_plans();
    quiet(rig.settings.full_pass * 2).await;
    let plans = zone.take_plans();
    rig.check().await?;
    drop(zone);
    rig.end().await;
    if plans.is_empty() { Ok(()) } else { Err(format!("full passes planned {plans:?}")) }
}

const SIDES: [Side; 2] = [Side::Northbound, Side::Southbound];

fn first() -> Vec<Value> {
    vec![
        node(HERE, 11),
        primary_namespace("red", "red"),
        primary_namespace("blue", "blue"),
        namespace("plain", &[("team", "plain")]),
        cudn("red", "red", layer2("Primary", &BOTH)),
        udn("plain", "flat", layer2("Secondary", &["10.30.0.0/24"])),
        udn("plain", "side", layer3("Secondary", &[("10.88.0.0/16", Some(28))])),
    ]
}

/// What goes wrong with the API server until the next thing happens; mostly nothing.
fn is_bad(dice: &mut Rng) -> Option<FaultPlan> {
    let mut often = |mille| PerMille(if dice.u8(..4) == 0 { mille } else { 0 });
    let plan = FaultPlan {
        event_delay: often(300),
        longest_delay: Duration::from_millis(400),
        refuse: often(150),
        cut_before: often(100),
        cut_after: often(100),
        stale: often(300),
        stalest: 20,
        watch_cut: often(300),
        event_twice: often(300),
        ..FaultPlan::default()
    };
    let seed = dice.u64(..);
    (dice.u8(..2) == 0).then_some(FaultPlan { seed, ..plan })
}

/// Something that a user or a node does.
async fn user(rig: &Rig, dice: &mut Rng) {
    let network = Kind::ClusterUserDefinedNetwork;
    let annotate = |value: Value| json!({ "metadata": { "annotations": { NODE_CHASSIS: value } } });
    let nine = |id| json!({ "spec": { "config": config("plain", "nine", "nine", vlan(id)) } });
    let name = *dice.choice(&PODS).expect("there are some");
    let place = *dice.choice(&[HERE, HERE, THERE]).expect("there are some");
    let act = match dice.u8(..18) {
        0 if dice.bool() => Act::Create(cudn("blue", "blue", layer2("Primary", &BOTH))),
        0 => Act::Create(cudn("blue", "blue", layer3("Primary", &DEEP))),
        1 => Act::Create(cudn("wire", "plain", localnet("datacenter", 7, &["192.168.7.0/24"]))),
        2 => Act::Create(nad("plain", "nine", "nine", vlan(9))),
        3 => Act::Patch(Kind::Nad, "plain", "nine", nine(dice.u16(10..20))),
        4 => Act::Create(node(THERE, 12)),
        5 => Act::Patch(Kind::Node, "", THERE, annotate(json!(format!("c-{}", dice.u8(..3))))),
        6 => Act::Patch(Kind::Node, "", THERE, annotate(Value::Null)),
        7 => Act::Delete(Kind::Node, "", THERE),
        8 => Act::Delete(network, "", dice.choice(&["blue", "wire"]).expect("there are two")),
        9 => Act::Delete(Kind::Nad, "plain", "nine"),
        10 => Act::Create(pod("red", name, place)),
        11 => Act::Create(pod("blue", name, place)),
        12..14 => {
            let all = [
                "flat",
                "wire",
                "nine",
                "flat,nine",
                "wire,flat",
                "flat,flat",
                "side",
                "side,flat",
            ];
            Act::Create(pod_on("plain", name, place, dice.choice(&all).expect("there are some")))
        }
        14 => Act::Status(Kind::Pod, "red", name, json!({ "phase": "Succeeded" })),
        _ => {
            let namespace = *dice.choice(&["red", "blue", "plain"]).expect("there are some");
            Act::Delete(Kind::Pod, namespace, name)
        }
    };
    if can_be_done(rig, &act).await {
        act.perform(rig).await;
    }
}

/// Users create what is not there, and change or delete what is.
async fn can_be_done(rig: &Rig, act: &Act) -> bool {
    match act {
        Act::Create(object) => {
            let text =
                |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let kind = Kind::find(text("/apiVersion"), text("/kind")).expect("it is one of ours");
            let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
            rig.site.read(kind, namespace, name).await.is_none()
        }
        Act::Patch(kind, namespace, name, _)
        | Act::Status(kind, namespace, name, _)
        | Act::Delete(kind, namespace, name) => {
            let found = rig.site.read(*kind, namespace, name).await;
            found.is_some_and(|it| it["metadata"]["deletionTimestamp"].is_null())
        }
        Act::Settle => true,
    }
}

/// Somebody damages a row of ours; how what is left of it goes, if anything is.
async fn damage(rig: &Rig, dice: &mut Rng) -> Option<(Side, Vec<Operation>)> {
    let side = *dice.choice(&SIDES).expect("there are two");
    let (rules, before) = (side.rules(&rig.settings.node), rig.databases.rows(side));
    let rows: Vec<_> = ours(&before, &rules).collect();
    let row = dice.choice(&rows)?;
    let mut all = changes(*row);
    all.push(removal(*row, &rules));
    let damage = all.swap_remove(dice.usize(..all.len()));
    let writer = rig.databases.writer(side).await;
    writer.wait_synced().await.expect("the server is there");
    // The server refuses some of it, and some rows are gone meanwhile.
    drop(writer.transact(&damage.operations).await);
    // Rows that nobody can know any more stay until whoever did that to them removes them.
    disowned(&before, &rig.databases.rows(side), damage.row, &rules).map(|it| (side, it.operations))
}
