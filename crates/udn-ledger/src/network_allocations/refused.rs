//! Why somebody does not get what it wants, in words.
//!
//! Invariant: a message says which number, who holds it, and what to do.

use std::net::IpAddr;

use udn_model::{
    Attachment, Claim, Finding, Findings, InterfaceAddress, MacAddress, ObjectName, Reason, Subject,
};

use super::claims::words;
use super::{Allocation, NetworkAllocations};
use crate::address_pool::AddressPool;
use crate::slab::SlabId;
use crate::waiting::Need;

/// Why nothing was granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) reason: Reason,
    pub(crate) message: String,
    /// What would help.
    pub(crate) need: Need,
    /// The finding of the other, where two carry one number.
    other: Option<Box<Finding>>,
    /// The claim that has to get its addresses first.
    awaited: Option<Box<Subject>>,
}

impl Refused {
    pub(super) fn new(reason: Reason, need: Need, message: String) -> Self {
        Self { reason, message, need, other: None, awaited: None }
    }

    /// A pod waits for its claim, which failed in these words.
    pub(super) fn by_claim(claim: &ObjectName, words: &str) -> Self {
        let refused = Self::new(Reason::Waiting, Need::Change, words.to_owned());
        Self { awaited: Some(Box::new(Subject::Claim(claim.clone()))), ..refused }
    }

    /// The findings of whom this happened to, and of the other.
    pub(crate) fn findings(self, subject: &Subject) -> Findings {
        let mut own = Finding::new(subject.clone(), self.reason, self.message);
        own.waits_for = self.awaited;
        [own].into_iter().chain(self.other.map(|it| *it)).collect()
    }
}

/// The addresses as a list.
pub(super) fn list(addresses: &[InterfaceAddress]) -> String {
    let words: Vec<String> = addresses.iter().map(|it| it.addr().to_string()).collect();
    words.join(", ")
}

pub(super) fn exhausted(pool: &AddressPool) -> Refused {
    let message = format!(
        "{}; delete pods and claims that are no longer needed, or use a network with more room",
        pool.exhaustion()
    );
    Refused::new(Reason::PoolExhausted, Need::AnyAddress, message)
}

pub(super) fn no_port(total: u128, need: Need) -> Refused {
    let message = format!(
        "all {total} port keys of the network are in use ({total} of {total}); delete pods that are \
         no longer needed"
    );
    Refused::new(Reason::PoolExhausted, need, message)
}

pub(super) fn kept(ip: IpAddr, pool: &AddressPool) -> Refused {
    let message =
        format!("{ip} is kept by the network itself; ask for another address of {}", pool.subnet());
    Refused::new(Reason::OutOfRange, Need::Change, message)
}

pub(super) fn own_mac(mac: MacAddress) -> Refused {
    let message = format!(
        "MAC address already in use: {mac} belongs to the network's own ports; ask for another MAC"
    );
    Refused::new(Reason::MacTaken, Need::Change, message)
}

/// A claim and its user ask for different addresses.
pub(super) fn two_requests(claim: &Claim, user: &Attachment) -> Refused {
    let message = format!(
        "IPAMClaim {} asks for {}, but pod {} asks for {}; let both ask for the same, or one of them \
         for nothing",
        claim.name,
        words(&claim.request),
        user.key.pod,
        words(&user.request.addresses)
    );
    Refused::new(Reason::ClaimMismatch, Need::Change, message)
}

impl NetworkAllocations {
    pub(super) fn address_taken(&self, ip: IpAddr, holder: SlabId) -> Refused {
        let holder = self.describe(holder);
        let message = format!(
            "provided IP is already allocated: {ip} is held by {holder}; ask for another address, \
             or delete {holder} first"
        );
        Refused::new(Reason::AddressTaken, Need::Address(ip), message)
    }

    pub(super) fn mac_taken(&self, mac: MacAddress, holder: SlabId) -> Refused {
        let holder = self.describe(holder);
        let message = format!(
            "MAC address already in use: {mac} is held by {holder}; ask for another MAC, or delete \
             {holder} first"
        );
        Refused::new(Reason::MacTaken, Need::Mac(mac), message)
    }

    /// Two carry one number that cannot be taken from either.
    pub(super) fn carried_twice(
        &self,
        what: &str,
        need: Need,
        [loser, keeper]: [SlabId; 2],
    ) -> Refused {
        let (lost, kept) = (self.describe(loser), self.describe(keeper));
        let message =
            format!("{what}, which {lost} carries, is held by {kept}; delete one of the two");
        let told =
            format!("{what}, which {kept} holds, is carried by {lost} too; delete one of them");
        let mut refused = Refused::new(Reason::AlreadyTaken, need, message);
        let told = Finding::new(self.subject_of(keeper), Reason::AlreadyTaken, told);
        refused.other = Some(Box::new(told));
        refused
    }

    /// A carried number is none that the network gives to workloads.
    pub(super) fn carried_own(&self, what: &str, loser: SlabId) -> Refused {
        let message = format!(
            "{what}, which {} carries, is kept by the network itself; delete the pod or the claim \
             so that it gets another",
            self.describe(loser)
        );
        Refused::new(Reason::AlreadyTaken, Need::Change, message)
    }

    pub(super) fn carried_outside(&self, ip: IpAddr, loser: SlabId) -> Refused {
        let message = format!(
            "{ip}, which {} carries, is in none of the subnets of network {}; delete the pod or \
             the claim so that it gets another, or give the network a subnet that holds the address",
            self.describe(loser),
            self.network.name
        );
        Refused::new(Reason::InvalidAnnotation, Need::Change, message)
    }

    /// Somebody asks for other numbers than it holds together with others.
    pub(super) fn mismatch(&self, asked: &str, allocation: SlabId) -> Refused {
        let Allocation { addresses, mac, .. } = self.allocations.of(allocation);
        let holder = self.describe(allocation);
        let held = if addresses.is_empty() { String::new() } else { list(addresses) + " and " };
        let message = format!(
            "{asked} is asked for, but {holder} holds {held}{mac}; ask for what it holds, or for \
             nothing, or delete it first"
        );
        Refused::new(Reason::ClaimMismatch, Need::Mac(*mac), message)
    }

    /// A pod carries other numbers than its claim.
    pub(super) fn carries_other(&self, carried: &str, claim: SlabId) -> Refused {
        let message = format!(
            "the pod carries {carried}, but {} holds {}; delete the pod so that it gets what its \
             claim holds",
            self.describe(claim),
            list(&self.allocations.of(claim).addresses)
        );
        Refused::new(Reason::ClaimMismatch, Need::Change, message)
    }

    /// Who an allocation is, for people.
    pub(super) fn describe(&self, allocation: SlabId) -> String {
        let Allocation { claim, machine, .. } = self.allocations.of(allocation);
        match (claim, machine, self.first_pod(allocation)) {
            (Some(claim), _, Some(pod)) => format!("IPAMClaim {claim} (pod {pod})"),
            (Some(claim), _, None) => format!("IPAMClaim {claim}"),
            (None, Some(place), Some(pod)) => {
                format!("virtual machine {} (pod {pod})", place.machine)
            }
            (None, None, Some(pod)) => format!("pod {pod}"),
            (None, _, None) => "somebody who is leaving".to_owned(),
        }
    }

    fn subject_of(&self, allocation: SlabId) -> Subject {
        let claim = self.allocations.of(allocation).claim.clone();
        match (claim, self.first_pod(allocation)) {
            (Some(claim), _) => Subject::Claim(claim),
            (None, Some(pod)) => Subject::Pod(pod.clone()),
            (None, None) => Subject::Network(self.network.name.clone()),
        }
    }

    fn first_pod(&self, allocation: SlabId) -> Option<&ObjectName> {
        let first = self.allocations.of(allocation).slots.first()?;
        Some(&self.slots.of(*first).key.pod)
    }
}
