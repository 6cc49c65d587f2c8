//! What a node's host is told of networks and pods, by example.

use udn_model::network::{Layer3, Origin};
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, ClusterSubnet, Gateway, Grants, Intent, NetworkId,
    Node, NodeName, Primary, Role, Subnet, Subnets, Topology,
};

use udn_wire::keys::{POD_NETWORKS, SELECTION};

use super::pods::{PlaceInPod, link_name};
use super::*;

#[test]
fn links_have_names_that_the_kernel_takes() {
    let check = |place, want| assert_eq!(link_name("0123456789abcdef0123", place), want);
    check(PlaceInPod::Default, "0123456789abcde");
    check(PlaceInPod::Primary, "0123456789abc_1");
    check(PlaceInPod::Asked(11), "0123456789ab_12");
}

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

fn layer3(name: &str, role: Role) -> Network {
    let range = ClusterSubnet { subnet: subnet("10.77.0.0/16"), host_prefix_len: 24 };
    Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology: Topology::Layer3(Layer3 { subnets: vec![range], role }),
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("a", name)],
    }
}

/// A cluster of one node with the default network, and a primary and a secondary layer-3 network.
struct World {
    intent: Intent,
    grants: Grants,
    settings: ClusterSettings,
    node: NodeName,
}

impl World {
    fn new() -> Self {
        let settings = ClusterSettings { builds_default_network: true, ..<_>::default() };
        let node = NodeName::new("n1");
        let gateway = Gateway {
            bridge: "br-ex".to_owned(),
            mac: "02:42:ac:12:00:03".parse().unwrap(),
            addresses: vec!["172.18.0.3/16".parse().unwrap()],
            next_hops: Vec::new(),
            vlan: None,
            serves_node_ports: false,
        };
        let told = Node {
            name: node.clone(),
            chassis: None,
            gateway: Some(gateway),
            addresses: Vec::new(),
            tunnel_addresses: Vec::new(),
            uses_transit_router: true,
        };
        let mut world =
            Self { intent: Intent::default(), grants: Grants::default(), settings, node };
        world.intent.nodes.insert(world.node.clone(), told);
        let default = Network::of_settings(&world.settings).unwrap();
        world.add(default, NetworkId::DEFAULT, ["10.128.0.0/23", "fd01::/64"]);
        let ids = [1, 2].map(|id| NetworkId::new(id).unwrap());
        let primary = layer3("green", Role::Primary(Primary::default()));
        world.add(primary, ids[0], ["10.77.4.0/24"]);
        world.add(layer3("storage", Role::Secondary), ids[1], ["10.77.4.0/24"]);
        world
    }

    fn add<const N: usize>(&mut self, network: Network, id: NetworkId, subnets: [&str; N]) {
        let mut own = PerFamily::default();
        for subnet in subnets.map(subnet) {
            own.put(subnet.family(), subnet);
        }
        let grant = NetworkGrant { id, tunnel_keys: Vec::new(), transit: PerFamily::default() };
        self.grants.networks.insert(network.name.clone(), grant);
        let of_node = [(self.node.clone(), own)].into();
        self.grants.node_subnets.insert(network.name.clone(), of_node);
        self.intent.networks.insert(network.name.clone(), network.into());
    }

    fn attach(&mut self, network: &str, key: AttachmentKey) {
        let network = NetworkName::new(network);
        let attachment = Attachment::new(key.clone(), network.clone(), self.node.clone(), "uid");
        self.intent.attachments.entry(network).or_default().insert(key, attachment);
    }

    fn input(&self) -> DrawingInput<'_> {
        let Self { intent, grants, settings, node } = self;
        DrawingInput { intent, grants, settings, zone: node }
    }

    fn survey(&self, annotations: &[(&str, &str)]) -> HostFacts {
        let (pod, mut metadata) = (ObjectName::new("a", "p"), Metadata::default());
        metadata.annotations =
            annotations.iter().map(|(key, it)| ((*key).to_owned(), (*it).to_owned())).collect();
        let place = PodPlace { namespace: "/run/netns/p".into(), sandbox: "s".repeat(20) };
        let patches = patch_ports(&self.input(), "br-int").into_keys().zip(2..);
        let number = |(name, number)| (name, PortNumber::new(number).unwrap());
        let seen = Seen {
            integration_bridge: "br-int".to_owned(),
            uplink: PortNumber::new(1).unwrap(),
            datapath: Datapath::Kernel,
            patches: patches.map(number).collect(),
        };
        let of = |name: &ObjectName| (*name == pod).then_some(&metadata);
        survey(&self.input(), &of, &seen, &[(pod.clone(), place)].into()).unwrap()
    }
}

#[test]
fn a_nodes_own_part_of_a_network_is_where_its_host_is() {
    let world = World::new();
    let ports = patch_ports(&world.input(), "br-int");
    let ports: Vec<(&str, &str)> =
        ports.iter().map(|(name, port)| (name.as_str(), port.as_str())).collect();
    let want =
        [("default", "patch-br-ex_n1-to-br-int"), ("green", "patch-br-ex_green_n1-to-br-int")];
    assert_eq!(ports, want, "a secondary network has no way out");
    let facts = world.survey(&[]);
    let [default, green] = facts.networks.as_slice() else { panic!("{:#?}", facts.networks) };
    let own = |it: &NetworkFacts| {
        let addresses = it.addresses.iter().map(|it| it.management_on_interface().to_string());
        (it.management_port.clone(), it.management_mac.to_string(), addresses.collect::<Vec<_>>())
    };
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let want = (
        "k8s-n1".to_owned(),
        "0a:58:0a:80:00:02".to_owned(),
        texts(&["10.128.0.2/23", "fd01::2/64"]),
    );
    assert_eq!(own(default), want);
    assert!(default.is_default() && default.masquerade.is_empty());
    let want =
        ("k8s-green_n1".to_owned(), "0a:58:0a:4d:04:02".to_owned(), texts(&["10.77.4.2/24"]));
    assert_eq!(own(green), want);
    assert_eq!(green.ranges, [subnet("10.77.0.0/16")]);
    assert!(green.masquerade.v4.is_some() && green.masquerade.v6.is_none());
}

#[test]
fn a_network_in_which_the_node_has_no_part_is_not_on_its_host() {
    let mut world = World::new();
    world.grants.node_subnets.remove(&NetworkName::new("green"));
    assert_eq!(patch_ports(&world.input(), "br-int").len(), 1, "nobody waits for its port");
    let facts = world.survey(&[]);
    let names: Vec<&str> = facts.networks.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["default"]);
}

#[test]
fn a_pods_links_are_where_cni_has_them() {
    let mut world = World::new();
    let pod = || ObjectName::new("a", "p");
    let key = |nad: &str| AttachmentKey { pod: pod(), nad: ObjectName::new("a", nad), index: 0 };
    world.attach("default", AttachmentKey::on_default_network(pod()));
    world.attach("green", key("green"));
    world.attach("storage", key("storage"));
    let entry =
        |ip: &str| format!(r#"{{"ip_addresses":["{ip}"],"mac_address":"0a:58:0a:00:00:03"}}"#);
    let entries = format!(
        r#"{{"default":{},"a/green":{},"a/storage":{}}}"#,
        entry("10.128.0.3/23"),
        entry("10.77.4.3/24"),
        entry("10.77.4.9/24")
    );
    let facts = world.survey(&[(POD_NETWORKS, &entries), (SELECTION, "storage")]);
    let links: Vec<String> = facts
        .pods
        .iter()
        .map(|it| format!("{} {} {} {}", it.logical_port, it.link, it.interface, it.addresses[0]))
        .collect();
    let want = [
        "a_p sssssssssssssss eth0 10.128.0.3/23",
        "a.green_a_p sssssssssssss_1 ovn-udn1 10.77.4.3/24",
        "a.storage_a_p sssssssssssss_2 net1 10.77.4.9/24",
    ];
    assert_eq!(links, want);
}

#[test]
fn a_machine_takes_over_what_its_annotation_says_and_only_its_main_address() {
    use udn_model::Lock;

    use crate::facts::Guest;

    let place = PodPlace { namespace: "/run/netns/p".into(), sandbox: "s".repeat(20) };
    let world = World::new();
    let key = AttachmentKey::on_default_network(ObjectName::new("a", "p"));
    let network = world.intent.networks[&NetworkName::new("default")].clone();
    let attachment = |lock| Attachment {
        lock,
        ..Attachment::new(key.clone(), network.name.clone(), world.node.clone(), "uid")
    };
    let entry =
        r#"{"default":{"ip_addresses":["10.128.0.3/23"],"mac_address":"0a:58:0a:80:00:03"}}"#;
    let takes_over = ("kubevirt.io/allow-pod-bridge-network-live-migration", "");
    let check = |label: Option<&str>, annotations: &[(&str, &str)], lock, want| {
        let own = |(key, text): (&str, &str)| (key.to_owned(), text.to_owned());
        let metadata = Metadata {
            labels: label.map(|it| own(("kubevirt.io", it))).into_iter().collect(),
            annotations: annotations
                .iter()
                .copied()
                .chain([(POD_NETWORKS, entry)])
                .map(own)
                .collect(),
            ..Metadata::default()
        };
        let facts = pod_facts(&world.settings, (&attachment(lock), &network), &metadata, &place);
        assert_eq!(facts.map(|it| it.guest), Some(want));
    };
    let launcher = Some("virt-launcher");
    let lock = || Some(Lock { open_ports: Vec::new() });
    check(None, &[takes_over], None, Guest::None);
    check(Some("other"), &[takes_over], None, Guest::None);
    check(launcher, &[], None, Guest::Sharing);
    check(launcher, &[takes_over], None, Guest::TakingOver);
    check(launcher, &[takes_over], lock(), Guest::Sharing);
}

#[test]
fn only_a_primary_networks_gateway_is_a_pods_router() {
    let mut world = World::new();
    let pod = || ObjectName::new("a", "p");
    let key = |nad: &str| AttachmentKey { pod: pod(), nad: ObjectName::new("a", nad), index: 0 };
    world.attach("green", key("green"));
    world.attach("storage", key("storage"));
    let entry = r#"{"mac_address":"0a:58:0a:00:00:03","ipv6_lla_gateway_ip":"fe80::1"}"#;
    let entries = format!(r#"{{"a/green":{entry},"a/storage":{entry}}}"#);
    let facts = world.survey(&[(POD_NETWORKS, &entries), (SELECTION, "storage")]);
    let routers: Vec<_> = facts.pods.iter().map(|it| it.router.map(|ip| ip.to_string())).collect();
    assert_eq!(routers, [Some("fe80::1".to_owned()), None]);
}
