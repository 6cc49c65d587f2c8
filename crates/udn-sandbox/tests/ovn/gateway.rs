//! The gateway of a primary network, seen from pods on every node: one MAC, one link-local address,
//! one router that advertises itself; out through the pod's own node, and no translation inside.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use udn_lab::capture::frame::{Ends, neighbour_solicitation, router_solicitation};
use udn_lab::capture::{Arp, Mac};
use udn_lab::witness::Witness;
use udn_model::Family;

use crate::rig::manifests::{nodes, pod, tenant};
use crate::rig::site::Site;
use crate::rig::talk::{Call, call_at_once};
use crate::rig::{LIMIT, PRIMARY, Stand};

const SUBNETS: &str = "10.20.0.0/16, fd20::/64";
const GATEWAY_V4: Ipv4Addr = Ipv4Addr::new(10, 20, 0, 1);
const GATEWAY_V6: Ipv6Addr = Ipv6Addr::new(0xfd20, 0, 0, 0, 0, 0, 0, 1);
/// compat: 0a:58 and the gateway's IPv4 address.
const GATEWAY_MAC: Mac = Mac([0x0a, 0x58, 10, 20, 0, 1]);
const OUTSIDE: [&str; 2] = ["172.18.0.1", "fd00:172:18::1"];
const PODS: [&str; 3] = ["red/red-1", "red/red-2", "red/red-3"];
/// How often a router is asked to show itself.
const SOLICITATIONS: usize = 3;

/// Two tenants with the same subnets and a pod of each on every node.
fn manifests() -> String {
    let mut text = nodes(3) + &tenant("red", SUBNETS) + &tenant("blue", SUBNETS);
    for number in 1..=3 {
        for tenant in ["red", "blue"] {
            let name = format!("{tenant}/{tenant}-{number}");
            text += &pod(&name, &format!("node-{number}"), None);
        }
    }
    text
}

// proves: T-01, T-02
pub(crate) async fn every_node_shows_pods_the_same_gateway(site: &Site) {
    let stand = Stand::of_text(site, &manifests()).await;
    for pod in PODS {
        assert_eq!(mac_by_arp(&stand, pod), GATEWAY_MAC, "{pod}, ARP");
        assert_eq!(mac_by_discovery(&stand, pod), GATEWAY_MAC, "{pod}, discovery");
        assert_eq!(
            routers(&stand, pod),
            BTreeSet::from([(GATEWAY_MAC, IpAddr::V6(GATEWAY_MAC.link_local()),)])
        );
    }
}

// proves: T-14
pub(crate) async fn pods_leave_through_their_own_node_under_its_address(site: &Site) {
    let stand = Stand::of_text(site, &manifests()).await;
    for number in 1..=3 {
        let (red, blue) = (format!("red/red-{number}"), format!("blue/blue-{number}"));
        // The port of a call stays taken for a while after it, so each family has its own.
        for ((family, outside), port) in Family::BOTH.into_iter().zip(OUTSIDE).zip(40_000..) {
            assert_eq!(stand.address(&red, family), stand.address(&blue, family), "on purpose");
            // The same port, too: nothing but the network tells the two calls apart.
            let call = |pod: &str, word| Call { from: stand.pod(pod), port, word };
            let calls = [call(&red, "red"), call(&blue, "blue")];
            let address = outside.parse().expect("an address");
            let told = call_at_once(stand.host("outside"), address, &calls);
            let node = stand.node(&format!("node-{number}")).settings().addresses;
            let own = node.iter().find(|ip| Family::of(*ip) == family).expect("both families");
            assert_eq!(told, [("red".to_owned(), own), ("blue".to_owned(), own)]);
        }
    }
}

// proves: T-16, V-02
pub(crate) async fn pods_see_each_others_own_addresses(site: &Site) {
    let stand = Stand::of_text(site, &manifests()).await;
    for to in PODS {
        let witness = Witness::listen(stand.pod(to)).expect("a witness listens");
        for from in PODS.into_iter().filter(|from| *from != to) {
            for family in Family::BOTH {
                let seen = witness.ask(stand.pod(from), stand.address(to, family));
                assert_eq!(seen.expect("it answers"), stand.address(from, family), "{from} {to}");
            }
        }
    }
}

/// The MAC by which the gateway answers ARP.
fn mac_by_arp(stand: &Stand, pod: &str) -> Mac {
    let (capture, wire) = (stand.capture(pod, PRIMARY), stand.wire(pod, PRIMARY));
    let own = (stand.mac(pod), stand.v4(pod));
    let question = Arp::question(own, GATEWAY_V4).frame(Ends::new(own.0, Mac::BROADCAST), b"");
    wire.send(&question).expect("a frame is sent");
    let is_answer = |arp: Arp| arp.is_answer && arp.addresses.from == GATEWAY_V4;
    let answer = capture.wait_for("an ARP answer", LIMIT, |it| it.arp().is_some_and(is_answer));
    let answer = answer.expect("the gateway answers");
    let told = answer.arp().expect("it is ARP").macs.from;
    assert_eq!(answer.source(), told, "the frame and what it says are of one mind");
    told
}

/// The MAC by which the gateway answers neighbour discovery.
fn mac_by_discovery(stand: &Stand, pod: &str) -> Mac {
    let (capture, wire) = (stand.capture(pod, PRIMARY), stand.wire(pod, PRIMARY));
    let question = neighbour_solicitation((stand.mac(pod), stand.v6(pod)), GATEWAY_V6);
    wire.send(&question).expect("a frame is sent");
    let answer = capture.wait_for("an advertisement", LIMIT, |it| {
        it.advertised().is_some_and(|(ip, _)| ip == GATEWAY_V6)
    });
    let answer = answer.expect("the gateway answers");
    let (_, told) = answer.advertised().expect("it advertises");
    assert_eq!(answer.source(), told, "the frame and what it says are of one mind");
    told
}

/// Who shows itself as a router to a pod that asks, at most once for each time it is asked.
fn routers(stand: &Stand, pod: &str) -> BTreeSet<(Mac, IpAddr)> {
    let (capture, wire) = (stand.capture(pod, PRIMARY), stand.wire(pod, PRIMARY));
    // The kernel asks from its link-local address, so answers to this one are answers to us.
    let (mac, own) = (stand.mac(pod), stand.v6(pod));
    let is_told = |it: &udn_lab::capture::Frame| {
        it.is_router_advertisement() && it.addresses().is_some_and(|ends| ends.to == own)
    };
    for _ in 0..SOLICITATIONS {
        wire.send(&router_solicitation(mac, own)).expect("a frame is sent");
    }
    let heard = capture.wait_for_several("advertisements", LIMIT, SOLICITATIONS, is_told);
    heard.expect("the router answers");
    // Whoever else had heard the question would have been faster than these three answers.
    for other in PODS.into_iter().filter(|other| *other != pod) {
        assert!(crate::rig::pings(stand.pod(pod), stand.v6(other)), "{pod} reaches {other}");
    }
    let told: Vec<_> = capture.frames().into_iter().filter(is_told).collect();
    assert_eq!(told.len(), SOLICITATIONS, "one answer for each question");
    let all = capture.frames().into_iter().filter(udn_lab::capture::Frame::is_router_advertisement);
    all.map(|it| (it.source(), it.addresses().expect("IPv6").from)).collect()
}
