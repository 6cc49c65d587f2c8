//! The input of a case: the objects that a zone hears of, and what the cluster is set to.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, Family, GatewayMode, Mtu, NodeName, PerFamily, Subnet};
use udn_wire::Kind;
use udn_wire::object::AnyObject;
use udn_zone::KINDS;

use super::cases::Case;

/// The objects of a case, and what the cluster is set to.
pub(crate) struct Input {
    objects: Vec<AnyObject>,
    pub(crate) settings: ClusterSettings,
    pub(crate) zone: NodeName,
}

impl Input {
    pub(crate) fn of(case: &Case) -> Self {
        let settings = settings(case.input("config"));
        let zone = NodeName::new(case.input("local_node").as_str().unwrap());
        let objects = case.input("objects").as_array().unwrap().iter();
        Self { objects: objects.filter_map(object).collect(), settings, zone }
    }

    /// All objects, as a server lists them.
    pub(crate) fn listed(&self) -> Vec<Change> {
        let listed = |kind: Kind| {
            let objects = self.objects.iter().filter(|it| it.kind() == kind).cloned().collect();
            Change::Listed { kind, objects, version: 0 }
        };
        KINDS.into_iter().map(listed).collect()
    }

    /// Deletes a node and its pods.
    pub(crate) fn remove_node(&mut self, name: &str) -> Vec<Change> {
        self.remove(|object| {
            let is_it = object.kind() == Kind::Node && object.metadata().name == name;
            is_it || matches!(object, AnyObject::Pod(pod) if pod.spec.node_name == name)
        })
    }

    /// Deletes all NADs and pods.
    pub(crate) fn remove_networks(&mut self) -> Vec<Change> {
        self.remove(|object| matches!(object.kind(), Kind::Nad | Kind::Pod))
    }

    /// Says on every node that it has the new topology.
    pub(crate) fn upgrade_nodes(&mut self) {
        let version = ("k8s.ovn.org/layer2-topology-version".to_owned(), "2.0".to_owned());
        for node in self.objects.iter_mut().filter(|it| it.kind() == Kind::Node) {
            node.metadata_mut().annotations.extend([version.clone()]);
        }
    }

    fn remove(&mut self, is_gone: impl Fn(&AnyObject) -> bool) -> Vec<Change> {
        let gone = self.objects.extract_if(.., |it| is_gone(it));
        gone.map(|it| Change::Removed { target: it.target(), version: 1 }).collect()
    }
}

// Not through `World::read`: the other project's tests use names that no server would take.
fn object(object: &Value) -> Option<AnyObject> {
    match object["kind"].as_str().unwrap() {
        "Namespace" => Some(AnyObject::Namespace(read(object))),
        "Node" => Some(AnyObject::Node(read(object))),
        "NetworkAttachmentDefinition" => Some(AnyObject::Nad(read(object))),
        "Pod" => Some(AnyObject::Pod(read(object))),
        // The other project's tests do not run what reads services.
        "Service" => None,
        other => panic!("unknown kind {other}"),
    }
}

fn read<T: DeserializeOwned>(object: &Value) -> T {
    serde_json::from_value(object.clone()).unwrap()
}

fn settings(config: &Value) -> ClusterSettings {
    let families = [("ipv4", Family::V4), ("ipv6", Family::V6)];
    let families = families.into_iter().filter(|(key, _)| config[*key] == true);
    let subnet = |key: &str| Subnet::parse(config[key].as_str().unwrap()).ok();
    ClusterSettings {
        families: families.map(|(_, family)| family).collect::<BTreeSet<_>>(),
        gateway_mode: match config["gateway_mode"].as_str().unwrap() {
            "local" => GatewayMode::Local,
            _ => GatewayMode::Shared,
        },
        mtu: Mtu::new(u32::try_from(config["mtu"].as_u64().unwrap()).unwrap()).unwrap(),
        masquerade: PerFamily {
            v4: subnet("v4_masquerade_subnet"),
            v6: subnet("v6_masquerade_subnet"),
        },
        ..ClusterSettings::default()
    }
}
