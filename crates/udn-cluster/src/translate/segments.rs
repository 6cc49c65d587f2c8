//! Localnets that are one network outside: the same VLAN of the same physical network.
//!
//! Reads proposals; returns a finding for each localnet that meets an earlier one.
//! Invariant: who asked first is told nothing; who came later is told whom it meets. Numbers do not
//! matter: a network gets its own in the very reconcile that tells of the meeting.

use std::collections::BTreeMap;
use std::net::IpAddr;

use udn_model::{Finding, Findings, Localnet, Reason, Subnet, Vlan};

use super::free::{first_free, taken_in};
use super::proposal::Proposal;
use super::subnet_index::SubnetIndex;

/// How many of the overlapping subnets are looked at: networks that share a subnet and exclude each
/// other's parts of it are few.
const MOST_RIVALS: usize = 100;

/// All meetings.
pub(super) fn shared(proposals: &[Proposal]) -> Findings {
    let localnets = proposals.iter().filter_map(|it| Some((it, it.network.localnet()?)));
    let mut localnets: Vec<(&Proposal, &Localnet)> = localnets.collect();
    localnets.sort_by_cached_key(|(proposal, _)| proposal.age());
    let mut segments: BTreeMap<(&str, Option<Vlan>), Segment<'_>> = BTreeMap::new();
    let mut findings = Findings::new();
    for (proposal, localnet) in localnets {
        let place = (&*localnet.physical_network, localnet.vlan);
        let segment = segments.entry(place).or_default();
        findings.extend(segment.meet(proposal, localnet));
        segment.join(proposal);
    }
    findings
}

/// Those on one segment, in the order in which they came.
#[derive(Default)]
struct Segment<'a> {
    first: Option<&'a Proposal>,
    subnets: SubnetIndex<&'a Proposal>,
}

/// An address that two networks may give away.
struct Clash<'a> {
    rival: &'a Proposal,
    /// The rival's subnet.
    subnet: Subnet,
    address: IpAddr,
}

impl<'a> Segment<'a> {
    fn join(&mut self, proposal: &'a Proposal) {
        self.first.get_or_insert(proposal);
        for subnet in proposal.network.ranges() {
            self.subnets.put(subnet, proposal);
        }
    }

    fn meet(&self, proposal: &Proposal, localnet: &Localnet) -> Option<Finding> {
        let first = self.first.filter(|it| it.network.name != proposal.network.name)?;
        let wire = match localnet.vlan {
            Some(vlan) => format!("VLAN {vlan} of physical network {}", localnet.physical_network),
            None => {
                format!("the untagged frames of physical network {}", localnet.physical_network)
            }
        };
        for (position, subnet) in proposal.network.ranges().enumerate() {
            if let Some(Clash { rival, subnet: theirs, address }) = self.clash(proposal, subnet) {
                let message = format!(
                    "subnet {subnet} overlaps subnet {theirs} of {}, and both are on {wire}, so that \
                     both may give {address} to a pod; take them apart, or exclude in one what the \
                     other gives",
                    rival.subject()
                );
                let finding = Finding::new(proposal.subject(), Reason::AddressOverlap, message);
                return Some(finding.at(proposal.subnet_path(position)));
            }
        }
        let message = format!(
            "carries {wire}, as {} does, so that their pods are on one network; change one of them \
             unless that is meant",
            first.subject()
        );
        let field = if localnet.vlan.is_some() { "vlan.access.id" } else { "physicalNetworkName" };
        let finding = Finding::new(proposal.subject(), Reason::VlanShared, message);
        Some(finding.at(proposal.path(field)))
    }

    /// The first earlier network that may give away the same address.
    fn clash(&self, proposal: &Proposal, subnet: Subnet) -> Option<Clash<'a>> {
        let taken = taken_in(&proposal.network, subnet);
        let rivals = self.subnets.overlapping(subnet).take(MOST_RIVALS);
        let mut others = rivals.filter(|(_, it)| it.network.name != proposal.network.name);
        others.find_map(|(theirs, rival)| {
            let inner = if subnet.contains_subnet(theirs) { theirs } else { subnet };
            let all = [&taken[..], &taken_in(&rival.network, theirs)].concat();
            let address = first_free(inner, &all)?;
            Some(Clash { rival, subnet: theirs, address })
        })
    }
}
