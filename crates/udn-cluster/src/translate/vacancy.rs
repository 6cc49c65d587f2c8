//! Whether a network has addresses for workloads at all.
//!
//! Reads networks; returns findings about subnets that the network's own addresses and the ranges
//! set apart fill up.
//! Invariant: a subnet is told about exactly if the ledger could grant no address of it.

use udn_model::{ClusterSubnet, Finding, Findings, Layer3, Network, Reason, Subnet};

use super::free::{first_free, taken_in};
use super::proposal::Described;
use super::rivals::listed;

/// Subnets without an address that a workload could get, even on request.
pub(super) fn without_free_address<'a>(networks: impl Iterator<Item = Described<'a>>) -> Findings {
    let judge = |network: &Network, subnet: Subnet| {
        if let Some(layer3) = network.layer3() {
            return without_free_address_on_node(layer3, subnet);
        }
        let taken = taken_in(network, subnet);
        first_free(subnet, &taken).is_none().then(|| {
            format!(
                "subnet {subnet} leaves no address for workloads: all are taken by {}; choose a larger \
                 subnet or smaller ranges",
                users(network, subnet)
            )
        })
    };
    tell(networks, Reason::NoAddressLeft, judge)
}

/// A range whose parts for nodes have no address for a pod: the first and the last of a part, the
/// gateway's and the host's are taken.
fn without_free_address_on_node(layer3: &Layer3, subnet: Subnet) -> Option<String> {
    let range = layer3.subnets.iter().find(|it| it.subnet == subnet)?;
    let ClusterSubnet { subnet, host_prefix_len: part } = range;
    let host_bits = subnet.family().longest_prefix().checked_sub(*part)?;
    (host_bits < 3).then(|| {
        let longest = subnet.family().longest_prefix() - 3;
        format!(
            "subnet {subnet} gives each node a /{part}, which leaves no address for pods; choose \
             parts of /{longest} at most"
        )
    })
}

/// Subnets whose only addresses are those that workloads have to ask for.
pub(crate) fn only_on_request<'a>(networks: impl Iterator<Item = Described<'a>>) -> Findings {
    let judge = |network: &Network, subnet: Subnet| {
        let reserved = network.primary().map_or(&[][..], |primary| &primary.reserved);
        let taken = taken_in(network, subnet);
        let is_free = |taken: &[Subnet]| first_free(subnet, taken).is_some();
        let is_reserved = is_free(&taken) && !is_free(&[&taken[..], reserved].concat());
        is_reserved.then(|| {
            let ranges: Vec<String> = reserved.iter().map(ToString::to_string).collect();
            format!(
                "subnet {subnet} has no address for workloads that ask for none: reservedSubnets ({}) \
                 leave nothing; make them smaller unless that is meant",
                listed(ranges.iter().map(String::as_str))
            )
        })
    };
    tell(networks, Reason::OnlyOnRequest, judge)
}

fn tell<'a>(
    networks: impl Iterator<Item = Described<'a>>,
    reason: Reason,
    judge: impl Fn(&Network, Subnet) -> Option<String>,
) -> Findings {
    let mut findings = Findings::new();
    for it in networks {
        for (position, subnet) in it.network.ranges().enumerate() {
            let message = judge(it.network, subnet);
            let tell = |message| Finding::new(it.subject.clone(), reason, message);
            let finding = message.map(|message| tell(message).at(it.subnet_path(position)));
            findings.extend(finding);
        }
    }
    findings
}

/// What a subnet's addresses are taken by, in a sentence.
fn users(network: &Network, subnet: Subnet) -> String {
    let mut users = vec!["the subnet's first address".to_owned()];
    if subnet.last().is_ipv4() {
        users = vec!["the subnet's first and last address".to_owned()];
    }
    let own = network.platform_addresses();
    if let Some(own) = own.iter().find(|own| own.subnet == subnet) {
        users.push(format!("the network's own {} and {}", own.gateway, own.management));
    }
    let infrastructure = network.primary().map_or(&[][..], |primary| &primary.infrastructure);
    for (name, ranges) in
        [("excludeSubnets", &network.excluded[..]), ("infrastructureSubnets", infrastructure)]
    {
        let ranges = ranges.iter().filter(|range| range.overlaps(subnet));
        let ranges: Vec<String> = ranges.map(ToString::to_string).collect();
        if !ranges.is_empty() {
            users.push(format!("{name} ({})", listed(ranges.iter().map(String::as_str))));
        }
    }
    match users.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} and {last}", rest.join(", ")),
        Some(_) | None => users.concat(),
    }
}
