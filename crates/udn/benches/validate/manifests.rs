//! A folder of manifests as a large cluster has them: namespaces, networks of all topologies, pods.

use std::fmt::Write;
use std::io;
use std::path::Path;

/// Writes that many files with one object each.
pub(crate) fn write(count: usize, folder: &Path) -> io::Result<()> {
    for number in 0..count {
        let group = number / 10;
        let text = match number % 10 {
            0..3 => namespace(group * 3 + number % 10),
            3 => primary(group),
            4 => secondary(group),
            5 => localnet(group),
            position => pod(group, position),
        };
        std::fs::write(folder.join(format!("{number:06}.yaml")), text)?;
    }
    Ok(())
}

fn namespace(number: usize) -> String {
    format!(
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-{number}\n  labels:\n    \
         kubernetes.io/metadata.name: team-{number}\n    \
         k8s.ovn.org/primary-user-defined-network: \"\"\n"
    )
}

fn primary(group: usize) -> String {
    let namespace = group * 3;
    format!(
        "apiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\nmetadata:\n  name: main\n  \
         namespace: team-{namespace}\nspec:\n  topology: Layer2\n  layer2:\n    role: Primary\n    \
         mtu: 1400\n    subnets:\n    - 10.0.0.0/16\n    - fd00:10::/64\n    ipam:\n      \
         lifecycle: Persistent\n"
    )
}

fn secondary(group: usize) -> String {
    let namespace = group * 3 + 1;
    format!(
        "apiVersion: k8s.ovn.org/v1\nkind: UserDefinedNetwork\nmetadata:\n  name: storage\n  \
         namespace: team-{namespace}\nspec:\n  topology: Layer2\n  layer2:\n    role: Secondary\n    \
         subnets:\n    - 192.168.0.0/20\n"
    )
}

fn localnet(group: usize) -> String {
    let mut text = format!(
        "apiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwork\nmetadata:\n  \
         name: wire-{group}\nspec:\n  namespaceSelector:\n    matchLabels:\n      \
         kubernetes.io/metadata.name: team-{}\n  network:\n    topology: Localnet\n    localnet:\n      \
         role: Secondary\n      physicalNetworkName: rack-{}\n",
        group * 3 + 2,
        group / 1000
    );
    let (second, third) = (group / 256, group % 256);
    write!(
        text,
        "      vlan:\n        mode: Access\n        access:\n          id: {}\n      subnets:\n      \
         - 172.{}.{third}.0/24\n      excludeSubnets:\n      - 172.{}.{third}.0/28\n",
        1 + group % 4000,
        16 + second,
        16 + second,
    )
    .expect("texts grow without failing");
    text
}

fn pod(group: usize, position: usize) -> String {
    let namespace = group * 3 + position % 3;
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-{position}\n  namespace: team-{namespace}\n\
         spec:\n  containers:\n  - name: web\n    image: registry.example/web:1\n"
    )
}
