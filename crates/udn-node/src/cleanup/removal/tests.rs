//! What goes from a host and what stays, by example.

use super::*;

const SOUTH: &str = "unix:/run/ovn/ovnsb_db.sock";

fn ours() -> Identity {
    Identity {
        southbound: SOUTH.to_owned(),
        integration_bridge: "br-int".to_owned(),
        external_bridge: "br-ex".to_owned(),
        physical_network: "physnet".to_owned(),
        host_names_itself: false,
        owned_the_switch: false,
    }
}

fn port(name: &str, kind: PortKind) -> PortRow {
    PortRow { name: name.to_owned(), kind }
}

fn entries(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// A switch as an agent leaves it, with a port and a mapping of somebody else.
fn rows() -> SwitchRows {
    let integration = vec![
        port("br-int", PortKind::Own),
        port("ovn-k8s-mp0", PortKind::Network),
        port("ovn-abc-0", PortKind::Controller),
        port("patch-br-int-to-br-ex_n1", PortKind::ToNetworks),
    ];
    let external = vec![
        port("br-ex", PortKind::Own),
        port("eth0", PortKind::Other),
        port("patch-br-ex_n1-to-br-int", PortKind::ToNetworks),
    ];
    let entries = entries(&[
        ("system-id", "c0ffee"),
        ("hostname", "n1"),
        ("ovn-remote", SOUTH),
        ("ovn-encap-ip", "172.18.0.3"),
        ("ovn-bridge-mappings", "lab:br-lab,physnet:br-ex"),
        ("ovn-bridge-datapath-type", "netdev"),
        ("rack", "7"),
    ]);
    SwitchRows {
        entries,
        settings: self::entries(&[
            ("ovn-chassis-idx-c0ffee", ""),
            ("vlan-limit", "0"),
            ("dpdk-init", "true"),
        ]),
        bridges: [("br-int".to_owned(), integration), ("br-ex".to_owned(), external)].into(),
        limits: BTreeSet::new(),
    }
}

fn neighbour(link: &str, ip: &str, mac: &str) -> HostNeighbour {
    let (ip, mac) = (ip.parse().unwrap(), mac.parse().unwrap());
    HostNeighbour { link: link.to_owned(), ip, mac }
}

fn kernel() -> KernelLeftovers {
    KernelLeftovers {
        links: ["lo", "br-ex", "ovn-k8s-mp0", "cni0"].map(str::to_owned).into(),
        ..KernelLeftovers::default()
    }
}

fn check(rows: Option<&SwitchRows>, kernel: &KernelLeftovers, want: &[&str]) {
    assert_eq!(Removal::of(&ours(), rows, kernel).lines(), want);
}

#[test]
fn all_that_an_agent_wrote_goes_and_all_else_stays() {
    check(
        Some(&rows()),
        &kernel(),
        &[
            "port patch-br-ex_n1-to-br-int of br-ex",
            "bridge br-int",
            "external_ids hostname=n1",
            "external_ids ovn-bridge-mappings=lab:br-lab,physnet:br-ex, of which lab:br-lab stays",
            "external_ids ovn-encap-ip=172.18.0.3",
            "external_ids ovn-remote=unix:/run/ovn/ovnsb_db.sock",
            "external_ids system-id=c0ffee",
            "other_config ovn-chassis-idx-c0ffee=",
            "other_config vlan-limit=0",
            "link ovn-k8s-mp0",
        ],
    );
}

#[test]
fn a_host_without_a_switch_loses_what_the_kernel_has() {
    let mut kernel = kernel();
    kernel.rules = vec!["rule 2000 IPv4 mark 0x1001 table 4097".to_owned()];
    kernel.routes = vec!["route 10.128.0.0/14 on ovn-k8s-mp0".to_owned()];
    let want = [
        "rule 2000 IPv4 mark 0x1001 table 4097",
        "route 10.128.0.0/14 on ovn-k8s-mp0",
        "link ovn-k8s-mp0",
    ];
    check(None, &kernel, &want);
}

#[test]
fn links_of_a_switch_of_ours_go_after_its_end() {
    let ours = Identity { owned_the_switch: true, ..ours() };
    let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<BTreeSet<_>>();
    let check = |links: &[&str], addressed: &[&str], want: &[&str], left: usize| {
        let (links, addressed) = (names(links), names(addressed));
        let kernel = KernelLeftovers { links, addressed, ..KernelLeftovers::default() };
        let removal = Removal::of(&ours, None, &kernel);
        assert_eq!((removal.links, removal.left.len()), (names(want), left));
    };
    let all = ["eth0", "br-ex", "br-int", "ovs-netdev", "ovn-k8s-mp0"];
    check(&all, &["eth0"], &all[1..], 0);
    check(&all, &["br-ex"], &all[2..], 1);
    check(&["eth0", "br-ex", "ovs-system", "ovn-k8s-mp0"], &["br-ex"], &[], 1);
}

#[test]
fn a_switch_that_nobody_told_of_ovn_stays_as_it_is() {
    let mut rows = rows();
    rows.entries = entries(&[("system-id", "c0ffee"), ("ovn-encap-ip", "10.0.0.1")]);
    rows.bridges = [("br-int".to_owned(), vec![port("br-int", PortKind::Own)])].into();
    check(Some(&rows), &KernelLeftovers::default(), &[]);
}

#[test]
fn another_ovn_keeps_its_bridge_and_its_entries() {
    let mut rows = rows();
    rows.entries.insert("ovn-remote".to_owned(), "tcp:10.0.0.1:6642".to_owned());
    let removal = Removal::of(&ours(), Some(&rows), &KernelLeftovers::default());
    assert_eq!(removal.lines(), ["port ovn-k8s-mp0 of br-int"], "what shows that it is ours");
    assert!(removal.left[0].contains("tcp:10.0.0.1:6642"), "{:?}", removal.left);
}

#[test]
fn a_bridge_with_ports_of_others_stays_without_ours() {
    let mut rows = rows();
    rows.entries.retain(|key, _| key == "ovn-remote");
    rows.settings.insert("vlan-limit".to_owned(), "2".to_owned());
    rows.bridges.remove("br-ex");
    rows.bridges.get_mut("br-int").unwrap().push(port("vm7", PortKind::Other));
    let removal = Removal::of(&ours(), Some(&rows), &KernelLeftovers::default());
    let want = [
        "port ovn-abc-0 of br-int",
        "port ovn-k8s-mp0 of br-int",
        "port patch-br-int-to-br-ex_n1 of br-int",
        "external_ids ovn-remote=unix:/run/ovn/ovnsb_db.sock",
        "other_config ovn-chassis-idx-c0ffee=",
    ];
    assert_eq!(removal.lines(), want);
    assert_eq!(removal.left, ["the bridge br-int, which has ports of others: vm7"]);
}

#[test]
fn a_host_that_names_itself_keeps_its_name() {
    let ours = Identity { host_names_itself: true, ..ours() };
    let removal = Removal::of(&ours, Some(&rows()), &KernelLeftovers::default());
    assert!(MACHINE.iter().all(|key| !removal.switch.entries.contains_key(*key)), "{removal:?}");
    assert!(removal.switch.entries.contains_key("ovn-remote"));
}

#[test]
fn a_mapping_of_ours_alone_goes_whole() {
    let mut rows = rows();
    rows.entries.insert("ovn-bridge-mappings".to_owned(), "physnet:br-ex".to_owned());
    let removal = Removal::of(&ours(), Some(&rows), &KernelLeftovers::default());
    let want = ("physnet:br-ex".to_owned(), None);
    assert_eq!(removal.switch.entries.get("ovn-bridge-mappings"), Some(&want));
    rows.entries.insert("ovn-bridge-mappings".to_owned(), "lab:br-lab".to_owned());
    let removal = Removal::of(&ours(), Some(&rows), &KernelLeftovers::default());
    assert_eq!(removal.switch.entries.get("ovn-bridge-mappings"), None);
}

#[test]
fn neighbours_that_others_fixed_stay() {
    let own = neighbour("br-ex", "169.254.0.4", "0a:58:a9:fe:00:04");
    let others = [
        neighbour("br-ex", "169.254.0.4", "02:00:00:00:00:01"),
        neighbour("eth1", "169.254.0.4", "0a:58:a9:fe:00:04"),
    ];
    let neighbours = others.into_iter().chain([own.clone()]).collect();
    let kernel = KernelLeftovers { neighbours, ..KernelLeftovers::default() };
    assert_eq!(Removal::of(&ours(), None, &kernel).neighbours, [own]);
}

#[test]
fn tables_of_others_stay() {
    let table = |family, name: &str| FilterTable { family, name: name.to_owned() };
    let own =
        [table(FilterFamily::Internet, "ovn-kubernetes"), table(FilterFamily::Link, "udn-uplink")];
    let others =
        [table(FilterFamily::Internet, "portmap"), table(FilterFamily::Link, "ovn-kubernetes")];
    let filters = own.iter().chain(&others).cloned().collect();
    let kernel = KernelLeftovers { filters, ..KernelLeftovers::default() };
    assert_eq!(Removal::of(&ours(), None, &kernel).filters, own.into());
}

#[test]
fn pods_run_while_their_links_are_there() {
    let mut rows = rows();
    let pods = [("4f2e", "blue/web"), ("77aa_1", "green/db")];
    let ports = pods.map(|(link, pod)| port(link, PortKind::Pod(pod.to_owned())));
    rows.bridges.get_mut("br-int").unwrap().extend(ports);
    let mut kernel = kernel();
    kernel.links.insert("4f2e".to_owned());
    let want = [("4f2e".to_owned(), "blue/web".to_owned())];
    assert_eq!(running_pods(&rows, &kernel), want.into());
    let removal = Removal::of(&ours(), Some(&rows), &kernel);
    assert_eq!(removal.links, ["4f2e", "ovn-k8s-mp0"].map(str::to_owned).into());
}

#[test]
fn what_was_taken_is_not_taken_again() {
    let mut rows = rows();
    let removal = Removal::of(&ours(), Some(&rows), &kernel()).switch;
    for (key, (_, rest)) in removal.entries {
        match rest {
            Some(rest) => rows.entries.insert(key, rest),
            None => rows.entries.remove(&key),
        };
    }
    rows.settings.retain(|key, _| !removal.settings.contains_key(key));
    rows.bridges.retain(|name, _| !removal.bridges.contains(name));
    for (bridge, gone) in &removal.ports {
        rows.bridges.get_mut(bridge).unwrap().retain(|it| !gone.contains(&it.name));
    }
    check(Some(&rows), &KernelLeftovers::default(), &[]);
}
