//! The picture of a small cluster.

use udn_cluster::World;
use udn_cluster::dry_run::{Scope, dry_run};
use udn_model::{ClusterSettings, NetworkName};

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
