//! The input of a case, through translation: objects in, intent and grants out.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_cluster::{World, translate};
use udn_ledger::accept;
use udn_model::{
    ClusterSettings, Family, GatewayMode, Grants, Intent, Mtu, NodeName, ObjectName, PerFamily,
    Subnet,
};
use udn_wire::object::{Nad, Node, Pod};

use super::cases::Case;

/// The objects of a case, and what the cluster is set to.
pub(crate) struct Input {
    world: World,
    settings: ClusterSettings,
    pub(crate) zone: NodeName,
}

/// Everything that a zone is drawn from.
pub(crate) struct Settled {
    pub(crate) intent: Intent,
    pub(crate) grants: Grants,
    pub(crate) settings: ClusterSettings,
}

impl Input {
    pub(crate) fn of(case: &Case) -> Self {
        let settings = settings(case.input("config"));
        let zone = NodeName::new(case.input("local_node").as_str().unwrap());
        let mut input = Self { world: World::default(), settings, zone };
        case.input("objects").as_array().unwrap().iter().for_each(|object| input.add(object));
        input
    }

    /// Translates and accepts, as the zone controller does.
    pub(crate) fn settle(&self) -> Settled {
        let intent = translate::zone(&self.world, &self.settings).value;
        let grants = accept(&intent, &self.settings).value;
        Settled { intent, grants, settings: self.settings.clone() }
    }

    /// Deletes a node and its pods.
    pub(crate) fn remove_node(&mut self, name: &str) {
        self.world.nodes.remove(&NodeName::new(name));
        self.world.pods.retain(|_, pod| pod.spec.node_name != name);
    }

    /// Deletes all NADs and pods.
    pub(crate) fn remove_networks(&mut self) {
        self.world.nads.clear();
        self.world.pods.clear();
    }

    /// Says on every node that it has the new topology.
    pub(crate) fn upgrade_nodes(&mut self) {
        let version = ("k8s.ovn.org/layer2-topology-version".to_owned(), "2.0".to_owned());
        for node in self.world.nodes.values_mut() {
            node.metadata.annotations.extend([version.clone()]);
        }
    }

    // Not through `World::read`: the other project's tests use names that no server would take.
    fn add(&mut self, object: &Value) {
        let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
        let name = ObjectName::new(text("namespace"), text("name"));
        match object["kind"].as_str().unwrap() {
            "Namespace" => {
                self.world.namespaces.insert(text("name").to_owned(), read(object));
            }
            "Node" => {
                let node: Node = read(object);
                self.world.nodes.insert(NodeName::new(text("name")), node);
            }
            "NetworkAttachmentDefinition" => {
                let nad: Nad = read(object);
                self.world.nads.insert(name, nad);
            }
            "Pod" => {
                let pod: Pod = read(object);
                self.world.pods.insert(name, pod);
            }
            // The other project's tests do not run what reads services.
            "Service" => {}
            other => panic!("unknown kind {other}"),
        }
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
