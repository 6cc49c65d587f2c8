//! The cluster's settings, as flags and the cluster itself tell them.
//!
//! Invariant: a flag counts more than the cluster, and the cluster more than the default.

use k8s_openapi::api::networking::v1::ServiceCIDR;
use kube::api::ListParams;
use kube::{Api, Client};
use udn_model::settings::{Deprecation, Features, PoolSettings};
use udn_model::{ClusterSettings, Family, PerFamily, Subnet};

use crate::args::{ClaimAnnotation, NetworkOptions, SettingsRequest};

/// The settings of a cluster that runs.
pub(crate) async fn of_cluster(
    client: &Client,
    request: &SettingsRequest,
    networks: &NetworkOptions,
) -> ClusterSettings {
    let services = match request.service_cidrs {
        Some(_) => None,
        None => service_subnets(client).await,
    };
    with_options(settings(request, services.as_ref()), networks)
}

/// The settings that networks are checked with.
pub(crate) fn settings(
    request: &SettingsRequest,
    service_subnets: Option<&Vec<Subnet>>,
) -> ClusterSettings {
    let mut settings = ClusterSettings::default();
    let lists = [
        (&request.cluster_subnets, &mut settings.cluster_subnets),
        (&request.service_cidrs, &mut settings.service_subnets),
    ];
    let told = [None, service_subnets];
    for ((flag, setting), told) in lists.into_iter().zip(told) {
        if let Some(subnets) = flag.as_ref().or(told) {
            setting.clone_from(subnets);
        }
    }
    if let Some(subnets) = &request.cluster_subnets {
        // compat: the other project has no switch for families either; its pods' subnets tell.
        settings.families = subnets.iter().map(|it| it.family()).collect();
    }
    let ranges = [
        (&request.join_subnets, &mut settings.default_join),
        (&request.network_join_subnets, &mut settings.join),
        (&request.masquerade_subnets, &mut settings.masquerade),
        (&request.transit_subnets, &mut settings.transit),
    ];
    for (flag, setting) in ranges {
        if let Some(subnets) = flag {
            *setting = per_family(subnets, setting);
        }
    }
    settings
}

/// Settings with what new networks get.
pub(crate) fn with_options(settings: ClusterSettings, options: &NetworkOptions) -> ClusterSettings {
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

/// The given subnets, and of a family that is not given the former one.
fn per_family(subnets: &[Subnet], former: &PerFamily<Subnet>) -> PerFamily<Subnet> {
    let of = |family: Family| subnets.iter().copied().find(|it| it.family() == family);
    PerFamily { v4: of(Family::V4).or(former.v4), v6: of(Family::V6).or(former.v6) }
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
