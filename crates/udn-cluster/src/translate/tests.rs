//! Worlds and their intents.

use udn_model::{ClusterSettings, Intent, NetworkName, NodeName, ObjectName, Subnet, Told};

use super::{cluster, zone};
use crate::world::World;

mod namespaces;
mod pods;
mod switches;
mod users;

const NODES: &str = "
{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {
  k8s.ovn.org/node-id: '2', k8s.ovn.org/node-chassis-id: c1,
  k8s.ovn.org/host-cidrs: '[\"172.18.0.3/16\"]',
  k8s.ovn.org/node-primary-ifaddr: '{\"ipv4\":\"172.18.0.3/16\"}',
  k8s.ovn.org/layer2-topology-version: '2.0'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}}
";

fn world(texts: &[&str]) -> World {
    let reading = World::read(texts.iter().map(|text| ("test", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn told(told: &Told<Intent>) -> Vec<String> {
    told.findings.iter().map(ToString::to_string).collect()
}

/// Translates for the cluster controller and compares network names and findings.
fn check(texts: &[&str], networks: &[&str], findings: &[&str]) -> Intent {
    let result = cluster(&world(texts), &ClusterSettings::default());
    assert_eq!(told(&result), findings);
    let names: Vec<&str> = result.value.networks.keys().map(NetworkName::as_str).collect();
    assert_eq!(names, networks);
    result.value
}

fn namespace(name: &str, is_primary: bool) -> String {
    let label = if is_primary { "k8s.ovn.org/primary-user-defined-network: ''" } else { "x: z" };
    format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{{label}}}}}}}")
}

fn cudn(name: &str, subnets: &str) -> String {
    format!(
        "{{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {{name: {name}}}, \
         spec: {{namespaceSelector: {{}}, network: {{topology: Layer2, \
         layer2: {{role: Primary, subnets: [{subnets}]}}}}}}}}"
    )
}

fn nad(name: &str, annotations: &str, config: &str) -> String {
    let (namespace, short) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: \
         {{namespace: {namespace}, name: '{short}', annotations: {{{annotations}}}}}, spec: {{config: \
         '{{\"type\":\"ovn-k8s-cni-overlay\",\"netAttachDefName\":\"{name}\",{config}}}'}}}}"
    )
}

fn pod(name: &str, more: &str) -> String {
    let (namespace, short) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{namespace: {namespace}, name: '{short}'{more}}}, \
         spec: {{nodeName: n1}}}}"
    )
}

fn keys(intent: &Intent, network: &str) -> Vec<String> {
    let network = NetworkName::new(network);
    intent.attachments_of(&network).map(|it| it.key.to_string()).collect()
}

const L2: &str = r#""name":"flat","topology":"layer2","subnets":"10.0.0.0/16""#;
const PRIMARY: &str =
    r#""name":"main","topology":"layer2","role":"primary","subnets":"10.0.0.0/16""#;

#[test]
fn pods_of_a_labelled_namespace_are_on_its_primary_network() {
    let intent = check(
        &[NODES, &namespace("a", true), &cudn("red", "10.10.0.0/16"), &pod("a/p", "")],
        &["cluster_udn_red"],
        &[],
    );
    assert_eq!(keys(&intent, "cluster_udn_red"), ["a/p on a/red"]);
    let network = &intent.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(network.nads, [ObjectName::new("a", "red")]);
}

#[test]
fn a_namespace_without_the_label_is_left_out() {
    let bare = "ClusterUserDefinedNetwork red: NamespaceNotLabelled: spec.namespaceSelector: a primary network needs \
                namespaces with the label k8s.ovn.org/primary-user-defined-network, which can be \
                given only when a namespace is made; without it: b";
    let texts = [&namespace("a", true), &namespace("b", false), &cudn("red", "10.10.0.0/16")];
    let intent = check(&texts.map(String::as_str), &["cluster_udn_red"], &[bare]);
    assert_eq!(intent.networks.values().next().unwrap().nads.len(), 1);
}

#[test]
fn the_second_primary_of_a_namespace_is_refused() {
    let conflict = "ClusterUserDefinedNetwork red: PrimaryConflict: spec.namespaceSelector: namespace a has its primary \
                    network through NAD a/blue; NAD a/red would be a second one, so delete one of \
                    the two";
    let (red, blue) = (cudn("red", "10.1.0.0/16"), cudn("blue", "10.2.0.0/16"));
    check(&[&namespace("a", true), &red, &blue], &["cluster_udn_blue"], &[conflict]);
    let red_stands = "
{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: red,
 namespace: a, annotations: {k8s.ovn.org/network-id: '7'}, ownerReferences: [{controller: true,
 apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, name: red, uid: u}]},
 spec: {config: '{\"name\":\"cluster_udn_red\",\"type\":\"ovn-k8s-cni-overlay\",\"topology\":\"layer2\"}'}}";
    let red = red.replace("name: red", "uid: u, name: red");
    let conflict = conflict.replace("red", "RED").replace("blue", "red").replace("RED", "blue");
    let texts = [&namespace("a", true), &red, &blue, red_stands];
    check(&texts, &["cluster_udn_red"], &[&conflict]);
}

#[test]
fn names_that_are_one_in_ovn_are_refused() {
    let conflict = "ClusterUserDefinedNetwork x.y: NameConflict: metadata.name: network cluster_udn_x.y would have \
                    the same name in OVN as network cluster_udn_x-y of ClusterUserDefinedNetwork \
                    x-y; choose another name";
    let (dash, dot) = (cudn("x-y", "10.1.0.0/16"), cudn("x.y", "10.2.0.0/16"));
    let texts = [&namespace("a", true), &dot, &dash];
    check(&texts.map(String::as_str), &["cluster_udn_x-y"], &[conflict]);
}

#[test]
fn nads_of_one_network_agree_or_the_later_is_refused() {
    let other = L2.replace("10.0", "10.9");
    let conflict = "NetworkAttachmentDefinition a/two: NameConflict: spec.config: NAD a/two describes network \
                    flat otherwise than NAD b/one does; make them equal or choose another network \
                    name";
    let first = nad("b/one", "k8s.ovn.org/network-id: '3'", L2);
    let intent = check(&[&first, &nad("a/two", "", &other)], &["flat"], &[conflict]);
    let network = intent.networks.values().next().unwrap();
    assert_eq!(network.nads, [ObjectName::new("b", "one")]);
    let intent = check(&[&first, &nad("a/two", "", L2)], &["flat"], &[]);
    assert_eq!(intent.networks.values().next().unwrap().nads.len(), 2);
    assert_eq!(intent.published.networks[&NetworkName::new("flat")].id.unwrap().get(), 3);
}

#[test]
fn a_zone_waits_for_the_number_of_each_nad() {
    let texts = [nad("b/one", "k8s.ovn.org/network-id: '3'", L2), nad("a/two", "", L2)];
    let world = world(&texts.each_ref().map(String::as_str));
    let result = zone(&world, &ClusterSettings::default());
    let waiting = "NetworkAttachmentDefinition a/two: Waiting: waits until the cluster controller has \
                   written its network-id";
    assert_eq!(told(&result), [waiting]);
    assert_eq!(result.value.networks.values().next().unwrap().nads.len(), 1);
}

#[test]
fn a_zone_never_looks_at_manifests() {
    let texts = [namespace("a", true), cudn("red", "10.10.0.0/16"), pod("a/p", "")];
    let result = zone(&world(&texts.each_ref().map(String::as_str)), &ClusterSettings::default());
    assert_eq!(result.value.networks.len(), 0);
    let waiting = "namespace a: Waiting: metadata.labels[k8s.ovn.org/primary-user-defined-network]: has the label k8s.ovn.org/primary-user-defined-network but \
                   no primary network, so its pods wait; create a UDN there or a CUDN that selects it";
    assert_eq!(told(&result), [waiting]);
}

#[test]
fn a_hand_written_primary_needs_the_label_too() {
    let bare = "NetworkAttachmentDefinition a/n: NamespaceNotLabelled: metadata.namespace: a primary network needs \
                namespaces with the label k8s.ovn.org/primary-user-defined-network, which can be \
                given only when a namespace is made; without it: a";
    let written = nad("a/n", "", PRIMARY);
    check(&[&namespace("a", false), &written], &[], &[bare]);
    let gone = "NetworkAttachmentDefinition a/n: NamespaceNotFound: metadata.namespace: namespace a \
                does not exist; create it with the label k8s.ovn.org/primary-user-defined-network, \
                which a primary network needs";
    check(&[&written], &[], &[gone]);
    check(&[&namespace("a", true), &written], &["main"], &[]);
}

#[test]
fn a_foreign_nad_stands_in_the_way() {
    let foreign = "ClusterUserDefinedNetwork red: ForeignDefinition: metadata.name: NAD a/red exists and was not \
                   made for this network; delete or rename it";
    let texts = [namespace("a", true), cudn("red", "10.10.0.0/16"), nad("a/red", "", L2)];
    check(&texts.each_ref().map(String::as_str), &["flat"], &[foreign]);
}

#[test]
fn a_udn_and_a_cudn_of_one_name_do_not_share_a_nad() {
    let udn = "{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: red, \
               namespace: a}, spec: {topology: Layer2, layer2: {role: Secondary, subnets: \
               [10.9.0.0/16]}}}";
    let taken = "ClusterUserDefinedNetwork red: ForeignDefinition: metadata.name: NAD a/red is made for \
                 UserDefinedNetwork a/red; rename one of the two";
    let (a, b) = (namespace("a", true), namespace("b", true));
    let red = cudn("red", "10.10.0.0/16");
    let intent = check(&[&a, &b, udn, &red], &["a_red", "cluster_udn_red"], &[taken]);
    let network = &intent.networks[&NetworkName::new("cluster_udn_red")];
    assert_eq!(network.nads, [ObjectName::new("b", "red")]);
}

#[test]
fn networks_that_do_not_fit_are_told_and_living_ones_stay() {
    let overlap = |subject: &str| {
        format!(
            "{subject}: subnet 10.128.0.0/16 overlaps the cluster subnet \
             10.128.0.0/14; choose another"
        )
    };
    let red = cudn("red", "10.128.0.0/16");
    let message =
        overlap("ClusterUserDefinedNetwork red: SubnetOverlap: spec.network.layer2.subnets[0]");
    check(&[&namespace("a", true), &red], &[], &[&message]);
    let keys = L2.replace("10.0.0.0", "10.128.0.0");
    let message = overlap("NetworkAttachmentDefinition a/n: SubnetOverlap: spec.config");
    check(&[&nad("a/n", "k8s.ovn.org/network-id: '3'", &keys)], &["flat"], &[&message]);
    let mut settings = ClusterSettings::default();
    settings.families.remove(&udn_model::Family::V6);
    let texts = [namespace("a", true), cudn("red", "10.1.0.0/16, 'fd10::/64'")];
    let result = cluster(&world(&texts.each_ref().map(String::as_str)), &settings);
    let missing = "ClusterUserDefinedNetwork red: FamilyMissing: spec.network.layer2.subnets[1]: subnet fd10::/64 is IPv6, which \
                   the cluster does not have; remove it";
    assert_eq!(told(&result), [missing]);
}

#[test]
fn a_living_network_keeps_its_join_subnets() {
    let made = nad(
        "a/red",
        "k8s.ovn.org/network-id: '1'",
        r#""name":"cluster_udn_red","topology":"layer2","role":"primary","subnets":"10.10.0.0/16","joinSubnet":"100.70.0.0/16,fd99::/64""#,
    );
    let made = made.replace(
        "annotations",
        "ownerReferences: [{controller: true, apiVersion: k8s.ovn.org/v1, kind: \
         ClusterUserDefinedNetwork, name: red, uid: u}], annotations",
    );
    let red = cudn("red", "10.10.0.0/16").replace("name: red", "uid: u, name: red");
    let intent = check(&[&namespace("a", true), &red, &made], &["cluster_udn_red"], &[]);
    let network = intent.networks.values().next().unwrap();
    let join = network.primary().unwrap().join;
    assert_eq!(join.v4, Subnet::parse("100.70.0.0/16").ok());
}

#[test]
fn secondary_networks_are_asked_for() {
    let selection = ", annotations: {k8s.v1.cni.cncf.io/networks: 'a/n,a/n@x,a/none,a/main'}";
    let findings = [
        "pod a/p: InvalidAnnotation: metadata.annotations[k8s.v1.cni.cncf.io/networks]: names NAD a/main, the main network \
         of all pods in namespace a and of no others; remove it there",
        "pod a/p: DefinitionNotFound: metadata.annotations[k8s.v1.cni.cncf.io/networks]: NAD a/none does not exist; create it or correct the name",
    ];
    let intent = check(
        &[
            NODES,
            &namespace("a", true),
            &nad("a/n", "", L2),
            &nad("a/main", "", PRIMARY),
            &pod("a/p", selection),
        ],
        &["flat", "main"],
        &findings,
    );
    assert_eq!(keys(&intent, "flat"), ["a/p on a/n", "a/p on a/n/1"]);
    assert_eq!(keys(&intent, "main"), ["a/p on a/main"]);
    let second = intent.attachments_of(&NetworkName::new("flat")).nth(1).unwrap();
    assert_eq!(second.interface.as_deref(), Some("x"));
}

#[test]
fn only_pods_that_run_somewhere_are_attached() {
    let selection = ", annotations: {k8s.v1.cni.cncf.io/networks: a/n}";
    let done = pod("a/done", selection).replace("spec:", "status: {phase: Succeeded}, spec:");
    let host = pod("a/host", selection).replace("nodeName", "hostNetwork: true, nodeName");
    let lost = pod("a/lost", selection).replace("n1", "n9");
    let pending = pod("a/pending", selection).replace("n1", "''");
    let missing = "pod a/lost: NotScheduled: spec.nodeName: node n9 does not exist; add it or let the pod go \
                   elsewhere";
    let texts = [NODES, &nad("a/n", "", L2), &done, &host, &lost, &pending, &pod("a/p", selection)];
    let intent = check(&texts, &["flat"], &[missing]);
    assert_eq!(keys(&intent, "flat"), ["a/p on a/n"]);
}

#[test]
fn what_pods_were_given_is_published() {
    let entry = r#"{"a/n":{"ip_addresses":["10.0.0.9/16"],"mac_address":"0a:58:0a:00:00:09","tunnel_id":12}}"#;
    let more = |entry: &str| {
        format!(
            ", annotations: {{k8s.v1.cni.cncf.io/networks: a/n, k8s.ovn.org/pod-networks: '{entry}'}}"
        )
    };
    let intent = check(&[NODES, &nad("a/n", "", L2), &pod("a/p", &more(entry))], &["flat"], &[]);
    let published = &intent.published.attachments[&NetworkName::new("flat")];
    let grant = published.values().next().unwrap();
    assert_eq!(grant.addresses[0].to_string(), "10.0.0.9/16");
    assert_eq!(grant.port_key.unwrap().get(), 12);
    let unreadable = "pod a/p: InvalidAnnotation: metadata.annotations[k8s.ovn.org/pod-networks]: a/n: cannot be read: \
                      invalid type: integer `7`, expected an object at line 1 column 1; remove \
                      the entry";
    let texts = [NODES, &nad("a/n", "", L2), &pod("a/p", &more(r#"{"a/n":7}"#))];
    let intent = check(&texts, &["flat"], &[unreadable]);
    assert!(intent.attachments.is_empty());
}

#[test]
fn a_nad_in_use_stays_while_its_manifest_goes() {
    let made = "
{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: net,
 namespace: a, ownerReferences: [{controller: true, apiVersion: k8s.ovn.org/v1,
 kind: UserDefinedNetwork, name: net, uid: u}]}, spec: {config: '{\"name\":\"a_net\",
 \"type\":\"ovn-k8s-cni-overlay\",\"topology\":\"layer2\"}'}}";
    let udn = "
{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: net, namespace: a, uid: u,
 deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {topology: Layer2, layer2: {role: Secondary,
 subnets: [10.0.0.0/16]}}}";
    let entry = r#"{"a/net":{"mac_address":"0a:58:0a:00:00:09"}}"#;
    let user = pod(
        "a/p",
        &format!(
            ", annotations: {{k8s.v1.cni.cncf.io/networks: a/net, k8s.ovn.org/pod-networks: '{entry}'}}"
        ),
    );
    let waiting = "UserDefinedNetwork a/net: Waiting: NAD a/net is no longer wanted, but pod a/p \
                   still uses it; delete the pod";
    let intent = check(&[NODES, made, udn, &user], &["a_net"], &[waiting]);
    assert_eq!(keys(&intent, "a_net"), ["a/p on a/net"]);
    check(&[NODES, made, udn], &[], &[]);
}

#[test]
fn nodes_tell_about_themselves() {
    let bad = "{apiVersion: v1, kind: Node, metadata: {name: n3, annotations: \
               {k8s.ovn.org/node-id: x, k8s.ovn.org/node-chassis-id: c3}}}";
    let unreadable = "node n3: InvalidAnnotation: metadata.annotations[k8s.ovn.org/node-id]: \"x\" is not a number from 2 \
                      to 4999; remove the annotation and the cluster controller writes it again";
    let intent = check(&[NODES, bad], &[], &[unreadable]);
    let node = &intent.nodes[&NodeName::new("n1")];
    assert_eq!(node.tunnel_addresses.len(), 1);
    assert!(node.uses_transit_router);
    assert_eq!(intent.nodes[&NodeName::new("n3")].chassis.as_ref().unwrap().as_str(), "c3");
    assert_eq!(intent.published.nodes.len(), 1);
    let silent = &intent.nodes[&NodeName::new("n2")];
    assert!(silent.chassis.is_none() && silent.gateway.is_none());
}

#[test]
fn services_are_known_by_their_addresses() {
    let service = |name: &str, spec: &str| {
        let (namespace, name) = name.split_once('/').unwrap();
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{namespace: {namespace}, name: {name}}}, \
             spec: {{{spec}}}}}"
        )
    };
    let texts = [
        service("default/kubernetes", "clusterIPs: [172.30.0.1, 'fd02::1'], clusterIP: 172.30.0.1"),
        service("kube-system/kube-dns", "clusterIP: None, clusterIPs: [None]"),
        service("a/other", "clusterIP: 172.30.0.9"),
    ];
    let intent = check(&texts.each_ref().map(String::as_str), &[], &[]);
    let services = &intent.allowed_services;
    assert_eq!(services.len(), 1);
    assert_eq!(services[&ObjectName::new("default", "kubernetes")].len(), 2);
}

#[test]
fn an_address_leads_to_one_service() {
    let service = |namespace: &str, name: &str, addresses: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{namespace: {namespace}, name: {name}}}, \
             spec: {{clusterIPs: [{addresses}]}}}}"
        )
    };
    let texts = [
        service("default", "kubernetes", "172.30.0.10"),
        service("kube-system", "kube-dns", "172.30.0.10, 'fd02::a'"),
    ];
    let intent = check(&texts.each_ref().map(String::as_str), &[], &[]);
    let addresses = |namespace, name| {
        let all = &intent.allowed_services[&ObjectName::new(namespace, name)];
        all.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(addresses("default", "kubernetes"), ["172.30.0.10"]);
    assert_eq!(addresses("kube-system", "kube-dns"), ["fd02::a"]);
}

#[test]
fn nads_of_one_name_in_ovn_give_a_pod_one_port() {
    let config = |name: &str| format!("\"name\":\"{name}\",\"topology\":\"layer2\"");
    let networks = ", annotations: {k8s.v1.cni.cncf.io/networks: 'x-y,x.y'}";
    let intent = check(
        &[
            NODES,
            &namespace("a", false),
            &nad("a/x-y", "", &config("one")),
            &nad("a/x.y", "", &config("two")),
            &pod("a/p", networks),
        ],
        &["one", "two"],
        &[
            "pod a/p: NameConflict: metadata.annotations[k8s.v1.cni.cncf.io/networks]: NADs a/x-y and a/x.y give the pod ports of the same name in OVN, \
           so it gets only the first; rename one of them",
        ],
    );
    assert_eq!(keys(&intent, "one"), ["a/p on a/x-y"]);
    assert_eq!(keys(&intent, "two"), [] as [&str; 0]);
}
