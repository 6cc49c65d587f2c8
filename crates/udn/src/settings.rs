//! The cluster's settings, as flags and the cluster itself tell them.
//!
//! Invariant: a flag counts more than the cluster, and the cluster more than the default.

use anyhow::{Result, bail};
use k8s_openapi::api::networking::v1::ServiceCIDR;
use kube::api::ListParams;
use kube::{Api, Client};
use udn_model::settings::{Deprecation, Features, PoolSettings};
use udn_model::{ClusterSettings, Family, PerFamily, Subnet};

use crate::args::{ClaimAnnotation, DefaultNetwork, NetworkOptions, SettingsRequest};

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
    if let Some(subnets) = request.service_cidrs.as_ref().or(service_subnets) {
        settings.service_subnets.clone_from(subnets);
    }
    if let Some(subnets) = &request.cluster_subnets {
        // compat: the other project has no switch for families either; its pods' subnets tell.
        settings.families = subnets.iter().map(|it| it.subnet.family()).collect();
        settings.cluster_subnets.clone_from(subnets);
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
        builds_default_network: options.default_network == DefaultNetwork::Udn,
        default_nad: options.cluster_default_nad.clone(),
        claim_annotation: match options.primary_udn_ipamclaim_annotation {
            ClaimAnnotation::Warn => Deprecation::Warn,
            ClaimAnnotation::Refuse => Deprecation::Refuse,
            ClaimAnnotation::Ignore => Deprecation::Ignore,
        },
        features: Features {
            primary_networks: options.default_network == DefaultNetwork::Udn,
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

/// Refuses settings with which the default network, where it is ours, could not work.
pub(crate) fn check(settings: &ClusterSettings) -> Result<()> {
    if !settings.builds_default_network {
        return Ok(());
    }
    let all = |name, subnets: &PerFamily<Subnet>| {
        subnets.iter().map(|it| (name, *it)).collect::<Vec<_>>()
    };
    let services = settings.service_subnets.iter().map(|it| ("service", *it));
    let others = [
        services.collect(),
        all("default network's join", &settings.default_join),
        all("join", &settings.join),
        all("masquerade", &settings.masquerade),
        all("transit", &settings.transit),
    ];
    let own: Vec<_> = settings.cluster_subnets.iter().map(|it| ("cluster", it.subnet)).collect();
    for (position, (_, subnet)) in own.iter().enumerate() {
        let mut rest = own[position + 1..].iter().chain(others.iter().flatten());
        if let Some((name, other)) = rest.find(|(_, other)| subnet.overlaps(*other)) {
            bail!(
                "--cluster-subnets {subnet} overlaps the {name} subnet {other}, and with \
                 --default-network udn pods live there; choose another"
            );
        }
    }
    Ok(())
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
