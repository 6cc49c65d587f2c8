//! Addresses and MACs that pods ask for on secondary networks: Layer2, and Localnet with subnets. The
//! pods have them, and everybody else sees them, on both nodes and on the provider's network.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_lab::capture::{Capture, Direction, Frame, Mac, Wire};
use udn_lab::host::Host;
use udn_lab::namespaces::Namespace;
use udn_model::Family;

use crate::rig::manifests::{cluster_network, namespace, nodes, pod};
use crate::rig::neighbours::Asker;
use crate::rig::site::Site;
use crate::rig::{LIMIT, SECONDARY, Stand, pings};

/// The same in both networks, on purpose.
const SUBNETS: &str = "subnets: [10.60.0.0/16, fd60::/64]";
/// Hosts outside have the first addresses.
const EXCLUDED: &str = "excludeSubnets: [10.60.0.0/28, fd60::/124]";
/// On the provider's network.
const HOST: &str = "vlan42-host";
const HOST_ADDRESSES: [&str; 2] = ["10.60.0.1", "fd60::1"];

/// What a pod asks for, and what it must have.
struct Wish {
    name: &'static str,
    node: &'static str,
    /// What stands in its selection beside the network's name.
    asks: &'static str,
    ips: Option<[&'static str; 2]>,
    mac: Option<Mac>,
}

const WISHES: [Wish; 5] = [
    Wish {
        name: "both",
        node: "node-1",
        asks: r#", "ips": ["10.60.0.50/16", "fd60::50/64"], "mac": "02:00:00:00:00:0a""#,
        ips: Some(["10.60.0.50", "fd60::50"]),
        mac: Some(Mac([2, 0, 0, 0, 0, 0x0a])),
    },
    Wish {
        name: "ip",
        node: "node-2",
        asks: r#", "ips": ["10.60.7.51", "fd60::7:51"]"#,
        ips: Some(["10.60.7.51", "fd60::7:51"]),
        // compat: 0a:58 and the IPv4 address
        mac: Some(Mac([0x0a, 0x58, 10, 60, 7, 51])),
    },
    Wish {
        name: "mac",
        node: "node-2",
        asks: r#", "mac": "02:00:00:00:00:0b""#,
        ips: None,
        mac: Some(Mac([2, 0, 0, 0, 0, 0x0b])),
    },
    Wish { name: "near", node: "node-1", asks: "", ips: None, mac: None },
    Wish { name: "far", node: "node-3", asks: "", ips: None, mac: None },
];

fn network(name: &str, spec: &str) -> String {
    let on = |wish: &Wish| {
        let Wish { name: own, node, asks, .. } = wish;
        let selection = format!("'[{{\"name\": \"{name}\"{asks}}}]'");
        pod(&format!("{name}/{own}"), node, Some(&selection))
    };
    namespace(name, false)
        + &cluster_network(name, spec)
        + &WISHES.iter().map(on).collect::<String>()
}

// proves: X-08
pub(crate) async fn are_had_and_seen_on_secondary_networks(site: &Site) {
    let layer2 = format!("{{topology: Layer2, layer2: {{role: Secondary, {SUBNETS}}}}}");
    let localnet = format!(
        "{{topology: Localnet, localnet: {{role: Secondary, physicalNetworkName: tenant, \
         vlan: {{mode: Access, access: {{id: 42}}}}, {SUBNETS}, {EXCLUDED}}}}}"
    );
    let text = nodes(3) + &network("flat", &layer2) + &network("vlan", &localnet);
    let stand = Stand::of_text(site, &text).await;
    stand.green_matrix().await;
    for network in ["flat", "vlan"] {
        let neighbours = neighbours(&stand, network);
        for wish in &WISHES {
            let pod = Person::of(&stand, network, wish.name);
            check_granted(&stand, &pod, wish);
            check_seen(&stand, &pod, &neighbours);
        }
    }
}

/// A pod as the network knows it.
struct Person {
    pod: String,
    mac: Mac,
    addresses: [IpAddr; 2],
}

impl Person {
    fn of(stand: &Stand, network: &str, name: &str) -> Self {
        let pod = format!("{network}/{name}");
        let addresses = Family::BOTH.map(|family| stand.address(&pod, family));
        Self { mac: stand.mac(&pod), addresses, pod }
    }
}

/// What was granted is what was asked for, and the pod's kernel has it.
fn check_granted(stand: &Stand, pod: &Person, wish: &Wish) {
    let Person { pod, mac, addresses } = pod;
    if let Some(ips) = wish.ips {
        assert_eq!(*addresses, ips.map(ip), "{pod}");
    }
    if let Some(wanted) = wish.mac {
        assert_eq!(*mac, wanted, "{pod}");
    }
    let ip = |arguments: &[&str]| stand.pod(pod).ip(arguments).expect("ip answers");
    let link = ip(&["-o", "link", "show", SECONDARY]);
    assert!(link.contains(&format!("link/ether {mac} ")), "{pod}: {link}");
    let seen = ip(&["-o", "address", "show", SECONDARY]);
    for (address, length) in addresses.iter().zip([16, 64]) {
        assert!(seen.contains(&format!(" {address}/{length} ")), "{pod}: {seen}");
    }
}

/// Somebody who looks at a pod from its network.
struct Neighbour<'a> {
    name: String,
    namespace: &'a Namespace,
    asker: Asker,
}

/// Pods on each node, and on a localnet the host outside.
fn neighbours<'a>(stand: &'a Stand, network: &str) -> Vec<Neighbour<'a>> {
    let of_pod = |name: &str| {
        let Person { pod, mac, addresses } = Person::of(stand, network, name);
        let capture = stand.capture(&pod, SECONDARY);
        let wire = stand.wire(&pod, SECONDARY);
        let asker = Asker { capture, wire, mac, addresses: addresses.to_vec() };
        Neighbour { namespace: stand.pod(&pod), name: pod, asker }
    };
    let mut all: Vec<_> = ["near", "mac", "far"].map(of_pod).into();
    if network == "vlan" {
        let host = stand.host(HOST);
        let wire = Wire::open(host, Host::LINK).expect("a link can be opened");
        let asker = Asker {
            capture: Capture::start(host, Host::LINK).expect("a capture starts"),
            mac: wire.mac(),
            wire,
            addresses: HOST_ADDRESSES.map(ip).to_vec(),
        };
        all.push(Neighbour { name: HOST.to_owned(), namespace: host, asker });
    }
    all
}

/// Each neighbour hears the pod's own MAC as the answer for its address, reaches it, and is reached
/// in frames that carry both.
fn check_seen(stand: &Stand, pod: &Person, neighbours: &[Neighbour<'_>]) {
    for neighbour in neighbours.iter().filter(|it| it.name != pod.pod) {
        let who = format!("{} and {}", neighbour.name, pod.pod);
        for address in pod.addresses {
            let answers = neighbour.asker.who_has(address);
            assert_eq!(answers, BTreeSet::from([pod.mac]), "{who}: {address}");
            assert!(pings(neighbour.namespace, address), "{who}: {address}");
            let own = neighbour.asker.addresses.iter();
            let own = *own.clone().find(|it| it.is_ipv4() == address.is_ipv4()).expect("of both");
            assert!(pings(stand.pod(&pod.pod), own), "{who}: {own}");
            let is_told = |frame: &Frame| {
                frame.direction == Direction::In
                    && frame.source() == pod.mac
                    && frame.destination() == neighbour.asker.mac
                    && frame.addresses().is_some_and(|it| it.from == address && it.to == own)
            };
            let told = neighbour.asker.capture.wait_for(&who, LIMIT, is_told);
            told.unwrap_or_else(|late| panic!("{late}"));
        }
        let frames = neighbour.asker.capture.frames();
        let from_pod =
            |it: &&Frame| it.addresses().is_some_and(|ends| pod.addresses.contains(&ends.from));
        let other = frames.iter().filter(from_pod).find(|it| it.source() != pod.mac);
        assert_eq!(other.map(Frame::source), None, "{who}: the addresses are of one MAC");
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}
