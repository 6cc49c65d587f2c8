//! Localnets: VLANs of a physical network that pods share with hosts outside, and the other kinds of
//! secondary networks beside them.

use std::net::{IpAddr, Ipv4Addr};

use udn_lab::capture::frame::Ends;
use udn_lab::capture::{Arp, Capture, Direction, Frame, Mac, Wire};
use udn_lab::host::Host;
use udn_lab::run::run;
use udn_model::Family;

use crate::rig::manifests::{cluster_network, nad, namespace, nodes, pod};
use crate::rig::site::Site;
use crate::rig::{LIMIT, SECONDARY, Stand, pings, told};

/// The bridge on nodes that leads to the physical network `tenant`.
const BRIDGE: &str = "br-tenant";
/// One that nobody has.
const NOBODY: Ipv4Addr = Ipv4Addr::new(192, 168, 42, 200);
/// The same in every VLAN, on purpose.
const SUBNETS: &str = "subnets: [192.168.42.0/24, fd42::/64], \
                       excludeSubnets: [192.168.42.0/28, fd42::/124]";

fn localnet(vlan: Option<u16>, rest: &str) -> String {
    let vlan = vlan.map(|id| format!("vlan: {{mode: Access, access: {{id: {id}}}}}, "));
    let vlan = vlan.unwrap_or_default();
    format!(
        "{{topology: Localnet, localnet: {{role: Secondary, physicalNetworkName: tenant, {vlan}{rest}}}}}"
    )
}

/// A network for a namespace of the same name, and two pods of it on two nodes.
fn network(name: &str, spec: &str) -> String {
    namespace(name, false) + &cluster_network(name, spec) + &two_pods(name, name)
}

fn two_pods(namespace: &str, nad: &str) -> String {
    let networks = format!("{namespace}/{nad}");
    let on = |number| {
        pod(&format!("{namespace}/{nad}-{number}"), &format!("node-{number}"), Some(&networks))
    };
    on(1) + &on(2)
}

// proves: L-15, L-18, L-19
pub(crate) async fn vlans_of_one_physical_network_are_kept_apart(site: &Site) {
    let networks = [
        network("v42", &localnet(Some(42), SUBNETS)),
        network("v43", &localnet(Some(43), SUBNETS)),
        network("plain", &localnet(None, SUBNETS)),
    ];
    let stand = Stand::of_text(site, &(nodes(2) + &networks.concat())).await;
    // Pods reach each other and the host of their VLAN, and nobody of another one.
    stand.green_matrix().await;
    let hosts = [("v42", "vlan42-host"), ("v43", "vlan43-host"), ("plain", "untagged-host")];
    for (network, host) in hosts {
        for number in 1..=2 {
            for family in Family::BOTH {
                let pod = format!("{network}/{network}-{number}");
                assert!(pings(stand.host(host), stand.address(&pod, family)), "{host} to {pod}");
            }
        }
    }
    tags_are_on_the_wire(&stand);
    broadcasts_stay_in_their_vlan(&stand, hosts);
}

fn tags_are_on_the_wire(stand: &Stand) {
    for (network, tag) in [("v42", Some(42)), ("v43", Some(43)), ("plain", None)] {
        for number in 1..=2 {
            let pod = format!("{network}/{network}-{number}");
            let trunk = trunk(stand, &format!("node-{number}"));
            let marker = format!("udn tags {pod}");
            shout(stand, &pod, &marker);
            let is_ours =
                |it: &Frame| it.direction == Direction::Out && it.contains(marker.as_bytes());
            let frame = trunk.wait_for("the pod's frame", LIMIT, is_ours).expect("it is sent");
            assert_eq!(frame.source(), stand.mac(&pod));
            assert_eq!(frame.tag(), tag, "{:02x?}", &frame.bytes[..20]);
            let all: Vec<_> = trunk.frames().into_iter().filter(is_ours).collect();
            assert_eq!(all.len(), 1, "a frame is sent once");
        }
    }
}

/// A host and a pod of each VLAN hear the others of their own, and of no other.
///
/// The lab's untagged host is on a trunk, as a machine that has VLANs of its own would be, so it
/// tells nothing about silence.
fn broadcasts_stay_in_their_vlan(stand: &Stand, hosts: [(&str, &str); 3]) {
    let host = |name| Capture::start(stand.host(name), Host::LINK).expect("a capture starts");
    let tagged = hosts.into_iter().filter(|(network, _)| *network != "plain");
    let mut ears: Vec<_> = tagged.map(|(network, name)| (network, host(name))).collect();
    for (network, _) in hosts {
        ears.push((network, stand.capture(&format!("{network}/{network}-2"), SECONDARY)));
    }
    // Everybody shouts twice, and all have heard the second round when they are asked.
    for round in 1..=2 {
        for (network, _) in hosts {
            let pod = format!("{network}/{network}-1");
            shout(stand, &pod, &format!("udn round {round} {pod}."));
        }
    }
    for (network, ear) in &ears {
        for round in 1..=2 {
            let marker = format!("udn round {round} {network}/{network}-1.");
            let heard = ear.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
            assert_eq!(heard.expect("it is heard").tag(), None, "nobody here sees a tag");
        }
    }
    for (network, ear) in &ears {
        for frame in ear.frames().iter().filter(|it| it.contains(b"udn round ")) {
            let is_own = frame.contains(format!(" {network}/").as_bytes());
            assert!(is_own, "{network} heard {:?}", String::from_utf8_lossy(&frame.bytes));
        }
    }
}

// proves: L-17
pub(crate) async fn without_ipam_a_pod_has_a_mac_and_no_address(site: &Site) {
    let spec = localnet(Some(44), "ipam: {mode: Disabled}");
    let stand = Stand::of_text(site, &(nodes(2) + &network("bare", &spec))).await;
    let pods = ["bare/bare-1", "bare/bare-2"];
    for pod in pods {
        assert!(stand.grant(pod).addresses.is_empty());
        let link = stand.pod(pod).ip(&["-o", "link", "show", SECONDARY]).expect("it is there");
        assert!(link.contains(&format!("link/ether {}", stand.mac(pod))), "{link}");
        let addresses =
            stand.pod(pod).ip(&["-o", "address", "show", SECONDARY]).expect("ip answers");
        let is_granted = |line: &str| !line.contains("inet6 fe80:");
        assert!(!addresses.lines().any(is_granted), "{addresses}");
    }
    let by_hand = [["10.44.0.1/24", "fd44::1/64"], ["10.44.0.2/24", "fd44::2/64"]];
    for (pod, addresses) in pods.into_iter().zip(by_hand) {
        for address in addresses {
            stand.pod(pod).add_address(SECONDARY, address).expect("an address can be set");
        }
    }
    assert!(pings(stand.pod(pods[0]), "10.44.0.2".parse::<IpAddr>().expect("an address")));
    assert!(pings(stand.pod(pods[1]), "fd44::1".parse::<IpAddr>().expect("an address")));
}

// proves: L-20
pub(crate) async fn a_pods_link_has_the_networks_mtu(site: &Site) {
    let networks = network("usual", &localnet(Some(42), SUBNETS))
        + &network("small", &localnet(Some(43), &format!("mtu: 1290, {SUBNETS}")))
        + &network("middle", &localnet(Some(44), &format!("mtu: 1410, {SUBNETS}")));
    let stand = Stand::of_text(site, &(nodes(2) + &networks)).await;
    for (network, mtu) in [("usual", 1500), ("small", 1290), ("middle", 1410)] {
        let (from, to) = (format!("{network}/{network}-1"), format!("{network}/{network}-2"));
        for pod in [&from, &to] {
            let link = stand.pod(pod).ip(&["-o", "link", "show", SECONDARY]).expect("it is there");
            assert!(link.contains(&format!(" mtu {mtu} ")), "{pod}: {link}");
        }
        assert!(pings_whole(&stand, &from, stand.v4(&to), mtu), "{network} carries {mtu} bytes");
        assert!(!pings_whole(&stand, &from, stand.v4(&to), mtu + 1), "{network} carries no more");
    }
}

// proves: L-25
pub(crate) async fn networks_written_by_hand_work_beside_cluster_networks(site: &Site) {
    let by_hand = |name: &str, topology: &str, rest: &str| {
        let config = format!(
            r#"{{"cniVersion":"1.0.0","name":"{name}","type":"ovn-k8s-cni-overlay","topology":"{topology}","netAttachDefName":"hand/{name}",{rest}}}"#
        );
        nad(&format!("hand/{name}"), &config) + &two_pods("hand", name)
    };
    let local = r#""physicalNetworkName":"tenant","vlanID":45,"subnets":"192.168.42.0/24,fd42::/64","excludeSubnets":"192.168.42.0/28,fd42::/124""#;
    let layer2 = r#""subnets":"192.168.42.0/24,fd42::/64","mtu":1350"#;
    let text = nodes(2)
        + &network("v42", &localnet(Some(42), SUBNETS))
        + &namespace("hand", false)
        + &by_hand("wire", "localnet", local)
        + &by_hand("over", "layer2", layer2);
    let stand = Stand::of_text(site, &text).await;
    let matrix = stand.green_matrix().await;
    let pods = ["v42/v42-1", "hand/wire-1", "hand/over-1"];
    for pod in pods {
        let is_reached = matrix.cells.iter().any(|(probe, observation)| {
            probe.from.pod.to_string() == pod && observation.is_answered
        });
        assert!(is_reached, "{pod} reaches nobody");
    }
    let trunk = trunk(&stand, "node-1");
    shout(&stand, "hand/wire-1", "udn by hand");
    let frame = trunk.wait_for("the pod's frame", LIMIT, |it| it.contains(b"udn by hand"));
    assert_eq!(frame.expect("it is sent").tag(), Some(45));
    let link = stand.pod("hand/over-1").ip(&["-o", "link", "show", SECONDARY]).expect("ip answers");
    assert!(link.contains(" mtu 1350 "), "{link}");
}

/// Listens where a node's frames leave for the physical network.
fn trunk(stand: &Stand, node: &str) -> Capture {
    let node = stand.node(node);
    let ports = told(node.vsctl(), &["list-ports", BRIDGE]);
    let trunk = ports.lines().find(|port| port.starts_with("trunk")).expect("there is a trunk");
    Capture::start(node.namespace(), trunk).expect("a capture starts")
}

/// Lets a pod ask everybody for an address that nobody has.
fn shout(stand: &Stand, pod: &str, marker: &str) {
    let (mac, ip) = (stand.mac(pod), stand.v4(pod));
    let wire: Wire = stand.wire(pod, SECONDARY);
    assert_eq!(wire.mac(), mac);
    let frame = Arp::question((mac, ip), NOBODY);
    let frame = frame.frame(Ends::new(mac, Mac::BROADCAST), marker.as_bytes());
    wire.send(&frame).expect("a frame is sent");
}

/// Whether a packet of so many bytes gets through in one piece, and its answer too.
fn pings_whole(stand: &Stand, from: &str, to: Ipv4Addr, bytes: u16) -> bool {
    let root = udn_lab::ovn_root::OvnRoot::find().expect("the OVN root is set up");
    let mut ping = root.command("ping");
    let payload = (bytes - 28).to_string();
    ping.args(["-n", "-q", "-c", "1", "-W", "2", "-M", "do", "-s", &payload, &to.to_string()]);
    run(&mut stand.pod(from).enter(&ping)).is_ok()
}
