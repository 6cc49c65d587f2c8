//! Requests and what is known of their pods, by example.

use std::path::PathBuf;
use std::sync::Arc;

use udn_cni::{Arguments, Attachment as CniAttachment, NetConf};
use udn_model::network::{Localnet, Origin};
use udn_model::{
    Attachment, AttachmentKey, Lock, Mtu, Network, NetworkName, NodeName, Primary, Role, Subnets,
    Topology,
};
use udn_wire::keys::INGRESS_BANDWIDTH;
use udn_wire::object::Metadata;

use super::*;

const FLAT: &str = r#"{"netAttachDefName":"a/flat"}"#;

fn settings() -> ClusterSettings {
    ClusterSettings { builds_default_network: true, ..<_>::default() }
}

fn network(name: &str, topology: Topology) -> KnownAttachment {
    let network = Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: Mtu::new(9000),
        has_persistent_addresses: false,
        nads: Vec::new(),
    };
    let nad = ObjectName::new("a", name);
    known(AttachmentKey { pod: ObjectName::new("a", "p"), nad, index: 0 }, network)
}

fn known(key: AttachmentKey, network: Network) -> KnownAttachment {
    let attachment = Attachment::new(key, network.name.clone(), NodeName::new("n1"), "uid");
    KnownAttachment { attachment, network: Arc::new(network) }
}

fn default(is_locked: bool) -> KnownAttachment {
    let network = Network::of_settings(&settings()).unwrap();
    let mut it = known(AttachmentKey::on_default_network(ObjectName::new("a", "p")), network);
    it.attachment.lock = is_locked.then(|| Lock { open_ports: Vec::new() });
    it
}

fn red() -> KnownAttachment {
    network("red", Topology::Layer2(Role::Primary(Primary::default())))
}

fn flat() -> KnownAttachment {
    network("flat", Topology::Layer2(Role::Secondary))
}

fn localnet() -> KnownAttachment {
    let physical_network = "tenant".to_owned();
    network("flat", Topology::Localnet(Localnet { physical_network, vlan: None }))
}

/// A pod with these attachments, and addresses on these networks.
fn pod(attachments: Vec<KnownAttachment>, addressed: &[&str]) -> KnownPod {
    let entry = serde_json::json!({ "mac_address": "0a:58:00:00:00:01" });
    let entries: serde_json::Map<_, _> =
        addressed.iter().map(|key| ((*key).to_owned(), entry.clone())).collect();
    let mut metadata = Metadata::default();
    let annotations = [(POD_NETWORKS.to_owned(), serde_json::Value::Object(entries).to_string())];
    metadata.annotations = annotations.into_iter().collect();
    KnownPod {
        uid: "uid".to_owned(),
        is_leaving: false,
        metadata: Arc::new(metadata),
        attachments,
        waits: Vec::new(),
    }
}

fn annotate(mut pod: KnownPod, key: &str, text: &str) -> KnownPod {
    let mut metadata = Metadata::clone(&pod.metadata);
    metadata.annotations.insert(key.to_owned(), text.to_owned());
    pod.metadata = Arc::new(metadata);
    pod
}

/// What becomes of an ADD of this interface by this configuration, in one line.
fn judged(
    (interface, conf): (&str, &str),
    pod: Option<&KnownPod>,
    settings: &ClusterSettings,
) -> String {
    let request = PodInterface {
        attachment: CniAttachment::parse("5a00000000000000", interface).unwrap(),
        netns: PathBuf::from("/run/netns/p"),
        arguments: Arguments::parse("K8S_POD_NAMESPACE=a;K8S_POD_NAME=p;K8S_POD_UID=uid").unwrap(),
        path: String::new(),
        conf: NetConf::parse_leniently(conf.as_bytes()),
    };
    let place = PodPlace { namespace: request.netns.clone(), sandbox: "5a00000000000000".into() };
    let scene = Scene { settings, mappings: "physnet:br-ex, other:", place: &place };
    match judge(&request, pod, scene) {
        Judgement::Ready(facts) => {
            let all = facts.iter().map(|it| format!("{} {} {}", it.network, it.interface, it.mtu));
            all.collect::<Vec<_>>().join(", ")
        }
        Judgement::Waits(what) => format!("waits for {what}"),
        Judgement::Refused(error) => format!("{:?}: {error}", error.code),
    }
}

fn check(request: (&str, &str), pod: &KnownPod, want: &str) {
    let found = judged(request, Some(pod), &settings());
    assert!(found.contains(want), "no {want} in {found}");
}

#[test]
fn the_default_configuration_means_the_default_network_and_the_primary_one() {
    let eth0 = ("eth0", "{}");
    check(eth0, &pod(vec![default(false)], &["default"]), "default eth0 1400");
    check(("x0", "{}"), &pod(vec![default(false)], &["default"]), "default x0 1400");
    let both = || vec![default(true), red(), flat()];
    let all = ["default", "a/red", "a/flat"];
    check(eth0, &pod(both(), &all), "default eth0 1400, red ovn-udn1 9000");
    let conf = r#"{"netAttachDefName":"ovn-kubernetes/default"}"#;
    check(("eth0", conf), &pod(both(), &all), "default eth0 1400, red ovn-udn1 9000");
}

#[test]
fn a_pod_waits_for_all_of_its_links() {
    let eth0 = ("eth0", "{}");
    check(eth0, &pod(vec![], &[]), "waits for a port on the default network");
    check(eth0, &pod(vec![default(false)], &[]), "waits for the entry \"default\"");
    check(eth0, &pod(vec![default(true)], &["default"]), "the primary network of namespace a");
    let both = || vec![default(true), red()];
    check(eth0, &pod(both(), &["default"]), "the entry \"a/red\"");
    check(eth0, &pod(both(), &["a/red"]), "the entry \"default\"");
    let unknown = judged(eth0, None, &settings());
    assert!(unknown.contains("waits for word of it from the API server"), "{unknown}");
}

#[test]
fn a_nad_means_the_attachment_of_that_interface() {
    check(("net1", FLAT), &pod(vec![default(false), flat()], &["a/flat"]), "flat net1 9000");
    check(("own0", FLAT), &pod(vec![flat()], &["a/flat"]), "flat own0 9000");
    let mut second = flat();
    (second.attachment.key.index, second.attachment.interface) = (1, Some("b0".to_owned()));
    let twice = pod(vec![flat(), second], &["a/flat", "a/flat/1"]);
    check(("b0", FLAT), &twice, "flat b0");
    check(("net7", FLAT), &twice, "waits for an attachment net7 through NAD a/flat");
    let primary = r#"{"netAttachDefName":"a/red"}"#;
    check(("net1", primary), &pod(vec![red()], &["a/red"]), "waits for an attachment net1");
    check(("net1", FLAT), &pod(vec![flat()], &[]), "the entry \"a/flat\"");
}

#[test]
fn another_life_of_the_pod_is_refused() {
    let eth0 = ("eth0", "{}");
    let other = KnownPod { uid: "later".to_owned(), ..pod(vec![default(false)], &["default"]) };
    check(eth0, &other, "UnknownContainer: pod a/p has the uid later and not uid");
    let leaving = KnownPod { is_leaving: true, ..other.clone() };
    check(eth0, &leaving, "waits for the pod of uid later to be gone");
    // Kubelet knows a pod that it made from a file by the file's hash.
    check(eth0, &annotate(other, STATIC_POD_HASH, "uid"), "default eth0 1400");
}

#[test]
fn what_the_node_or_the_cluster_cannot_do_is_refused_with_what_to_do() {
    check(("net1", FLAT), &pod(vec![localnet()], &["a/flat"]), "add tenant:<bridge> to its bridge");
    let fast = annotate(pod(vec![flat()], &["a/flat"]), INGRESS_BANDWIDTH, "fast");
    check(("net1", FLAT), &fast, "InvalidConfig: pod a/p: annotation kubernetes.io/ingress");
    let theirs = ClusterSettings { builds_default_network: false, ..settings() };
    let found = judged(("eth0", "{}"), Some(&pod(vec![], &[])), &theirs);
    assert!(
        found.contains("InvalidConfig: pod a/p: the default network of this cluster is another")
    );
}

#[test]
fn a_mapping_has_a_bridge() {
    for (mappings, want) in
        [("a:br-a", true), ("x:br-x, a:br-a", true), ("a:", false), ("a", false), ("", false)]
    {
        assert_eq!(is_mapped(mappings, "a"), want, "{mappings}");
    }
}
