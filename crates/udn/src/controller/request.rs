//! From what was asked on the command line to settings.
//!
//! Invariant: a flag counts more than what the cluster says of itself, and that more than a default.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use k8s_openapi::api::networking::v1::ServiceCIDR;
use kube::api::ListParams;
use kube::{Api, Client};
use udn_control::lease::{LeaseSettings, Timing};
use udn_model::settings::{Deprecation, Features, PoolSettings};
use udn_model::{ClusterSettings, Subnet};

use crate::args::{ClaimAnnotation, ControllerRequest, NetworkOptions};
use crate::settings;

#[cfg(test)]
mod tests;

/// The settings of the options.
pub(super) async fn settings(client: &Client, request: &ControllerRequest) -> ClusterSettings {
    let services = match request.settings.service_cidrs {
        Some(_) => None,
        None => service_subnets(client).await,
    };
    let settings = settings::settings(&request.settings, services.as_ref());
    with_options(settings, &request.networks)
}

fn with_options(settings: ClusterSettings, options: &NetworkOptions) -> ClusterSettings {
    ClusterSettings {
        gateway_mode: options.gateway_mode,
        mtu: options.mtu,
        default_nad: options.cluster_default_nad.clone(),
        claim_annotation: match options.primary_udn_ipamclaim_annotation {
            ClaimAnnotation::Warn => Deprecation::Warn,
            ClaimAnnotation::Refuse => Deprecation::Refuse,
            ClaimAnnotation::Ignore => Deprecation::Ignore,
        },
        features: Features {
            persistent_addresses: options.enable_persistent_ips,
            requested_addresses: options.enable_preconfigured_udn_addresses,
            node_labels: options.label_nodes_with_physical_networks,
            secondary_router_guard: options.enable_secondary_router_guard,
            // Not built yet, so there is nothing to switch on.
            evpn: false,
        },
        pools: PoolSettings {
            last_network: options.max_networks,
            last_node: options.max_nodes,
            last_tunnel_key: options.max_tunnel_key,
            ..settings.pools
        },
        ..settings
    }
}

/// Where services live, if the cluster tells.
async fn service_subnets(client: &Client) -> Option<Vec<Subnet>> {
    let ranges: Api<ServiceCIDR> = Api::all(client.clone());
    match ranges.list(&ListParams::default()).await {
        Ok(ranges) => {
            let texts = ranges.into_iter().filter_map(|it| it.spec?.cidrs).flatten();
            let subnets: Vec<Subnet> = texts.filter_map(|it| Subnet::parse(&it).ok()).collect();
            (!subnets.is_empty()).then_some(subnets)
        }
        Err(error) => {
            let reason = match error {
                kube::Error::Api(status) => status.message,
                other => other.to_string(),
            };
            tracing::warn!(
                reason,
                "the cluster does not tell its service subnets, so a default \
                is used; name them with --k8s-service-cidrs"
            );
            None
        }
    }
}

/// The lease to lead with, unless none is wanted.
pub(super) fn lease(request: &ControllerRequest) -> Option<LeaseSettings> {
    let lease = &request.lease;
    (!lease.no_leader_election).then(|| LeaseSettings {
        namespace: lease.lease_namespace.clone(),
        name: lease.lease_name.clone(),
        identity: lease.identity.clone().unwrap_or_else(own_name),
        timing: Timing::default(),
    })
}

/// A name that no other program has: in a pod, the host's name is the pod's.
fn own_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}_{:x}-{:x}", host.trim(), std::process::id(), since.as_nanos())
}
