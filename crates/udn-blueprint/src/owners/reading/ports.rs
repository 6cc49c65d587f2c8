//! Reads from a standing port of a switch or a router which part it belongs to.
//!
//! Some ports show their network, some only their node, some nothing but a name.
//! Invariant: a name is read from the end at which a prefix cannot be mistaken: prefixes have no `-`
//! and nodes no `_`.

use ovn::Owner;
use ovsdb::cache::RowView;

use super::{Reader, Shown, cut_node, marked, whole_prefix};
use crate::names::{self, Prefix, ids};
use crate::owners::{backbone, node, pod};

impl Reader {
    pub(super) fn of_switch_port(&self, row: RowView<'_>) -> Option<Owner> {
        let name = row.text("name")?;
        // Ports of the default network's pods are named by their namespace first, so a name alone
        // may look like another's; but they have marks.
        if row.get("external_ids")?.is_empty() {
            return self.of_unmarked_port(row, name);
        }
        if let Some(at) = row.entry("external_ids", ids::TRANSIT_NODE) {
            return self.of_transit_port(name, at);
        }
        let is_pod = row.entry("external_ids", ids::POD) == Some("true");
        let Some(Shown { prefix, topology }) = marked(row) else {
            return is_pod.then(|| self.of_default_pod(row, name))?;
        };
        if is_pod {
            return Some(pod(&prefix, name));
        }
        let below = |end: &str| name.strip_prefix(end)?.strip_prefix(prefix.as_str());
        if topology == ids::LAYER2 && below(names::SWITCH_TO_TRANSIT) == Some(names::LAYER2_SWITCH)
        {
            return Some(backbone(&prefix));
        }
        let ends = [names::EXTERNAL_TO_GATEWAY, names::JOIN_TO_ROUTER];
        let router = ends.iter().find_map(|end| name.strip_prefix(end));
        match router.and_then(|router| self.at_gateway_router(&prefix, router)) {
            Some(owner) => Some(owner),
            None => of_bridge_port(&prefix, row),
        }
    }

    fn of_unmarked_port(&self, row: RowView<'_>, name: &str) -> Option<Owner> {
        match row.text("type")? {
            "" => self.split_at_node(name.strip_prefix(names::MANAGEMENT_PORT)?),
            "localnet" => match name.strip_suffix(names::LOCALNET_PORT) {
                Some(prefix) => whole_prefix(prefix).map(|it| backbone(&it)),
                None => self.default_network.as_ref()?.bridge_port(row),
            },
            "router" => {
                if let Some(switch) = name.strip_prefix(names::SWITCH_TO_ROUTER) {
                    return self.split_at_node(switch);
                }
                let ends = [names::JOIN_TO_ROUTER, names::EXTERNAL_TO_GATEWAY];
                let router = ends.iter().find_map(|end| name.strip_prefix(end))?;
                self.of_unmarked_link(router)
            }
            _ => None,
        }
    }

    /// The end of a link to the cluster router, or to the default network's gateway router.
    fn of_unmarked_link(&self, router: &str) -> Option<Owner> {
        match router.strip_suffix(names::CLUSTER_ROUTER) {
            Some(prefix) => self.prefix(prefix).map(|prefix| backbone(&prefix)),
            None => self.at_gateway_router(&Prefix::none(), router),
        }
    }

    /// `<prefix>tstor-<node>`.
    fn of_transit_port(&self, name: &str, at: &str) -> Option<Owner> {
        let (prefix, node_name) = name.split_once(names::TRANSIT_TO_ROUTER)?;
        let prefix = self.prefix(prefix)?;
        (node_name == at).then(|| node(&prefix, at))
    }

    /// `<namespace>_<pod>`, on the default network.
    fn of_default_pod(&self, row: RowView<'_>, name: &str) -> Option<Owner> {
        self.default_network.as_ref()?;
        let namespace = row.entry("external_ids", ids::NAMESPACE)?;
        let is_unmarked = row.entry("external_ids", ids::NETWORK).is_none();
        let is_so_named = name.strip_prefix(namespace)?.starts_with('_');
        (is_unmarked && is_so_named).then(|| pod(&Prefix::none(), name))
    }

    pub(super) fn of_router_port(&self, row: RowView<'_>) -> Option<Owner> {
        let name = row.text("name")?;
        if let Some(switch) = name.strip_prefix(names::TRANSIT_TO_SWITCH) {
            let prefix = whole_prefix(switch.strip_suffix(names::LAYER2_SWITCH)?)?;
            return Some(backbone(&prefix));
        }
        if row.get("external_ids")?.is_empty() {
            return self.of_unmarked_router_port(name);
        }
        if row.entry("external_ids", ids::GATEWAY_PORT).is_some() {
            let router = name.strip_prefix(names::GATEWAY_TO_EXTERNAL)?;
            return self.at_gateway_router(&Prefix::none(), router);
        }
        let Shown { prefix, .. } = marked(row)?;
        if name == names::cluster_to_join(&prefix) {
            return Some(backbone(&prefix));
        }
        let ends = [
            names::TRANSIT_TO_GATEWAY,
            names::GATEWAY_TO_TRANSIT,
            names::ROUTER_TO_JOIN,
            names::GATEWAY_TO_EXTERNAL,
        ];
        let router = ends.iter().find_map(|end| name.strip_prefix(end))?;
        self.at_gateway_router(&prefix, router)
    }

    fn of_unmarked_router_port(&self, name: &str) -> Option<Owner> {
        if let Some(switch) = name.strip_prefix(names::ROUTER_TO_SWITCH) {
            return self.split_at_node(switch);
        }
        if let Some(router) = name.strip_prefix(names::ROUTER_TO_JOIN) {
            // Those of other networks show them.
            let is_cluster = router == names::CLUSTER_ROUTER && self.default_network.is_some();
            return match is_cluster {
                true => Some(backbone(&Prefix::none())),
                false => self.at_gateway_router(&Prefix::none(), router),
            };
        }
        let (prefix, at) = name.split_once(names::ROUTER_TO_TRANSIT)?;
        let prefix = self.prefix(prefix)?;
        (at == self.zone.as_str()).then(|| self.own(&prefix))
    }
}

/// `<bridge>_<prefix><node>`.
fn of_bridge_port(prefix: &Prefix, row: RowView<'_>) -> Option<Owner> {
    let (head, at) = cut_node(row.text("name")?)?;
    let bridge = head.strip_suffix(prefix.as_str())?.strip_suffix('_')?;
    let is_bridge = row.text("type") == Some("localnet") && !bridge.is_empty();
    is_bridge.then(|| node(prefix, at))
}
