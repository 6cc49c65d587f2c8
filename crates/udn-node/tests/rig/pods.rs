//! Pods as somebody in memory knows them: the CNI server's source of pods, without an API server.
//!
//! Reads what a test says of a pod; returns it to whoever waits for it.
//! Invariant: what is told here is all that the server hears of pods.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use udn_model::network::Origin;
use udn_model::{
    Attachment, AttachmentKey, ClusterSettings, Lock, MacAddress, Network, NetworkName, NodeName,
    ObjectName, Primary, Role, Subnets, Topology,
};
use udn_node::cni::{Ended, KnownAttachment, KnownPod, PodView, Pods};
use udn_wire::keys::{POD_NETWORKS, SELECTION};
use udn_wire::object::Metadata;

use crate::topology::subnet;

/// What is known of pods.
#[derive(Debug, Default)]
pub(crate) struct KnownPods {
    pods: Mutex<BTreeMap<ObjectName, watch::Sender<PodView>>>,
    is_unsynced: AtomicBool,
}

impl Pods for KnownPods {
    async fn next(&self, pod: &ObjectName, known: Option<u64>) -> Result<PodView, Ended> {
        let mut told = self.place(pod).subscribe();
        let view = told.wait_for(|view| known != Some(view.revision)).await;
        view.map(|view| view.clone()).map_err(|_| Ended)
    }

    fn is_synced(&self) -> bool {
        !self.is_unsynced.load(Ordering::SeqCst)
    }
}

impl KnownPods {
    /// Tells something of a pod, or that it is gone.
    pub(crate) fn tell(&self, name: &ObjectName, pod: Option<KnownPod>) {
        self.place(name).send_modify(|view| {
            view.revision += 1;
            view.pod = pod;
        });
    }

    /// Whether everything was heard of.
    pub(crate) fn set_synced(&self, is_synced: bool) {
        self.is_unsynced.store(!is_synced, Ordering::SeqCst);
    }

    fn place(&self, name: &ObjectName) -> watch::Sender<PodView> {
        let mut pods = self.pods.lock().expect("nobody panics here");
        let nothing = || watch::Sender::new(PodView { revision: 0, pod: None });
        pods.entry(name.clone()).or_insert_with(nothing).clone()
    }
}

/// The settings of a cluster whose default network is ours.
pub(crate) fn settings() -> Arc<ClusterSettings> {
    let mtu = udn_model::Mtu::new(1400).expect("1400 is within bounds");
    Arc::new(ClusterSettings { builds_default_network: true, mtu, ..<_>::default() })
}

/// A pod by its number, from which everything else follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PodNumber(pub(crate) u8);

/// Where the test's pods are: on the default network, the primary one, and a secondary one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum On {
    Default,
    Red,
    /// The same NAD may be named twice.
    Flat(u16),
}

impl PodNumber {
    pub(crate) fn name(self) -> ObjectName {
        ObjectName::new("a", &format!("pod{}", self.0))
    }

    pub(crate) fn uid(self) -> String {
        format!("uid-{}", self.0)
    }

    /// The runtime's name for the first life of the pod.
    pub(crate) fn sandbox(self) -> String {
        format!("{:0<64}", format!("5a{:03}", self.0))
    }

    pub(crate) fn key(self, on: On) -> AttachmentKey {
        let pod = self.name();
        match on {
            On::Default => AttachmentKey::on_default_network(pod),
            On::Red => AttachmentKey { pod, nad: ObjectName::new("a", "red"), index: 0 },
            On::Flat(index) => AttachmentKey { pod, nad: ObjectName::new("a", "flat"), index },
        }
    }

    /// The port's name in OVN.
    pub(crate) fn logical_port(self, on: On) -> String {
        let pod = format!("a_{}", self.name().name);
        match on {
            On::Default => pod,
            On::Red => format!("a.red_{pod}"),
            On::Flat(0) => format!("a.flat_{pod}"),
            On::Flat(index) => format!("a.flat.{index}_{pod}"),
        }
    }

    /// Addresses with their prefix lengths.
    pub(crate) fn addresses(self, on: On) -> Vec<String> {
        let host = 10 + u16::from(self.0);
        match on {
            On::Default => vec![format!("10.244.1.{host}/24")],
            On::Red => vec![format!("10.10.0.{host}/16"), format!("fd10:10::{host:x}/64")],
            On::Flat(index) => vec![format!("10.30.{index}.{host}/16")],
        }
    }

    pub(crate) fn ips(self, on: On) -> Vec<IpAddr> {
        let ip = |text: &String| text.split('/').next().and_then(|ip| ip.parse().ok());
        self.addresses(on).iter().filter_map(ip).collect()
    }

    pub(crate) fn mac(self, on: On) -> MacAddress {
        MacAddress::from_ip(self.ips(on)[0])
    }

    /// The entry of the annotation.
    fn entry(self, on: On) -> serde_json::Value {
        let (addresses, mac) = (self.addresses(on), self.mac(on).to_string());
        let mut entry = serde_json::json!({ "ip_addresses": addresses, "mac_address": mac });
        match on {
            On::Default => entry["role"] = "infrastructure-locked".into(),
            On::Red => {
                entry["role"] = "primary".into();
                entry["gateway_ips"] = serde_json::json!(["10.10.0.1", "fd10:10::1"]);
                entry["routes"] =
                    serde_json::json!([{ "dest": "10.96.0.0/16", "nextHop": "10.10.0.1" }]);
                entry["ipv6_lla_gateway_ip"] = "fe80::858:aff:fe0a:1".into();
            }
            On::Flat(_) => entry["role"] = "secondary".into(),
        }
        entry
    }

    /// The pod as it is known when it has these networks and addresses on some of them.
    pub(crate) fn known(self, on: &[On], addressed: &[On]) -> KnownPod {
        let entries: serde_json::Map<String, serde_json::Value> =
            addressed.iter().map(|on| (self.key(*on).nad_key(), self.entry(*on))).collect();
        let mut metadata = Metadata { uid: self.uid(), ..Metadata::default() };
        let selected: Vec<&str> =
            on.iter().filter(|on| matches!(on, On::Flat(_))).map(|_| "flat").collect();
        let annotations = [
            (POD_NETWORKS, serde_json::Value::Object(entries).to_string()),
            (SELECTION, selected.join(",")),
        ];
        metadata.annotations =
            annotations.into_iter().map(|(key, text)| (key.to_owned(), text)).collect();
        KnownPod {
            uid: self.uid(),
            is_leaving: false,
            metadata: Arc::new(metadata),
            attachments: on.iter().map(|it| self.attachment(*it, on.contains(&On::Red))).collect(),
            waits: vec!["a sentence of the zone controller's".to_owned()],
        }
    }

    fn attachment(self, on: On, has_primary: bool) -> KnownAttachment {
        let network = network(on);
        let (key, node) = (self.key(on), NodeName::new("n1"));
        let mut attachment = Attachment::new(key, network.name.clone(), node, self.uid());
        if on == On::Default && has_primary {
            attachment.lock = Some(Lock { open_ports: Vec::new() });
        }
        KnownAttachment { attachment, network: Arc::new(network) }
    }
}

fn network(on: On) -> Network {
    let (name, role, subnets) = match on {
        On::Default => return Network::of_settings(&settings()).expect("it is ours"),
        On::Red => ("red", Role::Primary(Primary::default()), ["10.10.0.0/16", "fd10:10::/64"]),
        On::Flat(_) => ("flat", Role::Secondary, ["10.30.0.0/16", "fd10:30::/64"]),
    };
    Network {
        name: NetworkName::new(&format!("cluster_udn_{name}")),
        origin: Origin::Nads,
        topology: Topology::Layer2(role),
        subnets: Subnets::new(subnets.map(subnet).into()).expect("the test's subnets are sound"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("a", name)],
    }
}
