//! The input of a case: the objects that a zone hears of, and what the cluster is set to.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use udn_cluster::reconciler::Change;
use udn_cluster::{Act, Write};
use udn_model::settings::PortRange;
use udn_model::{
    ClusterSettings, ClusterSubnet, Family, GatewayMode, Mtu, NodeName, ObjectName, PerFamily,
    Subnet,
};
use udn_wire::Kind;
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::AnyObject;
use udn_zone::KINDS;

use super::cases::Case;

/// The objects of a case, and what the cluster is set to.
pub(crate) struct Input {
    objects: Vec<AnyObject>,
    /// How often something has happened to the objects.
    version: u64,
    pub(crate) settings: ClusterSettings,
    pub(crate) zone: NodeName,
}

impl Input {
    pub(crate) fn of(case: &Case) -> Self {
        let mut settings = settings(case.input("config"));
        let controllers = case.input("controllers").as_array().into_iter().flatten();
        let is_default = |it: &Value| it.as_str().unwrap().starts_with("default network");
        settings.builds_default_network = controllers.into_iter().any(is_default);
        let zone = NodeName::new(case.input("local_node").as_str().unwrap());
        let objects = case.input("objects").as_array().unwrap().iter();
        let mut objects: Vec<AnyObject> = objects.filter_map(object).collect();
        // The other project's older tests do not run what reads services.
        let has_services = !case.input("controllers").is_null();
        objects.retain(|it| has_services || it.kind() != Kind::Service);
        Self { objects, version: 0, settings, zone }
    }

    /// All objects, as a server lists them.
    pub(crate) fn listed(&self) -> Vec<Change> {
        let listed = |kind: Kind| {
            let objects = self.objects.iter().filter(|it| it.kind() == kind).cloned().collect();
            Change::Listed { kind, objects, version: 0 }
        };
        KINDS.into_iter().map(listed).collect()
    }

    /// Does what a step says: objects go, and others come or change. Pods then carry what the other
    /// project's controllers wrote on them.
    pub(crate) fn take_step(&mut self, step: &Value) -> Vec<Change> {
        let list = |key: &str| step[key].as_array().cloned().unwrap_or_default();
        let gone = list("delete");
        let is_gone = |it: &AnyObject| gone.iter().any(|gone| is_named(it, gone));
        let mut changes = self.remove(is_gone);
        let updated = Some(step["network_updated"].clone()).filter(|it| !it.is_null());
        for object in list("apply").iter().chain(&updated).filter_map(object) {
            self.objects.retain(|it| it.target() != object.target());
            self.objects.push(object);
        }
        self.address_pods(&step["pod_networks"]);
        for object in &mut self.objects {
            object.metadata_mut().resource_version = self.version.to_string();
        }
        changes.extend(self.objects.iter().cloned().map(|it| Change::Put(Box::new(it))));
        changes
    }

    /// Writes on pods what the other project's controllers wrote.
    pub(crate) fn address_pods(&mut self, pods: &Value) {
        for object in &mut self.objects {
            let AnyObject::Pod(pod) = object else { continue };
            let metadata = &mut pod.metadata;
            let told = &pods[format!("{}/{}", metadata.namespace, metadata.name)];
            if !told.is_null() {
                metadata.annotations.insert(POD_NETWORKS.to_owned(), told.to_string());
            }
        }
    }

    /// Takes out the pods that are given something, in the order of their addresses: the first that came
    /// has the lowest.
    pub(crate) fn take_pods(&mut self, given: &Value) -> Vec<AnyObject> {
        let address = |object: &AnyObject| {
            let metadata = object.metadata();
            let pod = &given[format!("{}/{}", metadata.namespace, metadata.name)];
            let entries = pod.as_object().into_iter().flat_map(|it| it.values());
            let texts = entries.filter_map(|it| it["ip_addresses"][0].as_str());
            texts.filter_map(|it| it.split('/').next()?.parse::<IpAddr>().ok()).min()
        };
        let mut pods: Vec<AnyObject> =
            self.objects.extract_if(.., |it| it.kind() == Kind::Pod).collect();
        pods.sort_by_key(address);
        pods
    }

    /// A pod comes.
    pub(crate) fn add(&mut self, mut pod: AnyObject) -> Vec<Change> {
        self.version += 1;
        pod.metadata_mut().resource_version = self.version.to_string();
        self.objects.push(pod.clone());
        vec![Change::Put(Box::new(pod))]
    }

    /// Writes on pods what the zone wants to be written there; returns what changes so.
    pub(crate) fn publish(&mut self, writes: &BTreeMap<ObjectName, Write>) -> Vec<Change> {
        self.version += 1;
        let mut changes = Vec::new();
        for object in &mut self.objects {
            let AnyObject::Pod(pod) = object else { continue };
            let name = ObjectName::new(&pod.metadata.namespace, &pod.metadata.name);
            let Some(Write { act: Act::TestedPatch(patch), .. }) = writes.get(&name) else {
                continue;
            };
            let key = POD_NETWORKS.replace('/', "~1");
            let path = format!("/metadata/annotations/{key}");
            let text = |it: &&Value| it["path"] == path && it["op"] != "test";
            let whole = |it: &&Value| it["path"] == "/metadata/annotations" && it["op"] != "test";
            let patch = patch.as_array().unwrap();
            let value = patch.iter().find(text).map(|it| &it["value"]);
            let value = value.or_else(|| Some(&patch.iter().find(whole)?["value"][POD_NETWORKS]));
            let value = value.and_then(Value::as_str).expect("the write is about the annotation");
            pod.metadata.annotations.insert(POD_NETWORKS.to_owned(), value.to_owned());
            pod.metadata.resource_version = self.version.to_string();
            changes.push(Change::Put(Box::new(object.clone())));
        }
        changes
    }

    /// What pods carry.
    pub(crate) fn pod_networks(&self) -> BTreeMap<String, Value> {
        let pods = self.objects.iter().filter_map(|it| match it {
            AnyObject::Pod(pod) => Some(&pod.metadata),
            _ => None,
        });
        let carried = pods.filter_map(|it| {
            let text = it.annotations.get(POD_NETWORKS)?;
            Some((format!("{}/{}", it.namespace, it.name), serde_json::from_str(text).unwrap()))
        });
        carried.collect()
    }

    /// Writes on pods what the ports show that they are to have; where a case tells no annotations.
    pub(crate) fn address_pods_as_drawn(&mut self, tables: &Value) {
        let ports = tables["Logical_Switch_Port"].as_array().into_iter().flatten();
        for port in ports.filter(|it| it["external_ids"]["pod"] == "true") {
            let marks = &port["external_ids"];
            let Some(nad) = marks["k8s.ovn.org/nad"].as_str() else { continue };
            let namespace = &marks["namespace"];
            let mut words = port["addresses"][0].as_str().unwrap().split(' ');
            let mac = words.next().unwrap();
            let ips: Vec<String> = words.map(|ip| format!("{ip}/24")).collect();
            let name = port["name"].as_str().unwrap().rsplit('_').next().unwrap();
            let pod = format!("{}/{name}", namespace.as_str().unwrap());
            self.address_pods(&json!({pod: {nad: {"mac_address": mac, "ip_addresses": ips}}}));
        }
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
        self.version += 1;
        let version = self.version;
        let gone = self.objects.extract_if(.., |it| is_gone(it));
        gone.map(|it| Change::Removed { target: it.target(), version }).collect()
    }
}

/// Whether a step names the object.
fn is_named(object: &AnyObject, told: &Value) -> bool {
    let metadata = object.metadata();
    let namespace = told["metadata"]["namespace"].as_str().unwrap_or_default();
    let is_kind = object.kind().to_string() == told["kind"].as_str().unwrap();
    is_kind && metadata.name == told["metadata"]["name"] && metadata.namespace == namespace
}

// Not through `World::read`: the other project's tests use names that no server would take.
fn object(object: &Value) -> Option<AnyObject> {
    match object["kind"].as_str().unwrap() {
        "Namespace" => Some(AnyObject::Namespace(read(object))),
        "Node" => Some(AnyObject::Node(read(object))),
        "NetworkAttachmentDefinition" => Some(AnyObject::Nad(read(object))),
        "Pod" => Some(AnyObject::Pod(read(object))),
        "Service" => Some(AnyObject::Service(read(object))),
        "EndpointSlice" | "NetworkPolicy" | "EgressFirewall" => None,
        other => panic!("unknown kind {other}"),
    }
}

fn read<T: DeserializeOwned>(object: &Value) -> T {
    serde_json::from_value(object.clone()).unwrap()
}

fn settings(config: &Value) -> ClusterSettings {
    let families = [("ipv4", Family::V4), ("ipv6", Family::V6)];
    let families = families.into_iter().filter(|(key, _)| config[*key] == true);
    let subnet = |text: &Value| Subnet::parse(text.as_str()?).ok();
    let texts = |key: &str| config[key].as_array().cloned().unwrap_or_default();
    let usual = ClusterSettings::default();
    let mut default_join = usual.default_join;
    for it in texts("cluster_join_subnets").iter().filter_map(subnet) {
        default_join.put(it.family(), it);
    }
    let (v4, v6) = (&config["v4_masquerade_subnet"], &config["v6_masquerade_subnet"]);
    ClusterSettings {
        families: families.map(|(_, family)| family).collect::<BTreeSet<_>>(),
        gateway_mode: match config["gateway_mode"].as_str().unwrap() {
            "local" => GatewayMode::Local,
            _ => GatewayMode::Shared,
        },
        mtu: Mtu::new(u32::try_from(config["mtu"].as_u64().unwrap()).unwrap()).unwrap(),
        masquerade: PerFamily { v4: subnet(v4), v6: subnet(v6) },
        cluster_subnets: texts("cluster_subnets").iter().map(cluster_subnet).collect(),
        default_join,
        service_subnets: texts("service_cidrs").iter().filter_map(subnet).collect(),
        ephemeral_ports: config["ephemeral_port_range"].as_str().and_then(ports),
        ..usual
    }
}

/// `10.128.0.0/14/23`.
fn cluster_subnet(text: &Value) -> ClusterSubnet {
    let (subnet, length) = text.as_str().unwrap().rsplit_once('/').unwrap();
    ClusterSubnet {
        subnet: Subnet::parse(subnet).unwrap(),
        host_prefix_len: length.parse().unwrap(),
    }
}

fn ports(text: &str) -> Option<PortRange> {
    let (first, last) = text.split_once('-')?;
    Some(PortRange { first: first.parse().ok()?, last: last.parse().ok()? })
}
