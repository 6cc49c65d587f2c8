//! Pods whose main network is another one, on the default network: their node reaches them, and
//! others only where they open themselves.

use std::net::{IpAddr, SocketAddr};

use udn_lab::capture::frame::{Ends, udp};
use udn_lab::capture::{Capture, Mac, Wire};
use udn_lab::namespaces::Namespace;
use udn_lab::ovn_root::OvnRoot;
use udn_lab::witness::Witness;
use udn_model::{ClusterSettings, Family, GatewayMode, MacAddress, Network, NetworkName, NodeName};

use crate::layer3::settings;
use crate::rig::manifests::{annotated_pod, folder_of, namespace, nodes, pod, tenant};
use crate::rig::site::Site;
use crate::rig::{LIMIT, PRIMARY, Stand, pings, told};

const OPEN_PORTS: &str = "k8s.ovn.org/open-default-ports";
const OPEN: u16 = 8080;
const CLOSED: u16 = 8081;
/// The link of a pod into the default network.
const DEFAULT: &str = "eth0";
/// Where the host is in the tenant's network.
const MANAGEMENT: &str = "10.20.0.2";
const STRAY: &str = "udn stray";

fn manifests() -> String {
    let open = |it: &str| format!("\"{it}\"");
    nodes(2)
        + &namespace("plain", false)
        + &pod("plain/near", "node-1", None)
        + &pod("plain/far", "node-2", None)
        + &tenant("red", "10.20.0.0/16, fd20::/64")
        + &pod("red/locked", "node-1", None)
        + &annotated_pod(
            "red/serving",
            "node-1",
            Some((OPEN_PORTS, &open("[{protocol: tcp, port: 8080}]"))),
        )
        + &annotated_pod("red/pinged", "node-1", Some((OPEN_PORTS, &open("[{protocol: icmp}]"))))
}

pub(crate) async fn a_locked_pod_is_reached_by_its_node_alone(site: &Site) {
    let text = folder_of(&manifests());
    let stand = Stand::with_settings(site, settings(GatewayMode::Shared), text.path()).await;
    stand.green_matrix().await;
    its_node_reaches_every_pod(&stand);
    others_reach_what_is_open(&stand);
}

const LOCKED: [&str; 3] = ["red/locked", "red/serving", "red/pinged"];

/// The node comes from its own address in the network, and is answered.
fn its_node_reaches_every_pod(stand: &Stand) {
    let home = stand.node("node-1").namespace();
    for pod in LOCKED {
        let witness = Witness::listen_at(stand.pod(pod), CLOSED).expect("the pod listens");
        for family in Family::BOTH {
            let address = stand.address_on("default", pod, family);
            let seen = witness.ask(home, address).expect("the node reaches it");
            assert_eq!(seen, management(stand, family), "{pod}");
            assert!(pings(home, address), "node-1 to {pod}");
        }
    }
}

/// Pods of both nodes and the other node get through to open ports alone, and those who are locked
/// to nobody.
fn others_reach_what_is_open(stand: &Stand) {
    let near = ("near", stand.pod("plain/near"));
    let far = ("far", stand.pod("plain/far"));
    let strangers = [near, far, ("node-2", stand.node("node-2").namespace())];
    let all = LOCKED.map(|pod| (pod, CLOSED, false));
    let open = ("red/serving", OPEN, true);
    let others = [("plain/near", CLOSED, false)];
    let listen = |(pod, port, is_open): (&'static str, u16, bool)| {
        (pod, is_open, Witness::listen_at(stand.pod(pod), port).expect("the pod listens"))
    };
    let locked: Vec<_> = all.into_iter().chain([open]).map(listen).collect();
    let plain: Vec<_> = others.into_iter().map(listen).collect();
    // Whoever is not answered waits for seconds, so all ask at once.
    std::thread::scope(|scope| {
        for family in Family::BOTH {
            for (pod, is_open, witness) in &locked {
                let address = stand.address_on("default", pod, family);
                for (who, from) in strangers {
                    scope.spawn(move || {
                        let seen = witness.ask(from, address).map_err(|it| it.to_string());
                        assert_eq!(seen.is_ok(), *is_open, "{who} to {pod}: {seen:?}");
                        assert_eq!(ping(from, address), *pod == "red/pinged", "{who} to {pod}");
                    });
                }
            }
            for (pod, _, witness) in &plain {
                let address = stand.address_on("default", pod, family);
                for from in LOCKED {
                    scope.spawn(move || {
                        let seen = witness.ask(stand.pod(from), address);
                        assert!(seen.is_err(), "{from} to {pod}: {seen:?}");
                    });
                }
            }
        }
    });
}

/// The host forwards for tenants in local mode, so it must know whose packets it has: one that a pod
/// hands to the host's own port is still the tenant's.
pub(crate) async fn no_tenant_reaches_it_through_the_host(site: &Site) {
    let text = folder_of(&manifests());
    let stand = Stand::with_settings(site, settings(GatewayMode::Local), text.path()).await;
    let near = Capture::start(stand.pod("plain/near"), DEFAULT).expect("a capture starts");
    let wire = Wire::open(stand.pod("red/locked"), PRIMARY).expect("a link can be opened");
    let host: Mac = {
        let management = MANAGEMENT.parse().expect("an address");
        MacAddress::from_ip(management).to_string().parse().expect("a MAC is a MAC")
    };
    for family in Family::BOTH {
        let from = stand.address_on("cluster_udn_red", "red/locked", family);
        let to = stand.address_on("default", "plain/near", family);
        let mac: Mac = {
            let own = stand.address_on("cluster_udn_red", "red/locked", Family::V4);
            MacAddress::from_ip(own).to_string().parse().expect("a MAC is a MAC")
        };
        let stray = udp(Ends::new(mac, host), Ends::new(from, to), STRAY.as_bytes());
        (0..3).for_each(|_| wire.send(&stray).expect("a frame is sent"));
        // The host takes them in order, and this one it may forward.
        assert!(pings(stand.node("node-1").namespace(), to), "node-1 to plain/near");
        let outside = if from.is_ipv4() { "172.18.0.1" } else { "fd00:172:18::1" };
        assert!(pings(stand.pod("red/locked"), outside.parse::<IpAddr>().expect("an address")));
        assert!(pings(stand.node("node-1").namespace(), to), "node-1 to plain/near");
    }
    near.wait_for("a ping of the node", LIMIT, |it| it.addresses().is_some()).expect("it hears");
    let strays = near.frames().into_iter().filter(|it| it.contains(STRAY.as_bytes())).count();
    assert_eq!(strays, 0, "a tenant's packets came through the host");
}

/// Nobody draws services yet, so one is made by hand, on the gateway router alone: the host's way to
/// it is the bridge's.
pub(crate) async fn the_host_reaches_what_its_gateway_router_balances(site: &Site) {
    let text = nodes(2) + &namespace("plain", false) + &pod("plain/far", "node-2", None);
    let text = folder_of(&text);
    let stand = Stand::with_settings(site, settings(GatewayMode::Shared), text.path()).await;
    let (node, far) = (stand.node("node-1"), "plain/far");
    let witness = Witness::listen_at(stand.pod(far), OPEN).expect("the pod listens");
    for (family, service) in Family::BOTH.into_iter().zip(["10.96.0.200", "fd00:10:96::200"]) {
        let address: IpAddr = service.parse().expect("an address");
        let (name, pod) = (format!("by-hand-{family}"), stand.address_on("default", far, family));
        let [vip, backend] = [address, pod].map(|ip| SocketAddr::new(ip, OPEN).to_string());
        told(node.nbctl(), &["lb-add", &name, &vip, &backend]);
        told(node.nbctl(), &["--wait=hv", "lr-lb-add", "GR_node-1", &name]);
        let seen = witness.ask(node.namespace(), address).expect("the service is reached");
        let join = ClusterSettings::default().default_join;
        let id = stand.applied.grants.nodes[&NodeName::new("node-1")];
        let router = join.of(family).and_then(|it| it.address(id.get().into()));
        assert_eq!(Some(seen), router, "the gateway router answers for the host");
    }
}

/// The first node's own address in the default network.
fn management(stand: &Stand, family: Family) -> IpAddr {
    let (network, node) = (NetworkName::new(Network::DEFAULT), NodeName::new("node-1"));
    let subnets = stand.applied.grants.node_subnets(&network, &node).expect("it has a part");
    subnets.of(family).and_then(|it| it.address(2)).expect("both families")
}

/// Whether a ping is answered within a second.
fn ping(from: &Namespace, to: IpAddr) -> bool {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let mut ping = root.command("ping");
    ping.args(["-n", "-q", "-c", "1", "-W", "1", &to.to_string()]);
    from.enter(&ping).output().expect("ping can be run").status.success()
}
