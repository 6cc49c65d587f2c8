//! Subnets of nodes by example.

use std::collections::BTreeSet;

use udn_model::{ClusterSettings, Manifest, Network, NetworkName, NodeName, ObjectName};
use udn_wire::keys::NODE_SUBNETS;
use udn_wire::object::{AnyObject, Node};
use udn_wire::{Kind, Target};

use crate::dry_run::{DryRun, Scope, dry_run, reconciler_of};
use crate::reconciler::{Answer, Change, Reconciler};
use crate::work_item::WorkItem;
use crate::world::World;
use crate::write::{Act, Write};

const HOME: &str = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";

const LABELLED: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {
  k8s.ovn.org/primary-user-defined-network: ''}}}";

/// A node with this annotation, if it is not empty.
fn node(name: &str, subnets: &str) -> String {
    let annotations = match subnets {
        "" => String::new(),
        text => format!(", annotations: {{k8s.ovn.org/node-subnets: '{text}'}}"),
    };
    format!(
        "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, uid: u-{name}{annotations}}}}}"
    )
}

/// A secondary layer-3 network.
fn routed(name: &str, subnets: &str) -> String {
    format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {{name: {name}, \
         namespace: a, uid: u-{name}}}, spec: {{topology: Layer3, layer3: {{role: Secondary, \
         subnets: [{subnets}]}}}}}}"
    )
}

/// The main network of its namespace, to which subnets may be appended.
fn main(subnets: &str) -> String {
    routed("blue", subnets).replace("Secondary", "Primary")
}

fn written(config: &str) -> String {
    format!(
        "{{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {{name: net, \
         namespace: a, uid: u-n}}, spec: {{config: '{{\"type\":\"ovn-k8s-cni-overlay\",{config},\
         \"netAttachDefName\":\"a/net\"}}'}}}}"
    )
}

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn run_with(texts: &[&str], settings: &ClusterSettings) -> DryRun {
    let run = dry_run(world(texts), settings, Scope::Manifests);
    assert!(run.is_quiet);
    run
}

fn run(texts: &[&str]) -> DryRun {
    run_with(texts, &ClusterSettings::default())
}

fn carried(world: &World, node: &str) -> String {
    let node = &world.nodes[&NodeName::new(node)];
    node.metadata.annotation(NODE_SUBNETS).unwrap_or_default().to_owned()
}

fn findings(run: &DryRun) -> Vec<String> {
    run.findings.iter().map(ToString::to_string).collect()
}

const BLUE: &str = "{cidr: 10.0.0.0/23}, {cidr: 'fd10::/48'}";

#[test]
fn each_node_gets_a_subnet_of_each_family_in_one_patch_with_its_number() {
    let run = run(&[HOME, &routed("blue", BLUE), &node("n1", ""), &node("n2", "")]);
    assert_eq!(carried(&run.world, "n1"), r#"{"a_blue":["10.0.0.0/24","fd10:0:0:1::/64"]}"#);
    assert_eq!(carried(&run.world, "n2"), r#"{"a_blue":["10.0.1.0/24","fd10:0:0:2::/64"]}"#);
    let writes: Vec<_> = run.writes_to(Kind::Node).collect();
    assert_eq!(writes.len(), 2);
    let Act::Patch(patch) = &writes[0].act else { panic!("{writes:?}") };
    assert_eq!(patch["metadata"]["annotations"]["k8s.ovn.org/node-id"], "2");
    assert_eq!(patch["metadata"]["resourceVersion"], "1", "it rests on what stood there");
    let granted = &run.grants.node_subnets[&NetworkName::new("a_blue")];
    assert_eq!(granted[&NodeName::new("n2")].v4.unwrap().to_string(), "10.0.1.0/24");
}

#[test]
fn a_patch_without_subnets_rests_on_nothing_but_the_uid() {
    let run = run(&[&node("n1", "")]);
    let Act::Patch(patch) = &run.writes[0].act else { panic!("{:?}", run.writes) };
    assert!(patch["metadata"].get("resourceVersion").is_none());
}

#[test]
fn the_default_network_has_subnets_where_it_is_ours() {
    let stands = r#"{"default":["10.99.0.0/23"]}"#;
    assert_eq!(carried(&run(&[&node("n1", stands)]).world, "n1"), stands, "not ours, not touched");
    let settings = ClusterSettings { builds_default_network: true, ..<_>::default() };
    let run =
        run_with(&[&node("n1", ""), &node("n2", r#"{"default":"10.128.0.0/23"}"#)], &settings);
    assert_eq!(carried(&run.world, "n2"), r#"{"default":["10.128.0.0/23","fd01:0:0:2::/64"]}"#);
    assert_eq!(carried(&run.world, "n1"), r#"{"default":["10.129.0.0/23","fd01:0:0:1::/64"]}"#);
    let named = NetworkName::new(Network::DEFAULT);
    assert_eq!(run.grants.node_subnets[&named].len(), 2);
}

#[test]
fn what_stands_is_kept_and_what_is_gone_is_taken_away() {
    let stands = r#"{"a_blue":["10.0.1.0/24"],"a_gone":["10.7.0.0/24"],"default":[ "x" ]}"#;
    let blue = routed("blue", "{cidr: 10.0.0.0/23}");
    let run = run(&[HOME, &blue, &node("n1", ""), &node("n2", stands)]);
    assert_eq!(carried(&run.world, "n2"), r#"{"a_blue":["10.0.1.0/24"],"default":[ "x" ]}"#);
    assert_eq!(carried(&run.world, "n1"), r#"{"a_blue":["10.0.0.0/24"]}"#);
    assert_eq!(findings(&run), [] as [&str; 0]);
}

#[test]
fn a_network_that_may_not_be_leaves_what_nodes_carry() {
    let stands = r#"{"a_blue":["10.0.1.0/24"],"flat":["10.1.0.0/24"],"odd":["10.2.0.0/24"]}"#;
    let bad = routed("blue", "{cidr: 10.128.0.0/16}");
    let odd = written(r#""name":"odd","topology":"layer3""#);
    let run = run(&[HOME, &bad, &odd, &node("n1", stands)]);
    assert_eq!(carried(&run.world, "n1"), r#"{"a_blue":["10.0.1.0/24"],"odd":["10.2.0.0/24"]}"#);
}

#[test]
fn a_network_of_another_topology_has_no_subnets_for_nodes() {
    let flat = written(r#""name":"flat","topology":"layer2""#);
    let run = run(&[HOME, &flat, &node("n1", r#"{"flat":["10.1.0.0/24"]}"#)]);
    assert_eq!(carried(&run.world, "n1"), "", "the last entry takes the annotation along");
}

#[test]
fn an_annotation_that_cannot_be_read_is_told_and_written_anew() {
    let blue = routed("blue", "{cidr: 10.0.0.0/23}");
    let nodes = [node("n1", "{"), node("n2", r#"{"a_blue":7}"#)];
    let mut reconciler =
        reconciler_of(&world(&[HOME, &blue, &nodes[0], &nodes[1]]), &ClusterSettings::default());
    let item = WorkItem::Network(Manifest::Udn(ObjectName::new("a", "blue")));
    let attempt = reconciler.decide(reconciler.view(&item));
    reconciler.conclude(attempt);
    for (name, what) in [("n1", "cannot be read as JSON: "), ("n2", "a_blue: invalid type: ")] {
        let attempt = reconciler.decide(reconciler.view(&WorkItem::Node(NodeName::new(name))));
        let [finding] = &attempt.decision.findings[..] else { panic!("{:?}", attempt.decision) };
        assert!(finding.message.starts_with(what), "{finding}");
        assert_eq!(finding.path.as_deref(), Some("metadata.annotations[k8s.ovn.org/node-subnets]"));
        assert_eq!(attempt.status_update(String::new()).events.len(), 1);
        reconciler.conclude(attempt);
    }
    let run = run(&[HOME, &blue, &nodes[0], &nodes[1]]);
    assert_eq!(carried(&run.world, "n1"), r#"{"a_blue":["10.0.0.0/24"]}"#);
    assert_eq!(carried(&run.world, "n2"), r#"{"a_blue":["10.0.1.0/24"]}"#);
}

#[test]
fn two_nodes_that_carry_one_subnet_are_told_and_the_first_keeps_it() {
    let blue = routed("blue", "{cidr: 10.0.0.0/23}");
    let stands = r#"{"a_blue":["10.0.1.0/24"]}"#;
    let run = run(&[HOME, &blue, &node("n1", stands), &node("n2", stands)]);
    assert_eq!(carried(&run.world, "n2"), stands, "it stays until somebody removes it");
    let want = [
        "network a_blue: AlreadyTaken: these nodes carry subnets that other nodes have, so that they \
         have none: n2; see the events of each",
        "node n2: AlreadyTaken: metadata.annotations[k8s.ovn.org/node-subnets]: 10.0.1.0/24 of network \
         a_blue is held by n1; remove it from the annotation of n2 so that a free one is granted",
    ];
    assert_eq!(findings(&run), want);
}

#[test]
fn exhaustion_is_told_on_the_network_and_on_the_node_and_ends_with_a_larger_network() {
    let nodes: Vec<String> = (1..=4).map(|it| node(&format!("n{it}"), "")).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let blue = main("{cidr: 10.0.0.0/23}");
    let told = run(&[&[LABELLED, &blue], &nodes[..]].concat());
    let on_node = |name: &str| {
        format!(
            "node {name}: PoolExhausted: all 2 IPv4 subnets for nodes of network a_blue are in use (2 \
             of 2); append a subnet to the network, or remove nodes that no longer exist"
        )
    };
    let on_network = "network a_blue: PoolExhausted: all 2 IPv4 subnets for nodes are in use (2 of 2), \
                      so that these have none: n3, n4; append a subnet to the network, or remove nodes \
                      that no longer exist";
    assert_eq!(findings(&told), [on_network.to_owned(), on_node("n3"), on_node("n4")]);
    let udn = told.world.networks.values().next().unwrap();
    let allocated = udn.status.conditions.iter().flatten().nth(1).unwrap();
    assert_eq!(allocated.condition_type, "NetworkAllocationSucceeded");
    assert_eq!(allocated.reason, "PoolExhausted");
    assert!(
        allocated.message.contains("(2 of 2), so that these have none: n3, n4"),
        "{allocated:?}"
    );
    assert!(told.events.iter().any(|it| it.about == Target::node(&NodeName::new("n3"))));
    let mut larger = told.world.clone();
    let wider = world(&[&main("{cidr: 10.0.0.0/23}, {cidr: 10.2.0.0/23}")]);
    let mut udn = udn.clone();
    udn.spec = wider.networks.values().next().unwrap().spec.clone();
    larger.networks.insert(ObjectName::new("a", "blue"), udn);
    let after = dry_run(larger, &ClusterSettings::default(), Scope::Manifests);
    assert!(after.is_quiet);
    assert_eq!(findings(&after), [] as [&str; 0]);
    assert_eq!(carried(&after.world, "n4"), r#"{"a_blue":["10.2.1.0/24"]}"#);
}

/// A controller in a settled world, which a test changes.
struct Scene {
    reconciler: Reconciler,
    version: u64,
}

impl Scene {
    fn of(texts: &[&str]) -> Self {
        let settled = run(texts).world;
        let mut scene = Self {
            reconciler: reconciler_of(&settled, &ClusterSettings::default()),
            version: 1_000,
        };
        let all = scene.reconciler.items();
        scene.work_off(all);
        scene
    }

    /// Reconciles until nothing is left; returns who was.
    fn work_off(&mut self, mut touched: BTreeSet<WorkItem>) -> BTreeSet<WorkItem> {
        let mut all = BTreeSet::new();
        while let Some(item) = touched.pop_first() {
            if item == WorkItem::DefaultNad {
                continue;
            }
            all.insert(item.clone());
            let mut attempt = self.reconciler.decide(self.reconciler.view(&item));
            for write in attempt.take_waves().concat() {
                attempt.answered(self.apply(&write));
            }
            touched.extend(self.reconciler.conclude(attempt).touched);
        }
        all
    }

    /// What a server makes of a patch.
    fn apply(&mut self, write: &Write) -> Answer {
        let Act::Patch(patch) = &write.act else { panic!("{write:?}") };
        let (world, Target { namespace, name, kind }) = (self.reconciler.world(), &write.target);
        let mut object = match kind {
            Kind::Node => AnyObject::Node(world.nodes[&NodeName::new(name)].clone()),
            _ => AnyObject::Nad(world.nads[&ObjectName::new(namespace, name)].clone()),
        };
        self.version += 1;
        let metadata = object.metadata_mut();
        metadata.resource_version = self.version.to_string();
        for (key, text) in patch["metadata"]["annotations"].as_object().unwrap() {
            match text.as_str() {
                Some(text) => drop(metadata.annotations.insert(key.clone(), text.to_owned())),
                None => drop(metadata.annotations.remove(key)),
            }
        }
        Answer::Stands(Box::new(object))
    }

    fn put(&mut self, mut object: AnyObject) -> BTreeSet<WorkItem> {
        self.version += 1;
        object.metadata_mut().resource_version = self.version.to_string();
        let touched = self.reconciler.observe(Change::Put(Box::new(object)));
        self.work_off(touched)
    }

    fn remove(&mut self, target: Target) -> BTreeSet<WorkItem> {
        self.version += 1;
        let version = self.version;
        let touched = self.reconciler.observe(Change::Removed { target, version });
        self.work_off(touched)
    }

    fn carried(&self, node: &str) -> String {
        carried(self.reconciler.world(), node)
    }
}

fn node_item(name: &str) -> WorkItem {
    WorkItem::Node(NodeName::new(name))
}

fn network_item() -> WorkItem {
    WorkItem::HandWritten(NetworkName::new("deep"))
}

fn new_node(name: &str) -> AnyObject {
    let node: Node = world(&[&node(name, "")]).nodes.values().next().unwrap().clone();
    AnyObject::Node(node)
}

fn deep(subnets: &str) -> String {
    written(&format!(r#""name":"deep","topology":"layer3","subnets":"{subnets}""#))
}

#[test]
fn a_node_that_has_room_touches_no_network_and_one_that_has_none_does() {
    let mut scene = Scene::of(&[HOME, &deep("10.0.0.0/23"), &node("n1", "")]);
    let touched = scene.put(new_node("n2"));
    assert_eq!(scene.carried("n2"), r#"{"deep":["10.0.1.0/24"]}"#);
    assert_eq!(touched, BTreeSet::from([node_item("n2")]));
    let touched = scene.put(new_node("n3"));
    assert_eq!(scene.carried("n3"), "");
    assert_eq!(touched, BTreeSet::from([node_item("n3"), network_item()]), "it tells who has none");
    let touched = scene.remove(Target::node(&NodeName::new("n1")));
    assert_eq!(scene.carried("n3"), r#"{"deep":["10.0.0.0/24"]}"#, "what n1 had");
    assert_eq!(touched, BTreeSet::from([node_item("n1"), node_item("n3"), network_item()]));
}

#[test]
fn a_network_that_goes_leaves_no_entry_and_one_that_comes_back_gives_none_twice() {
    let mut scene = Scene::of(&[HOME, &deep("10.0.0.0/22"), &node("n1", ""), &node("n2", "")]);
    assert_eq!(scene.carried("n2"), r#"{"deep":["10.0.1.0/24"]}"#);
    let target = Target::nad(&ObjectName::new("a", "net"));
    let nad = scene.reconciler.world().nads[&ObjectName::new("a", "net")].clone();
    // Its nodes did not come to it yet when it comes back.
    scene.version += 1;
    let version = scene.version;
    let touched = scene.reconciler.observe(Change::Removed { target: target.clone(), version });
    assert!(touched.contains(&network_item()), "{touched:?}");
    let attempt = scene.reconciler.decide(scene.reconciler.view(&network_item()));
    let gone = scene.reconciler.conclude(attempt).touched;
    assert_eq!(gone, BTreeSet::from([node_item("n1"), node_item("n2")]));
    scene.put(AnyObject::Nad(nad));
    scene.put(new_node("n0"));
    assert_eq!(scene.carried("n0"), r#"{"deep":["10.0.2.0/24"]}"#);
    scene.work_off(gone);
    assert_eq!(scene.carried("n1"), r#"{"deep":["10.0.0.0/24"]}"#, "it kept what it had");
    scene.remove(target);
    for name in ["n0", "n1", "n2"] {
        assert_eq!(scene.carried(name), "", "{name}");
    }
}

#[test]
fn what_somebody_scribbles_on_a_node_is_put_right() {
    let mut scene = Scene::of(&[HOME, &deep("10.0.0.0/22"), &node("n1", ""), &node("n2", "")]);
    for text in ["", "{", r#"{"deep":["10.0.1.0/24"]}"#, r#"{"deep":["172.16.0.0/24"]}"#] {
        let mut node = scene.reconciler.world().nodes[&NodeName::new("n1")].clone();
        match text {
            "" => drop(node.metadata.annotations.remove(NODE_SUBNETS)),
            text => {
                drop(node.metadata.annotations.insert(NODE_SUBNETS.to_owned(), text.to_owned()));
            }
        }
        scene.put(AnyObject::Node(node));
        assert_eq!(scene.carried("n1"), r#"{"deep":["10.0.0.0/24"]}"#, "{text}");
        assert_eq!(scene.carried("n2"), r#"{"deep":["10.0.1.0/24"]}"#, "{text}");
    }
}
