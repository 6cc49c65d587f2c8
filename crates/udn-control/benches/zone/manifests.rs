//! What stands at the server: tenants with a primary network each, and pods over six nodes.
//!
//! Users' manifests go through the cluster controller's dry run and then through that of each node's
//! zone controller, so that NADs, nodes and pods carry what both write at a server. Some objects are late: they are created one by one afterwards.
//! Invariant: what is late changes nothing of what was there before.

use serde_json::{Value, json};
use udn_cluster::World;
use udn_cluster::dry_run::{Scope, dry_run};
use udn_control::zone::ZoneDryRun;
use udn_model::{NodeName, ObjectName};
use udn_wire::keys::PRIMARY_LABEL;
use udn_wire::object::AnyObject;

use crate::Outcome;
use crate::shape::Shape;

pub(crate) const NODES: usize = 6;
/// Pods in the round with 450 networks; the others have as many for each network.
const PODS: usize = 2_500;
const LARGEST: usize = 450;

/// How many are created one by one.
pub(crate) const LATE_PODS: usize = 200;
/// In how many networks, far from each other, late pods are: all that there are in the smallest round.
const CHANGING: usize = 50;
pub(crate) const LATE_NETWORKS: usize = 20;
pub(crate) const LATE_NODES: usize = 3;

/// Objects as the API server stores them, in an order in which they can be created.
pub(crate) struct Objects {
    pub(crate) pods: usize,
    pub(crate) present: Vec<Value>,
    pub(crate) late_pods: Vec<Value>,
    pub(crate) late_networks: Vec<Value>,
    pub(crate) late_nodes: Vec<Value>,
}

impl Objects {
    pub(crate) fn new(shape: Shape) -> Outcome<Self> {
        let networks = shape.networks;
        let pods = PODS * networks / LARGEST;
        let nodes: Vec<Value> = (0..NODES + LATE_NODES).map(node).collect();
        let tenants = (0..networks + LATE_NETWORKS).map(|number| format!("tenant-{number}"));
        let tenants: Vec<String> = tenants.collect();
        let early = (0..pods).map(|number| (number % networks, number % NODES));
        // On the zone's own node, and at each size in as many networks, so that it is those which do
        // not change that differ in number.
        let late = (0..LATE_PODS).map(|number| (number % CHANGING * (networks / CHANGING), 0));
        let all = early.chain(late).enumerate();
        let pod_objects = all.map(|(number, (tenant, node))| pod(number, &tenants[tenant], node));
        let mut pod_objects: Vec<Value> = pod_objects.collect();
        let namespaces: Vec<Value> = tenants.iter().map(|name| namespace(name)).collect();
        let written = written(shape, &nodes, &namespaces, &tenants, &pod_objects)?;
        let mut nodes: Vec<Value> = nodes.into_iter().map(|it| annotated(it, &written)).collect();
        pod_objects = pod_objects.into_iter().map(|it| annotated(it, &written)).collect();
        let mut nads: Vec<Value> = tenants.iter().map(|it| nad(it, &written)).collect();
        let late_nodes = nodes.split_off(NODES);
        let late_pods = pod_objects.split_off(pods);
        let late_networks = nads.split_off(networks);
        let present: Vec<Value> = [namespaces, nodes, nads, pod_objects].concat();
        Ok(Self { pods, present, late_pods, late_networks, late_nodes })
    }
}

/// The world when all controllers have written everything.
fn written(
    shape: Shape,
    nodes: &[Value],
    namespaces: &[Value],
    tenants: &[String],
    pods: &[Value],
) -> Outcome<World> {
    let networks: Vec<Value> = tenants
        .iter()
        .enumerate()
        .map(|(number, name)| network(name, shape.is_layer3(number)))
        .collect();
    let mut world = World::default();
    for object in nodes.iter().chain(namespaces).chain(&networks).chain(pods) {
        world.insert(object).map_err(|refused| format!("{refused:?}"))?;
    }
    let settings = shape.kind.settings();
    let run = dry_run(world, &settings, Scope::Manifests);
    if let Some(finding) = run.findings.first() {
        return Err(finding.to_string().into());
    }
    let mut world = run.world;
    for node in world.nodes.keys().cloned().collect::<Vec<_>>() {
        let zone = ZoneDryRun::new(&world, &node, &settings);
        let names = zone.writes().iter().map(|it| &it.target);
        let names = names.map(|it| ObjectName::new(&it.namespace, &it.name));
        let pods: Vec<_> = names.filter_map(|it| zone.world().pods.get(&it).cloned()).collect();
        for pod in pods {
            world.put(AnyObject::Pod(pod));
        }
    }
    Ok(world)
}

/// A node's or a pod's manifest with the annotations that were written.
fn annotated(mut object: Value, world: &World) -> Value {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
    let (namespace, name) = (text("namespace"), text("name"));
    let metadata = match namespace {
        "" => world.nodes.get(&NodeName::new(name)).map(|it| &it.metadata),
        _ => world.pods.get(&ObjectName::new(namespace, name)).map(|it| &it.metadata),
    };
    let annotations = metadata.map(|it| json!(it.annotations));
    object["metadata"]["annotations"] = annotations.unwrap_or_default();
    object
}

/// The NAD that was written for a tenant's network.
fn nad(tenant: &str, world: &World) -> Value {
    let nad = world.nads.get(&ObjectName::new(tenant, "net")).cloned().unwrap_or_default();
    let metadata = json!({ "namespace": tenant, "name": "net", "labels": nad.metadata.labels,
        "annotations": nad.metadata.annotations, "finalizers": nad.metadata.finalizers });
    json!({ "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
        "metadata": metadata, "spec": { "config": nad.spec.config } })
}

fn namespace(tenant: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": tenant, "labels": { PRIMARY_LABEL: "" } } })
}

fn network(tenant: &str, is_layer3: bool) -> Value {
    let metadata = json!({ "namespace": tenant, "name": "net" });
    if is_layer3 {
        let subnets = json!([{ "cidr": "10.10.0.0/16" }, { "cidr": "fd10::/48" }]);
        return json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
            "metadata": metadata, "spec": { "topology": "Layer3",
                "layer3": { "role": "Primary", "subnets": subnets } } });
    }
    let layer2 = json!({ "role": "Primary", "subnets": ["10.10.0.0/16", "fd10::/64"] });
    json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
        "metadata": metadata, "spec": { "topology": "Layer2", "layer2": layer2 } })
}

fn node(number: usize) -> Value {
    let address = 11 + number;
    let addresses = json!([format!("172.18.0.{address}/24"), format!("fd00:172:18::{address}/64")]);
    let gateway = json!({ "default": { "mode": "shared", "bridge-id": "br-ex",
        "mac-address": format!("02:42:ac:12:00:{address:02x}"), "ip-addresses": addresses,
        "next-hops": ["172.18.0.1", "fd00:172:18::1"], "node-port-enable": "true" } });
    let annotations = json!({
        "k8s.ovn.org/node-chassis-id": format!("node-{number}"),
        "k8s.ovn.org/layer2-topology-version": "2.0",
        "k8s.ovn.org/node-encap-ips": json!([format!("172.18.0.{address}")]).to_string(),
        "k8s.ovn.org/host-cidrs": addresses.to_string(),
        "k8s.ovn.org/l3-gateway-config": gateway.to_string() });
    json!({ "apiVersion": "v1", "kind": "Node",
        "metadata": { "name": format!("node-{number}"), "annotations": annotations } })
}

fn pod(number: usize, tenant: &str, node: usize) -> Value {
    let container = json!({ "name": "main", "image": "web", "ports": [{ "containerPort": 8080 }] });
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": tenant, "name": format!("pod-{number}"),
            "labels": { "app": "web", "tier": "front" } },
        "spec": { "nodeName": format!("node-{node}"), "containers": [container] } })
}
