//! A small controller: objects, a ledger, and reconciles of pods and claims as the cluster controller
//! does them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use udn_cluster::reconciler::writes;
use udn_cluster::{Act, Decision, NadState, NadStates, View, WorkItem, World, translate};
use udn_ledger::{Ledger, settle_claim, settle_pod};
use udn_model::{
    ClaimGrant, ClusterSettings, Finding, Findings, Grants, Intent, ObjectName, Reason, Severity,
    Subject, Told,
};
use udn_wire::{PodNetwork, PodNetworks, keys};

/// The namespace of everything here.
pub(crate) const HOME: &str = "namespace";

/// Objects and who holds what.
pub(crate) struct Controller {
    pub(crate) settings: ClusterSettings,
    /// By kind, namespace and name.
    objects: BTreeMap<(String, String, String), Value>,
    ledger: Ledger,
    is_open: bool,
}

/// What a reconcile of a pod came to.
pub(crate) struct Outcome {
    /// What the pod carries now on the network in question.
    pub(crate) entry: Option<PodNetwork>,
    /// What keeps the pod, or its claim, from addresses.
    pub(crate) findings: Findings,
}

impl Controller {
    /// A controller with a namespace.
    pub(crate) fn new(settings: ClusterSettings) -> Self {
        let (objects, ledger) = (BTreeMap::new(), Ledger::new(&settings));
        let mut controller = Self { settings, objects, ledger, is_open: false };
        controller.put_namespace(&json!({}));
        controller
    }

    fn put_namespace(&mut self, labels: &Value) {
        self.put(json!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": HOME, "labels": labels}}));
    }

    /// The pods of the namespace have a main network.
    pub(crate) fn label(&mut self) {
        self.put_namespace(&json!({keys::PRIMARY_LABEL: ""}));
    }

    /// The NAD of a network, from the fields of its configuration.
    pub(crate) fn put_network(&mut self, name: &str, config: &Value) {
        if config["role"] == "primary" {
            self.label();
        }
        let mut config = config.clone();
        config["type"] = "ovn-k8s-cni-overlay".into();
        config["netAttachDefName"] = format!("{HOME}/{name}").into();
        self.put(json!({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
            "metadata": {"name": name, "namespace": HOME,
                "annotations": {keys::NETWORK_ID: "1"}},
            "spec": {"config": config.to_string()}}));
    }

    pub(crate) fn put_pod(&mut self, name: &str, annotations: &Value) {
        self.put(json!({"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "node"},
            "metadata": {"name": name, "namespace": HOME, "annotations": annotations}}));
    }

    pub(crate) fn put(&mut self, object: Value) {
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let metadata = &object["metadata"];
        let key = (text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]));
        self.objects.insert(key, object);
    }

    fn object(&mut self, kind: &str, name: &ObjectName) -> Option<&mut Value> {
        let key = (kind.to_owned(), name.namespace.to_string(), name.name.to_string());
        self.objects.get_mut(&key)
    }

    /// A pod is gone, or ended.
    pub(crate) fn remove_pod(&mut self, name: &ObjectName) {
        let key = ("Pod".to_owned(), name.namespace.to_string(), name.name.to_string());
        self.objects.remove(&key);
        self.ledger.release_pod(name);
    }

    pub(crate) fn remove_claim(&mut self, name: &ObjectName) {
        let key = ("IPAMClaim".to_owned(), name.namespace.to_string(), name.name.to_string());
        self.objects.remove(&key);
        self.ledger.release_claim(name);
    }

    /// Opens the ledger with everything that pods and claims carry.
    pub(crate) fn open(&mut self) {
        let (_, told) = self.read();
        for network in told.value.networks.keys() {
            self.ledger.open_network(&told.value, network, &self.settings);
        }
        self.is_open = true;
    }

    /// What pods and claims ask for.
    pub(crate) fn read(&self) -> (World, Told<Intent>) {
        let texts: Vec<String> = self.objects.values().map(ToString::to_string).collect();
        let reading = World::read(texts.iter().map(|text| ("case", text.as_bytes())));
        assert!(reading.problems.is_empty(), "{:?}", reading.problems);
        let networks = translate::cluster(&reading.world, &self.settings).value.networks;
        let mut nad_states = NadStates::default();
        for network in networks.values() {
            for nad in &network.nads {
                nad_states.at.insert(nad.clone(), NadState::Ready(network.clone()));
                if network.is_primary() {
                    nad_states.primary.insert(nad.namespace.clone(), nad.clone());
                }
            }
        }
        let told = translate::pods(&reading.world, &nad_states, &self.settings);
        (reading.world, told)
    }

    /// A reconcile of a pod, after one of each claim that it uses; `key` names the entry in question.
    pub(crate) fn reconcile_pod(&mut self, pod: &ObjectName, key: &str) -> Outcome {
        if !self.is_open {
            self.open();
        }
        let intent = self.read().1.value;
        let mut findings = Findings::new();
        for claim in intent.claims.values() {
            if claim.users.iter().any(|user| user.pod == *pod) {
                findings.extend(self.reconcile_claim(&claim.name).findings);
            }
        }
        let (world, told) = self.read();
        let settled = settle_pod(&told.value, pod, &mut self.ledger, &self.settings);
        findings.extend(told.findings.into_iter().chain(settled.findings));
        findings.retain(|it| is_grave(it) && concerns(it, pod));
        self.publish(pod, world, told.value, settled.value);
        Outcome { entry: self.entry(pod, key), findings }
    }

    /// A reconcile of a claim; what it holds is written down.
    pub(crate) fn reconcile_claim(&mut self, name: &ObjectName) -> Told<Option<ClaimGrant>> {
        if !self.is_open {
            self.open();
        }
        let (_, told) = self.read();
        let settled = settle_claim(&told.value, name, &mut self.ledger, &self.settings);
        let Some(object) = self.object("IPAMClaim", name) else {
            return Told::new(settled.value, settled.findings);
        };
        if let Some(ClaimGrant { addresses, mac }) = &settled.value {
            let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            object["status"]["ips"] = texts.into();
            object["metadata"]["annotations"][keys::CLAIM_MAC] = mac.to_string().into();
        }
        Told::new(settled.value, settled.findings)
    }

    /// What a pod carries.
    pub(crate) fn entry(&mut self, pod: &ObjectName, key: &str) -> Option<PodNetwork> {
        let object = self.object("Pod", pod)?;
        let text = object["metadata"]["annotations"][keys::POD_NETWORKS].as_str()?;
        PodNetworks::decode(text).unwrap().entry(key).unwrap()
    }

    /// Writes what the pod was granted, as the cluster controller does.
    fn publish(&mut self, pod: &ObjectName, world: World, intent: Intent, grants: Grants) {
        let item = WorkItem::Pod(pod.clone());
        let (nad_states, cluster_nodes) = Default::default();
        let view = View { item, world, nad_states, cluster_nodes, layer3: Default::default() };
        let settings = Arc::new(self.settings.clone());
        let decision = Decision { settings, intent, grants, ..Decision::default() };
        for write in writes(&view, &decision).into_iter().flatten() {
            let Act::TestedPatch(steps) = write.act else { panic!("{write:?}") };
            let value = &steps[2]["value"];
            let text = value.as_str().or_else(|| value[keys::POD_NETWORKS].as_str()).unwrap();
            let object = self.object("Pod", pod).unwrap();
            object["metadata"]["annotations"][keys::POD_NETWORKS] = text.into();
        }
    }
}

/// Whether the finding keeps somebody from addresses.
fn is_grave(finding: &Finding) -> bool {
    finding.severity() == Severity::Error || finding.reason == Reason::Waiting
}

/// Whether the finding is about the pod, or a claim.
fn concerns(finding: &Finding, pod: &ObjectName) -> bool {
    match &finding.subject {
        Subject::Pod(name) => name == pod,
        Subject::Claim(_) => true,
        _ => false,
    }
}

/// The annotation that asks for something on the main network, or on another.
pub(crate) fn annotation(element: &Value, is_main: bool) -> (&'static str, String) {
    let mut element = element.clone();
    if is_main {
        element["name"] = "default".into();
        element["namespace"] = "ovn-kubernetes".into();
        return (keys::DEFAULT_SELECTION, json!([element]).to_string());
    }
    (keys::SELECTION, json!([element]).to_string())
}

/// Settings in which routes to services do not matter, and no subnet of a case is taken.
pub(crate) fn settings(requested_addresses: bool) -> ClusterSettings {
    let mut settings = ClusterSettings {
        cluster_subnets: Vec::new(),
        service_subnets: Vec::new(),
        ..ClusterSettings::default()
    };
    settings.features.requested_addresses = requested_addresses;
    settings
}
