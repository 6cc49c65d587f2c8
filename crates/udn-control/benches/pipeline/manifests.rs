//! Manifests of many tenants: a primary layer-2 network each, pods spread over six nodes.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

pub(crate) const NODES: usize = 6;
/// Pods in the largest of the sizes, which has 450 networks.
const PODS: usize = 2500;
const LARGEST: usize = 450;

/// How many pods go with so many networks.
pub(crate) fn pods(networks: usize) -> usize {
    PODS * networks / LARGEST
}

/// Writes the manifests, some to each file.
pub(crate) fn write(networks: usize, folder: &Path) -> io::Result<()> {
    let nodes: String = (0..NODES).map(node).collect();
    fs::write(folder.join("nodes.yaml"), nodes)?;
    let tenants: String = (0..networks).map(tenant).collect();
    fs::write(folder.join("tenants.yaml"), tenants)?;
    let pods: String = (0..pods(networks)).map(|number| pod(number, networks)).collect();
    fs::write(folder.join("pods.yaml"), pods)
}

fn node(number: usize) -> String {
    let address = 11 + number;
    let addresses = format!("\"172.18.0.{address}/24\",\"fd00:172:18::{address}/64\"");
    let gateway = format!(
        "{{\"default\":{{\"mode\":\"shared\",\"bridge-id\":\"br-ex\",\
         \"mac-address\":\"02:42:ac:12:00:{address:02x}\",\"ip-addresses\":[{addresses}],\
         \"next-hops\":[\"172.18.0.1\",\"fd00:172:18::1\"],\"node-port-enable\":\"true\"}}}}"
    );
    format!(
        "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-{number}\n  annotations:\n    \
         k8s.ovn.org/node-chassis-id: chassis-{number}\n    \
         k8s.ovn.org/layer2-topology-version: \"2.0\"\n    \
         k8s.ovn.org/node-encap-ips: '[\"172.18.0.{address}\"]'\n    \
         k8s.ovn.org/host-cidrs: '[{addresses}]'\n    \
         k8s.ovn.org/l3-gateway-config: '{gateway}'\n"
    )
}

fn tenant(number: usize) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-{number}\n  labels:\n    \
         k8s.ovn.org/primary-user-defined-network: \"\"\n\
         ---\napiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\nmetadata:\n  \
         name: net\n  namespace: tenant-{number}\nspec:\n  topology: Layer2\n  layer2:\n    \
         role: Primary\n    subnets: [10.10.0.0/16, \"fd10::/64\"]\n"
    );
    text
}

fn pod(number: usize, networks: usize) -> String {
    let (tenant, node) = (number % networks, number % NODES);
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-{number}\n  \
         namespace: tenant-{tenant}\n  labels: {{app: web, tier: front}}\nspec:\n  \
         nodeName: node-{node}\n  containers:\n  - name: main\n    image: web\n    \
         ports: [{{containerPort: 8080}}]\nstatus: {{phase: Running}}\n"
    )
}
