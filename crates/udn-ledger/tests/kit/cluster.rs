//! A cluster in miniature: pods and claims on a server, and a controller that settles them.
//!
//! Invariant: what is written here is all that survives a restart of the controller.
#![allow(dead_code, reason = "not every test uses everything")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_ledger::{Ledger, Waiter, settle_claim, settle_pod};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Claim, ClusterSettings, Findings, Intent,
    InterfaceAddress, Network, NetworkName, ObjectName, PublishedClaim,
};

use super::chance::Chance;

/// A pod as the server has it.
#[derive(Debug, Clone)]
pub(crate) struct Pod {
    pub(crate) attachment: Attachment,
    pub(crate) written: Option<AttachmentGrant>,
}

/// A claim as the server has it.
#[derive(Debug, Clone)]
pub(crate) struct ClaimObject {
    pub(crate) claim: Claim,
    pub(crate) written: PublishedClaim,
}

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    Done,
    /// The controller goes on, and tries again later.
    Lost,
    /// The controller ends before it wrote anything.
    CrashBefore,
    /// The controller ends right after it wrote.
    CrashAfter,
}

/// How often what happened.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) settled: usize,
    pub(crate) requests: usize,
    pub(crate) conflicts: usize,
    pub(crate) exhausted: usize,
    pub(crate) restarts: usize,
}

/// The server and the controller.
pub(crate) struct Cluster {
    pub(crate) settings: ClusterSettings,
    pub(crate) networks: BTreeMap<NetworkName, Arc<Network>>,
    pub(crate) pods: BTreeMap<ObjectName, Pod>,
    pub(crate) claims: BTreeMap<ObjectName, ClaimObject>,
    /// The pods that name a claim, the oldest first.
    users: BTreeMap<ObjectName, BTreeSet<(String, AttachmentKey)>>,
    /// The addresses that pods of a claim were seen with.
    seen: BTreeMap<ObjectName, Vec<InterfaceAddress>>,
    pub(crate) ledger: Ledger,
    pub(crate) touched: BTreeSet<Waiter>,
    /// Who was settled once before.
    pub(crate) met: BTreeSet<String>,
    pub(crate) counts: Counts,
}

impl Cluster {
    pub(crate) fn new(networks: Vec<Network>) -> Self {
        let settings = ClusterSettings::default();
        let networks = networks.into_iter().map(|it| (it.name.clone(), Arc::new(it))).collect();
        let mut cluster = Self {
            ledger: Ledger::new(&settings),
            settings,
            networks,
            pods: BTreeMap::new(),
            claims: BTreeMap::new(),
            users: BTreeMap::new(),
            seen: BTreeMap::new(),
            touched: BTreeSet::new(),
            met: BTreeSet::new(),
            counts: Counts::default(),
        };
        cluster.restart();
        cluster
    }

    /// The controller begins anew, with what the server has.
    pub(crate) fn restart(&mut self) {
        self.counts.restarts += 1;
        self.ledger = Ledger::new(&self.settings);
        for network in self.networks.clone().into_keys() {
            self.open(&network);
        }
        self.touched.extend(self.pods.keys().cloned().map(Waiter::Pod));
        self.touched.extend(self.claims.keys().cloned().map(Waiter::Claim));
    }

    /// Opens a network with everything that is carried there.
    pub(crate) fn open(&mut self, network: &NetworkName) {
        let mut intent = self.intent();
        for pod in self.pods.values().filter(|it| it.attachment.network == *network) {
            add_pod(&mut intent, pod);
        }
        for claim in self.claims.values().filter(|it| it.claim.network == *network) {
            self.add_claim(&mut intent, &claim.claim.name);
        }
        let woken = self.ledger.open_network(&intent, network, &self.settings);
        self.touched.extend(woken);
    }

    pub(crate) fn create_pod(&mut self, attachment: Attachment) {
        let name = attachment.key.pod.clone();
        if let Some(former) = self.pods.remove(&name) {
            self.forget_user(&former);
        }
        if let Some(claim) = &attachment.claim {
            self.touched.insert(Waiter::Claim(claim.clone()));
            let user = (attachment.created.clone(), attachment.key.clone());
            self.users.entry(claim.clone()).or_default().insert(user);
        }
        self.pods.insert(name.clone(), Pod { attachment, written: None });
        self.touched.insert(Waiter::Pod(name));
    }

    pub(crate) fn delete_pod(&mut self, name: &ObjectName) {
        let Some(pod) = self.pods.remove(name) else { return };
        self.forget_user(&pod);
        self.touched.extend(pod.attachment.claim.map(Waiter::Claim));
        let woken = self.ledger.release_pod(name);
        self.touched.extend(woken);
    }

    pub(crate) fn create_claim(&mut self, claim: Claim) {
        let name = claim.name.clone();
        self.claims.insert(name.clone(), ClaimObject { claim, written: PublishedClaim::default() });
        self.touch_users(&name);
        self.touched.insert(Waiter::Claim(name));
    }

    pub(crate) fn delete_claim(&mut self, name: &ObjectName) {
        if self.claims.remove(name).is_some() {
            self.seen.remove(name);
            let woken = self.ledger.release_claim(name);
            self.touched.extend(woken);
            self.touch_users(name);
        }
    }

    /// Settles one work item that was touched; nothing is left when there is none.
    pub(crate) fn step(&mut self, chance: &mut Chance, write: Write) -> bool {
        let Some(waiter) = self.pick(chance) else { return false };
        self.touched.remove(&waiter);
        match &waiter {
            Waiter::Pod(name) => self.settle_pod(name, write),
            Waiter::Claim(name) => self.settle_claim(name, write),
        }
        match write {
            Write::Done => {}
            Write::Lost => {
                self.touched.insert(waiter);
            }
            Write::CrashBefore | Write::CrashAfter => self.restart(),
        }
        true
    }

    /// Settles everything that is touched.
    pub(crate) fn drain(&mut self, chance: &mut Chance) {
        let mut steps = 0_usize;
        while self.step(chance, Write::Done) {
            steps += 1;
            let bound = 2000 + 100 * (self.pods.len() + self.claims.len());
            assert!(steps < bound, "the controller never comes to rest: {:?}", self.touched);
        }
    }

    fn pick(&self, chance: &mut Chance) -> Option<Waiter> {
        let position = chance.below(self.touched.len() as u64);
        self.touched.iter().nth(usize::try_from(position).expect("small")).cloned()
    }

    fn settle_pod(&mut self, name: &ObjectName, write: Write) {
        let Some(pod) = self.pods.get(name) else { return };
        let attachment = pod.attachment.clone();
        let mut intent = self.intent();
        add_pod(&mut intent, pod);
        if let Some(claim) = &attachment.claim {
            self.add_claim(&mut intent, claim);
        }
        let settled = settle_pod(&intent, name, &mut self.ledger, &self.settings);
        self.touched.extend(settled.woken);
        if attachment.claim.is_none() && self.met.insert(attachment.pod_uid.clone()) {
            let is_request = !attachment.request.addresses.is_empty();
            self.count(is_request || attachment.request.mac.is_some(), &settled.findings);
        }
        let granted = settled.value.attachment(&attachment.network, &attachment.key).cloned();
        let Some(pod) = self.pods.get_mut(name) else { return };
        if let (Some(written), Some(granted)) = (&pod.written, &granted) {
            assert_eq!(written, granted, "{name} lost what was written");
        }
        if let (Write::Done | Write::CrashAfter, Some(granted)) = (write, granted) {
            let claim = attachment.claim.filter(|it| self.claims.contains_key(it));
            if let (Some(claim), None) = (claim, &pod.written) {
                let seen = self.seen.entry(claim).or_insert_with(|| granted.addresses.clone());
                assert_eq!(*seen, granted.addresses, "{name} has not the addresses of its claim");
            }
            pod.written = Some(granted);
        }
    }

    fn settle_claim(&mut self, name: &ObjectName, write: Write) {
        if !self.claims.contains_key(name) {
            return;
        }
        let mut intent = self.intent();
        let claim = self.add_claim(&mut intent, name).expect("it is there");
        for key in &claim.users {
            add_pod(&mut intent, &self.pods[&key.pod]);
        }
        let settled = settle_claim(&intent, name, &mut self.ledger, &self.settings);
        self.touched.extend(settled.woken);
        let is_new = self.claims[name].written.addresses.is_empty() && !claim.users.is_empty();
        if is_new && self.met.insert(format!("{name} {}", claim.created)) {
            let user = claim.users.first().and_then(|key| self.pods.get(&key.pod));
            let asks = user.is_some_and(|it| {
                let request = &it.attachment.request;
                !request.addresses.is_empty() || request.mac.is_some()
            });
            self.count(asks || !claim.request.is_empty(), &settled.findings);
        }
        let object = self.claims.get_mut(name).expect("it is there");
        if let Some(granted) = &settled.value {
            let written = &object.written.addresses;
            assert!(written.is_empty() || *written == granted.addresses, "{name} lost addresses");
            if let Some(seen) = self.seen.get(name) {
                assert_eq!(*seen, granted.addresses, "{name} gets others than it had");
            }
        }
        if matches!(write, Write::Lost | Write::CrashBefore) {
            return;
        }
        let before = (object.written.clone(), object.claim.failure.clone());
        if let Some(granted) = settled.value {
            object.written =
                PublishedClaim { addresses: granted.addresses, mac: Some(granted.mac) };
        }
        object.claim.failure = settled.findings.first().map(|it| it.message.clone());
        if before != (object.written.clone(), object.claim.failure.clone()) {
            self.touched.insert(Waiter::Claim(name.clone()));
            self.touch_users(name);
        }
    }

    fn count(&mut self, is_request: bool, findings: &Findings) {
        use udn_model::Reason::{AddressTaken, MacTaken, PoolExhausted};
        let has = |reasons: &[_]| findings.iter().any(|it| reasons.contains(&it.reason));
        self.counts.settled += 1;
        self.counts.requests += usize::from(is_request);
        let is_conflict = is_request && has(&[AddressTaken, MacTaken]);
        self.counts.conflicts += usize::from(is_conflict);
        self.counts.exhausted += usize::from(has(&[PoolExhausted]));
    }

    fn touch_users(&mut self, claim: &ObjectName) {
        let users = self.users_of(claim).into_iter().map(|key| Waiter::Pod(key.pod));
        self.touched.extend(users);
    }

    fn forget_user(&mut self, pod: &Pod) {
        let Attachment { claim, created, key, .. } = &pod.attachment;
        if let Some(users) = claim.as_ref().and_then(|it| self.users.get_mut(it)) {
            users.remove(&(created.clone(), key.clone()));
        }
    }

    fn users_of(&self, claim: &ObjectName) -> Vec<AttachmentKey> {
        self.users.get(claim).into_iter().flatten().map(|(_, key)| key.clone()).collect()
    }

    fn intent(&self) -> Intent {
        Intent { networks: self.networks.clone(), ..Intent::default() }
    }

    fn add_claim(&self, intent: &mut Intent, name: &ObjectName) -> Option<Claim> {
        let object = self.claims.get(name)?;
        let claim = Claim { users: self.users_of(name), ..object.claim.clone() };
        intent.claims.insert(name.clone(), claim.clone());
        if object.written != PublishedClaim::default() {
            intent.published.claims.insert(name.clone(), object.written.clone());
        }
        Some(claim)
    }
}

fn add_pod(intent: &mut Intent, pod: &Pod) {
    let Attachment { network, key, .. } = &pod.attachment;
    let of = intent.attachments.entry(network.clone()).or_default();
    of.insert(key.clone(), pod.attachment.clone());
    if let Some(written) = &pod.written {
        let of = intent.published.attachments.entry(network.clone()).or_default();
        of.insert(key.clone(), written.clone());
    }
}
