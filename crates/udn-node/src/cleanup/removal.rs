//! What of a host is ours, judged by what is seen: names, owners, protocols and cookies.
//!
//! Reads who we are and what stands; returns a [`Removal`]. Nothing here acts.
//! Invariant: what does not show that it is ours stays, and whoever looks again after a removal finds
//! nothing more to remove.

use std::collections::{BTreeMap, BTreeSet};

use udn_host::chassis::mappings::{MAPPINGS, Mapping, without};
use udn_host::chassis::{MACHINE, OWN_ENTRIES, SOUTHBOUND, is_host_link};
use udn_host::routing::HostNeighbour;
use udn_model::MacAddress;

use crate::kernel::{FilterFamily, FilterTable, KernelLeftovers};
use crate::switch::{PortKind, PortRow, SwitchRemoval, SwitchRows};

#[cfg(test)]
mod tests;

/// The tables of nf_tables that are ours: the host's isolation, and what keeps the kernel from frames
/// of an uplink that is below our own switch.
// compat: pkg/node/nftables, OVNKubernetesNFTablesName; deploy/image/start.sh
const FILTERS: [(FilterFamily, &str); 2] =
    [(FilterFamily::Internet, "ovn-kubernetes"), (FilterFamily::Link, "udn-uplink")];

/// How the settings begin in which ovn-controller notes the number of its chassis.
// compat: OVN, lib/ovn-util.c, CHASSIS_IDX_PREFIX
const CHASSIS: &str = "ovn-chassis-idx-";
/// What ovn-controller sets, so that packets may carry any number of VLAN tags.
// compat: OVN, controller/ovn-controller.c
const VLAN_LIMIT: (&str, &str) = ("vlan-limit", "0");

/// The link by which the kernel's datapath shows itself, and that of the userspace one.
const KERNEL_DATAPATH: &str = "ovs-system";
const USERSPACE_DATAPATH: &str = "ovs-netdev";

/// Who the agent of this node was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Where it told ovn-controller to find the southbound database.
    pub southbound: String,
    pub integration_bridge: String,
    pub external_bridge: String,
    pub physical_network: String,
    /// The host's own start script says who the machine is, and would say so again.
    pub host_names_itself: bool,
    /// The host has no switch but one of ours, which has ended.
    pub owned_the_switch: bool,
}

/// What is to go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    pub switch: SwitchRemoval,
    pub links: BTreeSet<String>,
    pub rules: Vec<String>,
    pub routes: Vec<String>,
    pub neighbours: Vec<HostNeighbour>,
    pub filters: BTreeSet<FilterTable>,
    /// What looks like ours and is not, as sentences.
    pub left: Vec<String>,
}

impl Removal {
    /// Judges what is seen; `None` where no switch answers.
    pub fn of(ours: &Identity, switch: Option<&SwitchRows>, kernel: &KernelLeftovers) -> Self {
        let fixed = kernel.neighbours.iter().filter(|it| is_ours(ours, it));
        let filters = kernel.filters.iter();
        let mut removal = Self {
            rules: kernel.rules.clone(),
            routes: kernel.routes.clone(),
            neighbours: fixed.cloned().collect(),
            filters: filters
                .filter(|it| FILTERS.contains(&(it.family, &it.name)))
                .cloned()
                .collect(),
            links: kernel.links.iter().filter(|it| is_host_link(it)).cloned().collect(),
            ..Self::default()
        };
        if let Some(rows) = switch {
            removal.take_in(ours, rows);
            let pods = rows.bridges.values().flatten();
            let pods = pods.filter(|it| matches!(it.kind, PortKind::Pod(_))).map(|it| &it.name);
            removal.links.extend(pods.filter(|it| kernel.links.contains(*it)).cloned());
        } else if ours.owned_the_switch {
            removal.links_of_own_switch(ours, kernel);
        }
        removal
    }

    /// A switch that moved the packets itself leaves its links when it ends.
    fn links_of_own_switch(&mut self, ours: &Identity, kernel: &KernelLeftovers) {
        if kernel.links.contains(KERNEL_DATAPATH) {
            self.links.clear();
            self.left.push(format!(
                "{KERNEL_DATAPATH}, the kernel's part of a switch of ours, with its links; a reboot takes it"
            ));
            return;
        }
        for link in [&ours.integration_bridge, &ours.external_bridge, USERSPACE_DATAPATH] {
            if kernel.addressed.contains(link) {
                let why = "which has addresses; give them to the uplink first";
                self.left.push(format!("the link {link}, {why}"));
            } else if kernel.links.contains(link) {
                self.links.insert(link.to_owned());
            }
        }
    }

    fn take_in(&mut self, ours: &Identity, rows: &SwitchRows) {
        let southbound = rows.entries.get(SOUTHBOUND);
        let bridge = rows.bridges.get(&ours.integration_bridge);
        let is_anothers = southbound.filter(|it| **it != ours.southbound);
        if let Some(other) = is_anothers {
            self.left.push(format!(
                "ovn-* in external_ids and the bridge {}, which serve another OVN: {SOUTHBOUND} is \
                 {other}, and ours was {} (--southbound)",
                ours.integration_bridge, ours.southbound
            ));
        } else {
            self.entries(ours, rows);
        }
        for (name, ports) in &rows.bridges {
            let is_integration = *name == ours.integration_bridge;
            let gone = ports.iter().filter(|it| match it.kind {
                PortKind::Pod(_) | PortKind::Network => true,
                PortKind::ToNetworks => is_anothers.is_none(),
                PortKind::Controller => is_integration && is_anothers.is_none(),
                PortKind::Own | PortKind::Other => false,
            });
            let gone: BTreeSet<String> = gone.map(|it| it.name.clone()).collect();
            if !gone.is_empty() {
                self.switch.ports.insert(name.clone(), gone);
            }
        }
        self.switch.limits.clone_from(&rows.limits);
        if let Some(ports) = bridge.filter(|_| is_anothers.is_none()) {
            self.integration_bridge(ours, southbound.is_some(), ports);
        }
    }

    /// OVN's own bridge goes with all its ports, unless somebody else uses it.
    fn integration_bridge(&mut self, ours: &Identity, is_told: bool, ports: &[PortRow]) {
        let name = &ours.integration_bridge;
        let is_known = is_told || ports.iter().any(|it| it.kind == PortKind::Network);
        if !is_known {
            return;
        }
        let strangers = ports.iter().filter(|it| it.kind == PortKind::Other);
        let strangers: Vec<&str> = strangers.map(|it| it.name.as_str()).collect();
        if strangers.is_empty() {
            self.switch.ports.remove(name);
            self.switch.bridges.insert(name.clone());
        } else {
            let strangers = strangers.join(", ");
            self.left.push(format!("the bridge {name}, which has ports of others: {strangers}"));
        }
    }

    fn entries(&mut self, ours: &Identity, rows: &SwitchRows) {
        if !rows.entries.contains_key(SOUTHBOUND) {
            return;
        }
        let machine = MACHINE.iter().filter(|_| !ours.host_names_itself);
        for key in OWN_ENTRIES.iter().chain(machine) {
            if let Some(value) = rows.entries.get(*key) {
                self.switch.entries.insert((*key).to_owned(), (value.clone(), None));
            }
        }
        let set_by_ovn = |(key, value): &(&String, &String)| {
            key.starts_with(CHASSIS) || (key.as_str(), value.as_str()) == VLAN_LIMIT
        };
        let settings = rows.settings.iter().filter(set_by_ovn);
        self.switch.settings = settings.map(|(key, it)| (key.clone(), it.clone())).collect();
        let own = Mapping { network: &ours.physical_network, bridge: &ours.external_bridge };
        let rest = rows.entries.get(MAPPINGS).map(|it| (it, without(it, own)));
        if let Some((standing, rest)) = rest.filter(|(it, rest)| rest.as_ref() != Some(*it)) {
            self.switch.entries.insert(MAPPINGS.to_owned(), (standing.clone(), rest));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    /// All that goes, one line for each thing.
    pub fn lines(&self) -> Vec<String> {
        let Self { switch, links, rules, routes, neighbours, filters, left: _ } = self;
        let mut lines: Vec<String> = rules.clone();
        lines.extend(routes.iter().cloned());
        lines.extend(neighbours.iter().map(ToString::to_string));
        lines.extend(switch.lines());
        lines.extend(links.iter().map(|it| format!("link {it}")));
        lines.extend(filters.iter().map(|it| format!("table {} of nf_tables", it.name)));
        lines
    }
}

impl SwitchRemoval {
    /// What goes from the switch, one line for each thing.
    pub fn lines(&self) -> Vec<String> {
        let Self { entries, settings, bridges, ports, limits } = self;
        let mut lines = Vec::new();
        let each = |(bridge, ports): (&String, &BTreeSet<String>)| -> Vec<String> {
            ports.iter().map(|port| format!("port {port} of {bridge}")).collect()
        };
        lines.extend(ports.iter().flat_map(each));
        lines.extend(limits.iter().map(|uuid| format!("QoS {uuid} of a pod")));
        lines.extend(bridges.iter().map(|it| format!("bridge {it}")));
        lines.extend(entries.iter().map(|(key, (standing, rest))| match rest {
            None => format!("external_ids {key}={standing}"),
            Some(rest) => format!("external_ids {key}={standing}, of which {rest} stays"),
        }));
        lines.extend(settings.iter().map(|(key, it)| format!("other_config {key}={it}")));
        lines
    }
}

/// Pods that run: those with a port whose link the kernel still has, by link.
pub fn running_pods(rows: &SwitchRows, kernel: &KernelLeftovers) -> BTreeMap<String, String> {
    let ports = rows.bridges.values().flatten();
    let pods = ports.filter_map(|port| match &port.kind {
        PortKind::Pod(pod) => Some((port.name.clone(), pod.clone())),
        PortKind::Own
        | PortKind::Network
        | PortKind::ToNetworks
        | PortKind::Controller
        | PortKind::Other => None,
    });
    pods.filter(|(link, _)| kernel.links.contains(link)).collect()
}

/// A neighbour that nobody is, with the MAC that only we would give it.
fn is_ours(ours: &Identity, neighbour: &HostNeighbour) -> bool {
    neighbour.link == ours.external_bridge && neighbour.mac == MacAddress::from_ip(neighbour.ip)
}
