//! Which zones are cleared of which addresses, by example.

use super::*;

fn port(link: &str, network: Option<&str>, addresses: &[&str]) -> PortSeen {
    PortSeen {
        link: link.to_owned(),
        logical_port: format!("lp-{link}"),
        network: network.map(NetworkName::new),
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
    }
}

/// Every port and router that there is, with a zone by its place in the list.
const ZONES: [&str; 12] = [
    "lp-a",
    "lp-b",
    "lp-red1",
    "lp-red2",
    "lp-blue",
    "GR_n1_dnat",
    "ovn_cluster_router_snat",
    "GR_cluster_udn_red_n1_dnat",
    "GR_cluster_udn_red_n1_snat",
    "cluster_udn_red_transit_router_dnat",
    "GR_cluster_udn_blue_n1_snat",
    "GR_cluster_udn_red_n2_snat",
];

fn check(going: &[&str], want: &[(&str, &[u16])]) {
    let (red, blue) = (Some("cluster_udn_red"), Some("cluster_udn_blue"));
    let ports = [
        port("a", None, &["10.244.1.5"]),
        port("b", None, &["10.244.1.6"]),
        port("red1", red, &["10.10.0.5", "fd10::5"]),
        port("red2", red, &["10.10.0.6", "fd10::5"]),
        port("blue", blue, &["10.10.0.5"]),
    ];
    let entries = ZONES.iter().zip(1..).map(|(name, zone)| (format!("ct-zone-{name}"), zone));
    let mut entries: BTreeMap<String, String> =
        entries.map(|(key, zone): (_, u16)| (key, zone.to_string())).collect();
    entries.insert("ct-zone-lp-odd".to_owned(), "no number".to_owned());
    let going = going.iter().copied().collect();
    let found = Traces::of(&ports, &going, &entries, Some(&NodeName::new("n1")));
    let want =
        want.iter().map(|(ip, zones)| (ip.parse().unwrap(), zones.iter().copied().collect()));
    assert_eq!(found.0, want.collect(), "{going:?}");
}

#[test]
fn an_address_goes_from_all_zones_of_its_network_and_no_other() {
    check(&["a"], &[("10.244.1.5", &[1, 2, 6, 7, 64000])]);
    check(&["blue"], &[("10.10.0.5", &[5, 11])]);
    check(&[], &[]);
}

#[test]
fn an_address_that_another_pod_has_stays() {
    check(&["red1"], &[("10.10.0.5", &[3, 4, 8, 9, 10])]);
    let zones = [3, 4, 8, 9, 10];
    check(&["red1", "red2"], &[("10.10.0.5", &zones), ("10.10.0.6", &zones), ("fd10::5", &zones)]);
}
