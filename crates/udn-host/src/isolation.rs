//! Who on the host reaches pods at their default addresses, where those are locked: the kubelet, and
//! everybody where a pod opens a port.
//!
//! Reads the locked pods of the node and where its kubelet is; returns an [`IsolationPlan`], and what has to
//! change of what stands.
//! Invariant: while not all pods are known nothing is opened that stands closed, and one pod's elements change no
//! other's.
// compat: pkg/node/udn_isolation.go

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use udn_model::{Family, InterfaceAddress, Lock, OpenPort};

use crate::facts::PodFacts;

#[cfg(test)]
mod tests;

// compat: IANA, protocol numbers
const TCP: u8 = 6;
const UDP: u8 = 17;
const SCTP: u8 = 132;

/// A pod's addresses on the default network, and what it opens of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockedPod {
    pub addresses: BTreeSet<IpAddr>,
    pub open_ports: BTreeSet<OpenPort>,
}

impl LockedPod {
    /// What follows from a pod's port on the default network; `None` where it is an ordinary one.
    pub fn of(facts: &PodFacts) -> Option<Self> {
        let Lock { open_ports } = facts.lock.as_ref()?;
        Some(Self {
            addresses: facts.addresses.iter().map(InterfaceAddress::addr).collect(),
            open_ports: open_ports.iter().copied().collect(),
        })
    }
}

/// The control group in which the kubelet runs, as the kernel compares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KubeletGroup {
    /// How far below the root of the hierarchy it is.
    pub level: u32,
    /// The kernel's number of it, another one for each that is made.
    pub id: u64,
}

/// What is known of the kubelet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kubelet {
    /// It cannot be told from other programs.
    Unknowable,
    /// Its control group was not found since the agent began.
    NeverSeen,
    /// It had a control group and has none now: it does not run.
    Away,
    In(KubeletGroup),
}

/// Whether all pods are known whose addresses are locked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Knowledge {
    /// Some that an earlier agent wired are not looked at yet.
    #[default]
    Partial,
    Whole,
}

/// A set of the packet filter, by what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressSet {
    /// Addresses that are locked.
    Locked(Family),
    /// Ports of them that anybody may reach.
    OpenPorts(Family),
    /// Addresses of which anybody may ask for an echo.
    OpenIcmp(Family),
}

impl AddressSet {
    pub const ALL: [Self; 6] = [
        Self::Locked(Family::V4),
        Self::Locked(Family::V6),
        Self::OpenPorts(Family::V4),
        Self::OpenPorts(Family::V6),
        Self::OpenIcmp(Family::V4),
        Self::OpenIcmp(Family::V6),
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Locked(Family::V4) => "udn-pod-default-ips-v4",
            Self::Locked(Family::V6) => "udn-pod-default-ips-v6",
            Self::OpenPorts(Family::V4) => "udn-open-ports-v4",
            Self::OpenPorts(Family::V6) => "udn-open-ports-v6",
            Self::OpenIcmp(Family::V4) => "udn-open-ports-icmp-v4",
            Self::OpenIcmp(Family::V6) => "udn-open-ports-icmp-v6",
        }
    }
}

/// What a set holds: an address, and in sets of ports one of its ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element {
    pub address: IpAddr,
    pub port: Option<Port>,
}

/// A port of a protocol, by the numbers that packets carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    pub protocol: u8,
    pub number: u16,
}

/// What the sets hold; one that is not in it holds nothing.
pub type Sets = BTreeMap<AddressSet, BTreeSet<Element>>;

/// How the host's packet filter must look, where there is a locked pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsolationPlan {
    pub sets: Sets,
    /// Whom all locked addresses are open to; nobody while the kubelet does not run.
    pub kubelet: Option<KubeletGroup>,
}

/// What stands of that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IsolationSeen {
    /// Table, chain and sets are there, and of the kind that ours are.
    pub is_framed: bool,
    /// The rules are there, and are those of this group alone.
    pub is_ruled: bool,
    pub sets: Sets,
}

/// One step from what stands to what is planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IsolationChange {
    /// All of it anew, in place of whatever stands.
    Make(IsolationPlan),
    /// The rules anew.
    Rule(Option<KubeletGroup>),
    Add(AddressSet, BTreeSet<Element>),
    Remove(AddressSet, BTreeSet<Element>),
    /// All of it goes.
    Clear,
}

impl Kubelet {
    /// What is known of it, given that a filter stands that an earlier agent has made.
    ///
    /// The earlier one knew the control group, so that it is away and no unknown one.
    #[must_use]
    pub fn given(self, stands: bool) -> Self {
        match self {
            Self::NeverSeen if stands => Self::Away,
            Self::NeverSeen | Self::Unknowable | Self::Away | Self::In(_) => self,
        }
    }

    /// Whether the host can be kept from pods without keeping the kubelet from them.
    pub fn is_known(self) -> bool {
        match self {
            Self::Unknowable | Self::NeverSeen => false,
            Self::Away | Self::In(_) => true,
        }
    }
}

impl IsolationPlan {
    /// Decides how the filter must look; `None` where there must be none: no pod is locked, or nobody
    /// could tell the kubelet's probes from others.
    pub fn of<'a>(pods: impl IntoIterator<Item = &'a LockedPod>, kubelet: Kubelet) -> Option<Self> {
        let mut sets = Sets::new();
        for LockedPod { addresses, open_ports } in pods {
            for address in addresses {
                let family = Family::of(*address);
                put(&mut sets, AddressSet::Locked(family), *address, None);
                for port in open_ports {
                    let (set, port) = opened(family, *port);
                    put(&mut sets, set, *address, port);
                }
            }
        }
        let kubelet = match kubelet {
            Kubelet::In(group) => Some(group),
            Kubelet::Away => None,
            Kubelet::Unknowable | Kubelet::NeverSeen => return None,
        };
        (!sets.is_empty()).then_some(Self { sets, kubelet })
    }

    /// The same with what stands besides.
    fn joined(mut self, standing: &Sets) -> Self {
        for (set, elements) in standing {
            self.sets.entry(*set).or_default().extend(elements);
        }
        self
    }
}

/// What has to change of what stands; `None` of it where nothing of ours does.
pub fn changes(
    plan: Option<IsolationPlan>,
    seen: Option<&IsolationSeen>,
    knowledge: Knowledge,
) -> Vec<IsolationChange> {
    let plan = match (plan, seen, knowledge) {
        (None, None, _) | (None, Some(_), Knowledge::Partial) => return Vec::new(),
        (None, Some(_), Knowledge::Whole) => return vec![IsolationChange::Clear],
        (Some(plan), Some(seen), Knowledge::Partial) => plan.joined(&seen.sets),
        (Some(plan), _, _) => plan,
    };
    let Some(seen) = seen.filter(|it| it.is_framed) else {
        return vec![IsolationChange::Make(plan)];
    };
    let none = BTreeSet::new();
    let rules = (!seen.is_ruled).then_some(IsolationChange::Rule(plan.kubelet));
    let differences = AddressSet::ALL.into_iter().flat_map(|set| {
        let wanted = plan.sets.get(&set).unwrap_or(&none);
        let standing = seen.sets.get(&set).unwrap_or(&none);
        let [come, go] = [(wanted, standing), (standing, wanted)]
            .map(|(one, other)| one.difference(other).copied().collect::<BTreeSet<_>>());
        let add = (!come.is_empty()).then_some(IsolationChange::Add(set, come));
        add.into_iter().chain((!go.is_empty()).then_some(IsolationChange::Remove(set, go)))
    });
    rules.into_iter().chain(differences).collect()
}

fn put(sets: &mut Sets, set: AddressSet, address: IpAddr, port: Option<Port>) {
    sets.entry(set).or_default().insert(Element { address, port });
}

/// The set that what a pod opens belongs to.
fn opened(family: Family, port: OpenPort) -> (AddressSet, Option<Port>) {
    let (protocol, number) = match port {
        OpenPort::Tcp(number) => (TCP, number),
        OpenPort::Udp(number) => (UDP, number),
        OpenPort::Sctp(number) => (SCTP, number),
        OpenPort::Icmp => return (AddressSet::OpenIcmp(family), None),
    };
    (AddressSet::OpenPorts(family), Some(Port { protocol, number }))
}
