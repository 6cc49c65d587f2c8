//! One patch puts a pod's addresses on it, and people hear of what is in the way.

use std::sync::Arc;

use serde_json::{Value, json};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, Finding, Grants, Intent, Manifest,
    Network, NetworkName, NodeName, ObjectName, Origin, PerFamily, PortKey, Primary, Reason, Role,
    Subject, Subnet, Subnets, Topology,
};
use udn_wire::keys::{POD_NETWORKS, SELECTION};
use udn_wire::object::Pod;
use udn_wire::refusal::annotation_path;

use crate::decision::Decision;
use crate::reconciler::writes;
use crate::status_update::Outcome;
use crate::view::View;
use crate::work_item::WorkItem;
use crate::write::Act;

/// A pod on a primary network, and on a secondary one.
#[derive(Clone)]
struct Scene {
    view: View,
    intent: Intent,
    grants: Grants,
    findings: Vec<Finding>,
    failures: Vec<String>,
}

fn own() -> ObjectName {
    ObjectName::new("a", "p")
}

fn network(name: &str, nad: &str, topology: Topology) -> Network {
    Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(vec![
            Subnet::parse("10.10.0.0/16").unwrap(),
            Subnet::parse("fd10::/64").unwrap(),
        ])
        .unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: vec![ObjectName::parse(nad).unwrap()],
    }
}

impl Scene {
    fn new(annotations: Value) -> Self {
        let pod = json!({"metadata": {"name": "p", "namespace": "a", "uid": "u1",
            "annotations": annotations}, "spec": {"nodeName": "n1"}});
        let item = WorkItem::Pod(own());
        let (world, nad_states, cluster_nodes) = Default::default();
        let mut view = View { item, world, nad_states, cluster_nodes, layer3: Default::default() };
        view.world.pods.insert(own(), serde_json::from_value::<Pod>(pod).unwrap());
        let (intent, grants) = Default::default();
        let (findings, failures) = Default::default();
        let mut scene = Self { view, intent, grants, findings, failures };
        let primary = Primary {
            join: ClusterSettings::default().join,
            chosen_gateways: PerFamily::default(),
            reserved: Vec::new(),
            infrastructure: Vec::new(),
        };
        scene.join(network("red", "a/red", Topology::Layer2(Role::Primary(primary))), "p");
        scene
    }

    /// Puts a pod on a network; it is granted the fifth address.
    fn join(&mut self, network: Network, pod: &str) {
        let pod = ObjectName::new("a", pod);
        let nad = network.nads[0].clone();
        let key = AttachmentKey { pod, nad, index: 0 };
        let of = |it: Subnet| it.interface_address(5).unwrap();
        let addresses: Vec<_> = network.subnets.iter().map(of).collect();
        let mac = udn_model::MacAddress::from_ip(addresses[0].addr());
        let grant = AttachmentGrant { addresses, mac, port_key: PortKey::new(10) };
        let node = NodeName::new("n1");
        let attachment = Attachment::new(key.clone(), network.name.clone(), node, "u1");
        let wanted = self.intent.attachments.entry(network.name.clone()).or_default();
        wanted.insert(key.clone(), attachment);
        let granted = self.grants.attachments.entry(network.name.clone()).or_default();
        granted.insert(key, grant);
        self.intent.networks.insert(network.name.clone(), Arc::new(network));
    }

    fn decision(&self) -> Decision {
        let Self { intent, grants, findings, .. } = self.clone();
        Decision { intent, grants, findings, ..Decision::default() }
    }

    /// The one patch, if there is one.
    fn patch(&self) -> Option<Value> {
        let waves = writes(&self.view, &self.decision());
        let mut writes = waves.into_iter().flatten();
        let first = writes.next()?;
        assert!(writes.next().is_none());
        assert_eq!(first.target.to_owned(), udn_wire::Target::pod(&own()));
        let Act::TestedPatch(patch) = first.act else { panic!("{first:?}") };
        Some(patch)
    }

    /// The text that the patch writes.
    fn text(&self) -> Option<String> {
        let patch = self.patch()?;
        Some(patch[2]["value"].as_str().unwrap().to_owned())
    }

    fn carry(&mut self, text: &str) {
        let pod = self.view.world.pods.get_mut(&own()).unwrap();
        pod.metadata.annotations.insert(POD_NETWORKS.to_owned(), text.to_owned());
    }

    fn find(&mut self, reason: Reason, path: Option<&str>, message: &str) {
        let finding = Finding::new(Subject::Pod(own()), reason, message);
        self.findings.push(path.into_iter().fold(finding, |it, key| it.at(annotation_path(key))));
    }

    /// Says what the last finding waits for.
    fn wait_for(&mut self, other: Subject) {
        let finding = self.findings.pop().expect("something was found");
        self.findings.push(finding.waiting_for(other));
    }

    fn told(&self) -> Vec<(String, String)> {
        let outcome = Outcome { failures: self.failures.clone(), ..Outcome::default() };
        let status_update = super::status_update(&self.view, &self.decision(), &own(), &outcome);
        assert!(status_update.write.is_none());
        status_update.events.into_iter().map(|it| (it.reason, it.message)).collect()
    }
}

const RED: &str = concat!(
    r#"{"ip_addresses":["10.10.0.5/16","fd10::5/64"],"mac_address":"0a:58:0a:0a:00:05","#,
    r#""gateway_ips":["10.10.0.1","fd10::1"],"#,
    r#""routes":[{"dest":"172.30.0.0/16","nextHop":"10.10.0.1"},"#,
    r#"{"dest":"100.65.0.0/16","nextHop":"10.10.0.1"},"#,
    r#"{"dest":"fd02::/112","nextHop":"fd10::1"},{"dest":"fd99::/64","nextHop":"fd10::1"}],"#,
    r#""ipv6_lla_gateway_ip":"fe80::858:aff:fe0a:1","tunnel_id":10,"role":"primary"}"#
);

#[test]
fn the_patch_fails_where_somebody_was_faster() {
    let path = "/metadata/annotations/k8s.ovn.org~1pod-networks";
    let whole = format!(r#"{{"a/red":{RED}}}"#);
    let uid = json!({"op": "test", "path": "/metadata/uid", "value": "u1"});
    let all = "/metadata/annotations";
    let want = json!([uid, {"op": "test", "path": all, "value": null},
        {"op": "add", "path": all, "value": {POD_NETWORKS: whole}}]);
    assert_eq!(Scene::new(json!({})).patch(), Some(want));
    let want = json!([uid, {"op": "test", "path": path, "value": null},
        {"op": "add", "path": path, "value": whole}]);
    assert_eq!(Scene::new(json!({"other": ""})).patch(), Some(want));
    let former = r#"{ "default" : {"mac_address":"x" }}"#;
    let text = format!(r#"{{"a/red":{RED},"default":{{"mac_address":"x" }}}}"#);
    let want = json!([uid, {"op": "test", "path": path, "value": former},
        {"op": "replace", "path": path, "value": text}]);
    assert_eq!(Scene::new(json!({POD_NETWORKS: former})).patch(), Some(want));
}

#[test]
fn a_pod_that_carries_all_is_left_alone() {
    let mut scene = Scene::new(json!({}));
    let patch = scene.patch().unwrap();
    scene.carry(patch[2]["value"][POD_NETWORKS].as_str().unwrap());
    assert_eq!(scene.patch(), None);
    // Another text of the same entry says the same.
    scene.carry(&format!(r#"{{ "a/red":{} }}"#, RED.replace(r#":10,"#, r#": 10 ,"#)));
    assert_eq!(scene.patch(), None);
    scene.carry(&format!(r#"{{"a/red":{}}}"#, RED.replace("10.10.0.5", "10.10.0.6")));
    assert_eq!(scene.patch(), None, "addresses that stand are not overwritten");
    scene.carry(&format!(r#"{{"a/red":{}}}"#, RED.replace(":00:05", ":00:06")));
    assert_eq!(scene.text().unwrap(), format!(r#"{{"a/red":{RED}}}"#));
    scene.carry("{");
    assert_eq!(scene.patch(), None, "what cannot be read is not lost");
    scene.carry(r#"{"a/red":7}"#);
    assert_eq!(scene.patch(), None);
}

#[test]
fn only_what_this_pod_was_granted_is_written() {
    let mut scene = Scene::new(json!({"other": ""}));
    let nads = ["a/blue", "b/blue"];
    for (name, nad) in ["blue", "green"].into_iter().zip(nads) {
        scene.join(network(name, nad, Topology::Layer2(Role::Secondary)), "q");
    }
    assert_eq!(scene.text().unwrap(), format!(r#"{{"a/red":{RED}}}"#));
    let key = AttachmentKey { pod: own(), nad: ObjectName::new("a", "red"), index: 0 };
    scene.grants.attachments.get_mut(&NetworkName::new("red")).unwrap().remove(&key);
    assert_eq!(scene.patch(), None);
}

#[test]
fn gateways_that_are_asked_for_take_the_place_of_the_networks_own() {
    let mut scene = Scene::new(json!({"other": ""}));
    scene.join(network("blue", "a/blue", Topology::Layer2(Role::Secondary)), "p");
    for wanted in scene.intent.attachments.values_mut().flat_map(|it| it.values_mut()) {
        wanted.gateways = vec!["10.10.0.9".parse().unwrap()];
    }
    let blue = concat!(
        r#""a/blue":{"ip_addresses":["10.10.0.5/16","fd10::5/64"],"#,
        r#""mac_address":"0a:58:0a:0a:00:05","gateway_ips":["10.10.0.9"],"#,
        r#""tunnel_id":10,"role":"secondary"}"#
    );
    let red = RED.replace(r#"["10.10.0.1","fd10::1"]"#, r#"["10.10.0.9"]"#);
    assert_eq!(scene.text().unwrap(), format!(r#"{{{blue},"a/red":{red}}}"#));
}

#[test]
fn a_pod_that_ended_gets_nothing() {
    let mut scene = Scene::new(json!({}));
    scene.find(Reason::AddressTaken, None, "taken");
    scene.view.world.pods.get_mut(&own()).unwrap().status.has_ended = true;
    assert_eq!((scene.patch(), scene.told()), (None, Vec::new()));
}

fn check_told(scene: &Scene, want: &[(&str, &str)]) {
    let want: Vec<_> = want.iter().map(|(one, two)| (one.to_string(), two.to_string())).collect();
    assert_eq!(scene.told(), want);
}

#[test]
fn what_is_in_the_way_is_told() {
    let mut scene = Scene::new(json!({}));
    scene.find(Reason::AddressTaken, None, "pod a/q has it");
    scene.find(Reason::NotScheduled, None, "no node");
    scene.findings.push(Finding::new(
        Subject::Pod(ObjectName::new("a", "q")),
        Reason::MacTaken,
        "another's",
    ));
    check_told(&scene, &[("ErrorAllocatingPod", "AddressTaken: pod a/q has it")]);
}

#[test]
fn waiting_is_told_where_somebody_must_act() {
    let mut scene = Scene::new(json!({}));
    scene.find(Reason::Waiting, Some(SELECTION), "NAD a/x leads to no network yet");
    scene.wait_for(Subject::Nad(ObjectName::new("a", "x")));
    check_told(&scene, &[]);
    scene.find(Reason::Waiting, None, "namespace a has no primary network");
    let main = ("ErrorAllocatingPod", "Waiting: namespace a has no primary network");
    check_told(&scene, &[main]);
    let cudn = WorkItem::Network(Manifest::Cudn("red".to_owned()));
    scene.view.nad_states.awaited.insert("a".into(), cudn);
    check_told(&scene, &[]);
    scene.view.nad_states.awaited.clear();
    check_told(&scene, &[main]);
    scene.view.nad_states.primary.insert("a".into(), ObjectName::new("a", "red"));
    check_told(&scene, &[]);
    scene.find(Reason::Waiting, None, "claim a/c: 10.10.0.7 is out of range");
    check_told(&scene, &[]);
    scene.wait_for(Subject::Claim(ObjectName::new("a", "c")));
    check_told(&scene, &[("ErrorAllocatingPod", "Waiting: claim a/c: 10.10.0.7 is out of range")]);
}

#[test]
fn what_kept_the_controller_from_acting_is_told() {
    let mut scene = Scene::new(json!({}));
    scene.failures = vec!["the server says no".to_owned(), "nor will it".to_owned()];
    scene.find(Reason::MacTaken, None, "pod a/q has it");
    let told = "ErrorAllocatingPod";
    check_told(
        &scene,
        &[
            (told, "MacTaken: pod a/q has it"),
            (told, "InternalError: the server says no"),
            (told, "InternalError: nor will it"),
        ],
    );
    let pod = scene.view.world.pods.get_mut(&own()).unwrap();
    pod.metadata.deletion_timestamp = Some("2026-01-01T00:00:00Z".to_owned());
    check_told(&scene, &[]);
}

#[test]
fn a_remark_is_made_once_in_a_pods_life() {
    let mut scene = Scene::new(json!({"other": ""}));
    scene.find(Reason::Deprecated, None, "use the other annotation");
    let want = [("Deprecated", "use the other annotation")];
    check_told(&scene, &want);
    scene.carry(&scene.text().unwrap());
    check_told(&scene, &want);
    // The next reconcile reads what the last one wrote.
    let granted = scene.grants.attachments.clone();
    scene.intent.published.attachments = granted;
    check_told(&scene, &[]);
    scene.join(network("blue", "a/blue", Topology::Layer2(Role::Secondary)), "p");
    check_told(&scene, &[]);
    scene.carry(&scene.text().unwrap());
    check_told(&scene, &want);
}
