//! A ledger that gives the addresses of one node's subnets.

use std::collections::BTreeMap;

use udn_model::network::{Layer3, Origin, Primary};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, ClusterSubnet, Intent, Network,
    NetworkName, NodeName, ObjectName, PerFamily, Role, Subnet, Subnets, Topology,
};

use super::network_on_node;
use crate::{Ledger, Settled, settle_pod};

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

fn network(role: Role) -> Network {
    let range = |text, host_prefix_len| ClusterSubnet { subnet: subnet(text), host_prefix_len };
    let subnets = vec![range("10.77.0.0/16", 29), range("fd10::/48", 64)];
    Network {
        name: NetworkName::new("blue"),
        origin: Origin::Nads,
        topology: Topology::Layer3(Layer3 { subnets, role }),
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("a", "blue")],
    }
}

fn primary() -> Role {
    Role::Primary(Primary { join: ClusterSettings::default().join, ..Primary::default() })
}

/// A node that gives addresses of its subnets to pods.
struct Giver {
    intent: Intent,
    ledger: Ledger,
    settings: ClusterSettings,
}

impl Giver {
    fn new(role: Role) -> Self {
        let subnets =
            PerFamily { v4: Some(subnet("10.77.1.0/29")), v6: Some(subnet("fd10:0:0:1::/64")) };
        let network = network_on_node(&network(role), &subnets);
        let settings = ClusterSettings::default();
        let mut intent = Intent::default();
        intent.networks.insert(network.name.clone(), network.into());
        let mut ledger = Ledger::new(&settings);
        ledger.open_network(&intent, &NetworkName::new("blue"), &settings);
        Self { intent, ledger, settings }
    }

    fn settle(&mut self, pod: &str) -> Settled<Vec<AttachmentGrant>> {
        let (name, network) = (ObjectName::new("a", pod), NetworkName::new("blue"));
        let nad = ObjectName::new("a", "blue");
        let key = AttachmentKey { pod: name.clone(), nad, index: 0 };
        let attachment = Attachment::new(key.clone(), network.clone(), NodeName::new("n"), "uid");
        self.intent.attachments.entry(network).or_default().insert(key, attachment);
        let Settled { value, findings, woken } =
            settle_pod(&self.intent, &name, &mut self.ledger, &self.settings);
        let value = value.attachments.into_values().flat_map(BTreeMap::into_values).collect();
        Settled { value, findings, woken }
    }

    #[track_caller]
    fn check(&mut self, pod: &str, want: &str) {
        let Settled { value, findings, .. } = self.settle(pod);
        assert_eq!(findings, []);
        let grant = &value[0];
        let texts: Vec<String> = grant.addresses.iter().map(ToString::to_string).collect();
        assert_eq!(format!("{} {}", texts.join(" "), grant.mac), want);
        assert_eq!(grant.port_key, None);
    }
}

#[test]
fn the_first_two_addresses_of_a_node_are_never_given() {
    for role in [primary(), Role::Secondary] {
        let mut giver = Giver::new(role);
        giver.check("one", "10.77.1.3/29 fd10:0:0:1::3/64 0a:58:0a:4d:01:03");
        giver.check("two", "10.77.1.4/29 fd10:0:0:1::4/64 0a:58:0a:4d:01:04");
    }
}

#[test]
fn a_full_node_says_how_many_are_in_use() {
    let mut giver = Giver::new(primary());
    for pod in ["one", "two", "three", "four"] {
        assert_eq!(giver.settle(pod).findings, []);
    }
    let told = giver.settle("five").findings;
    assert_eq!(
        told[0].to_string(),
        "pod a/five: PoolExhausted: all 4 addresses of 10.77.1.0/29 are in use (4 of 4); delete pods \
         and claims that are no longer needed, or use a network with more room"
    );
    let woken = giver.ledger.release_pod(&ObjectName::new("a", "two"));
    assert_eq!(woken.len(), 1, "who waits is told");
    giver.check("five", "10.77.1.4/29 fd10:0:0:1::7/64 0a:58:0a:4d:01:04");
}
