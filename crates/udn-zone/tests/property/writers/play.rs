//! Plays a history, then lets everybody finish, and looks at every pod.

use std::collections::{BTreeMap, BTreeSet};

use proptest::sample::Index;
use serde_json::{Value, json};
use udn_wire::{Kind, Target};

use super::actors::{Cluster, Outcome, ZoneActor};
use super::store::{Store, entries};
use super::{Step, Tally};
use crate::objects::{Draft, layer3, nad, namespace, node, pod, primary, secondary, target};

/// Everybody, and what they write to.
pub(super) struct Play {
    store: Store,
    cluster: Cluster,
    zones: [ZoneActor; 3],
    /// How many pods were made; each has a uid of its own.
    made: usize,
    pub(super) tally: Tally,
}

const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// A layer-2 and a layer-3 primary network, and one of each to choose.
fn cluster() -> Vec<Draft> {
    let nodes = (1..4).map(|number: u8| {
        node(number).with_subnets(&json!({
            "default": [format!("10.128.{}.0/23", 2 * number), format!("fd01:0:0:{number}::/64")],
            "blue": [format!("10.77.{number}.0/24")],
            "side": [format!("10.88.{number}.0/28")],
        }))
    });
    let rest = vec![
        namespace("a", true),
        namespace("b", true),
        namespace("c", false),
        nad("a/red", None, primary("red", "10.10.0.0/16,fd10::/64")),
        nad("b/blue", None, layer3("blue", "primary", "10.77.0.0/16")),
        nad("c/flat", None, secondary("flat", "10.30.0.0/24")),
        nad("c/side", None, layer3("side", "secondary", "10.88.0.0/16/28")),
    ];
    nodes.chain(rest).collect()
}

impl Play {
    pub(super) fn new() -> Self {
        let mut store = Store::default();
        cluster().iter().for_each(|draft| store.create(draft));
        let cluster = Cluster::start(&store);
        let zones = NODES.map(|node| ZoneActor::start(node, &store));
        let mut play = Self { store, cluster, zones, made: 0, tally: Tally::default() };
        play.until_quiet();
        play
    }

    pub(super) fn step(&mut self, step: Step) {
        match step {
            Step::Create(namespace, name, node, chosen) => {
                self.create(namespace, name, node, chosen);
            }
            Step::Delete(which) => {
                let target = self.chosen(&which);
                target.into_iter().for_each(|it| self.store.delete(&it));
            }
            Step::End(which) => {
                let Some(target) = self.chosen(&which) else { return };
                let mut ended = self.store.present[&target].clone();
                ended["status"]["phase"] = "Succeeded".into();
                self.store.put(target, ended);
            }
            Step::Hear(actor, count) => self.hear(actor, count.into()),
            Step::Act(actor, dies) => drop(self.act(actor, dies)),
        }
    }

    fn create(&mut self, namespace: u8, name: u8, node: u8, chosen: u8) {
        let namespace = ["a", "b", "c"][usize::from(namespace)];
        let chosen = if namespace == "c" { chosen } else { 0 };
        let chosen = ["", "flat", "side", "flat,side"][usize::from(chosen)];
        let at = format!("{namespace}/p{name}");
        if self.store.present.contains_key(&target(Kind::Pod, &at)) {
            return;
        }
        self.made += 1;
        let mut draft = pod(&at, &format!("n{node}"), chosen);
        draft.object["metadata"]["uid"] = format!("uid-{}", self.made).into();
        self.store.create(&draft);
    }

    fn chosen(&self, which: &Index) -> Option<Target> {
        let pods: Vec<&Target> = self.pods().map(|(target, _)| target).collect();
        (!pods.is_empty()).then(|| pods[which.index(pods.len())].clone())
    }

    fn pods(&self) -> impl Iterator<Item = (&Target, &Value)> {
        self.store.present.iter().filter(|(target, _)| target.kind == Kind::Pod)
    }

    fn hear(&mut self, actor: u8, count: usize) {
        match usize::from(actor) {
            0 => self.cluster.hear(&self.store, count),
            zone => self.zones[zone - 1].hear(&self.store, count),
        }
    }

    fn act(&mut self, actor: u8, dies: bool) -> bool {
        let outcome = match usize::from(actor) {
            0 => self.cluster.act(&mut self.store, dies),
            zone => self.zones[zone - 1].act(&mut self.store, dies),
        };
        match outcome {
            Outcome::Nothing => return false,
            Outcome::Wrote(written, conflicts) => {
                self.tally.patches += written;
                self.tally.conflicts += conflicts;
            }
            Outcome::Died => {
                self.tally.crashes += 1;
                match usize::from(actor) {
                    0 => self.cluster = Cluster::start(&self.store),
                    zone => {
                        self.zones[zone - 1] = ZoneActor::start(NODES[zone - 1], &self.store);
                    }
                }
            }
        }
        true
    }

    /// Lets everybody hear everything and do all that is left.
    fn until_quiet(&mut self) {
        for _ in 0..500 {
            (0..4).for_each(|actor| self.hear(actor, usize::MAX / 2));
            let version = self.store.log.len();
            let did: Vec<bool> = (0..4).map(|actor| self.act(actor, false)).collect();
            if !did.contains(&true) && version == self.store.log.len() {
                return;
            }
        }
        panic!("nobody comes to rest");
    }

    /// Every pod has its entries and no others, and no address is there twice.
    pub(super) fn finish(&mut self) {
        self.until_quiet();
        let mut holders: BTreeMap<(String, String), &Target> = BTreeMap::new();
        for (target, pod) in self.pods().filter(|(_, pod)| pod["status"]["phase"].is_null()) {
            let entries = entries(pod);
            let keys: BTreeSet<&str> = entries.keys().map(String::as_str).collect();
            assert_eq!(keys, wanted(target, pod), "the entries of {target}");
            for (key, entry) in &entries {
                let network = if key == "default" { "default" } else { key };
                for address in entry["ip_addresses"].as_array().expect("there are addresses") {
                    let address = address.as_str().expect("it is a text").to_owned();
                    let other = holders.insert((network.to_owned(), address.clone()), target);
                    assert_eq!(other, None, "{address} of {network} has two holders");
                }
            }
        }
        let (pods, held) = (self.pods().count(), holders.len());
        self.tally.pods += pods;
        self.tally.entries += held;
    }
}

/// The keys that a pod's annotation must have.
fn wanted<'p>(target: &Target, pod: &'p Value) -> BTreeSet<&'p str> {
    let chosen = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].as_str();
    let chosen = chosen.unwrap_or_default().split(',').filter_map(|it| match it {
        "flat" => Some("c/flat"),
        "side" => Some("c/side"),
        _ => None,
    });
    let main = match target.namespace.as_str() {
        "a" => Some("a/red"),
        "b" => Some("b/blue"),
        _ => None,
    };
    chosen.chain(main).chain(["default"]).collect()
}
