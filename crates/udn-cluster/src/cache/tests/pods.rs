//! Pods, claims and machines: who hears of whom, and what their reconciles see.

use std::sync::Arc;

use serde_json::{Value, json};
use udn_model::{
    Network, NetworkName, ObjectName, Origin, PerFamily, Primary, Role, Subnet, Subnets, Topology,
};
use udn_wire::keys::{CNI_TYPE, NETWORK_ID, POD_NETWORKS, PRIMARY_CLAIM, SELECTION};
use udn_wire::kind::Kind;

use super::{Rig, cudn, made, metadata, namespace, texts};
use crate::nad_states::NadState;
use crate::reconciler::view;
use crate::view::View;
use crate::work_item::WorkItem;

impl Rig {
    /// Builds a network and compares whom it concerns.
    fn build(&mut self, network: &Arc<Network>, heard: &[&str]) {
        assert_eq!(texts(&self.cache.build(&network.name, Some(network))), heard);
    }

    fn pod(&self, name: &str) -> View {
        view(&self.cache, &WorkItem::Pod(ObjectName::parse(name).unwrap()))
    }

    fn claim(&self, name: &str) -> View {
        view(&self.cache, &WorkItem::Claim(ObjectName::parse(name).unwrap()))
    }
}

fn network(name: &str, is_primary: bool, nads: &[&str]) -> Arc<Network> {
    let primary = Primary {
        join: PerFamily::default(),
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    };
    let topology = if is_primary {
        Topology::Layer2(Role::Primary(primary))
    } else {
        Topology::Layer2(Role::Secondary)
    };
    Arc::new(Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(vec![Subnet::parse("10.10.0.0/16").unwrap()]).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: nads.iter().map(|it| ObjectName::parse(it).unwrap()).collect(),
    })
}

/// A NAD that somebody wrote, with the number of its network.
fn written(name: &str, network: &str) -> Value {
    let config = json!({"type": CNI_TYPE, "name": network, "topology": "layer2",
        "netAttachDefName": name});
    let mut metadata = metadata(name);
    metadata["annotations"] = json!({NETWORK_ID: "7"});
    json!({"metadata": metadata, "spec": {"config": config.to_string()}})
}

fn pod_with(name: &str, annotations: Value) -> Value {
    let mut metadata = metadata(name);
    metadata["annotations"] = annotations;
    json!({"metadata": metadata, "spec": {"nodeName": "n1"}, "status": {"phase": "Pending"}})
}

fn claim(name: &str, network: &str) -> Value {
    json!({"metadata": metadata(name), "spec": {"network": network, "interface": ""}})
}

fn machine(name: &str) -> Value {
    json!({"metadata": metadata(name)})
}

fn launcher(name: &str, machine: &str, claim: &str) -> Value {
    let mut pod = pod_with(name, json!({PRIMARY_CLAIM: claim}));
    pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance", "name": machine, "uid": "m", "controller": true}]);
    pod
}

fn keys<'a, T: 'a>(all: impl IntoIterator<Item = (&'a ObjectName, T)>) -> Vec<String> {
    all.into_iter().map(|(name, _)| name.to_string()).collect()
}

#[test]
fn a_nad_is_ready_with_its_network_and_its_number() {
    let mut rig = Rig::new();
    let flat = network("flat", false, &["a/flat"]);
    let name = ObjectName::new("a", "flat");
    rig.put(Kind::Pod, pod_with("a/p", json!({SELECTION: "flat"})), &["pod a/p"]);
    rig.put(Kind::Pod, pod_with("a/q", json!({})), &["pod a/q"]);
    assert!(rig.pod("a/p").nad_states.at.is_empty());
    // Nobody can use a NAD that does not stand.
    rig.build(&flat, &["pod a/p"]);
    rig.build(&flat, &[]);
    assert!(rig.pod("a/p").nad_states.at.is_empty());
    rig.put(Kind::Nad, written("a/flat", "flat"), &["network flat", "pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.at[&name], NadState::Ready(flat.clone()));
    let mut labelled = written("a/flat", "flat");
    labelled["metadata"]["labels"] = json!({"x": "y"});
    rig.put(Kind::Nad, labelled, &["network flat"]);
    let mut unnumbered = written("a/flat", "flat");
    unnumbered["metadata"]["annotations"] = json!({});
    rig.put(Kind::Nad, unnumbered, &["network flat", "pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.at[&name], NadState::Pending);
    rig.put(Kind::Nad, written("a/flat", "flat"), &["network flat", "pod a/p"]);
    let mut leaving = written("a/flat", "flat");
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    rig.put(Kind::Nad, leaving, &["network flat", "pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.at[&name], NadState::Pending);
    rig.put(Kind::Nad, written("a/flat", "flat"), &["network flat", "pod a/p"]);
    assert_eq!(texts(&rig.cache.build(&flat.name, None)), ["pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.at[&name], NadState::Pending);
    let other = json!({"metadata": metadata("a/flat"), "spec": {"config": r#"{"type":"bridge"}"#}});
    rig.put(Kind::Nad, other, &["network flat", "pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.at[&name], NadState::Foreign);
    assert!(rig.pod("a/q").nad_states.at.is_empty());
}

#[test]
fn a_primary_network_concerns_those_who_have_nothing_yet() {
    let mut rig = Rig::new();
    let red = "ClusterUserDefinedNetwork red";
    rig.put(Kind::Namespace, namespace("a"), &[]);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "a"), &[red]);
    let mut nad = made("a/red");
    nad["metadata"]["annotations"] = json!({NETWORK_ID: "1"});
    rig.put(Kind::Nad, nad.clone(), &[red]);
    rig.put(Kind::Pod, pod_with("a/new", json!({})), &["pod a/new"]);
    let entry = json!({"a/red": {}}).to_string();
    rig.put(Kind::Pod, pod_with("a/old", json!({POD_NETWORKS: entry})), &["pod a/old"]);
    rig.put(Kind::Pod, pod_with("b/far", json!({})), &["pod b/far"]);
    let mut done = pod_with("a/done", json!({}));
    done["status"]["phase"] = "Failed".into();
    rig.put(Kind::Pod, done, &["pod a/done"]);
    rig.build(&network("cluster_udn_red", true, &["a/red"]), &["pod a/new"]);
    let main = Some(&ObjectName::new("a", "red"));
    assert_eq!(rig.pod("a/new").nad_states.primary.get("a"), main);
    assert_eq!(rig.pod("a/old").nad_states.primary.get("a"), main);
    assert_eq!(rig.pod("b/far").nad_states.primary.get("b"), None);
    // One NAD more is no news to those who are there already.
    rig.build(&network("cluster_udn_red", true, &["a/red", "b/red"]), &["pod b/far"]);
    rig.build(&network("cluster_udn_red", true, &["a/red"]), &["pod b/far"]);
    rig.remove(Kind::Nad, "a/red", &[red, "pod a/new"]);
}

#[test]
fn a_claim_asks_for_its_users_when_the_primary_nad_changes() {
    let mut rig = Rig::new();
    let entry = json!({"a/main": {}}).to_string();
    let both = ["pod a/p", "IPAMClaim a/c"];
    let pod = pod_with("a/p", json!({POD_NETWORKS: entry, PRIMARY_CLAIM: "c"}));
    rig.put(Kind::Pod, pod, &both);
    rig.put(Kind::Nad, written("a/main", "main"), &["network main"]);
    rig.build(&network("main", true, &["a/main"]), &both);
    rig.remove(Kind::Nad, "a/main", &["network main", "pod a/p", "IPAMClaim a/c"]);
}

#[test]
fn who_names_a_claim_hears_that_another_who_does_got_addresses() {
    let mut rig = Rig::new();
    let chosen = json!([{"name": "red", "namespace": "b", "ipam-claim-reference": "d"}]);
    let abroad = pod_with("a/p", json!({SELECTION: chosen.to_string()}));
    rig.put(Kind::Pod, abroad, &["pod a/p", "IPAMClaim b/d"]);
    let all = ["pod a/p", "pod b/p", "IPAMClaim b/d"];
    rig.put(Kind::Pod, pod_with("b/p", json!({PRIMARY_CLAIM: "d"})), &all);
    let entry = json!({"b/red": {"mac_address": "0a:58:0a:00:00:09"}}).to_string();
    let served = json!({PRIMARY_CLAIM: "d", POD_NETWORKS: entry});
    rig.put(Kind::Pod, pod_with("b/p", served.clone()), &all);
    // What a kubelet writes changes nothing for anybody.
    let mut running = pod_with("b/p", served);
    running["status"]["phase"] = "Running".into();
    rig.put(Kind::Pod, running, &[]);
    rig.put(Kind::Pod, pod_with("b/p", json!({PRIMARY_CLAIM: "d"})), &all);
}

#[test]
fn a_pod_hears_that_another_network_is_the_main_one_now() {
    let mut rig = Rig::new();
    for name in ["blue", "red"] {
        let nad = format!("a/{name}");
        rig.put(Kind::Nad, written(&nad, name), &[&format!("network {name}")]);
        rig.build(&network(name, true, &[&nad]), &[]);
    }
    let entry = json!({"a/blue": {}}).to_string();
    rig.put(Kind::Pod, pod_with("a/p", json!({POD_NETWORKS: entry})), &["pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.primary["a"], ObjectName::new("a", "blue"));
    rig.remove(Kind::Nad, "a/blue", &["network blue", "pod a/p"]);
    assert_eq!(rig.pod("a/p").nad_states.primary["a"], ObjectName::new("a", "red"));
}

#[test]
fn pods_wait_for_who_is_to_be_their_primary_network() {
    let mut rig = Rig::new();
    let awaited = |rig: &Rig| rig.pod("a/p").nad_states.awaited.get("a").map(ToString::to_string);
    let (red, blue) = ("ClusterUserDefinedNetwork red", "UserDefinedNetwork a/blue");
    rig.put(Kind::Namespace, namespace("a"), &[]);
    rig.put(Kind::Pod, pod_with("a/p", json!({})), &["pod a/p"]);
    let mut done = pod_with("a/done", json!({}));
    done["status"]["phase"] = "Failed".into();
    rig.put(Kind::Pod, done, &["pod a/done"]);
    assert_eq!(awaited(&rig), None);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "a"), &[red, "pod a/p"]);
    assert_eq!(awaited(&rig).as_deref(), Some(red));
    let mut status = cudn("red", "a");
    status["status"] = json!({"networkID": 7});
    rig.put(Kind::ClusterUserDefinedNetwork, status, &[red]);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "b"), &[red, "pod a/p"]);
    assert_eq!(awaited(&rig), None);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "a"), &[red, "pod a/p"]);
    let mut udn = json!({"metadata": metadata("a/blue"), "spec": {"layer2": {"role": "Primary"}}});
    rig.put(Kind::UserDefinedNetwork, udn.clone(), &[blue, red, "pod a/p"]);
    assert_eq!(awaited(&rig).as_deref(), Some(blue));
    udn["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    rig.put(Kind::UserDefinedNetwork, udn, &[blue, red, "pod a/p"]);
    assert_eq!(awaited(&rig).as_deref(), Some(red));
    let mut nad = made("a/red");
    nad["metadata"]["annotations"] = json!({NETWORK_ID: "1"});
    rig.put(Kind::Nad, nad, &[blue, red]);
    rig.build(&network("cluster_udn_red", true, &["a/red"]), &["pod a/p"]);
    assert_eq!(awaited(&rig), None);
    // Whose NAD is ready waits for nobody.
    let more = "ClusterUserDefinedNetwork more";
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("more", "a"), &[blue, more, red]);
    rig.remove(Kind::ClusterUserDefinedNetwork, "more", &[blue, more, red]);
    let mut other = namespace("a");
    other["metadata"]["labels"]["name"] = "b".into();
    rig.put(Kind::Namespace, other, &[blue, red]);
    rig.remove(Kind::Nad, "a/red", &[blue, red, "pod a/p"]);
    assert_eq!(awaited(&rig), None);
    rig.put(Kind::Namespace, namespace("a"), &[blue, red, "pod a/p"]);
    assert_eq!(awaited(&rig).as_deref(), Some(red));
}

#[test]
fn pods_wait_for_a_primary_network_that_somebody_wrote() {
    let mut rig = Rig::new();
    let awaited = |rig: &Rig| rig.pod("a/p").nad_states.awaited.get("a").map(ToString::to_string);
    rig.put(Kind::Namespace, namespace("a"), &[]);
    rig.put(Kind::Pod, pod_with("a/p", json!({})), &["pod a/p"]);
    rig.put(Kind::Nad, written("a/flat", "flat"), &["network flat"]);
    assert_eq!(awaited(&rig), None);
    let mut nad = written("a/flat", "flat");
    let config = nad["spec"]["config"].as_str().unwrap();
    nad["spec"]["config"] = config.replacen('{', r#"{"role":"primary","#, 1).into();
    rig.put(Kind::Nad, nad.clone(), &["network flat", "pod a/p"]);
    assert_eq!(awaited(&rig).as_deref(), Some("network flat"));
    nad["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    rig.put(Kind::Nad, nad, &["network flat", "pod a/p"]);
    assert_eq!(awaited(&rig), None);
}

#[test]
fn a_reconcile_of_a_pod_sees_those_who_share_its_claim() {
    let mut rig = Rig::new();
    rig.put(Kind::Machine, machine("a/vm"), &[]);
    rig.put(Kind::Pod, launcher("a/one", "vm", "c"), &["pod a/one", "IPAMClaim a/c"]);
    rig.put(Kind::Claim, claim("a/c", "red"), &["pod a/one", "IPAMClaim a/c"]);
    let both = ["pod a/one", "pod a/two", "IPAMClaim a/c"];
    rig.put(Kind::Pod, launcher("a/two", "vm", "c"), &both);
    rig.put(Kind::Pod, launcher("a/other", "vn", "d"), &["pod a/other", "IPAMClaim a/d"]);
    let View { world, .. } = rig.pod("a/one");
    assert_eq!(
        (keys(&world.pods), keys(&world.claims)),
        (vec!["a/one".into(), "a/two".into()], vec!["a/c".into()])
    );
    assert_eq!(keys(&world.machines), ["a/vm"]);
    assert_eq!(keys(&rig.claim("a/c").world.pods), ["a/one", "a/two"]);
    // Who carries addresses is the first to use the claim, so that others who name it hear of it.
    let mut carrying = launcher("a/one", "vm", "c");
    carrying["metadata"]["annotations"][POD_NETWORKS] = "{}".into();
    rig.put(Kind::Pod, carrying.clone(), &both);
    // What the kubelet writes is news to nobody.
    carrying["status"]["phase"] = "Running".into();
    carrying["metadata"]["annotations"]["other"] = "text".into();
    rig.put(Kind::Pod, carrying, &[]);
    let mut owned = machine("a/vm");
    owned["metadata"]["ownerReferences"] = json!([{"kind": "VirtualMachine", "uid": "v"}]);
    rig.put(Kind::Machine, owned.clone(), &both);
    owned["metadata"]["labels"] = json!({"a": "b"});
    rig.put(Kind::Machine, owned, &[]);
    rig.put(
        Kind::Pod,
        launcher("a/one", "vm", "d"),
        &["pod a/one", "pod a/other", "pod a/two", "IPAMClaim a/c", "IPAMClaim a/d"],
    );
    rig.remove(Kind::Pod, "a/two", &["pod a/two", "IPAMClaim a/c"]);
    assert!(!rig.cache.items().contains(&WorkItem::Pod(ObjectName::new("a", "two"))));
    assert!(rig.pod("a/two").world.pods.is_empty());
    rig.remove(Kind::Claim, "a/c", &["IPAMClaim a/c"]);
}

#[test]
fn a_claim_that_nobody_names_sees_its_network() {
    let mut rig = Rig::new();
    rig.put(Kind::Claim, claim("a/c", "flat"), &["IPAMClaim a/c"]);
    assert!(rig.claim("a/c").nad_states.at.is_empty());
    let flat = network("flat", false, &["a/flat", "b/flat"]);
    rig.build(&flat, &["IPAMClaim a/c"]);
    rig.put(Kind::Nad, written("b/flat", "flat"), &["network flat", "IPAMClaim a/c"]);
    assert_eq!(keys(&rig.claim("a/c").nad_states.at), ["b/flat"]);
    rig.put(Kind::Nad, written("a/flat", "flat"), &["network flat", "IPAMClaim a/c"]);
    assert_eq!(keys(&rig.claim("a/c").nad_states.at), ["a/flat"]);
    rig.remove(Kind::Nad, "b/flat", &["network flat"]);
    rig.build(&network("flat", false, &["a/flat", "c/flat"]), &[]);
    // Another network says that the NAD is its own, and is not behind it.
    rig.put(Kind::Claim, claim("a/d", "wire"), &["IPAMClaim a/d"]);
    rig.build(&network("wire", false, &["a/flat"]), &["IPAMClaim a/c", "IPAMClaim a/d"]);
    assert!(rig.claim("a/d").nad_states.at.is_empty());
    rig.remove(Kind::Claim, "a/d", &["IPAMClaim a/d"]);
    let over = rig.cache.build(&NetworkName::new("wire"), None);
    assert_eq!(texts(&over), ["IPAMClaim a/c"]);
}

#[test]
fn a_label_of_the_namespace_counts_when_it_comes_or_goes() {
    let mut rig = Rig::new();
    let mut plain = namespace("a");
    plain["metadata"]["labels"] = json!({"name": "a"});
    rig.put(Kind::Pod, pod_with("a/p", json!({})), &["pod a/p"]);
    rig.put(Kind::Pod, pod_with("b/p", json!({SELECTION: "a/flat"})), &["pod b/p"]);
    rig.put(Kind::Namespace, plain.clone(), &["pod b/p"]);
    plain["metadata"]["labels"]["more"] = "".into();
    rig.put(Kind::Namespace, plain, &[]);
    rig.put(Kind::Namespace, namespace("a"), &["pod a/p"]);
    rig.put(Kind::Namespace, namespace("a"), &[]);
    assert_eq!(rig.pod("b/p").world.namespaces.len(), 1);
    rig.remove(Kind::Namespace, "a", &["pod a/p", "pod b/p"]);
}

#[test]
fn carriers_are_all_who_hold_something() {
    let mut rig = Rig::new();
    let flat = network("flat", true, &["a/flat", "b/flat"]);
    rig.put(Kind::Nad, written("c/flat", "flat"), &["network flat"]);
    let carrying = |nad: &str| json!({POD_NETWORKS: json!({nad: {}}).to_string()});
    for (pod, annotations) in [
        ("a/here", carrying("a/flat")),
        // A NAD that the network does not have any more keeps its pods.
        ("c/left", carrying("c/flat")),
        ("a/named", json!({SELECTION: "b/flat"})),
        ("a/else", carrying("a/other")),
        ("a/claims", json!({PRIMARY_CLAIM: "c"})),
    ] {
        rig.version += 1;
        rig.cache.put(super::state(Kind::Pod, pod_with(pod, annotations), rig.version));
    }
    rig.put(Kind::Claim, claim("a/c", "flat"), &["pod a/claims", "IPAMClaim a/c"]);
    rig.put(Kind::Claim, claim("a/d", "other"), &["IPAMClaim a/d"]);
    rig.put(Kind::Claim, claim("b/e", "flat"), &["IPAMClaim b/e"]);
    let (world, nad_states) = crate::pod::carriers(rig.cache.lookup(), &flat);
    assert_eq!(keys(&world.pods), ["a/claims", "a/here", "c/left"]);
    assert_eq!(keys(&world.claims), ["a/c", "b/e"]);
    assert_eq!(keys(&nad_states.at), ["a/flat", "b/flat", "c/flat"]);
    assert_eq!(nad_states.primary.len(), 3);
    assert!(nad_states.at.values().all(|it| *it == NadState::Ready(flat.clone())));
}

#[test]
fn a_pod_keeps_what_somebody_reads() {
    let mut rig = Rig::new();
    let mut pod =
        pod_with("a/p", json!({SELECTION: "flat", "big": "x", "kubevirt.io/domain": "vm"}));
    pod["metadata"]["labels"] = json!({"kubevirt.io": "virt-launcher", "app": "x"});
    pod["metadata"]["finalizers"] = json!(["x"]);
    pod["metadata"]["ownerReferences"] =
        json!([{"kind": "A", "uid": "a"}, {"kind": "B", "uid": "b", "controller": true}]);
    rig.put(Kind::Pod, pod, &["pod a/p"]);
    rig.put(Kind::Pod, pod_with("a/q", json!({"big": "x", "bigger": "x"})), &["pod a/q"]);
    let all = &rig.cache.world().pods;
    let [p, q] = ["p", "q"].map(|it| &all[&ObjectName::new("a", it)].metadata);
    assert_eq!(p.annotations.keys().collect::<Vec<_>>(), [SELECTION, "kubevirt.io/domain"]);
    assert_eq!(p.labels.keys().collect::<Vec<_>>(), ["kubevirt.io"]);
    assert!(p.finalizers.is_empty());
    assert_eq!(p.owner_references.iter().map(|it| &*it.uid).collect::<Vec<_>>(), ["b"]);
    // That there are annotations must be seen.
    assert_eq!(q.annotations.iter().collect::<Vec<_>>(), [("big", &String::new())]);
}
