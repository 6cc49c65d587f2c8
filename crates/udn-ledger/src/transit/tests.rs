//! The search by example.

use udn_model::network::{Network, Origin, Primary, Role, Topology};
use udn_model::{ClusterSettings, NetworkName, PerFamily, Subnet, Subnets};

use super::choose_transit;

fn primary(subnets: &[&str]) -> Network {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    Network {
        name: NetworkName::new("red"),
        origin: Origin::Nads,
        topology: Topology::Layer2(Role::Primary(Primary {
            join: ClusterSettings::default().join,
            chosen_gateways: PerFamily::default(),
            reserved: Vec::new(),
            infrastructure: Vec::new(),
        })),
        subnets: Subnets::new(subnets).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

fn check(subnets: &[&str], want: &[&str]) {
    let settings = ClusterSettings::default();
    let chosen = choose_transit(&primary(subnets), &PerFamily::default(), &settings).unwrap();
    let got: Vec<String> = chosen.iter().map(Subnet::to_string).collect();
    assert_eq!(got, want, "{subnets:?}");
}

#[test]
fn the_usual_subnets_are_taken_when_nothing_is_in_the_way() {
    check(&["10.10.0.0/16"], &["100.88.0.0/16"]);
    check(&["fd10::/64", "10.10.0.0/16"], &["100.88.0.0/16", "fd97::/64"]);
}

#[test]
fn the_search_moves_behind_the_larger_of_the_two() {
    check(&["100.88.0.0/14"], &["100.92.0.0/16"]);
    check(&["100.88.4.0/24"], &["100.89.0.0/16"]);
    check(&["fd97::/60"], &["fd97:0:0:10::/64"]);
}

#[test]
fn a_settled_subnet_stays() {
    let settled = PerFamily { v4: Some(Subnet::parse("100.99.0.0/16").unwrap()), v6: None };
    let network = primary(&["10.10.0.0/16", "fd10::/64"]);
    let chosen = choose_transit(&network, &settled, &ClusterSettings::default()).unwrap();
    assert_eq!(chosen.v4, settled.v4);
    assert_eq!(chosen.v6, Subnet::parse("fd97::/64").ok());
}

#[test]
fn a_search_in_vain_ends() {
    let problem = choose_transit(
        &primary(&["64.0.0.0/1"]),
        &PerFamily::default(),
        &ClusterSettings::default(),
    );
    assert_eq!(
        problem.map_err(|it| it.overlaps.to_string()),
        Ok(PerFamily { v4: Subnet::parse("128.0.0.0/16").ok(), v6: None })
    );
    let problem = choose_transit(
        &primary(&["0.0.0.0/0"]),
        &PerFamily::default(),
        &ClusterSettings::default(),
    );
    assert_eq!(problem.map_err(|it| it.overlaps.to_string()), Err("0.0.0.0/0".to_owned()));
}
