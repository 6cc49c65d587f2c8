//! What the zone controller takes from annotations.

use udn_model::network::{Origin, Primary};
use udn_model::{
    ClusterSettings, Intent, Network, NetworkId, NetworkName, Node, NodeId, NodeName, PerFamily,
    PublishedNetwork, Role, Subnet, Subnets, Topology, TunnelKey,
};

use super::accept;

fn intent(published: Option<PublishedNetwork>) -> Intent {
    let name = NetworkName::new("red");
    let topology = Topology::Layer2(Role::Primary(Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    }));
    let network = Network {
        name: name.clone(),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(vec![Subnet::parse("10.10.0.0/16").unwrap()]).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    };
    let mut intent = Intent::default();
    intent.networks.insert(name.clone(), network.into());
    intent.published.networks.extend(published.map(|published| (name, published)));
    intent
}

fn check(published: Option<PublishedNetwork>, want: Result<&str, &str>) {
    let told = accept(&intent(published), &ClusterSettings::default());
    let granted = told.value.networks.values().next();
    let transit = granted.and_then(|it| it.transit.v4).map(|it| it.to_string());
    let got = transit.ok_or_else(|| told.findings[0].message.clone());
    assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned));
}

#[test]
fn an_unpublished_network_is_waited_for() {
    let text = "the cluster controller has not published the network id yet; look at its status";
    check(None, Err(text));
    check(Some(PublishedNetwork::default()), Err(text));
    let half = PublishedNetwork { id: NetworkId::new(1), ..PublishedNetwork::default() };
    let text =
        "the cluster controller has not published the two tunnel keys yet; look at its status";
    check(Some(half), Err(text));
}

#[test]
fn a_published_network_is_taken_and_lacks_at_most_its_transit_subnet() {
    let keys = [16_711_684, 16_715_779].map(|key| TunnelKey::new(key).unwrap());
    let mut published = PublishedNetwork {
        id: NetworkId::new(1),
        tunnel_keys: Some(keys.to_vec()),
        transit: PerFamily::default(),
    };
    check(Some(published.clone()), Ok("100.88.0.0/16"));
    published.transit.v4 = Subnet::parse("100.90.0.0/16").ok();
    check(Some(published), Ok("100.90.0.0/16"));
}

#[test]
fn of_two_nodes_with_one_id_the_second_has_none() {
    let mut intent = Intent::default();
    for name in ["a", "b"] {
        let name = NodeName::new(name);
        let node = Node {
            name: name.clone(),
            chassis: None,
            gateway: None,
            addresses: Vec::new(),
            tunnel_addresses: Vec::new(),
            uses_transit_router: true,
        };
        intent.nodes.insert(name.clone(), node);
        intent.published.nodes.insert(name, NodeId::new(7).unwrap());
    }
    let told = accept(&intent, &ClusterSettings::default());
    assert_eq!(told.value.nodes.keys().map(NodeName::as_str).collect::<Vec<_>>(), ["a"]);
    assert_eq!(
        told.findings[0].to_string(),
        "node b: AlreadyTaken: node id 7 is held by a too; remove it from the annotations of b so \
         that a free one is granted"
    );
}
