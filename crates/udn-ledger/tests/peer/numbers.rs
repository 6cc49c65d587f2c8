//! Addresses that nobody asks for: the same here as in OVN-Kubernetes.
//!
//! Transit subnets, gateway and management addresses, masquerade addresses; from the shared cases.

use serde_json::Value;
use udn_ledger::choose_transit;
use udn_model::derived::network_masquerade;
use udn_model::network::{Origin, Primary};
use udn_model::{
    ClusterSettings, Family, Network, NetworkId, NetworkName, PerFamily, PlatformAddresses, Role,
    Subnet, Subnets, Topology,
};

use super::shared::cases;

/// The comma-separated subnets under a key; none where it is missing.
fn subnets(config: &Value, key: &str) -> Vec<Subnet> {
    let text = config[key].as_str().unwrap_or_default();
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| Subnet::parse(word).expect("a case has well-formed subnets")).collect()
}

fn per_family<T>(things: impl IntoIterator<Item = (Family, T)>) -> PerFamily<T> {
    let mut all = PerFamily::default();
    for (family, thing) in things {
        all.put(family, thing);
    }
    all
}

/// A primary layer-2 network as the case's NAD describes it.
fn network(config: &Value) -> Network {
    let join = subnets(config, "joinSubnet").into_iter().map(|it| (it.family(), it));
    let mut all_join = ClusterSettings::default().join;
    for (family, subnet) in join {
        all_join.put(family, subnet);
    }
    let gateways = config["defaultGatewayIPs"].as_str().unwrap_or_default();
    let gateways = gateways.split(',').filter_map(|text| text.trim().parse().ok());
    Network {
        name: NetworkName::new("network"),
        origin: Origin::Nads,
        topology: Topology::Layer2(Role::Primary(Primary {
            join: all_join,
            chosen_gateways: per_family(gateways.map(|ip| (Family::of(ip), ip))),
            reserved: Vec::new(),
            infrastructure: subnets(config, "infrastructureSubnets"),
        })),
        subnets: Subnets::new(subnets(config, "subnets")).expect("one of each family"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

#[test]
fn transit_subnets_are_the_same() {
    for (id, case) in cases("nad-rendering", "transit-subnet-selection") {
        let settings = ClusterSettings::default();
        let chosen = choose_transit(&network(&case["input"]), &PerFamily::default(), &settings);
        let chosen: Vec<String> =
            chosen.expect("a free one").iter().map(ToString::to_string).collect();
        assert_eq!(
            Some(chosen.join(",").as_str()),
            case["expected"]["transitSubnet"].as_str(),
            "{id}"
        );
    }
}

#[test]
fn gateway_and_management_addresses_are_the_same() {
    for (prefix, key) in [("gateway-ip", "gateway_ip"), ("management-ip", "management_ip")] {
        for (id, case) in cases("allocation", prefix) {
            let config = &case["input"]["network_config"];
            let own = match config["topology"].as_str() {
                Some("layer2") => network(config).platform_addresses(),
                // Each node has its own, and so it is on the default network.
                Some("layer3") | None => {
                    let subnet = case["input"]["subnet"].as_str().expect("a subnet");
                    let subnet = Subnet::parse(subnet).expect("well formed");
                    PlatformAddresses::on_node(&per_family([(subnet.family(), subnet)]))
                }
                // It has no gateway of ours.
                Some(_) => continue,
            };
            let own = own.first().expect("a network with a subnet");
            let got = match key {
                "gateway_ip" => own.gateway_on_interface(),
                _ => own.management_on_interface(),
            };
            assert_eq!(Some(got.to_string().as_str()), case["expected"][key].as_str(), "{id}");
        }
    }
}

#[test]
fn masquerade_addresses_are_the_same() {
    for (id, case) in cases("allocation", "masquerade-network-id") {
        let input = &case["input"];
        let number = input["network_id"].as_u64().and_then(|number| u16::try_from(number).ok());
        let subnet = Subnet::parse(input["masquerade_subnet"].as_str().expect("a subnet"));
        let subnet = subnet.expect("a well-formed subnet");
        let got = number.and_then(NetworkId::new).and_then(|it| network_masquerade(subnet, it));
        let got = got.map(|it| {
            [it.gateway_router, it.management].map(|ip| subnet.on_interface(ip).to_string())
        });
        let want = ["gateway_router", "management_port"]
            .map(|key| case["expected"][key].as_str().map(str::to_owned));
        assert_eq!(got.map(|them| them.map(Some)).unwrap_or_default(), want, "{id}");
    }
}
