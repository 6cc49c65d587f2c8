//! The picture of a small cluster.

use udn_cluster::World;
use udn_cluster::dry_run::{Scope, dry_run};
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, Grants, Intent, Network, NetworkName, NodeName,
    ObjectName, PerFamily, Subnet,
};

use super::draw;
use crate::assume_nodes;
use crate::matrix::{Host, Reach};

const MANIFESTS: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Node
metadata: {name: node-2}
---
apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {k8s.ovn.org/primary-user-defined-network: ""}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: red, namespace: a}
spec:
  topology: Layer2
  layer2: {role: Primary, subnets: [10.10.0.0/16]}
---
apiVersion: v1
kind: Pod
metadata: {name: p1, namespace: a}
spec: {nodeName: node-1, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p2, namespace: a}
spec: {nodeName: node-2, containers: [{name: c, image: i}]}
"#;

#[test]
fn everything_appears_once() {
    let mut world = World::read([("manifests", MANIFESTS.as_bytes())]).world;
    assume_nodes(&mut world);
    let cluster = dry_run(world, &ClusterSettings::default(), Scope::Manifests);
    let host = Host {
        name: "outside".into(),
        addresses: vec!["172.18.0.1/24".parse().unwrap()],
        reach: Reach::Outside,
    };
    let other = Host {
        name: "elsewhere".into(),
        addresses: Vec::new(),
        reach: Reach::Localnet(NetworkName::new("other")),
    };
    let drawn = draw(&cluster.intent.value, &cluster.grants, &[host, other]);
    assert_eq!(
        drawn,
        "\
outside 172.18.0.1/24
══╤══ underlay
  ├── node-1 172.18.0.11/24 fd00:172:18::b/64
  └── node-2 172.18.0.12/24 fd00:172:18::c/64

a_red (layer 2, primary) 10.10.0.0/16
  ├── gateway 10.10.0.1 0a:58:0a:0a:00:01, the same on every node
  ├── node-1
  │    └── p1 10.10.0.3 0a:58:0a:0a:00:03
  └── node-2
       └── p2 10.10.0.4 0a:58:0a:0a:00:04
"
    );
}

#[test]
fn each_node_shows_its_part_of_a_cut_network() {
    let (mut intent, mut grants) = (Intent::default(), Grants::default());
    let settings = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    let network = Network::of_settings(&settings).unwrap();
    let part = |v4, v6| {
        let read = |text| Some(Subnet::parse(text).unwrap());
        PerFamily { v4: read(v4), v6: read(v6) }
    };
    let parts = [
        (NodeName::new("n1"), part("10.128.0.0/23", "fd01:0:0:1::/64")),
        (NodeName::new("n2"), part("10.128.2.0/23", "fd01:0:0:2::/64")),
    ];
    grants.node_subnets.insert(network.name.clone(), parts.into());
    let key = AttachmentKey::on_default_network(ObjectName::new("a", "p1"));
    let pod = Attachment::new(key.clone(), network.name.clone(), NodeName::new("n2"), "uid");
    intent.attachments.insert(network.name.clone(), [(key, pod)].into());
    intent.networks.insert(network.name.clone(), network.into());
    let drawn = draw(&intent, &grants, &[]);
    assert!(
        drawn.ends_with(
            "\
default (layer 3) 10.128.0.0/14 fd01::/48
  ├── n1 10.128.0.0/23 fd01:0:0:1::/64
  └── n2 10.128.2.0/23 fd01:0:0:2::/64
       └── p1  waiting
"
        ),
        "{drawn}"
    );
}
