//! A pod that lies about who it is, or about what it is, is not heard, on its own node or on another;
//! one that does not is.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};

use udn_lab::capture::frame::with_trailer;
use udn_lab::capture::{Capture, Wire};
use udn_lab::host::Host;
use udn_model::ClusterSettings;

use crate::rig::manifests::{cluster_network, folder_of, namespace, nodes, pod, tenant};
use crate::rig::site::Site;
use crate::rig::{LIMIT, PRIMARY, SECONDARY, Stand};
use liar::{GATEWAY, NOBODY, OFFICES, Person, SPEECHES, Talk, questions};

mod liar;

/// All networks have the same subnets, on purpose.
const SUBNETS: &str = "10.40.0.0/16, fd40::/64";
/// Hosts outside have the first addresses of localnets.
const EXCLUDED: &str = "excludeSubnets: [10.40.0.0/28, fd40::/124]";

/// The pods of a network that lie and listen, on two nodes.
fn pods(name: &str, is_primary: bool) -> String {
    let networks = format!("{name}/{name}");
    let networks = (!is_primary).then_some(networks.as_str());
    [("liar", 1), ("near", 1), ("far", 2)]
        .map(|(it, node)| pod(&format!("{name}/{it}"), &format!("node-{node}"), networks))
        .concat()
}

fn secondary(name: &str, spec: &str) -> String {
    namespace(name, false) + &cluster_network(name, spec)
}

/// A sandbox with networks and then their pods, so that no pod comes before its network.
async fn stand_of(site: &Site, settings: ClusterSettings, networks: &str, pods: &str) -> Stand {
    let networks = nodes(2) + networks;
    let mut stand = Stand::with_settings(site, settings, folder_of(&networks).path()).await;
    stand.apply(folder_of(&(networks + pods)).path()).await;
    stand
}

fn layer2(rest: &str) -> String {
    format!("{{topology: Layer2, layer2: {{role: Secondary, {rest}}}}}")
}

fn localnet(vlan: u16, rest: &str) -> String {
    format!(
        "{{topology: Localnet, localnet: {{role: Secondary, physicalNetworkName: tenant, \
         vlan: {{mode: Access, access: {{id: {vlan}}}}}, {rest}}}}}"
    )
}

fn link_of(network: &str) -> &'static str {
    if network == "red" { PRIMARY } else { SECONDARY }
}

/// A pod with the addresses that it was granted.
fn granted(stand: &Stand, pod: &str) -> Person {
    Person { mac: stand.mac(pod), v4: stand.v4(pod), v6: stand.v6(pod) }
}

/// A pod that was granted a MAC alone, with addresses of its choice.
fn bare(stand: &Stand, pod: &str, number: u8) -> Person {
    let v4 = Ipv4Addr::new(10, 40, 0, number);
    let v6 = Ipv6Addr::new(0xfd40, 0, 0, 0, 0, 0, 0, number.into());
    Person { mac: stand.mac(pod), v4, v6 }
}

/// Every lie of a pod of the network, each followed by its truth, to its own node and to another.
fn check_network(stand: &Stand, network: &str, person: impl Fn(&str) -> Person, has_ipam: bool) {
    let [liar, near, far] = ["liar", "near", "far"].map(|it| format!("{network}/{it}"));
    let (own, link) = (person(&liar), link_of(network));
    for (receiver, third) in [(&near, &far), (&far, &near)] {
        let talk = Talk::new(stand, link, receiver, person(receiver));
        if has_ipam {
            talk.check_addresses(own, person(third));
        } else {
            check_frames(&talk, own);
        }
        talk.check_offices("unasked", own);
        // The same as answers, and about packets that the listener did send.
        ask(stand, [receiver, &liar], link, [person(receiver), own]);
        talk.check_offices("asked", own);
        talk.assert_no_lies();
    }
}

/// Without IPAM, whoever a pod says to be is heard, as long as the frame is its own.
fn check_frames(talk: &Talk, own: Person) {
    for (kind, speech) in SPEECHES {
        let other = Person { v4: Ipv4Addr::new(172, 31, 0, 9), v6: GATEWAY.1, ..own };
        talk.say(&format!("{kind} other addresses"), speech, (own.mac, other));
        talk.check(&format!("{kind} frame"), speech, own, (NOBODY.mac, own));
    }
}

/// The listener asks the liar, who hears it.
fn ask(stand: &Stand, [asker, liar]: [&str; 2], link: &str, [from, to]: [Person; 2]) {
    let (wire, ear) = (stand.wire(asker, link), stand.capture(liar, link));
    let questions = questions(from, to);
    questions.iter().for_each(|frame| wire.send(frame).expect("a frame is sent"));
    let heard = ear.wait_for_several("questions", LIMIT, questions.len(), |it| {
        it.source() == from.mac && it.contains(b"udn question")
    });
    heard.unwrap_or_else(|late| panic!("{liar}: {late}"));
}

// proves: X-15
pub(crate) async fn who_lies_about_itself_is_not_heard_on_any_network(site: &Site) {
    let subnets = format!("subnets: [{SUBNETS}]");
    let networks = tenant("red", SUBNETS)
        + &secondary("flat", &layer2(&subnets))
        + &secondary("flatbare", &layer2("ipam: {mode: Disabled}"))
        + &secondary("vlan", &localnet(42, &format!("{subnets}, {EXCLUDED}")))
        + &secondary("vlanbare", &localnet(44, "ipam: {mode: Disabled}"));
    let pods = pods("red", true)
        + &["flat", "flatbare", "vlan", "vlanbare"].map(|name| pods(name, false)).concat();
    let stand = stand_of(site, ClusterSettings::default(), &networks, &pods).await;
    for network in ["red", "flat", "vlan"] {
        check_network(&stand, network, |pod| granted(&stand, pod), true);
    }
    for network in ["flatbare", "vlanbare"] {
        let number = |pod: &str| if pod.ends_with("liar") { 21 } else { 20 };
        check_network(&stand, network, |pod| bare(&stand, pod, number(pod)), false);
    }
    outside_is_heard(&stand);
}

/// Routers and DHCP servers of the network outside are heard by pods.
fn outside_is_heard(stand: &Stand) {
    let outside = stand.host("vlan42-host");
    let wire = Wire::open(outside, Host::LINK).expect("a link can be opened");
    let own = Person { mac: wire.mac(), ..NOBODY };
    for receiver in ["vlan/near", "vlan/far"] {
        let ear: Capture = stand.capture(receiver, SECONDARY);
        for (kind, office) in OFFICES {
            let marker = format!("udn outside: {kind};");
            let [said, _] = office(own, granted(stand, receiver));
            wire.send(&with_trailer(said, marker.as_bytes())).expect("a frame is sent");
            let heard = ear.wait_for(&marker, LIMIT, |it| it.contains(marker.as_bytes()));
            heard.unwrap_or_else(|late| panic!("{receiver}: {late}"));
        }
    }
}

pub(crate) async fn the_guard_of_secondary_networks_can_be_switched_off(site: &Site) {
    let mut settings = ClusterSettings::default();
    settings.features.secondary_router_guard = false;
    let networks = tenant("red", SUBNETS)
        + &secondary("flat", &layer2("subnets: [10.41.0.0/16, fd41::/64]"))
        + &secondary("vlan", &localnet(42, "ipam: {mode: Disabled}"));
    let pods = pods("red", true) + &pods("flat", false) + &pods("vlan", false);
    let stand = stand_of(site, settings, &networks, &pods).await;
    for receiver in ["near", "far"] {
        let flat = granted(&stand, &format!("flat/{receiver}"));
        Talk::new(&stand, SECONDARY, &format!("flat/{receiver}"), flat)
            .say_offices(granted(&stand, "flat/liar"));
        let vlan = bare(&stand, &format!("vlan/{receiver}"), 20);
        Talk::new(&stand, SECONDARY, &format!("vlan/{receiver}"), vlan).say_offices(bare(
            &stand,
            "vlan/liar",
            21,
        ));
        let red = granted(&stand, &format!("red/{receiver}"));
        let talk = Talk::new(&stand, PRIMARY, &format!("red/{receiver}"), red);
        talk.check_offices("once", granted(&stand, "red/liar"));
        talk.assert_no_lies();
    }
}

// proves: X-15
pub(crate) async fn no_lie_is_heard_while_networks_and_pods_come_and_go(site: &Site) {
    let subnets = format!("subnets: [{SUBNETS}]");
    let networks = tenant("red", SUBNETS) + &secondary("flat", &layer2(&subnets));
    let pods_first = pods("red", true) + &pods("flat", false);
    let mut stand = stand_of(site, ClusterSettings::default(), &networks, &pods_first).await;
    let base = nodes(2) + &networks + &pods_first;
    let more_networks = tenant("green", SUBNETS)
        + &secondary("vlan", &localnet(42, &format!("{subnets}, {EXCLUDED}")));
    let more_pods = pods("green", true)
        + &pods("vlan", false)
        + &pod("red/guest", "node-1", None)
        + &pod("flat/guest", "node-1", Some("flat/flat"));
    let wide = base.clone() + &more_networks;
    let steps =
        [wide.clone(), wide.clone() + &more_pods, base.clone(), wide.clone(), wide + &more_pods];
    let pairs = [("red", "near"), ("red", "far"), ("flat", "near"), ("flat", "far")];
    let talks = pairs.map(|(network, receiver)| {
        let receiver = format!("{network}/{receiver}");
        let to = granted(&stand, &receiver);
        let own = granted(&stand, &format!("{network}/liar"));
        (Talk::new(&stand, link_of(network), &receiver, to), own, to)
    });
    let is_done = AtomicBool::new(false);
    let rounds = std::thread::scope(|scope| {
        let lying = scope.spawn(|| lie_until(&is_done, &talks));
        let runtime = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| {
            runtime.block_on(async {
                for text in &steps {
                    stand.apply(folder_of(text).path()).await;
                }
            });
        });
        is_done.store(true, Ordering::Release);
        lying.join().expect("the liar speaks to its end")
    });
    println!("{rounds} rounds of lies");
    assert!(rounds >= 3, "only {rounds} rounds of lies");
    for (talk, own, _) in &talks {
        talk.check_offices("at the end", *own);
        talk.assert_no_lies();
    }
}

/// Tells every lie again and again; returns how often.
fn lie_until(is_done: &AtomicBool, talks: &[(Talk, Person, Person)]) -> usize {
    let mut rounds = 0;
    while !is_done.load(Ordering::Acquire) {
        for (talk, own, to) in talks {
            for (kind, speech) in SPEECHES {
                let marker = format!("udn lie: {kind} in passing;");
                let lie = speech(NOBODY.mac, *own, *to, marker.as_bytes());
                talk.wire.send(&lie).expect("a frame is sent");
            }
            for (kind, office) in OFFICES {
                let [lie, _] = office(*own, *to);
                let lie = with_trailer(lie, format!("udn lie: {kind} in passing;").as_bytes());
                talk.wire.send(&lie).expect("a frame is sent");
            }
        }
        rounds += 1;
        // waits: the reconcile needs the processor too
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    rounds
}
