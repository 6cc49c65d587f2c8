//! What is probed, and what is made of the outcome.

use std::net::IpAddr;

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, Grants, Intent, Lock, MacAddress,
    Network, NetworkName, NodeName, ObjectName, OpenPort, PerFamily, Role, Subnet, Subnets,
    Topology,
};

use super::show::Matrix;
use super::{Expectation, Host, Observation, Probe, Reach, probes};

fn network(intent: &mut Intent, name: &str, topology: Topology, subnets: &[&str]) {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    let network = Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(subnets).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    };
    intent.networks.insert(network.name.clone(), network.into());
}

fn pod(intent: &mut Intent, grants: &mut Grants, at: (&str, &str, &str), addresses: &[&str]) {
    let (pod, network, node) = (at.0, NetworkName::new(at.1), NodeName::new(at.2));
    let key = AttachmentKey {
        pod: ObjectName::new("ns", pod),
        nad: ObjectName::new("ns", at.1),
        index: 0,
    };
    let grant = AttachmentGrant {
        addresses: addresses.iter().map(|text| text.parse().unwrap()).collect(),
        mac: MacAddress::from_text(pod),
        port_key: None,
    };
    grants.attachments.entry(network.clone()).or_default().insert(key.clone(), grant);
    let attachment = Attachment::new(key.clone(), network.clone(), node, pod);
    intent.attachments.entry(network).or_default().insert(key, attachment);
}

fn two_tenants() -> (Intent, Grants, Vec<Host>) {
    let primary = || {
        Topology::Layer2(Role::Primary(Primary {
            join: ClusterSettings::default().join,
            chosen_gateways: PerFamily::default(),
            reserved: Vec::new(),
            infrastructure: Vec::new(),
        }))
    };
    let localnet = Localnet { physical_network: "p".into(), vlan: None };
    let (mut intent, mut grants) = (Intent::default(), Grants::default());
    network(&mut intent, "red", primary(), &["10.0.0.0/24", "fd00::/64"]);
    network(&mut intent, "blue", primary(), &["10.0.0.0/24"]);
    network(&mut intent, "vlan", Topology::Localnet(localnet), &["192.168.0.0/24"]);
    pod(&mut intent, &mut grants, ("red-1", "red", "n1"), &["10.0.0.3/24", "fd00::3/64"]);
    pod(&mut intent, &mut grants, ("red-2", "red", "n2"), &["10.0.0.4/24", "fd00::4/64"]);
    pod(&mut intent, &mut grants, ("blue-1", "blue", "n1"), &["10.0.0.3/24"]);
    pod(&mut intent, &mut grants, ("blue-1", "vlan", "n1"), &["192.168.0.3/24"]);
    let hosts = vec![
        Host {
            name: "outside".into(),
            addresses: vec!["172.18.0.1/24".parse().unwrap()],
            reach: Reach::Outside,
        },
        Host {
            name: "vlan-host".into(),
            addresses: vec!["192.168.0.1/24".parse().unwrap()],
            reach: Reach::Localnet(NetworkName::new("vlan")),
        },
    ];
    (intent, grants, hosts)
}

#[test]
fn every_pair_is_probed_in_the_families_that_both_have() {
    let (intent, grants, hosts) = two_tenants();
    let probes = probes(&intent, &grants, &hosts);
    let count = |from: &str, expectation| {
        probes
            .iter()
            .filter(|it| &*it.from.pod.name == from && it.expectation == expectation)
            .count()
    };
    assert_eq!(count("red-1", Expectation::AcrossNodes), 2);
    assert_eq!(count("red-1", Expectation::Gateway), 2);
    assert_eq!(count("red-1", Expectation::Outside), 1, "the host outside");
    assert_eq!(count("red-1", Expectation::Silence), 3, "blue-1 twice, and the VLAN's host");
    // blue-1 is on the VLAN too, so its primary network is not asked to keep silent about it.
    assert_eq!(count("blue-1", Expectation::Outside), 2);
    assert_eq!(count("blue-1", Expectation::Silence), 4, "both red pods, from both its networks");
}

/// A pod on the default network; one with a lock is on red besides.
fn default_pod(
    intent: &mut Intent,
    grants: &mut Grants,
    (name, node): (&str, &str),
    address: &str,
    lock: Option<&[OpenPort]>,
) {
    let key = AttachmentKey::on_default_network(ObjectName::new("ns", name));
    let (network, node) = (NetworkName::new(Network::DEFAULT), NodeName::new(node));
    let grant = AttachmentGrant {
        addresses: vec![address.parse().unwrap()],
        mac: MacAddress::from_text(name),
        port_key: None,
    };
    grants.attachments.entry(network.clone()).or_default().insert(key.clone(), grant);
    let mut attachment = Attachment::new(key.clone(), network.clone(), node, name);
    attachment.lock = lock.map(|open| Lock { open_ports: open.to_vec() });
    intent.attachments.entry(network).or_default().insert(key, attachment);
}

#[test]
fn a_locked_pod_is_silent_on_the_default_network_and_speaks_on_its_own() {
    let settings = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    let (mut intent, mut grants, hosts) = two_tenants();
    let default = Network::of_settings(&settings).unwrap();
    let subnets = [("n1", "10.128.0.0/23"), ("n2", "10.128.2.0/23")].map(|(node, text)| {
        let v4 = Some(Subnet::parse(text).unwrap());
        (NodeName::new(node), PerFamily { v4, v6: None })
    });
    grants.node_subnets.insert(default.name.clone(), subnets.into());
    intent.networks.insert(default.name.clone(), default.into());
    let mut add = |at, address, lock| default_pod(&mut intent, &mut grants, at, address, lock);
    add(("plain-1", "n1"), "10.128.0.3/23", None);
    add(("plain-2", "n2"), "10.128.2.3/23", None);
    add(("red-1", "n1"), "10.128.0.4/23", Some(&[]));
    add(("red-2", "n2"), "10.128.2.4/23", Some(&[OpenPort::Icmp]));
    let probes = probes(&intent, &grants, &hosts[..1]);
    let check = |from: &str, address: &str, want: &[Expectation]| {
        let of = |it: &&Probe| &*it.from.pod.name == from && it.address.to_string() == address;
        let found: Vec<Expectation> = probes.iter().filter(of).map(|it| it.expectation).collect();
        assert_eq!(found, want, "{from} to {address}");
    };
    check("plain-1", "10.128.2.3", &[Expectation::AcrossNodes]);
    check("plain-1", "10.128.0.1", &[Expectation::Gateway]);
    check("plain-2", "10.128.2.1", &[Expectation::Gateway]);
    check("plain-1", "10.128.0.4", &[Expectation::Silence]);
    check("plain-1", "10.128.2.4", &[Expectation::AcrossNodes]);
    check("plain-1", "172.18.0.1", &[Expectation::Outside]);
    check("red-1", "10.128.0.3", &[Expectation::Silence]);
    check("red-1", "10.128.2.4", &[Expectation::Silence]);
    check("red-1", "10.128.0.1", &[Expectation::Silence]);
    // From its own network alone.
    check("red-1", "172.18.0.1", &[Expectation::Outside]);
    check("red-1", "10.0.0.4", &[Expectation::AcrossNodes]);
}

#[test]
fn silence_is_judged_by_the_target() {
    let (intent, grants, _) = two_tenants();
    let probes = probes(&intent, &grants, &[]);
    let silent = probes.iter().find(|it| it.expectation == Expectation::Silence).unwrap();
    let check = |is_answered, is_heard, want| {
        let got = silent.is_as_expected(Observation { is_answered, is_heard });
        assert_eq!(got, want, "{is_answered} {is_heard:?}");
    };
    // Somebody of the own tenant has the same address and answers.
    check(true, Some(false), true);
    check(false, Some(true), false);
    check(true, None, false);
    check(false, None, true);
}

#[test]
fn a_matrix_is_green_only_if_every_cell_is() {
    let (intent, grants, hosts) = two_tenants();
    let good = |probe: &Probe| match probe.expectation {
        Expectation::Silence => Observation { is_answered: false, is_heard: Some(false) },
        _ => Observation { is_answered: true, is_heard: Some(true) },
    };
    let probes = probes(&intent, &grants, &hosts);
    let mut matrix = Matrix { cells: probes.iter().map(|it| (it.clone(), good(it))).collect() };
    assert!(matrix.is_green());
    let address: IpAddr = "fd00::4".parse().unwrap();
    for (probe, observation) in &mut matrix.cells {
        if probe.address == address {
            observation.is_answered = false;
        }
    }
    assert!(!matrix.is_green());
    assert_eq!(
        matrix.to_string(),
        "\
from \\ to    blue-1@blue  blue-1@vlan  red-1  red-2  gateway  outside  vlan-host
blue-1@blue                              ·      ·       4        4
blue-1@vlan                              ·      ·                          4
red-1             ·            ·               4!6     46        4         ·
red-2             ·            ·        46             46        4         ·
4, 6: answered over IPv4, IPv6   ·: silence, as it must be   !: wrong
"
    );
    assert!(!Matrix::default().is_green(), "nothing was shown");
}

#[test]
fn columns_of_a_wide_matrix_have_the_numbers_of_rows() {
    let (mut intent, mut grants) = (Intent::default(), Grants::default());
    network(
        &mut intent,
        "a-network-with-a-long-name",
        Topology::Localnet(Localnet { physical_network: "p".into(), vlan: None }),
        &["10.0.0.0/24"],
    );
    for number in 1..=5 {
        let (name, address) =
            (format!("a-pod-with-a-name-{number}"), format!("10.0.0.{number}/24"));
        let at = (name.as_str(), "a-network-with-a-long-name", "n1");
        pod(&mut intent, &mut grants, at, &[&address]);
    }
    let heard = Observation { is_answered: true, is_heard: Some(true) };
    let mut cells: Vec<_> =
        probes(&intent, &grants, &[]).into_iter().map(|probe| (probe, heard)).collect();
    let narrow = Matrix { cells: cells.clone() }.to_string();
    assert!(narrow.starts_with("from \\ to            a-pod-with-a-name-1  a-pod"), "{narrow}");
    let again: Vec<_> = cells
        .iter()
        .cloned()
        .map(|(mut probe, heard)| {
            probe.from.network = NetworkName::new("another-network-with-a-name");
            (probe, heard)
        })
        .collect();
    cells.extend(again);
    let wide = Matrix { cells }.to_string();
    let head = wide.lines().next().expect("it has a head");
    assert!(head.ends_with("  1  3  5  7  9"), "{wide}");
    assert!(wide.contains("\n 3 a-pod-with-a-name-2@a-network-with-a-long-name"), "{wide}");
    assert_eq!(Matrix::default().to_string(), "", "nobody is no table");
}
