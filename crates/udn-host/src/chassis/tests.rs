//! What a node is to be for OVN, and what it tells of itself, by example.

use std::collections::BTreeMap;

use udn_wire::api::VlanRange;

use super::mappings::{MAPPINGS, Mapping, merged, without};
use super::*;
use crate::facts::{Datapath, PortNumber};

fn settings() -> ChassisSettings {
    let masquerade = |text| Subnet::parse(text).unwrap();
    ChassisSettings {
        node: NodeName::new("n1"),
        identity: ChassisName::new("made-up"),
        southbound: "unix:/run/ovn/ovnsb_db.sock".to_owned(),
        integration_bridge: "br-int".to_owned(),
        external_bridge: "br-ex".to_owned(),
        uplink: None,
        physical_network: "physnet".to_owned(),
        tunnel_addresses: Vec::new(),
        masquerade: PerFamily {
            v4: Some(masquerade("169.254.0.0/17")),
            v6: Some(masquerade("fd69::/112")),
        },
    }
}

fn link(addresses: &[&str]) -> LinkSeen {
    LinkSeen {
        mac: Some("02:42:ac:12:00:0b".parse().unwrap()),
        mtu: Some(1500),
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
    }
}

fn route(link: &str, next_hop: &str, metric: u32) -> DefaultRoute {
    DefaultRoute { metric, link: link.to_owned(), next_hop: next_hop.parse().unwrap() }
}

fn kernel() -> KernelSeen {
    let links = [
        ("lo", link(&["127.0.0.1/8", "::1/128"])),
        ("br-ex", link(&["172.18.0.3/16", "169.254.0.2/17", "fe80::1/64", "fd18::3/64"])),
        ("eth1", link(&["192.168.7.3/24"])),
        ("ovn-k8s-mp1", link(&["10.10.0.2/16"])),
    ];
    let default_routes = vec![
        route("br-ex", "172.18.0.1", 0),
        route("br-ex", "fd18::1", 1024),
        route("eth1", "192.168.7.1", 50),
    ];
    KernelSeen {
        links: links.into_iter().map(|(name, it)| (name.to_owned(), it)).collect(),
        default_routes,
    }
}

fn uplink(name: &str) -> UplinkSeen {
    let (number, trunks) = (PortNumber::new(1), Default::default());
    UplinkSeen { name: name.to_owned(), number, mtu: Some(1500), trunks }
}

fn bridge(uplinks: &[&str]) -> BridgeSeen {
    let uplinks: Vec<UplinkSeen> = uplinks.iter().map(|it| uplink(it)).collect();
    let has_ports = !uplinks.is_empty();
    BridgeSeen { datapath_type: "netdev".to_owned(), is_secure: false, has_ports, uplinks }
}

fn switch() -> SwitchSeen {
    let external_ids: BTreeMap<String, String> = [
        ("system-id".to_owned(), "kept".to_owned()),
        ("ovn-bridge-mappings".to_owned(), "storage:br-sto".to_owned()),
    ]
    .into();
    let bridges = [("br-ex", bridge(&["eth0"])), ("br-sto", bridge(&["eth1", "eth2"]))];
    let bridges = bridges.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    SwitchSeen { external_ids, bridges }
}

/// The switch after a plan was applied.
fn applied(mut switch: SwitchSeen, plan: &ChassisPlan) -> SwitchSeen {
    for (key, change) in &plan.entries {
        switch.external_ids.insert((*key).to_owned(), change.wanted.clone());
    }
    match &plan.integration_bridge {
        Some(BridgeChange::Make { name, datapath_type }) => {
            let bridge = BridgeSeen {
                datapath_type: datapath_type.clone(),
                is_secure: true,
                ..BridgeSeen::default()
            };
            switch.bridges.insert(name.clone(), bridge);
        }
        Some(BridgeChange::Mend { name, datapath_type }) => {
            let bridge = switch.bridges.get_mut(name).unwrap();
            (bridge.is_secure, bridge.datapath_type) = (true, datapath_type.clone());
        }
        None => {}
    }
    switch
}

/// The plan for a node whose kernel is as usual.
fn plan_of(settings: &ChassisSettings, switch: &SwitchSeen) -> ChassisPlan {
    let gateway = OwnFacts::of(settings, switch, &kernel(), None).gateway;
    ChassisPlan::of(settings, switch, gateway.as_ref())
}

fn wanted(plan: &ChassisPlan, key: &str) -> Option<String> {
    plan.entries.get(key).map(|it| it.wanted.clone())
}

#[test]
fn a_fresh_switch_is_told_who_the_node_is() {
    let mut switch = switch();
    switch.external_ids.remove("system-id");
    let plan = plan_of(&settings(), &switch);
    let texts = |key| wanted(&plan, key).unwrap();
    assert_eq!(texts("system-id"), "made-up");
    assert_eq!(texts("hostname"), "n1");
    assert_eq!(texts("ovn-encap-type"), "geneve");
    assert_eq!(texts("ovn-encap-ip"), "172.18.0.3");
    assert_eq!(texts("ovn-remote"), "unix:/run/ovn/ovnsb_db.sock");
    assert_eq!(texts("ovn-bridge-mappings"), "storage:br-sto,physnet:br-ex");
    let make = BridgeChange::Make { name: "br-int".to_owned(), datapath_type: "netdev".to_owned() };
    assert_eq!(plan.integration_bridge, Some(make));
}

#[test]
fn a_second_plan_is_empty() {
    let plan = plan_of(&settings(), &switch());
    assert!(!plan.entries.contains_key("system-id"), "who the node is stays");
    let switch = applied(switch(), &plan);
    assert!(plan_of(&settings(), &switch).is_empty());
}

#[test]
fn an_entry_tells_what_it_replaces() {
    let mut switch = switch();
    switch.external_ids.insert("ovn-encap-type".to_owned(), "vxlan".to_owned());
    let plan = plan_of(&settings(), &switch);
    let want = EntryChange { standing: Some("vxlan".to_owned()), wanted: "geneve".to_owned() };
    assert_eq!(plan.entries["ovn-encap-type"], want);
    assert_eq!(plan.entries["hostname"].standing, None);
}

#[test]
fn a_tunnel_keeps_its_end_while_the_node_has_the_address() {
    let check = |standing: &str, want: Option<&str>| {
        let mut switch = switch();
        switch.external_ids.insert("ovn-encap-ip".to_owned(), standing.to_owned());
        let plan = plan_of(&settings(), &switch);
        assert_eq!(wanted(&plan, "ovn-encap-ip").as_deref(), want, "{standing}");
    };
    check("fd18::3", None);
    check("172.18.0.3", None);
    check("172.18.0.99", Some("172.18.0.3"));
    check("192.168.7.3", Some("172.18.0.3"));
}

#[test]
fn a_node_without_an_address_changes_no_tunnel() {
    let mut switch = switch();
    switch.external_ids.insert("ovn-encap-ip".to_owned(), "172.18.0.99".to_owned());
    let plan = ChassisPlan::of(&settings(), &switch, None);
    assert_eq!(wanted(&plan, "ovn-encap-ip"), None);
}

#[test]
fn named_tunnel_addresses_count() {
    let tunnel_addresses = vec!["192.168.7.3".parse().unwrap(), "192.168.8.3".parse().unwrap()];
    let settings = ChassisSettings { tunnel_addresses, ..settings() };
    let plan = plan_of(&settings, &switch());
    assert_eq!(wanted(&plan, "ovn-encap-ip").unwrap(), "192.168.7.3,192.168.8.3");
    let switch = applied(switch(), &plan);
    let facts = OwnFacts::of(&settings, &switch, &kernel(), None);
    assert_eq!(facts.tunnel_addresses, settings.tunnel_addresses);
}

#[test]
fn mappings_of_others_stay() {
    let own = Mapping { network: "physnet", bridge: "br-ex" };
    let check = |standing, want| assert_eq!(merged(standing, own), want, "{standing}");
    check("", "physnet:br-ex");
    check("a:br-a", "a:br-a,physnet:br-ex");
    check("a:br-a, physnet:br-ex", "a:br-a, physnet:br-ex");
    check("physnet:br-ex,a:br-a", "physnet:br-ex,a:br-a");
    check("physnet:br-old,a:br-a", "a:br-a,physnet:br-ex");
    check("nonsense,a:br-a", "nonsense,a:br-a,physnet:br-ex");
    check(":br-a,a:", ":br-a,a:,physnet:br-ex");
}

#[test]
fn only_the_own_mapping_goes() {
    let own = Mapping { network: "physnet", bridge: "br-ex" };
    let check = |standing, want: Option<&str>| {
        assert_eq!(without(standing, own).as_deref(), want, "{standing}");
    };
    check("", None);
    check("physnet:br-ex", None);
    check("lab:br-lab, physnet:br-ex", Some("lab:br-lab"));
    check("physnet:br-other,nonsense", Some("physnet:br-other,nonsense"));
}

#[test]
fn whatever_is_written_is_known_to_be_ours() {
    let settings = ChassisSettings { integration_bridge: "br-ovn".to_owned(), ..settings() };
    let mut switch = switch();
    switch.external_ids.clear();
    let plan = plan_of(&settings, &switch);
    let known = OWN_ENTRIES.iter().chain(&MACHINE).chain(&[MAPPINGS]);
    let known: std::collections::BTreeSet<&str> = known.copied().collect();
    assert_eq!(plan.entries.keys().copied().collect::<std::collections::BTreeSet<_>>(), known);
}

#[test]
fn a_bridge_that_somebody_else_made_is_secured_and_gets_the_datapath_of_the_external_one() {
    let check = |external: &str, own: (&str, bool), want: Option<&str>| {
        let mut switch = switch();
        let of_type =
            |text: &str| BridgeSeen { datapath_type: text.to_owned(), ..bridge(&["eth0"]) };
        switch.bridges.insert("br-ex".to_owned(), of_type(external));
        let integration = BridgeSeen { is_secure: own.1, ..of_type(own.0) };
        switch.bridges.insert("br-int".to_owned(), integration);
        let plan = plan_of(&settings(), &switch);
        let name = || "br-int".to_owned();
        let want = want.map(|it| BridgeChange::Mend { name: name(), datapath_type: it.to_owned() });
        assert_eq!(plan.integration_bridge, want, "{own:?} beside {external}");
        let facts = OwnFacts::of(&settings(), &switch, &kernel(), None);
        let userspace = external == "netdev";
        let want = if userspace { Datapath::Userspace } else { Datapath::Kernel };
        assert_eq!(facts.datapath, Some(want), "{own:?} beside {external}");
        let mended = applied(switch, &plan);
        assert_eq!(plan_of(&settings(), &mended).integration_bridge, None, "it is done once");
    };
    check("netdev", ("netdev", true), None);
    check("netdev", ("netdev", false), Some("netdev"));
    // As ovn-controller makes it where nobody told it.
    check("netdev", ("", true), Some("netdev"));
    check("netdev", ("system", false), Some("netdev"));
    check("", ("netdev", true), Some(""));
    check("", ("system", true), None);
    check("system", ("", false), Some(""));
}

#[test]
fn a_node_tells_its_way_out() {
    let facts = OwnFacts::of(&settings(), &switch(), &kernel(), None);
    let gateway = facts.gateway.unwrap();
    let texts = |all: &[udn_model::InterfaceAddress]| {
        all.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(texts(&gateway.addresses), ["172.18.0.3/16", "fd18::3/64"]);
    let next_hops: Vec<String> = gateway.next_hops.iter().map(ToString::to_string).collect();
    assert_eq!(next_hops, ["172.18.0.1", "fd18::1"]);
    assert_eq!(texts(&facts.addresses), ["172.18.0.3/16", "192.168.7.3/24", "fd18::3/64"]);
    assert_eq!(facts.tunnel_addresses, ["172.18.0.3".parse::<IpAddr>().unwrap()]);
    assert_eq!(facts.uplink, PortNumber::new(1));
    assert_eq!(facts.datapath, Some(Datapath::Userspace));
    assert!(facts.complaints.is_empty(), "{:?}", facts.complaints);
}

#[test]
fn of_several_addresses_the_one_that_was_told_stays() {
    let check = |own: &[&str], told: &[&str], want: &[&str]| {
        let mut kernel = kernel();
        kernel.links.insert("br-ex".to_owned(), link(own));
        let mut before = OwnFacts::of(&settings(), &switch(), &kernel, None).gateway;
        if let Some(gateway) = &mut before {
            gateway.addresses = told.iter().map(|it| it.parse().unwrap()).collect();
        }
        let facts = OwnFacts::of(&settings(), &switch(), &kernel, before.as_ref());
        let addresses = facts.gateway.map(|it| it.addresses).unwrap_or_default();
        let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        assert_eq!(texts, want, "{own:?} {told:?}");
    };
    check(&["10.0.0.1/24", "10.0.0.2/24"], &[], &["10.0.0.1/24"]);
    check(&["10.0.0.1/24", "10.0.0.2/24"], &["10.0.0.2/24"], &["10.0.0.2/24"]);
    check(&["10.0.0.1/24"], &["10.0.0.2/24"], &["10.0.0.1/24"]);
    check(&["10.0.0.9/32", "10.0.0.1/24"], &[], &["10.0.0.1/24"]);
    check(&["10.0.0.9/32"], &[], &["10.0.0.9/32"]);
    check(&["169.254.0.2/17"], &[], &[]);
}

#[test]
fn the_best_default_routes_count() {
    let mut kernel = kernel();
    kernel.default_routes = vec![
        route("br-ex", "172.18.0.9", 100),
        route("br-ex", "172.18.0.2", 50),
        route("br-ex", "172.18.0.1", 50),
        route("eth1", "192.168.7.1", 0),
    ];
    let facts = OwnFacts::of(&settings(), &switch(), &kernel, None);
    let texts: Vec<String> =
        facts.gateway.unwrap().next_hops.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["172.18.0.1", "172.18.0.2"]);
}

#[test]
fn physical_networks_are_those_whose_bridges_are_there() {
    let mut switch = switch();
    let mappings = "storage:br-sto,gone:br-gone,physnet:br-ex,x,bare:br-bare".to_owned();
    switch.external_ids.insert("ovn-bridge-mappings".to_owned(), mappings);
    switch.bridges.insert("br-bare".to_owned(), bridge(&[]));
    for uplink in &mut switch.bridges.get_mut("br-sto").unwrap().uplinks {
        uplink.mtu = Some(if uplink.name == "eth1" { 9000 } else { 1400 });
        uplink.trunks = if uplink.name == "eth1" { [10, 11, 12].into() } else { [13, 20].into() };
    }
    let facts = OwnFacts::of(&settings(), &switch, &kernel(), None);
    let lines: Vec<String> = facts
        .physical_networks
        .iter()
        .map(|it| format!("{} {} {:?}", it.name, it.bridge, it.mtu))
        .collect();
    assert_eq!(lines, ["physnet br-ex Some(1500)", "storage br-sto Some(1400)"]);
    let ranges = [VlanRange { first: 10, last: 13 }, VlanRange { first: 20, last: 20 }];
    assert_eq!(facts.physical_networks[1].vlans.as_deref(), Some(&ranges[..]));
    assert_eq!(facts.physical_networks[0].vlans, None, "an uplink that says nothing lets all pass");
    let complaints: Vec<&str> = facts.complaints.iter().map(String::as_str).collect();
    let want = [
        "\"x\" in ovn-bridge-mappings is not PHYSICAL-NETWORK:BRIDGE; mend or remove it",
        "ovn-bridge-mappings leads physical network bare to bridge br-bare, which leads nowhere; add \
         the uplink of that network to it, or put the entry right",
        "ovn-bridge-mappings leads physical network gone to bridge br-gone, which is not there; make \
         the bridge, or put the entry right",
    ];
    assert_eq!(complaints, want);
    let unusable = facts.unusable_networks.iter().map(|it| (&*it.name, &*it.reason));
    let reasons = [("bare", "BridgeWithoutPorts"), ("gone", "BridgeMissing")];
    assert_eq!(unusable.collect::<Vec<_>>(), reasons);
    let told: Vec<Option<&str>> =
        facts.unusable_networks.iter().map(|it| it.message.as_deref()).collect();
    assert_eq!(told, [Some(want[1]), Some(want[2])]);
}

#[test]
fn what_is_missing_is_told() {
    let check = |switch: &SwitchSeen, kernel: &KernelSeen, want: &str| {
        let facts = OwnFacts::of(&settings(), switch, kernel, None);
        let is_told = facts.complaints.iter().any(|it| it.contains(want));
        assert!(is_told, "{want}: {:?}", facts.complaints);
        facts
    };
    let mut bare = switch();
    bare.bridges.remove("br-ex");
    let facts = check(&bare, &kernel(), "has no bridge br-ex");
    assert_eq!((facts.gateway, facts.uplink), (None, None));
    let plan = plan_of(&settings(), &bare);
    assert_eq!(wanted(&plan, "ovn-bridge-mappings"), None, "nothing is mapped to no bridge");
    let mut unwired = switch();
    unwired.bridges.insert("br-ex".to_owned(), bridge(&[]));
    check(&unwired, &kernel(), "no port that is a wire");
    let mut two = switch();
    two.bridges.insert("br-ex".to_owned(), bridge(&["eth1", "eth0"]));
    check(&two, &kernel(), "2 ports that may be the wire, and eth0 is taken");
    let mut nowhere = kernel();
    nowhere.links.insert("br-ex".to_owned(), link(&[]));
    let facts = check(&switch(), &nowhere, "br-ex has no address");
    assert_eq!(facts.gateway, None);
}

#[test]
fn links_into_networks_are_told_from_others() {
    let check = |name, want| assert_eq!(is_host_link(name), want, "{name}");
    check("ovn-k8s-mp0", true);
    check("ovn-k8s-mp4095", true);
    check("ovn-k8s-mp", false);
    check("ovn-k8s-mpx", false);
    check("br-ex", false);
}
