//! Pods and claims by example.

use std::sync::Arc;

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    AddressRequest, Attachment, AttachmentGrant, AttachmentKey, Claim, ClaimGrant, ClusterSettings,
    Grants, Intent, Network, NetworkName, NodeName, ObjectName, PerFamily, PublishedClaim,
    RequestedAddress, Role, Subnet, Subnets, Topology,
};

use super::{Settled, Waiter, settle_claim, settle_pod};
use crate::ledger::Ledger;

mod claims;
mod machines;
mod published;
mod requests;
mod waiters;

fn object(name: &str) -> ObjectName {
    ObjectName::new("ns", name)
}

fn primary() -> Topology {
    Topology::Layer2(Role::Primary(Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    }))
}

fn localnet() -> Topology {
    Topology::Localnet(Localnet { physical_network: "outside".into(), vlan: None })
}

fn network(topology: Topology, subnets: &[&str]) -> Network {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    Network {
        name: NetworkName::new("red"),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(subnets).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: Vec::new(),
    }
}

/// `10.0.0.5`, `10.0.0.5/24` or a MAC, in any number.
fn request(words: &str) -> AddressRequest {
    let mut request = AddressRequest::default();
    for word in words.split_whitespace() {
        if let Ok(mac) = word.parse() {
            request.mac = Some(mac);
            continue;
        }
        let (ip, length) = word.split_once('/').map_or((word, None), |(ip, it)| (ip, Some(it)));
        let prefix_len = length.map(|it| it.parse().unwrap());
        request.addresses.push(RequestedAddress { ip: ip.parse().unwrap(), prefix_len });
    }
    request
}

fn attachment(pod: &str, asks: &str) -> Attachment {
    let key = AttachmentKey { pod: object(pod), nad: object("red"), index: 0 };
    let (network, node) = (NetworkName::new("red"), NodeName::new("node"));
    let it = Attachment::new(key, network, node, format!("uid of {pod}"));
    Attachment { request: request(asks), ..it }
}

fn claim(name: &str, asks: &str) -> Claim {
    Claim {
        name: object(name),
        network: NetworkName::new("red"),
        created: String::new(),
        request: request(asks).addresses,
        users: Vec::new(),
        machine: None,
        failure: None,
    }
}

/// One network, its ledger, and what is known of pods and claims.
struct Controller {
    settings: ClusterSettings,
    intent: Intent,
    ledger: Ledger,
}

impl Controller {
    fn new(network: Network) -> Self {
        let settings = ClusterSettings::default();
        let mut intent = Intent::default();
        intent.networks.insert(network.name.clone(), Arc::new(network));
        let mut controller = Self { ledger: Ledger::new(&settings), settings, intent };
        controller.open();
        controller
    }

    fn open(&mut self) -> Vec<Waiter> {
        self.ledger.open_network(&self.intent, &NetworkName::new("red"), &self.settings)
    }

    fn restart(&mut self) {
        self.ledger = Ledger::new(&self.settings);
        self.open();
    }

    fn add(&mut self, attachment: Attachment) {
        if let Some(claim) = attachment.claim.as_ref().and_then(|it| self.intent.claims.get_mut(it))
        {
            claim.users.push(attachment.key.clone());
        }
        let of = self.intent.attachments.entry(attachment.network.clone()).or_default();
        of.insert(attachment.key.clone(), attachment);
    }

    fn add_claim(&mut self, claim: Claim) {
        self.intent.claims.insert(claim.name.clone(), claim);
    }

    fn settle(&mut self, pod: &str) -> Settled<Grants> {
        settle_pod(&self.intent, &object(pod), &mut self.ledger, &self.settings)
    }

    fn settle_claim(&mut self, name: &str) -> Settled<Option<ClaimGrant>> {
        settle_claim(&self.intent, &object(name), &mut self.ledger, &self.settings)
    }

    /// What a new pod with these requests gets, as one line; else what is found.
    fn ask(&mut self, pod: &str, asks: &str) -> String {
        self.add(attachment(pod, asks));
        self.line(pod)
    }

    fn line(&mut self, pod: &str) -> String {
        let settled = self.settle(pod);
        let grants = settled.value.attachments.values().flat_map(|it| it.values());
        let findings = settled.findings.iter().map(ToString::to_string);
        grants.map(line).chain(findings).collect::<Vec<_>>().join("; ")
    }

    fn claim_line(&mut self, name: &str) -> String {
        let settled = self.settle_claim(name);
        let grant = settled.value.iter().map(|it| {
            line(&AttachmentGrant { addresses: it.addresses.clone(), mac: it.mac, port_key: None })
        });
        let findings = settled.findings.iter().map(ToString::to_string);
        grant.chain(findings).collect::<Vec<_>>().join("; ")
    }

    /// What was settled for a pod becomes durable.
    fn publish(&mut self, pod: &str) {
        for (network, of) in self.settle(pod).value.attachments {
            self.intent.published.attachments.entry(network).or_default().extend(of);
        }
    }

    fn publish_claim(&mut self, name: &str) {
        if let Some(ClaimGrant { addresses, mac }) = self.settle_claim(name).value {
            let published = PublishedClaim { addresses, mac: Some(mac) };
            self.intent.published.claims.insert(object(name), published);
        }
    }

    /// The pod is gone.
    fn remove(&mut self, pod: &str) -> Vec<Waiter> {
        for of in self.intent.attachments.values_mut() {
            of.retain(|key, _| key.pod != object(pod));
        }
        for of in self.intent.published.attachments.values_mut() {
            of.retain(|key, _| key.pod != object(pod));
        }
        for claim in self.intent.claims.values_mut() {
            claim.users.retain(|key| key.pod != object(pod));
        }
        self.ledger.release_pod(&object(pod))
    }

    fn remove_claim(&mut self, name: &str) -> Vec<Waiter> {
        self.intent.claims.remove(&object(name));
        self.intent.published.claims.remove(&object(name));
        self.ledger.release_claim(&object(name))
    }
}

fn line(grant: &AttachmentGrant) -> String {
    let mut words: Vec<String> = grant.addresses.iter().map(ToString::to_string).collect();
    words.push(grant.mac.to_string());
    words.extend(grant.port_key.map(|it| it.to_string()));
    words.join(" ")
}
