//! Addresses that the zone grants, among crashes, lost connections and others who write the same pods.
//!
//! Invariant: at the end each pod has exactly its entries, no address is there twice, and what was
//! published once is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kube_embedded::{FaultPlan, PerMille};
use serde_json::{Value, json};
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::keys::{OPEN_PORTS, POD_NETWORKS};

use super::fuse::{Fates, Turn};
use super::meddler::{FOREIGN, Meddler};
use super::objects::{HERE, THERE, node, pod, pod_on};
use super::on_all_cores;
use super::rig::{Rig, in_its_own_time, quiet};
use super::running_zone::Setting;
use super::story::Act;
use super::supervised::Supervised;
use crate::kit::objects::{cudn, layer2, layer3, namespace, primary_namespace, udn};
use crate::kit::workloads::annotated;

/// Namespaces and networks of each sort, nodes, and pods on both.
fn base() -> Vec<Value> {
    let deep = [("10.77.0.0/16", Some(24)), ("fd77::/48", Some(64))];
    let opened = annotated(pod("red", "open", HERE), OPEN_PORTS, "- {protocol: tcp, port: 80}");
    vec![
        node(HERE, 11),
        node(THERE, 12),
        primary_namespace("red", "red"),
        primary_namespace("deep", "deep"),
        namespace("plain", &[("team", "plain")]),
        cudn("red", "red", layer2("Primary", &["10.10.0.0/16", "fd10::/64"])),
        cudn("deep", "deep", layer3("Primary", &deep)),
        udn("plain", "flat", layer2("Secondary", &["10.30.0.0/24"])),
        udn("plain", "side", layer3("Secondary", &[("10.88.0.0/16", Some(28))])),
        pod("red", "one", HERE),
        pod("deep", "one", HERE),
        pod("deep", "two", THERE),
        pod_on("plain", "one", HERE, "flat,side"),
        opened,
    ]
}

fn story() -> Vec<Act> {
    let ends = json!({ "phase": "Succeeded" });
    let late = [
        Act::Delete(Kind::Pod, "deep", "one"),
        Act::Status(Kind::Pod, "plain", "one", ends),
        Act::Create(pod_on("plain", "two", HERE, "side")),
        Act::Settle,
        Act::Create(pod("deep", "one", HERE)),
        Act::Create(pod("plain", "three", HERE)),
        Act::Settle,
    ];
    base().into_iter().map(Act::Create).chain([Act::Settle]).chain(late).collect()
}

/// The keys that each pod of the node must have in the end.
fn wanted() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("deep/one", &["deep/deep", "default"][..]),
        ("plain/one", &["default", "plain/flat", "plain/side"]),
        ("plain/three", &["default"]),
        ("plain/two", &["default", "plain/side"]),
        ("red/one", &["default", "red/red"]),
        ("red/open", &["default", "red/red"]),
    ])
}

/// The entries of each pod that is on the node, by its uid, as they were seen at any time; and how often
/// somebody else had written.
#[derive(Default)]
struct Published(BTreeMap<String, BTreeMap<String, Value>>, BTreeMap<String, u64>);

impl Published {
    /// Looks at all pods; returns which have which entries.
    async fn look(
        &mut self,
        rig: &Rig,
    ) -> Result<BTreeMap<String, BTreeMap<String, Value>>, String> {
        let mut all = BTreeMap::new();
        for pod in rig.site.all(Kind::Pod).await {
            let text = |path: &str| pod.pointer(path).and_then(Value::as_str).unwrap_or_default();
            if text("/spec/nodeName") != HERE {
                continue;
            }
            let name = format!("{}/{}", text("/metadata/namespace"), text("/metadata/name"));
            let annotation = pod["metadata"]["annotations"][POD_NETWORKS].as_str().unwrap_or("{}");
            let mut entries: BTreeMap<String, Value> =
                serde_json::from_str(annotation).map_err(|it| it.to_string())?;
            let foreign = entries.remove(FOREIGN).and_then(|it| it["number"].as_u64());
            let uid = text("/metadata/uid");
            let before = self.1.insert(uid.to_owned(), foreign.unwrap_or_default());
            if foreign.unwrap_or_default() < before.unwrap_or_default() {
                return Err(format!("the entry of somebody else on {name} was lost"));
            }
            let known = self.0.entry(uid.to_owned()).or_default();
            for (key, before) in &*known {
                if entries.get(key) != Some(before) {
                    return Err(format!("{key} of {name} was {before}, and is {entries:?}"));
                }
            }
            known.clone_from(&entries);
            all.insert(name, entries);
        }
        Ok(all)
    }

    /// The same at the end, when everybody must have what it asks for.
    async fn judge(&mut self, rig: &Rig, meddler: &Meddler) -> Result<(), String> {
        let all = self.look(rig).await?;
        let (left, met) = (self.1.values().sum::<u64>(), meddler.count());
        if usize::try_from(left).is_ok_and(|left| left < met.min(all.len())) {
            return Err(format!("of {met} entries of somebody else {left} are left"));
        }
        let mut keys = BTreeMap::new();
        for (name, entries) in &all {
            let of_pod: Vec<&str> = entries.keys().map(String::as_str).collect();
            keys.insert(name.as_str(), of_pod);
        }
        let wanted: BTreeMap<&str, Vec<&str>> =
            wanted().into_iter().map(|(name, keys)| (name, keys.to_vec())).collect();
        if keys != wanted {
            return Err(format!("pods have {keys:?}, not {wanted:?}"));
        }
        // What ended holds nothing any more, and its addresses may be somebody else's.
        let alive = all.iter().filter(|(name, _)| *name != "plain/one");
        let mut held = BTreeSet::new();
        for (key, entry) in alive.flat_map(|(_, entries)| entries) {
            for address in entry["ip_addresses"].as_array().into_iter().flatten() {
                if !held.insert((key.clone(), address.to_string())) {
                    return Err(format!("{address} of {key} is there twice"));
                }
            }
        }
        Ok(())
    }
}

fn settings() -> ClusterSettings {
    ClusterSettings { builds_default_network: true, ..ClusterSettings::default() }
}

/// What goes wrong besides.
#[derive(Debug, Clone, Copy, Default)]
struct Trouble {
    /// How often somebody else is faster at each pod.
    meddling: usize,
    /// The seed of a server that refuses, breaks off and tells late.
    faults: Option<u64>,
}

/// What came of a play: how many controllers there were, what the first sent, and how often somebody
/// else was faster.
struct Played {
    controllers: u64,
    sent: u64,
    met: usize,
}

async fn play(fates: Fates, trouble: Trouble) -> Result<Played, String> {
    let rig = Rig::start_with(settings()).await;
    let (mut published, meddler) = (Published::default(), Meddler::new(trouble.meddling));
    let setting = Setting { meddler: Some(meddler.clone()), ..rig.setting() };
    let supervised = Supervised::start(setting, fates);
    for act in story() {
        // Whoever acts or looks here is not the one to be tried.
        rig.site.server().faults().set(None);
        act.perform(&rig).await;
        published.look(&rig).await?;
        rig.site.server().faults().set(trouble.faults.map(bad));
        quiet(Duration::from_millis(200)).await;
    }
    rig.site.server().faults().set(None);
    rig.settle().await;
    published.judge(&rig, &meddler).await?;
    rig.check().await?;
    let (zone, controllers, sent) = supervised.stop().await;
    drop(zone);
    rig.end().await;
    Ok(Played { controllers, sent, met: meddler.count() })
}

/// A server that is bad now and then; lists it gives as they are.
fn bad(seed: u64) -> FaultPlan {
    FaultPlan {
        seed,
        event_delay: PerMille(300),
        longest_delay: Duration::from_millis(400),
        refuse: PerMille(150),
        cut_before: PerMille(100),
        cut_after: PerMille(100),
        event_twice: PerMille(200),
        ..FaultPlan::default()
    }
}

#[test]
fn each_pod_gets_all_its_entries_once() {
    let played = in_its_own_time(play(Fates::default(), Trouble::default()));
    let played = played.unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(played.controllers, 1);
    assert!(played.sent > 20, "only {} things were sent", played.sent);
}

#[test]
fn a_crash_or_a_lost_answer_after_anything_that_was_sent_changes_no_entry() {
    let calm = in_its_own_time(play(Fates::default(), Trouble::default()));
    let sent = calm.unwrap_or_else(|why| panic!("{why}")).sent;
    let turns = [Turn::Last, Turn::CutBefore, Turn::CutAfter];
    let all = (1..=sent).flat_map(|number| turns.map(|turn| (number, turn)));
    let played = on_all_cores(all.collect(), |(number, turn)| {
        let played = in_its_own_time(play(Fates::at(number, turn), Trouble::default()));
        played.map_err(|why| format!("{turn:?} at {number}: {why}"))
    });
    let (mut crashed, mut failures) = (0, Vec::new());
    for played in played {
        match played {
            Ok(played) => crashed += usize::from(played.controllers == 2),
            Err(why) => failures.push(why),
        }
    }
    println!("{crashed} crashes, {sent} things sent");
    assert!(failures.is_empty(), "{}, first:\n{}", failures.len(), failures[0]);
    assert!(crashed > 15, "only {crashed} crashes");
}

#[test]
fn who_is_faster_at_a_pod_loses_nothing_and_takes_nothing() {
    for meddling in [1, 3] {
        let trouble = Trouble { meddling, ..Trouble::default() };
        let played = in_its_own_time(play(Fates::default(), trouble));
        let played = played.unwrap_or_else(|why| panic!("{meddling}: {why}"));
        assert!(played.met >= 6 * meddling, "{meddling}: only {} conflicts", played.met);
    }
}

#[test]
fn a_server_that_refuses_and_breaks_off_delays_entries_and_no_more() {
    let seeds: Vec<u64> = (0..12).collect();
    let failures = on_all_cores(seeds, |seed| {
        let trouble = Trouble { meddling: 1, faults: Some(seed) };
        let played = in_its_own_time(play(Fates::default(), trouble));
        played.err().map(|why| format!("seed {seed}: {why}"))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}, first:\n{}", failures.len(), failures[0]);
}
