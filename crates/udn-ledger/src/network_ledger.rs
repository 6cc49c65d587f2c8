//! The numbers within one network: addresses, MACs, port keys.
//!
//! Invariant: nothing here depends on another network.

use std::collections::BTreeMap;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, Finding, Findings, MacAddress,
    Network, PortKey, Reason, Subject, Topology,
};

use crate::address_pool::AddressPool;
use crate::book::{Book, Refusal};

/// Port keys below this are kept for the network's own ports.
// compat: pkg/ovn/transit_router.go, reserved-platform-port-1 to -9
const FIRST_PORT_KEY: u16 = 10;

/// How many MACs are tried for an attachment without an address.
const MAC_TRIES: u32 = 16;

const LAST_MAC: u128 = 0xffff_ffff_ffff;

/// Who holds what in one network.
#[derive(Debug, Clone)]
pub(crate) struct NetworkLedger {
    /// What the pools were made for; they are made anew when it changes.
    network: Network,
    pools: Vec<AddressPool>,
    macs: Book<AttachmentKey>,
    ports: Option<Book<AttachmentKey>>,
    grants: BTreeMap<AttachmentKey, AttachmentGrant>,
}

impl NetworkLedger {
    pub(crate) fn new(network: &Network, settings: &ClusterSettings) -> Self {
        let pools = network.subnets.iter().map(|subnet| AddressPool::new(network, subnet));
        let has_ports = match network.topology {
            Topology::PrimaryLayer2(_) | Topology::SecondaryLayer2 => true,
            Topology::Localnet(_) => false,
        };
        let ports = has_ports.then(|| Book::new(1..=settings.pools.last_port_key.into()));
        let mut macs = Book::new(0..=LAST_MAC);
        for own in [network.gateway_mac(), network.management_mac()].into_iter().flatten() {
            macs.block(number(own)..=number(own));
        }
        Self {
            network: network.clone(),
            pools: pools.collect(),
            macs,
            ports,
            grants: BTreeMap::new(),
        }
    }

    /// Whether the pools still fit the network.
    pub(crate) fn is_for(&self, network: &Network) -> bool {
        let ours = &self.network;
        ours.topology == network.topology
            && ours.subnets == network.subnets
            && ours.excluded == network.excluded
    }

    pub(crate) fn grants(&self) -> &BTreeMap<AttachmentKey, AttachmentGrant> {
        &self.grants
    }

    /// Releases what nobody wants any more.
    pub(crate) fn keep_only(&mut self, wanted: &BTreeMap<AttachmentKey, Attachment>) {
        let gone: Vec<AttachmentKey> =
            self.grants.keys().filter(|key| !wanted.contains_key(*key)).cloned().collect();
        gone.iter().for_each(|key| self.release(key));
    }

    /// Writes down what was published for an attachment.
    pub(crate) fn adopt(&mut self, key: &AttachmentKey, published: &AttachmentGrant) -> Findings {
        if self.grants.get(key) == Some(published) {
            return Findings::new();
        }
        self.release(key);
        match self.hold(key, published) {
            Ok(()) => {
                self.grants.insert(key.clone(), published.clone());
                Findings::new()
            }
            Err(finding) => {
                self.release(key);
                vec![finding]
            }
        }
    }

    /// Grants what an attachment still lacks.
    pub(crate) fn grant(&mut self, attachment: &Attachment) -> Result<(), Finding> {
        let key = &attachment.key;
        if self.grants.contains_key(key) {
            return Ok(());
        }
        let granted = self.try_grant(attachment);
        match granted {
            Ok(grant) => {
                self.grants.insert(key.clone(), grant);
                Ok(())
            }
            Err(finding) => {
                self.release(key);
                Err(finding)
            }
        }
    }

    fn try_grant(&mut self, attachment: &Attachment) -> Result<AttachmentGrant, Finding> {
        let key = &attachment.key;
        let mut addresses = Vec::with_capacity(self.pools.len());
        for pool in &mut self.pools {
            let subnet = pool.subnet();
            let address = pool.grant(key).ok_or_else(|| exhausted(key, &subnet.to_string()))?;
            addresses.push(address);
        }
        let first = addresses.first().map(|it| MacAddress::from_ip(it.addr()));
        let mac = match first {
            Some(mac) => mac,
            None => self.free_mac(attachment)?,
        };
        self.hold_mac(key, mac)?;
        let port_key = self.grant_port(key)?;
        Ok(AttachmentGrant { addresses, mac, port_key })
    }

    fn hold(&mut self, key: &AttachmentKey, published: &AttachmentGrant) -> Result<(), Finding> {
        for address in &published.addresses {
            let ip = address.addr();
            let pool = self.pools.iter_mut().find(|pool| pool.subnet().contains(ip));
            let Some(pool) = pool else {
                let text = format!(
                    "{ip} on {key} is in none of the subnets of network {}; remove the pod's \
                     annotation, or give the network a subnet that holds the address",
                    self.network.name
                );
                return Err(finding(key, Reason::InvalidAnnotation, text));
            };
            pool.hold(key, ip).map_err(|refusal| taken(key, &ip.to_string(), refusal))?;
        }
        self.hold_mac(key, published.mac)?;
        if let (Some(ports), Some(port)) = (&mut self.ports, published.port_key) {
            let what = format!("port key {port}");
            ports.hold(key, port.get().into()).map_err(|it| taken(key, &what, it))?;
        }
        Ok(())
    }

    fn hold_mac(&mut self, key: &AttachmentKey, mac: MacAddress) -> Result<(), Finding> {
        self.macs.hold(key, number(mac)).map_err(|refusal| taken(key, &mac.to_string(), refusal))
    }

    /// A MAC for an attachment without an address: derived, so that it is the same after a crash.
    fn free_mac(&self, attachment: &Attachment) -> Result<MacAddress, Finding> {
        let Attachment { key, pod_uid, .. } = attachment;
        let mac = |counter| {
            MacAddress::from_text(&format!("{pod_uid}/{}/{counter}", key.definition_key()))
        };
        let is_free = |mac: &MacAddress| self.macs.is_free(number(*mac));
        (0..MAC_TRIES).map(mac).find(is_free).ok_or_else(|| exhausted(key, "the MAC range"))
    }

    fn grant_port(&mut self, key: &AttachmentKey) -> Result<Option<PortKey>, Finding> {
        let Some(ports) = &mut self.ports else { return Ok(None) };
        let platform = 0..=u128::from(FIRST_PORT_KEY - 1);
        let number = ports
            .grant_outside(key, &[platform])
            .ok_or_else(|| exhausted(key, "the pool of port keys"))?;
        Ok(u16::try_from(number).ok().and_then(PortKey::new))
    }

    fn release(&mut self, key: &AttachmentKey) {
        self.grants.remove(key);
        self.pools.iter_mut().for_each(|pool| pool.release(key));
        self.ports.iter_mut().for_each(|ports| ports.release(key));
        self.macs.release(key);
    }
}

fn number(mac: MacAddress) -> u128 {
    mac.octets().iter().fold(0, |number, octet| number << 8 | u128::from(*octet))
}

fn finding(key: &AttachmentKey, reason: Reason, message: String) -> Finding {
    Finding::new(Subject::Pod(key.pod.clone()), reason, message)
}

fn exhausted(key: &AttachmentKey, pool: &str) -> Finding {
    let message = format!(
        "{pool} has nothing left for {key}; delete pods that are no longer needed, or use a \
         network with more room"
    );
    finding(key, Reason::PoolExhausted, message)
}

fn taken(key: &AttachmentKey, what: &str, refusal: Refusal<AttachmentKey>) -> Finding {
    let holder = match refusal {
        Refusal::HeldBy(holder) => format!("held by {holder}"),
        Refusal::Blocked => "kept by the network itself".to_owned(),
    };
    let message = format!(
        "{what}, which the annotation of {key} claims, is {holder}; delete one of the two pods, or \
         the annotation"
    );
    finding(key, Reason::AlreadyTaken, message)
}
