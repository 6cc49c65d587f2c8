//! What controller and agents are told of networks.

use udn_model::{ClusterSettings, Family, GatewayMode};

use super::{cluster_settings, flags};

#[test]
fn another_plugin_may_build_the_default_network() {
    let settings = ClusterSettings { builds_default_network: false, ..ClusterSettings::default() };
    assert_eq!(flags(&settings)[..2], ["--default-network", "foreign"]);
}

fn check(families: &[Family], mode: GatewayMode, want: &str) {
    assert_eq!(flags(&cluster_settings(families, mode)).join(" "), want);
}

#[test]
fn families_choose_where_pods_and_services_live() {
    check(
        &Family::BOTH,
        GatewayMode::Shared,
        "--default-network udn --cluster-subnets 10.128.0.0/14/23,fd01::/48/64 \
         --service-cidrs 10.96.0.0/16,fd00:10:96::/112 --gateway-mode shared",
    );
    check(
        &[Family::V4],
        GatewayMode::Local,
        "--default-network udn --cluster-subnets 10.128.0.0/14/23 \
         --service-cidrs 10.96.0.0/16 --gateway-mode local",
    );
    check(
        &[Family::V6],
        GatewayMode::Shared,
        "--default-network udn --cluster-subnets fd01::/48/64 \
         --service-cidrs fd00:10:96::/112 --gateway-mode shared",
    );
}
