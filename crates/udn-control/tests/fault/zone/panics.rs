//! A brain that panics over one network: no other network is touched, people are told, and it recovers.
//!
//! Invariant: the brain panics over network `nine` alone, and only while it asks for VLAN 13.

use ovsdb::Cache;
use serde_json::json;
use udn_blueprint::names::Prefix;
use udn_control::zone::ZoneBrain;
use udn_model::{NetworkName, ObjectName};
use udn_wire::Kind;
use udn_zone::{Drawing, Extent, Piece, Touched, WorkItem, Zone};

use super::objects::{HERE, config, nad, pod_on, vlan};
use super::rig::{Rig, in_its_own_time};
use super::stories::base;

/// At what it stumbles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Renew,
    Draw,
}

struct Stumbling {
    zone: Zone,
    at: At,
}

impl ZoneBrain for Stumbling {
    fn zone(&self) -> &Zone {
        &self.zone
    }

    fn zone_mut(&mut self) -> &mut Zone {
        &mut self.zone
    }

    fn renew(&mut self, piece: &Piece) -> Touched {
        let name = ObjectName::new("plain", "nine");
        let nad = self.zone.world().nads.get(&name);
        let is_bad = nad.is_some_and(|it| it.spec.config.contains("\"vlanID\":13"));
        let is_it = self.at == At::Renew && *piece == Piece::Networks(name);
        assert!(!(is_it && is_bad), "thirteen is too much");
        self.zone.renew(piece)
    }

    fn draw(&mut self, item: &WorkItem, extent: &Extent, rows: &Cache) -> Drawing {
        let name = NetworkName::new("nine");
        let network = self.zone.intent().networks.get(&name);
        let is_bad = network.is_some_and(|it| format!("{it:?}").contains("Vlan(13)"));
        let is_it = self.at == At::Draw && *item == WorkItem::Network(Prefix::of(&name));
        assert!(!(is_it && is_bad), "thirteen is too much");
        self.zone.draw(item, extent, rows)
    }
}

#[test]
fn a_panic_while_drawing_a_network_touches_no_other() {
    in_its_own_time(one_network_stumbles(At::Draw));
}

#[test]
fn a_panic_while_reading_a_network_touches_no_other() {
    in_its_own_time(one_network_stumbles(At::Renew));
}

/// A new controller knows nothing of the network but that its NAD is there.
#[test]
fn rows_of_a_network_that_was_never_read_stay() {
    in_its_own_time(async {
        let rig = Rig::start().await;
        rig.create(base()).await;
        rig.create([nad("plain", "nine", "nine", vlan(13))]).await;
        rig.create([pod_on("plain", "three", HERE, "nine")]).await;
        let first = rig.zone();
        rig.settle().await;
        rig.assert_well("with a brain that can count").await;
        drop(first);

        let zone = Zone::new(rig.settings.node.clone(), rig.settings.cluster.clone());
        let zone = rig.zone_of(Stumbling { zone, at: At::Renew });
        rig.settle().await;
        assert_eq!(zone.take_plans(), [], "everything stands");
        rig.check_rows().await.unwrap_or_else(|why| panic!("{why}"));
        let report = rig.report().await;
        let listed = report.not_programmed.iter().flatten();
        let named: Vec<&str> = listed.map(|it| it.network.as_str()).collect();
        assert_eq!(named, ["nine"], "{report:#?}");
        drop(zone);
        rig.end().await;
    });
}

async fn one_network_stumbles(at: At) {
    let rig = Rig::start().await;
    rig.create(base()).await;
    rig.create([nad("plain", "nine", "nine", vlan(9)), pod_on("plain", "three", HERE, "nine")])
        .await;
    let zone = Zone::new(rig.settings.node.clone(), rig.settings.cluster.clone());
    let zone = rig.zone_of(Stumbling { zone, at });
    rig.settle().await;
    rig.assert_well("before it stumbles").await;
    zone.take_plans();

    let says = async |id| {
        let config = config("plain", "nine", "nine", vlan(id));
        rig.site.patch(Kind::Nad, "plain", "nine", json!({ "spec": { "config": config } })).await;
    };
    says(13).await;
    rig.settle().await;
    assert_eq!(zone.take_plans(), [], "nothing else is planned");
    let report = rig.report().await;
    let named: Vec<&str> =
        report.not_programmed.iter().flatten().map(|it| it.network.as_str()).collect();
    assert_eq!(named, ["nine"], "{at:?}: {report:#?}");
    let message = report.not_programmed.iter().flatten().find_map(|it| it.message.clone());
    let message = message.expect("it is told why");
    assert!(message.contains("thirteen is too much"), "{message}");

    rig.create([pod_on("plain", "four", HERE, "flat,wire")]).await;
    rig.settle().await;
    let titles: Vec<String> = zone.take_plans().into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["network cluster_udn_wire", "network plain_flat"], "others go on");

    says(9).await;
    rig.settle().await;
    rig.assert_well("as before it stumbled").await;
    drop(zone);
    rig.end().await;
}
