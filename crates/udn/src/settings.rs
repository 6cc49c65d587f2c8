//! The cluster's settings, as flags and the cluster itself tell them.
//!
//! Invariant: a flag counts more than the cluster, and the cluster more than the default.

use udn_model::{ClusterSettings, Family, PerFamily, Subnet};

use crate::args::SettingsRequest;

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

/// The given subnets, and of a family that is not given the former one.
fn per_family(subnets: &[Subnet], former: &PerFamily<Subnet>) -> PerFamily<Subnet> {
    let of = |family: Family| subnets.iter().copied().find(|it| it.family() == family);
    PerFamily { v4: of(Family::V4).or(former.v4), v6: of(Family::V6).or(former.v6) }
}
