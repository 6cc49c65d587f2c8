//! Reads rows of the default network, which show no network.
//!
//! Reads a row, and what the settings say of the default network; returns the part.
//! Invariant: a row without a name is taken for the default network's only if its addresses are in
//! the default network's own ranges, so that routes and translations that an administrator made on
//! another router stay the administrator's.

use std::net::IpAddr;

use ovn::Owner;
use ovsdb::cache::RowView;
use udn_model::{ClusterSettings, Network, NodeName, PerFamily, Subnet};

use crate::names::{self, Prefix, ids};
use crate::owners::node;

/// What is known of the default network without any object.
pub(crate) struct DefaultNetwork {
    zone: NodeName,
    /// The own node's port to the external bridge.
    gateway_port: String,
    physical_network: String,
    join: PerFamily<Subnet>,
    ranges: Vec<Subnet>,
}

impl DefaultNetwork {
    /// `None` where the default network is another's.
    pub(crate) fn of(zone: &NodeName, settings: &ClusterSettings) -> Option<Self> {
        let network = Network::of_settings(settings)?;
        Some(Self {
            zone: zone.clone(),
            gateway_port: names::gateway_to_external(&Prefix::none(), zone),
            physical_network: settings.external_physical_network.clone(),
            join: settings.default_join,
            ranges: network.ranges().collect(),
        })
    }

    /// A port to the external bridge.
    pub(super) fn bridge_port(&self, row: RowView<'_>) -> Option<Owner> {
        let (bridge, at) = row.text("name")?.rsplit_once('_')?;
        let leads_out = row.entry("options", "network_name") == Some(&self.physical_network);
        self.own(!bridge.is_empty() && at == self.zone.as_str() && leads_out)
    }

    pub(super) fn route(&self, row: RowView<'_>) -> Option<Owner> {
        let is_unmarked = row.get("external_ids")?.is_empty();
        let prefix = row.text("ip_prefix")?;
        if let Some(port) = row.text("output_port") {
            let is_masquerade = row.entry("external_ids", ids::MASQUERADE_ROUTE).is_some();
            let is_way_out = is_unmarked && matches!(prefix, "0.0.0.0/0" | "::/0");
            return self.own(port == self.gateway_port && (is_masquerade || is_way_out));
        }
        let next_hop: IpAddr = row.text("nexthop")?.parse().ok()?;
        let is_ours = match (row.text("policy"), Subnet::parse(prefix)) {
            // To the own gateway router.
            (None, Err(_)) => self.is_in_join(next_hop) && row.text("nexthop") == Some(prefix),
            // From the gateway router to the pods.
            (None, Ok(range)) => self.ranges.contains(&range) && self.is_in_join(next_hop),
            // What leaves the node's pods.
            (Some("src-ip"), Ok(subnet)) => {
                let is_cut = |range: &Subnet| range.contains_subnet(subnet);
                let leads_out = self.is_in_join(next_hop) || subnet.contains(next_hop);
                self.ranges.iter().any(is_cut) && leads_out
            }
            (Some(_), Ok(_) | Err(_)) => false,
        };
        self.own(is_unmarked && is_ours)
    }

    pub(super) fn nat(&self, row: RowView<'_>) -> Option<Owner> {
        let is_unmarked = row.get("external_ids")?.is_empty();
        let is_plain = row.text("logical_port").is_none() && row.text("match") == Some("");
        let is_source = row.text("type") == Some("snat");
        let from = row.text("logical_ip")?;
        let is_ours = match (from.parse(), Subnet::parse(from)) {
            (Ok(ip), _) => self.is_in_join(ip),
            (Err(_), Ok(range)) => self.ranges.contains(&range),
            (Err(_), Err(_)) => false,
        };
        self.own(is_unmarked && is_plain && is_source && is_ours)
    }

    fn is_in_join(&self, ip: IpAddr) -> bool {
        self.join.iter().any(|subnet| subnet.contains(ip))
    }

    fn own(&self, is_ours: bool) -> Option<Owner> {
        is_ours.then(|| node(&Prefix::none(), self.zone.as_str()))
    }
}
