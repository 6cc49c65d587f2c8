//! Draws primary layer-2 networks into a node's northbound database by `ovn-nbctl`.
//!
//! Written by hand on purpose: the tests here judge the host, not the drawing of networks.
//! Invariant: the rows are those of OVN-Kubernetes' topology with a transit router.

use std::net::IpAddr;
use std::process::Command;

use udn_lab::node::{EXTERNAL_BRIDGE, EXTERNAL_NETWORK, Node};
use udn_lab::run::run;
use udn_model::derived::{NetworkMasquerade, TransitPair, network_masquerade, transit_pair};
use udn_model::{Family, MacAddress, NetworkId, NodeId, PlatformAddresses, Subnet};

use crate::overlay::{NetworkSketch, PodSketch};

/// A subnet of the test, which are all well formed.
pub(crate) fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).expect("the test's subnets are sound")
}

pub(crate) fn masquerade(family: Family, network: NetworkId) -> NetworkMasquerade {
    let subnet = match family {
        Family::V4 => subnet("169.254.0.0/17"),
        Family::V6 => subnet("fd69::/112"),
    };
    network_masquerade(subnet, network).expect("there is room for the test's networks")
}

fn transit(family: Family, node: NodeId) -> TransitPair {
    let subnet = match family {
        Family::V4 => subnet("100.88.0.0/16"),
        Family::V6 => subnet("fd97::/64"),
    };
    transit_pair(subnet, node).expect("there is room for the test's nodes")
}

/// Where a node is, as other nodes' databases know it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) node: &'a Node,
    pub(crate) id: NodeId,
}

/// How many networks one command draws: its length is bounded, and each lets northd begin anew.
const AT_ONCE: usize = 125;
/// How long a node may take to wire them all: 500 networks take OVN about 70 s of processor time.
const PATIENCE: &str = "--timeout=300";

/// Some steps of one long command.
struct Drawing<'a> {
    command: &'a mut Command,
    place: Place<'a>,
    network: &'a NetworkSketch,
}

/// Draws networks into one node's database.
pub(crate) fn draw(place: Place<'_>, others: &[Place<'_>], networks: &[NetworkSketch]) {
    for networks in networks.chunks(AT_ONCE) {
        let mut command = place.node.nbctl();
        for network in networks {
            Drawing { command: &mut command, place, network }.whole(others);
        }
        // The last step is followed by nothing.
        command.arg("init");
        run(&mut command).expect("the zone takes the networks");
    }
}

/// Waits until a node has wired everything that was drawn.
pub(crate) fn settle(node: &Node) {
    let followed = run(node.nbctl().args([PATIENCE, "--wait=hv", "sync"]));
    followed.expect("the node follows its database");
}

impl Drawing<'_> {
    fn whole(&mut self, others: &[Place<'_>]) {
        self.switch();
        self.transit_router();
        for other in others {
            self.remote_node(*other);
        }
        self.gateway_router();
        self.external_switch();
        self.routes();
        for pod in &self.network.pods {
            self.pod(pod);
        }
    }

    fn step(&mut self, words: &[&str]) {
        self.command.args(words).arg("--");
    }

    fn switch(&mut self) {
        let (switch, key) =
            (self.network.switch(), format!("{}", 16_711_683 + u32::from(self.network.id.get())));
        let way_up = format!("stotr-{switch}");
        self.step(&["ls-add", &switch]);
        let key = format!("other_config:requested-tnl-key={key}");
        let shared = format!("other_config:interconn-ts={switch}");
        self.step(&["set", "Logical_Switch", &switch, &shared, &key]);
        self.step(&["lsp-add", &switch, &way_up]);
        self.step(&["lsp-set-type", &way_up, "router"]);
        self.step(&["lsp-set-addresses", &way_up, "router"]);
        self.step(&["lsp-set-options", &way_up, &format!("router-port=trtos-{switch}")]);
        let management = self.network.management_port(self.place.node.name());
        let addresses = self.network.management_addresses();
        self.step(&["lsp-add", &switch, &management]);
        self.step(&["lsp-set-addresses", &management, &addresses]);
    }

    fn transit_router(&mut self) {
        let (router, switch) = (self.network.transit_router(), self.network.switch());
        let key = 16_715_778 + u32::from(self.network.id.get());
        let (port, node) = (format!("trtos-{switch}"), self.place.node.name());
        self.step(&["lr-add", &router]);
        let key = format!("options:requested-tnl-key={key}");
        self.step(&["set", "Logical_Router", &router, &key]);
        let gateways: Vec<String> =
            self.network.addresses.iter().map(|it| it.gateway_on_interface().to_string()).collect();
        let mac = MacAddress::from_ip(self.network.addresses[0].gateway).to_string();
        self.step(&["lrp-add", &router, &port, &mac, &gateways[0], &gateways[1]]);
        self.step(&["lrp-set-options", &port, "requested-tnl-key=1", "gateway_mtu=1400"]);
        self.step(&["lrp-set-gateway-chassis", &port, node, "1"]);
        let gateway = self.network.gateway_router(node);
        self.transit_port(self.place, &[]);
        let (peer, ours) = (format!("peer=rtotr-{gateway}"), format!("trtor-{gateway}"));
        self.step(&["set", "Logical_Router_Port", &ours, &peer]);
        for addresses in self.network.addresses.clone() {
            self.towards_host(&router, &port, addresses);
        }
    }

    /// Packets to the node's own address go to the host, under a masquerade address.
    fn towards_host(&mut self, router: &str, port: &str, addresses: PlatformAddresses) {
        let family = addresses.subnet.family();
        let word = if family == Family::V4 { "ip4" } else { "ip6" };
        let ours = self.place.node.settings().addresses;
        let ours = ours.iter().find(|ip| Family::of(*ip) == family).expect("nodes have both");
        let to_node = format!("inport == \"{port}\" && {word}.dst == {ours}");
        let management = addresses.management.to_string();
        self.step(&["lr-policy-add", router, "1004", &to_node, "reroute", &management]);
        let name = format!("@{}{}", word, self.network.id);
        let id = format!("--id={name}");
        let external = masquerade(family, self.network.id).management;
        let external = format!("external_ip=\"{external}\"");
        let logical = format!("logical_ip=\"{}\"", addresses.subnet);
        let matches = format!("match=\"eth.dst == {}\"", self.network.management_mac());
        let port = format!("logical_port={port}");
        self.step(&[&id, "create", "NAT", "type=snat", &external, &logical, &port, &matches]);
        self.step(&["add", "Logical_Router", router, "nat", &name]);
    }

    fn transit_port(&mut self, place: Place<'_>, options: &[&str]) {
        let router = self.network.transit_router();
        let port = format!("trtor-{}", self.network.gateway_router(place.node.name()));
        let [four, six] = Family::BOTH.map(|family| transit(family, place.id).transit_router);
        let mac = MacAddress::from_ip(four.addr()).to_string();
        self.step(&["lrp-add", &router, &port, &mac, &four.to_string(), &six.to_string()]);
        let key = format!("requested-tnl-key={}", 10 + place.id.get());
        self.step(&[&["lrp-set-options", &port, &key][..], options].concat());
    }

    fn remote_node(&mut self, other: Place<'_>) {
        let chassis = format!("requested-chassis={}", other.node.name());
        self.transit_port(other, &[&chassis]);
    }

    fn gateway_router(&mut self) {
        let node = self.place.node;
        let router = self.network.gateway_router(node.name());
        self.step(&["lr-add", &router]);
        let chassis = format!("options:chassis={}", node.name());
        self.step(&[
            "set",
            "Logical_Router",
            &router,
            &chassis,
            "options:always_learn_from_arp_request=false",
            "options:dynamic_neigh_routers=false",
            "options:mac_binding_age_threshold=300",
            "options:disable_garp_rarp=true",
        ]);
        let [four, six] =
            Family::BOTH.map(|family| transit(family, self.place.id).gateway_router.to_string());
        let mac = MacAddress::from_text(&router).to_string();
        let inner = format!("rtotr-{router}");
        self.step(&["lrp-add", &router, &inner, &mac, &four, &six]);
        let peer = format!("peer=trtor-{router}");
        self.step(&["set", "Logical_Router_Port", &inner, &peer]);
        let [four, six] = Family::BOTH.map(|family| {
            let length = family.longest_prefix();
            format!("{}/{length}", masquerade(family, self.network.id).gateway_router)
        });
        let ours = node.settings().addresses.with_lengths();
        let (outer, mac) = (format!("rtoe-{router}"), node.settings().mac());
        self.step(&["lrp-add", &router, &outer, &mac, &ours[0], &ours[1], &four, &six]);
    }

    fn external_switch(&mut self) {
        let node = self.place.node;
        let router = self.network.gateway_router(node.name());
        let switch = format!("ext_{}{}", self.network.prefix(), node.name());
        let bridge = self.network.bridge_port(node.name());
        let port = format!("etor-{router}");
        self.step(&["ls-add", &switch]);
        self.step(&["lsp-add", &switch, &bridge]);
        self.step(&["lsp-set-type", &bridge, "localnet"]);
        self.step(&["lsp-set-addresses", &bridge, "unknown"]);
        self.step(&["lsp-set-options", &bridge, &format!("network_name={EXTERNAL_NETWORK}")]);
        self.step(&["lsp-add", &switch, &port]);
        self.step(&["lsp-set-type", &port, "router"]);
        self.step(&["lsp-set-addresses", &port, &node.settings().mac()]);
        self.step(&["lsp-set-options", &port, &format!("router-port=rtoe-{router}")]);
        debug_assert!(bridge.starts_with(EXTERNAL_BRIDGE));
    }

    fn routes(&mut self) {
        let node = self.place.node;
        let (transit_router, gateway) =
            (self.network.transit_router(), self.network.gateway_router(node.name()));
        for subnet in self.network.addresses.iter().map(|it| it.subnet) {
            let family = subnet.family();
            let pair = transit(family, self.place.id);
            let (up, down) = (pair.gateway_router.addr(), pair.transit_router.addr());
            let (pods, up, down) = (subnet.to_string(), up.to_string(), down.to_string());
            self.step(&["--policy=src-ip", "lr-route-add", &transit_router, &pods, &up]);
            self.step(&["lr-route-add", &gateway, &pods, &down, &format!("rtotr-{gateway}")]);
            let next_hops = &node.settings().next_hops;
            let out = next_hops.iter().find(|ip| Family::of(**ip) == family);
            let out = out.expect("the test's nodes have a way out").to_string();
            let everything = if family == Family::V4 { "0.0.0.0/0" } else { "::/0" };
            let port = format!("rtoe-{gateway}");
            self.step(&["lr-route-add", &gateway, everything, &out, &port]);
            let external = masquerade(family, self.network.id).gateway_router.to_string();
            self.step(&["lr-nat-add", &gateway, "snat", &external, &pods]);
        }
    }

    fn pod(&mut self, pod: &PodSketch) {
        let (switch, port) = (self.network.switch(), pod.port(self.network));
        let ips: Vec<String> = pod.ips(self.network).iter().map(IpAddr::to_string).collect();
        let addresses = format!("{} {}", pod.mac(self.network), ips.join(" "));
        self.step(&["lsp-add", &switch, &port]);
        self.step(&["lsp-set-addresses", &port, &addresses]);
        self.step(&["lsp-set-port-security", &port, &addresses]);
        let key = format!("requested-tnl-key={}", pod.number);
        let chassis = format!("requested-chassis={}", pod.node);
        let version = format!("iface-id-ver={}", pod.uid(self.network));
        self.step(&["lsp-set-options", &port, &key, &chassis, &version]);
        if pod.node != self.place.node.name() {
            self.step(&["lsp-set-type", &port, "remote"]);
        }
    }
}
