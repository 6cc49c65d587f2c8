//! Addresses that the zone gives to its own pods.

use ovn::SimulatedDatabase;
use serde_json::Value;
use udn_blueprint::names::Prefix;
use udn_blueprint::owners;
use udn_cluster::Act;
use udn_model::{AttachmentKey, Lock, NetworkName, OpenPort};
use udn_wire::keys::POD_NETWORKS;

use super::*;
use crate::WorkItem;

const BLUE: &str = "10.77.0.0/16/29,fd10::/48/64";

/// Two nodes with subnets in the default network, in `blue`, the primary network of `b`, and in `side`,
/// which pods of `c` choose.
fn cluster() -> Vec<Draft> {
    let subnets = |number: u8| {
        let v4 = format!("10.77.{number}.0/29");
        json!({
            "default": [format!("10.128.{}.0/23", 2 * number), format!("fd01:0:0:{number}::/64")],
            "blue": [v4, format!("fd10:0:0:{number}::/64")],
            "side": [format!("10.88.{number}.0/24")],
        })
    };
    vec![
        namespace("b", true),
        namespace("c", false),
        node(1).with_subnets(&subnets(1)),
        node(2).with_subnets(&subnets(2)),
        nad("b/blue", Some(1), layer3("blue", "primary", BLUE)),
        nad("c/side", Some(2), layer3("side", "secondary", "10.88.0.0/16")),
    ]
}

fn zone_with(more: impl IntoIterator<Item = Draft>) -> Zone {
    let settings = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    let mut zone = Zone::new(NodeName::new("n1"), Arc::new(settings));
    let objects: Vec<Draft> = cluster().into_iter().chain(more).collect();
    listed(&objects).into_iter().for_each(|change| zone.hear(change));
    renew(&mut zone);
    zone
}

/// What the zone would write on a pod: the addresses of each entry, and its role.
fn written(zone: &Zone, pod: &str) -> Vec<String> {
    let Some(write) = zone.writes().get(&ObjectName::parse(pod).unwrap()) else { return vec![] };
    let entries: Value = serde_json::from_str(&text(&write.act)).unwrap();
    let line = |(key, entry): (&String, &Value)| {
        let all = entry["ip_addresses"].as_array().unwrap();
        let all: Vec<&str> = all.iter().map(|it| it.as_str().unwrap()).collect();
        format!("{key} {} {}", all.join(" "), entry["role"].as_str().unwrap())
    };
    entries.as_object().unwrap().iter().map(line).collect()
}

fn text(act: &Act) -> String {
    let Act::TestedPatch(steps) = act else { panic!("a patch has tests") };
    let value = &steps[2]["value"];
    value.as_str().or_else(|| value[POD_NETWORKS].as_str()).unwrap().to_owned()
}

/// The zone hears what it writes on a pod.
fn publish(zone: &mut Zone, draft: Draft) -> Touched {
    let pod = ObjectName::new("c", draft.name());
    let pod = if zone.writes().contains_key(&pod) { pod } else { ObjectName::new("b", &pod.name) };
    let text = text(&zone.writes()[&pod].act);
    zone.hear(put(draft.annotated(POD_NETWORKS, &text)));
    renew(zone)
}

/// What rows are drawn from.
fn granted(zone: &Zone) -> Vec<String> {
    let all = zone.grants().attachments.values().flatten();
    all.map(|(key, grant)| format!("{key} {}", grant.addresses[0])).collect()
}

#[test]
fn pods_of_the_own_node_get_all_their_entries_in_one_write() {
    let zone = zone_with([pod("b/p1", "n1", ""), pod("c/q1", "n1", "side")]);
    let want = [
        "b/blue 10.77.1.3/29 fd10:0:0:1::3/64 primary",
        "default 10.128.2.3/23 fd01:0:0:1::3/64 infrastructure-locked",
    ];
    assert_eq!(written(&zone, "b/p1"), want);
    let want = ["c/side 10.88.1.3/24 secondary", "default 10.128.2.4/23 fd01:0:0:1::4/64 primary"];
    assert_eq!(written(&zone, "c/q1"), want);
    assert_eq!(granted(&zone), [""; 0], "nothing is drawn before it was heard back");
}

#[test]
fn pods_elsewhere_and_on_the_host_get_nothing() {
    let mut host = pod("c/host", "n1", "side");
    host.object["spec"]["hostNetwork"] = true.into();
    let mut done = pod("c/done", "n1", "side");
    done.object["status"]["phase"] = "Succeeded".into();
    let far = pod("c/q2", "n2", "side").carrying("c/side", "secondary", &["10.88.2.3/24"]);
    let unplaced = pod("c/q3", "", "side");
    let zone = zone_with([host, done, far, pod("b/p2", "n2", ""), unplaced]);
    assert_eq!(zone.writes().len(), 0);
    assert_eq!(zone.intent().attachments.len(), 0);
}

#[test]
fn what_was_heard_back_is_drawn_and_written_no_more() {
    let mut zone = zone_with([pod("c/q1", "n1", "side")]);
    let touched = publish(&mut zone, pod("c/q1", "n1", "side"));
    let want = ["pod c/q1 on default of default", "pod c/q1 on c/side of side"];
    let mut got = lines(&touched);
    got.sort();
    let mut want = want.map(str::to_owned);
    want.sort();
    assert_eq!(got, want);
    assert_eq!(granted(&zone), ["c/q1 on default 10.128.2.3/23", "c/q1 on c/side 10.88.1.3/24"]);
    assert_eq!(zone.writes().len(), 0);
}

#[test]
fn what_pods_carry_is_known_before_anything_is_granted() {
    let carrier = pod("c/z", "n1", "side").carrying("c/side", "secondary", &["10.88.1.3/24"]);
    let zone = zone_with([pod("c/a", "n1", "side"), carrier]);
    assert_eq!(written(&zone, "c/a")[0], "c/side 10.88.1.4/24 secondary");
    let want = ["c/side 10.88.1.3/24 secondary", "default 10.128.2.4/23 fd01:0:0:1::4/64 primary"];
    assert_eq!(written(&zone, "c/z"), want, "its entry stays");
    assert_eq!(granted(&zone), ["c/z on c/side 10.88.1.3/24"]);
}

#[test]
fn of_two_pods_with_one_address_the_older_keeps_it() {
    let with = |name: &str, time: &str| {
        let address = ["10.88.1.9/24"];
        pod(name, "n1", "side").carrying("c/side", "secondary", &address).created(time)
    };
    let zone =
        zone_with([with("c/a", "2026-01-02T00:00:00Z"), with("c/b", "2026-01-01T00:00:00Z")]);
    assert_eq!(granted(&zone), ["c/b on c/side 10.88.1.9/24"]);
    let first = told(&zone);
    let want = "pod c/a: AlreadyTaken: 10.88.1.9, which pod c/a carries, is held by pod c/b; delete \
                one of the two";
    assert!(first.iter().any(|it| it == want), "{first:#?}");
}

#[test]
fn the_older_of_two_pods_with_one_address_takes_it_whoever_was_heard_first() {
    let with = |name: &str, address: &str, time: &str| {
        let address = [format!("{address}/24")];
        pod(name, "n1", "side").carrying("c/side", "secondary", &address).created(time)
    };
    let younger = with("c/a", "10.88.1.9", "2026-01-02T00:00:00Z");
    let older = with("c/b", "10.88.1.9", "2026-01-01T00:00:00Z");
    let mut zone = zone_with([younger.clone()]);
    assert_eq!(granted(&zone), ["c/a on c/side 10.88.1.9/24"]);
    zone.hear(put(older.clone()));
    let touched = lines(&renew(&mut zone));
    assert_eq!(granted(&zone), ["c/b on c/side 10.88.1.9/24"]);
    assert_eq!(told(&zone), told(&zone_with([younger, older])), "as after a restart");
    for name in ["pod c/a on c/side of side", "pod c/b on c/side of side"] {
        assert!(touched.contains(&name.to_owned()), "{touched:?}");
    }
    zone.hear(put(with("c/b", "10.88.1.8", "2026-01-01T00:00:00Z").at_version(110)));
    renew(&mut zone);
    let want = ["c/a on c/side 10.88.1.9/24", "c/b on c/side 10.88.1.8/24"];
    assert_eq!(granted(&zone), want, "who yielded gets it again");
}

#[test]
fn an_older_pod_that_waited_for_its_address_takes_it_before_a_younger_one() {
    let with = |name: &str, time: &str| {
        let address = ["10.88.1.9/24"];
        pod(name, "n1", "side").carrying("c/side", "secondary", &address).created(time)
    };
    let first = with("c/c", "2026-01-01T00:00:00Z");
    let mut zone = zone_with([first]);
    zone.hear(put(with("c/b", "2026-01-02T00:00:00Z")));
    zone.hear(put(with("c/a", "2026-01-03T00:00:00Z")));
    renew(&mut zone);
    assert_eq!(granted(&zone), ["c/c on c/side 10.88.1.9/24"]);
    zone.hear(removed(Kind::Pod, "c/c"));
    renew(&mut zone);
    let rows = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    for network in ["default", "side"] {
        let item = WorkItem::Network(Prefix::of(&NetworkName::new(network)));
        zone.ports_gone(&item, rows.rows());
    }
    renew(&mut zone);
    assert_eq!(granted(&zone), ["c/b on c/side 10.88.1.9/24"], "though c/a was looked at first");
}

#[test]
fn what_is_not_published_gives_way_to_what_a_pod_carries() {
    let mut zone = zone_with([pod("c/a", "n1", "side")]);
    assert_eq!(written(&zone, "c/a")[0], "c/side 10.88.1.3/24 secondary");
    let late = pod("c/b", "n1", "side").carrying("c/side", "secondary", &["10.88.1.3/24"]);
    zone.hear(put(late));
    renew(&mut zone);
    assert_eq!(granted(&zone), ["c/b on c/side 10.88.1.3/24"]);
    assert_eq!(written(&zone, "c/a")[0], "c/side 10.88.1.4/24 secondary");
}

#[test]
fn addresses_outside_the_nodes_subnets_and_its_own_are_not_drawn() {
    let outside = pod("c/a", "n1", "side").carrying("c/side", "secondary", &["10.88.2.9/24"]);
    let own = pod("c/b", "n1", "side").carrying("c/side", "secondary", &["10.88.1.1/24"]);
    let zone = zone_with([outside, own]);
    assert_eq!(granted(&zone), [""; 0]);
    let told = told(&zone).join("\n");
    assert!(told.contains("10.88.2.9, which pod c/a carries, is in none of the subnets"), "{told}");
    assert!(told.contains("10.88.1.1, which pod c/b carries, is kept by the network"), "{told}");
}

#[test]
fn a_static_address_is_refused_and_a_mac_is_honoured() {
    let with = |rest: &str| {
        let chosen = format!(r#"[{{"name": "side", {rest}}}]"#);
        pod("c/a", "n1", &chosen)
    };
    let zone = zone_with([with(r#""ips": ["10.88.1.7/24"]"#)]);
    let want = ["default 10.128.2.3/23 fd01:0:0:1::3/64 primary"];
    assert_eq!(written(&zone, "c/a"), want);
    let told = told(&zone).join("\n");
    assert!(told.contains("cannot allocate a static IP request"), "{told}");
    let zone = zone_with([with(r#""mac": "02:00:00:00:00:07""#)]);
    let write = &zone.writes()[&ObjectName::new("c", "a")];
    assert!(text(&write.act).contains(r#""mac_address":"02:00:00:00:00:07""#));
}

#[test]
fn a_full_node_tells_the_pod_and_gives_what_is_free_again() {
    let names = ["a", "b", "c", "d"].map(|name| format!("b/{name}"));
    let pods = names.iter().zip(3..).map(|(name, number)| {
        let (v4, v6) = (format!("10.77.1.{number}/29"), format!("fd10:0:0:1::{number:x}/64"));
        pod(name, "n1", "").carrying("b/blue", "primary", &[&v4, &v6])
    });
    let mut zone = zone_with(pods.chain([pod("b/late", "n1", "")]));
    let late = "default 10.128.2.7/23 fd01:0:0:1::7/64 infrastructure-locked";
    assert_eq!(written(&zone, "b/late"), [late]);
    let events: Vec<String> =
        zone.take_events().iter().map(|it| format!("{}: {}", it.reason, it.message)).collect();
    let want = "ErrorAllocatingPod: PoolExhausted: all 4 addresses of 10.77.1.0/29 are in use (4 of \
                4); delete pods and claims that are no longer needed, or use a network with more room";
    assert_eq!(events, [want]);

    zone.hear(removed(Kind::Pod, "b/c"));
    let touched = renew(&mut zone);
    assert!(lines(&touched).contains(&"pod b/c on b/blue of blue".to_owned()));
    assert_eq!(written(&zone, "b/late"), [late], "its port's rows may stand");
    let rows = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    let item = |network: &str| WorkItem::Network(Prefix::of(&NetworkName::new(network)));
    for network in ["default", "side", "blue"] {
        zone.ports_gone(&item(network), rows.rows());
        renew(&mut zone);
        let is_free = written(&zone, "b/late").len() == 2;
        assert_eq!(is_free, network == "blue", "{network}");
    }
    assert_eq!(written(&zone, "b/late")[0], "b/blue 10.77.1.5/29 fd10:0:0:1::5/64 primary");
    assert_eq!(zone.take_events().len(), 0);
}

fn lock(zone: &Zone, pod: &str) -> Option<Lock> {
    let key = AttachmentKey::on_default_network(ObjectName::parse(pod).unwrap());
    let attachment = zone.intent().attachment(&NetworkName::new("default"), &key);
    attachment.expect("the pod is on the default network").lock.clone()
}

#[test]
fn a_pod_with_another_main_network_is_locked_but_for_what_it_opens() {
    let opens = |text: &str| pod("b/open", "n1", "").annotated(keys::OPEN_PORTS, text);
    let mut zone = zone_with([
        pod("b/p1", "n1", ""),
        pod("c/q1", "n1", ""),
        opens("- {protocol: tcp, port: 80}"),
    ]);
    assert_eq!(lock(&zone, "c/q1"), None);
    assert_eq!(lock(&zone, "b/p1"), Some(Lock::default()));
    assert_eq!(lock(&zone, "b/open"), Some(Lock { open_ports: vec![OpenPort::Tcp(80)] }));
    zone.hear(put(opens("- {protocol: bogus}")));
    renew(&mut zone);
    assert_eq!(lock(&zone, "b/open"), Some(Lock::default()));
    let events: Vec<String> =
        zone.take_events().iter().map(|it| format!("{}: {}", it.reason, it.message)).collect();
    let want = "ErrorUpdatingResource: InvalidAnnotation: invalid protocol bogus; write tcp, udp, \
                sctp or icmp";
    assert_eq!(events, [want]);
}

#[test]
fn a_pod_whose_main_network_is_promised_waits() {
    let mut zone = zone_with([namespace("d", true), pod("d/p", "n1", "")]);
    assert_eq!(zone.writes().len(), 0);
    zone.hear(put(nad("d/main", Some(9), layer3("green", "primary", "10.99.0.0/16"))));
    renew(&mut zone);
    let want = ["default 10.128.2.3/23 fd01:0:0:1::3/64 infrastructure-locked"];
    assert_eq!(written(&zone, "d/p"), want, "the node has no subnet in it yet");
}

#[test]
fn a_pod_that_is_heard_of_before_its_namespace_waits() {
    let mut zone = zone_with([pod("d/p", "n1", "")]);
    assert_eq!(zone.writes().len(), 0, "the namespace may promise it another main network");
    zone.hear(put(namespace("d", false)));
    renew(&mut zone);
    assert_eq!(written(&zone, "d/p"), ["default 10.128.2.3/23 fd01:0:0:1::3/64 primary"]);
    let mut zone = zone_with([pod("d/p", "n1", "")]);
    zone.hear(put(namespace("d", true)));
    renew(&mut zone);
    assert_eq!(zone.writes().len(), 0, "it promises one");
}

#[test]
fn a_node_that_lacks_a_family_gives_nothing_until_it_has_it() {
    let half = json!({"blue": ["10.77.1.0/29"]});
    let mut zone = zone_with([node(1).with_subnets(&half), pod("b/p1", "n1", "")]);
    assert_eq!(zone.writes().len(), 0);
    let whole = json!({"blue": ["10.77.1.0/29", "fd10:0:0:1::/64"]});
    zone.hear(put(node(1).with_subnets(&whole)));
    renew(&mut zone);
    assert_eq!(written(&zone, "b/p1"), ["b/blue 10.77.1.3/29 fd10:0:0:1::3/64 primary"]);
}

#[test]
fn subnets_of_another_node_touch_its_part_alone() {
    let mut zone = zone_with([pod("b/p1", "n1", "")]);
    zone.hear(put(node(2).with_subnets(&json!({"blue": ["10.77.3.0/29", "fd10:0:0:2::/64"]}))));
    let want = ["node n2 of default", "node n2 of blue", "node n2 of side"];
    let (mut got, mut want) = (lines(&renew(&mut zone)), want.map(str::to_owned));
    got.sort();
    want.sort();
    assert_eq!(got, want);
    zone.hear(put(node(2).with_subnets(&json!({"blue": ["10.77.1.0/29"]})).at_version(110)));
    renew(&mut zone);
    let told = told(&zone).join("\n");
    assert!(told.contains("node n2: AlreadyTaken: 10.77.1.0/29 of network blue"), "{told}");
}

#[test]
fn a_pod_that_no_longer_asks_for_a_network_keeps_its_address_there() {
    let carrier = |chosen| {
        let carrier = pod("c/a", "n1", chosen);
        carrier.carrying("c/side", "secondary", &["10.88.1.3/24"])
    };
    let mut zone = zone_with([carrier("side")]);
    zone.hear(put(carrier("")));
    zone.hear(put(pod("c/b", "n1", "side")));
    renew(&mut zone);
    assert_eq!(granted(&zone), [""; 0], "it has no port any more");
    assert_eq!(written(&zone, "c/b")[0], "c/side 10.88.1.4/24 secondary");
}

#[test]
fn a_later_pod_of_the_same_name_takes_the_place_of_the_first() {
    let carrier = pod("c/a", "n1", "side").carrying("c/side", "secondary", &["10.88.1.3/24"]);
    let mut zone = zone_with([carrier]);
    let mut later = pod("c/a", "n1", "side");
    later.object["metadata"]["uid"] = "another".into();
    zone.hear(put(later));
    renew(&mut zone);
    assert_eq!(granted(&zone), [""; 0]);
    assert_eq!(written(&zone, "c/a")[0], "c/side 10.88.1.3/24 secondary");
}

#[test]
fn a_subnet_that_changes_before_a_grant_is_published_takes_it_back() {
    let mut zone = zone_with([pod("c/a", "n1", "side")]);
    assert_eq!(written(&zone, "c/a")[0], "c/side 10.88.1.3/24 secondary");
    let other = json!({"side": ["10.88.7.0/24"], "default": ["10.128.2.0/23", "fd01:0:0:1::/64"]});
    zone.hear(put(node(1).with_subnets(&other)));
    renew(&mut zone);
    let want = ["c/side 10.88.7.3/24 secondary", "default 10.128.2.4/23 fd01:0:0:1::4/64 primary"];
    assert_eq!(written(&zone, "c/a"), want);
    assert_eq!(told(&zone).iter().filter(|it| it.contains("pod c/a")).count(), 0);
}

#[test]
fn a_default_network_that_another_plugin_builds_is_left_alone() {
    let mut zone = zone_of(&super::cluster());
    assert!(!zone.intent().networks.contains_key(&NetworkName::new("default")));
    let item = WorkItem::Network(Prefix::of(&NetworkName::new("default")));
    let rows = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    assert_eq!(zone.draw(&item, &Extent::Whole, rows.rows()).sheets.len(), 0);
}
