//! What one pod costs among many networks: its own rows are drawn, compared and committed, nothing else.
//!
//! Invariant: what is counted is what the driver asks of its brain, and what it sends.

use std::sync::{Arc, Mutex, PoisonError};

use ovsdb::Cache;
use udn_blueprint::names::Prefix;
use udn_control::zone::ZoneBrain;
use udn_model::{NetworkName, Part};
use udn_zone::{Drawing, Extent, Piece, Touched, WorkItem, Zone};

use super::objects::{HERE, node, pod};
use super::rig::{Rig, in_its_own_time};
use crate::kit::objects::{cudn, layer2, primary_namespace};

/// Something that the brain was asked.
#[derive(Debug, Clone, PartialEq)]
enum Asked {
    Renewed(Piece),
    Drawn(WorkItem, Extent),
}

struct Counting {
    zone: Zone,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Counting {
    fn note(&self, asked: Asked) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }
}

impl ZoneBrain for Counting {
    fn zone(&self) -> &Zone {
        &self.zone
    }

    fn zone_mut(&mut self) -> &mut Zone {
        &mut self.zone
    }

    fn renew(&mut self, piece: &Piece) -> Touched {
        self.note(Asked::Renewed(piece.clone()));
        self.zone.renew(piece)
    }

    fn draw(&mut self, item: &WorkItem, extent: &Extent, rows: &Cache) -> Drawing {
        self.note(Asked::Drawn(item.clone(), extent.clone()));
        self.zone.draw(item, extent, rows)
    }
}

#[test]
fn a_pod_is_committed_without_looking_at_other_networks() {
    in_its_own_time(async {
        let rig = Rig::start().await;
        rig.create([node(HERE, 11)]).await;
        for number in 0..12 {
            let name = format!("net-{number}");
            let network = cudn(&name, &name, layer2("Primary", &["10.10.0.0/16", "fd10::/64"]));
            rig.create([primary_namespace(&name, &name), network]).await;
        }
        let asked = Arc::default();
        let zone = Zone::new(rig.settings.node.clone(), rig.settings.cluster.clone());
        let zone = rig.zone_of(Counting { zone, asked: Arc::clone(&asked) });
        rig.settle().await;
        rig.assert_well("before the pod").await;
        asked.lock().expect("no thread panicked").clear();
        zone.take_plans();
        let (sent, plans) = (zone.fuse.count(), zone.fuse.plans());

        rig.create([pod("net-7", "one", HERE)]).await;
        rig.pause().await;
        let asked = asked.lock().expect("no thread panicked").clone();
        let drawn = asked.iter().filter_map(|it| match it {
            Asked::Drawn(item, extent) => Some((item, extent)),
            Asked::Renewed(_) => None,
        });
        let network = NetworkName::new("cluster_udn_net-7");
        let item = WorkItem::Network(Prefix::of(&network));
        for (drawn, extent) in drawn {
            assert_eq!(*drawn, item, "another network was drawn");
            let Extent::Parts(parts) = extent else { panic!("all of the network was drawn") };
            let is_the_pod = |it: &Part| matches!(it, Part::Pod(of, _) if *of == network);
            assert!(parts.iter().all(is_the_pod), "{parts:?}");
        }
        assert!(asked.iter().all(|it| match it {
            Asked::Renewed(piece) => matches!(piece, Piece::Pod(_)),
            Asked::Drawn(..) => true,
        }));
        let planned = zone.take_plans();
        let [(title, plan)] = &planned[..] else { panic!("{planned:?}") };
        assert_eq!(title, "network cluster_udn_net-7");
        let keys: Vec<String> = plan.inserts.iter().map(|it| it.key.to_string()).collect();
        assert_eq!(
            keys,
            ["Logical_Switch_Port net.7.net.7_net-7_one"],
            "its port, and nothing else"
        );
        assert_eq!((plan.updates.len(), plan.unlinks.len(), plan.deletes.len()), (0, 0, 0));
        assert_eq!(
            (zone.fuse.plans(), zone.fuse.count()),
            (plans + 1, sent + 1),
            "one transaction"
        );
        rig.assert_well("after the pod").await;
        drop(zone);
        rig.end().await;
    });
}
