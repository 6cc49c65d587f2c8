use clap::{CommandFactory, Parser};
use udn_model::settings::Deprecation;
use udn_model::{ClusterSettings, ClusterSubnet, Family, GatewayMode, ObjectName, Subnet};

use super::lease;
use crate::args::{Arguments, Command, ControllerRequest};
use crate::settings::{check, settings, with_options};

fn request(flags: &str) -> ControllerRequest {
    let words = ["udn", "controller"].into_iter().chain(flags.split_whitespace());
    let arguments = Arguments::try_parse_from(words).expect("the flags are right");
    let Command::Controller(request) = arguments.command else { panic!("it is the controller") };
    *request
}

fn cluster(flags: &str) -> ClusterSettings {
    let request = request(flags);
    with_options(settings(&request.settings, None), &request.networks)
}

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).expect("it is a subnet")
}

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn without_flags_everything_is_as_by_default() {
    let want = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    assert_eq!(cluster(""), want);
}

#[test]
fn flags_of_the_other_project_are_taken() {
    let told = cluster(
        "--cluster-subnets 10.128.0.0/14/23 --k8s-service-cidrs 172.30.0.0/16 --gateway-mode local \
         --enable-persistent-ips=false --enable-preconfigured-udn-addresses \
         --cluster-default-nad net/default --mtu 8900 --gateway-v4-join-subnet 100.70.0.0/16 \
         --gateway-v6-join-subnet fd90::/64 --gateway-v4-masquerade-subnet 169.254.128.0/17 \
         --cluster-manager-v4-transit-subnet 100.90.0.0/16",
    );
    let cut = ClusterSubnet { subnet: subnet("10.128.0.0/14"), host_prefix_len: 23 };
    assert_eq!(told.cluster_subnets, [cut]);
    assert_eq!(told.families.into_iter().collect::<Vec<_>>(), [Family::V4]);
    assert_eq!(told.service_subnets, [subnet("172.30.0.0/16")]);
    assert_eq!(told.gateway_mode, GatewayMode::Local);
    assert!(!told.features.persistent_addresses);
    assert!(told.features.requested_addresses);
    assert_eq!(told.default_nad, ObjectName::new("net", "default"));
    assert_eq!(told.default_join.v4, Some(subnet("100.70.0.0/16")));
    assert_eq!(told.default_join.v6, Some(subnet("fd90::/64")));
    assert_eq!(told.masquerade.v4, Some(subnet("169.254.128.0/17")));
    assert_eq!(told.masquerade.v6, ClusterSettings::default().masquerade.v6);
    assert_eq!(told.transit.v4, Some(subnet("100.90.0.0/16")));
}

#[test]
fn the_default_network_is_ours_unless_it_is_said_to_be_anothers() {
    let foreign = cluster("--default-network foreign");
    assert!(!foreign.builds_default_network && !foreign.features.primary_networks);
    for flags in ["", "--default-network udn"] {
        let ours = cluster(flags);
        assert!(ours.builds_default_network && ours.features.primary_networks, "{flags}");
    }
}

#[test]
fn a_default_network_of_ours_overlaps_nothing() {
    let told = |flags: &str| check(&cluster(flags)).err().map(|it| it.to_string());
    assert_eq!(told("--default-network udn"), None);
    assert_eq!(
        told("--default-network foreign --cluster-subnets 100.88.0.0/16"),
        None,
        "not ours to judge"
    );
    assert_eq!(
        told("--default-network udn --cluster-subnets 10.128.0.0/14/23,100.88.0.0/16").as_deref(),
        Some(
            "--cluster-subnets 100.88.0.0/16 overlaps the transit subnet 100.88.0.0/16, and with \
             --default-network udn pods live there; choose another"
        )
    );
    let twice = told("--default-network udn --cluster-subnets 10.0.0.0/16,10.0.8.0/21").unwrap();
    assert!(
        twice.starts_with("--cluster-subnets 10.0.0.0/16 overlaps the cluster subnet"),
        "{twice}"
    );
}

#[test]
fn a_cluster_subnet_has_room_for_nodes() {
    for (text, why) in [
        (
            "10.128.0.0/14/14",
            "10.128.0.0/14 gives nodes a /14; write more than /14, the subnet's own",
        ),
        ("10.128.0.0/24", "10.128.0.0/24 gives nodes a /24; write more than /24"),
        ("10.128.0.0/14/32", "write less than /32"),
        ("fd01::/48/80", "IPv6 allows /64 only"),
    ] {
        let words = ["udn", "controller", "--cluster-subnets", text];
        let told = Arguments::try_parse_from(words).unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn the_guard_of_secondary_networks_is_on_unless_switched_off() {
    for flag in ["--enable-secondary-router-guard", "--secondary-router-guard-enable"] {
        assert!(cluster(flag).features.secondary_router_guard, "{flag}");
        assert!(!cluster(&format!("{flag}=false")).features.secondary_router_guard, "{flag}");
    }
}

#[test]
fn requests_can_be_switched_off_under_both_names() {
    for flag in ["--enable-preconfigured-udn-addresses", "--preconfigured-udn-addresses-enable"] {
        assert!(cluster(flag).features.requested_addresses, "{flag}");
        assert!(!cluster(&format!("{flag}=false")).features.requested_addresses, "{flag}");
    }
}

#[test]
fn the_claim_annotation_has_three_stages() {
    let stages = [
        ("", Deprecation::Warn),
        ("--primary-udn-ipamclaim-annotation warn", Deprecation::Warn),
        ("--primary-udn-ipamclaim-annotation refuse", Deprecation::Refuse),
        ("--primary-udn-ipamclaim-annotation ignore", Deprecation::Ignore),
    ];
    for (flags, stage) in stages {
        assert_eq!(cluster(flags).claim_annotation, stage, "{flags}");
    }
}

#[test]
fn pools_have_bounds() {
    let pools = cluster("--max-networks 7 --max-nodes 8 --max-tunnel-key 4095").pools;
    assert_eq!((pools.last_network, pools.last_node, pools.last_tunnel_key), (7, 8, 4095));
    for flags in ["--max-networks 0", "--max-networks 4096", "--max-tunnel-key 16777216"] {
        let words = ["udn", "controller"].into_iter().chain(flags.split_whitespace());
        assert!(Arguments::try_parse_from(words).is_err(), "{flags}");
    }
}

#[test]
fn two_programs_have_two_names_unless_told() {
    let own = lease(&request("")).expect("it wants to lead");
    assert_eq!((own.namespace.as_str(), own.name.as_str()), ("kube-system", "udn-controller"));
    assert_ne!(own.identity, lease(&request("")).expect("it wants to lead").identity);
    let named = lease(&request("--identity me")).expect("it wants to lead");
    assert_eq!(named.identity, "me");
    assert!(lease(&request("--no-leader-election")).is_none());
}
