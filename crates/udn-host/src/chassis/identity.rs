//! What must stand in the switch's database so that ovn-controller knows the node.
//!
//! Reads settings and what is seen; returns a [`ChassisPlan`].
//! Invariant: a plan names single entries with what they replace, so that whoever applies it overwrites
//! nothing that somebody wrote since; where everything stands, the plan is empty.

use std::collections::BTreeMap;

use udn_model::Gateway;

use super::mappings::{self, MAPPINGS, Mapping};
use super::own::{is_userspace, tunnels_of};
use super::{ChassisSettings, SwitchSeen};

/// Who the node is to OVN; once it is there, it stays.
pub(super) const SYSTEM_ID: &str = "system-id";
/// Where tunnels to the node end.
pub(super) const ENCAP_IP: &str = "ovn-encap-ip";
/// Where ovn-controller finds its southbound database.
pub const SOUTHBOUND: &str = "ovn-remote";
/// The entries that say who the machine is, which the start scripts of some hosts write too.
pub const MACHINE: [&str; 2] = [SYSTEM_ID, "hostname"];
/// The entries that only an agent writes, besides the mappings, which it shares.
pub const OWN_ENTRIES: [&str; 8] = [
    ENCAP_IP,
    "ovn-bridge",
    "ovn-enable-lflow-cache",
    "ovn-encap-type",
    "ovn-is-interconn",
    "ovn-monitor-all",
    SOUTHBOUND,
    "ovn-set-local-ip",
];

/// What is to be changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChassisPlan {
    /// Entries of the switch's `external_ids`.
    pub entries: BTreeMap<&'static str, EntryChange>,
    pub integration_bridge: Option<BridgeChange>,
}

/// One entry that has to be another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryChange {
    /// What stands there; nothing is written if it is something else by then.
    pub standing: Option<String>,
    pub wanted: String,
}

/// What OVN's own bridge lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BridgeChange {
    /// It is not there; it is made with the datapath of the external bridge.
    Make { name: String, datapath_type: String },
    /// It is secured, or it would be an ordinary switch between all pods without ovn-controller; and it
    /// gets the datapath of the external bridge, without which no patch leads from one to the other.
    Mend { name: String, datapath_type: String },
}

impl ChassisPlan {
    /// What differs from what the node should be; `gateway` is its way out, if it has one.
    pub fn of(settings: &ChassisSettings, switch: &SwitchSeen, gateway: Option<&Gateway>) -> Self {
        let mut entries = BTreeMap::new();
        for (key, wanted) in wanted(settings, switch, gateway) {
            let standing = switch.external_ids.get(key).cloned();
            if standing.as_ref() != Some(&wanted) {
                entries.insert(key, EntryChange { standing, wanted });
            }
        }
        Self { entries, integration_bridge: bridge_change(settings, switch) }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.integration_bridge.is_none()
    }
}

// compat: pkg/node/default_node_network_controller.go, setupOVNNode
fn wanted(
    settings: &ChassisSettings,
    switch: &SwitchSeen,
    gateway: Option<&Gateway>,
) -> Vec<(&'static str, String)> {
    let text = |text: &str| text.to_owned();
    let mut wanted = vec![
        ("hostname", settings.node.to_string()),
        ("ovn-encap-type", text("geneve")),
        (SOUTHBOUND, settings.southbound.clone()),
        ("ovn-is-interconn", text("true")),
        ("ovn-monitor-all", text("true")),
        ("ovn-enable-lflow-cache", text("true")),
        ("ovn-set-local-ip", text("true")),
    ];
    if settings.integration_bridge != "br-int" {
        wanted.push(("ovn-bridge", settings.integration_bridge.clone()));
    }
    let standing = |key| switch.external_ids.get(key).map(String::as_str).unwrap_or_default();
    if standing(SYSTEM_ID).is_empty() {
        wanted.push((SYSTEM_ID, settings.identity.to_string()));
    }
    let addresses = gateway.map(|it| it.addresses.as_slice()).unwrap_or_default();
    let tunnels = tunnels_of(settings, addresses);
    if !tunnels.is_empty() {
        let texts: Vec<String> = tunnels.iter().map(ToString::to_string).collect();
        // A node whose addresses have another order now keeps the end that it has.
        let is_kept = settings.tunnel_addresses.is_empty()
            && addresses.iter().any(|it| it.addr().to_string() == standing(ENCAP_IP));
        wanted.extend((!is_kept).then(|| (ENCAP_IP, texts.join(","))));
    }
    if switch.bridges.contains_key(&settings.external_bridge) {
        let own =
            Mapping { network: &settings.physical_network, bridge: &settings.external_bridge };
        wanted.push((MAPPINGS, mappings::merged(standing(MAPPINGS), own)));
    }
    wanted
}

fn bridge_change(settings: &ChassisSettings, switch: &SwitchSeen) -> Option<BridgeChange> {
    let name = settings.integration_bridge.clone();
    let external = switch.bridges.get(&settings.external_bridge);
    let Some(bridge) = switch.bridges.get(&name) else {
        // Without the external bridge nobody knows which datapath the machine has.
        let datapath_type = external?.datapath_type.clone();
        return Some(BridgeChange::Make { name, datapath_type });
    };
    // Whoever makes it without being told, as ovn-controller does, takes the kernel's.
    let wanted = external.unwrap_or(bridge);
    let fits = is_userspace(wanted) == is_userspace(bridge);
    let datapath_type = if fits { bridge } else { wanted }.datapath_type.clone();
    (!bridge.is_secure || !fits).then_some(BridgeChange::Mend { name, datapath_type })
}
