//! A layer-3 network in a NAD's words.
//!
//! Invariant: a NAD that the wire refuses is refused here for the same reason.

use udn_model::{ClusterSubnet, Layer3, Role};

use super::NetConf;
use crate::addresses::{judge_cluster_subnet, parse_cluster_subnet, words};
use crate::refusal::Refusal;

impl NetConf {
    pub fn is_layer3(&self) -> bool {
        self.topology == "layer3"
    }

    /// What only a layer-3 network has.
    pub(super) fn read_layer3(&self, role: Role) -> Result<Layer3, Refusal> {
        self.refuse_layer2_keys()?;
        let mut subnets: Vec<ClusterSubnet> = Vec::new();
        for word in words(&self.subnets) {
            let subnet = parse_cluster_subnet(word)
                .map_err(|problem| Refusal::invalid(format!("subnets: {problem}")))?;
            judge_cluster_subnet(subnet)
                .map_err(|problem| Refusal::invalid(format!("subnets: {problem}")))?;
            let first = subnets.iter().find(|it| it.subnet.family() == subnet.subnet.family());
            if first.is_some_and(|it| it.host_prefix_len != subnet.host_prefix_len) {
                let part = subnet.host_prefix_len;
                let message = format!(
                    "subnets: {word} gives nodes a /{part}, but an earlier one another size; parts of \
                     IPv4 subnets are of one size"
                );
                return Err(Refusal::invalid(message));
            }
            subnets.push(subnet);
        }
        if subnets.is_empty() {
            let message = "a layer3 network needs subnets; list at least one";
            return Err(Refusal::invalid(message));
        }
        Ok(Layer3 { subnets, role })
    }

    // compat: pkg/util/multi_network.go, ValidateNetConf and parseNetworkSubnets
    fn refuse_layer2_keys(&self) -> Result<(), Refusal> {
        if self.allow_persistent_ips {
            let message = "allowPersistentIPs is not for layer3 networks; remove the key";
            return Err(Refusal::invalid(message));
        }
        let forbidden = [
            ("reservedSubnets", &self.reserved_subnets),
            ("infrastructureSubnets", &self.infrastructure_subnets),
            ("defaultGatewayIPs", &self.default_gateway_ips),
        ];
        if let Some((key, _)) = forbidden.iter().find(|(_, text)| !text.is_empty()) {
            let message = format!("{key} is for layer2 networks only; remove the key");
            return Err(Refusal::invalid(message));
        }
        Ok(())
    }
}
