//! Whatever somebody takes from a host comes back, and a network that goes leaves nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::block_in_place;
use udn_lab::node::{EXTERNAL_BRIDGE, Node};
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_wire::Kind;

use crate::agent_site::{RED, Site, until};
use crate::host_lines::{difference, host_lines};

const LINK: &str = "ovn-k8s-mp1";
/// The network's table of routes.
const TABLE: &str = "4097";

/// How long a repair may take; no sweep comes so soon.
const LIMIT: Duration = Duration::from_secs(20);

/// Something that somebody does to a host.
struct Damage {
    what: &'static str,
    tool: Tool,
    arguments: &'static [&'static str],
}

#[derive(Clone, Copy)]
enum Tool {
    Ip,
    Vsctl,
    Ofctl,
    /// A parameter below `/proc/sys/net`, and its value.
    Parameter,
}

const fn damage(what: &'static str, tool: Tool, arguments: &'static [&'static str]) -> Damage {
    Damage { what, tool, arguments }
}

#[rustfmt::skip]
const DAMAGES: &[Damage] = &[
    damage("a rule", Tool::Ip, &["rule", "del", "priority", "2000"]),
    damage("a rule of IPv6", Tool::Ip, &["-6", "rule", "del", "priority", "2000"]),
    damage("routes", Tool::Ip, &["route", "flush", "table", TABLE]),
    damage("routes of IPv6", Tool::Ip, &["-6", "route", "flush", "table", TABLE]),
    damage("an address", Tool::Ip, &["address", "del", "10.10.0.2/16", "dev", LINK]),
    damage("an address of IPv6", Tool::Ip, &["address", "del", "fd10::2/64", "dev", LINK]),
    damage("a link's state", Tool::Ip, &["link", "set", LINK, "down"]),
    damage("a link's size of packets", Tool::Ip, &["link", "set", LINK, "mtu", "1300"]),
    damage("a link's MAC", Tool::Ip, &["link", "set", LINK, "address", "02:00:00:00:00:77"]),
    damage("forwarding", Tool::Parameter, &["ipv4/conf/ovn-k8s-mp1/forwarding", "0"]),
    damage("the filter of return paths", Tool::Parameter, &["ipv4/conf/ovn-k8s-mp1/rp_filter", "1"]),
    damage("forwarding of IPv6", Tool::Parameter, &["ipv6/conf/ovn-k8s-mp1/forwarding", "0"]),
    damage("a link", Tool::Ip, &["link", "del", LINK]),
    damage("a port", Tool::Vsctl, &["del-port", "br-int", LINK]),
    damage("a port's name in OVN", Tool::Vsctl, &["set", "Interface", LINK, "external_ids:iface-id=wrong"]),
    damage("bridge mappings", Tool::Vsctl, &["remove", "Open_vSwitch", ".", "external_ids", "ovn-bridge-mappings"]),
    damage("the kind of tunnels", Tool::Vsctl, &["set", "Open_vSwitch", ".", "external_ids:ovn-encap-type=vxlan"]),
    damage("the mode of OVN's bridge", Tool::Vsctl, &["set", "Bridge", "br-int", "fail_mode=standalone"]),
    damage("some flows", Tool::Ofctl, &["del-flows", EXTERNAL_BRIDGE, "table=1"]),
    damage("all flows", Tool::Ofctl, &["del-flows", EXTERNAL_BRIDGE]),
    damage("the quiet of a port", Tool::Ofctl, &["--protocols=OpenFlow10", "mod-port", EXTERNAL_BRIDGE, "2", "flood"]),
    damage("what flows do", Tool::Ofctl, &["mod-flows", EXTERNAL_BRIDGE, "table=1,actions=drop"]),
];

/// After these, others have nothing to damage.
const ENDS: [&str; 4] = ["a link", "a port", "some flows", "all flows"];

/// With this, ports between bridges come back under other numbers.
const RENUMBERS: &str = "bridge mappings";

/// What Open vSwitch and ovn-controller make good by themselves.
const BY_OTHERS: [&str; 3] =
    ["a link's size of packets", "a link's MAC", "the mode of OVN's bridge"];

fn commit(node: &Node, damage: &Damage) {
    let Damage { what, tool, arguments } = damage;
    let done = match tool {
        Tool::Ip => node.namespace().ip(arguments).map(drop).map_err(|it| format!("{it:?}")),
        Tool::Vsctl => run(node.vsctl().args(*arguments)).map(drop).map_err(|it| format!("{it:?}")),
        Tool::Ofctl => run(node.ofctl().args(*arguments)).map(drop).map_err(|it| format!("{it:?}")),
        Tool::Parameter => {
            let file = format!("/proc/sys/net/{}", arguments[0]);
            let write = node.namespace().inside(|| std::fs::write(&file, arguments[1]));
            write.expect("the namespace is there").map_err(|it| it.to_string())
        }
    };
    done.unwrap_or_else(|error| panic!("{what}: {error}"));
}

/// A host that does not change any more.
fn settled(node: &Node) -> BTreeSet<String> {
    let mut before = host_lines(node);
    until("the host to come to rest", || {
        // waits: nobody tells that nothing more will happen
        std::thread::sleep(Duration::from_millis(500));
        let now = host_lines(node);
        let is_same = now == before;
        before = now;
        is_same.then(|| before.clone())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_takes_from_a_host_comes_back_at_once() {
    let site = Site::start().await;
    site.apply(RED).await;
    site.until_whole("red_red").await;
    let whole = block_in_place(|| settled(&site.node));
    assert!(whole.iter().any(|it| it.contains(LINK)), "{whole:#?}");
    for damage in DAMAGES {
        let begun = std::time::Instant::now();
        commit(&site.node, damage);
        until_repaired(&site, damage, &whole);
        println!("{} is repaired after {:?}", damage.what, begun.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_takes_while_no_agent_runs_comes_back_with_it() {
    let mut site = Site::start().await;
    site.apply(RED).await;
    site.until_whole("red_red").await;
    let whole = block_in_place(|| settled(&site.node));
    site.stop_agent().await;
    assert_eq!(difference(&whole, &host_lines(&site.node)), [""; 0], "an agent leaves what stands");
    // What is done to a link, a port or a flow needs it.
    let is_end = |it: &&Damage| ENDS.contains(&it.what);
    let (ends, others): (Vec<&Damage>, Vec<&Damage>) =
        DAMAGES.iter().filter(|it| it.what != RENUMBERS).partition(is_end);
    let (mut before, mut repaired_by_others) = (whole.clone(), Vec::new());
    for damage in others.into_iter().chain(ends) {
        commit(&site.node, damage);
        let left = block_in_place(|| settled(&site.node));
        if left == before {
            repaired_by_others.push(damage.what);
        }
        before = left;
    }
    assert_eq!(repaired_by_others, BY_OTHERS);
    site.start_agent().await;
    until_repaired(&site, &damage("everything", Tool::Ip, &[]), &whole);
}

fn until_repaired(site: &Site, damage: &Damage, whole: &BTreeSet<String>) {
    let mut left = Vec::new();
    let repaired = block_in_place(|| {
        wait_for(damage.what, LIMIT, || {
            left = difference(whole, &host_lines(&site.node));
            left.is_empty().then_some(())
        })
    });
    let row = || run(site.node.vsctl().args(["list", "Interface", LINK]));
    repaired.unwrap_or_else(|late| panic!("{late}: {left:#?} {}", row().unwrap_or_default()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_goes_leaves_nothing_on_the_host() {
    let site = Site::start().await;
    site.until(Kind::Report, crate::agent_site::NODE, |it| {
        it["status"]["physicalNetworks"].as_array().map(drop)
    })
    .await;
    let before = block_in_place(|| settled(&site.node));
    site.apply(RED).await;
    site.until_whole("red_red").await;
    assert!(!difference(&before, &host_lines(&site.node)).is_empty());
    site.delete(Kind::UserDefinedNetwork, "red", "red").await;
    let mut left = Vec::new();
    let gone = block_in_place(|| {
        wait_for("the host as it was", Duration::from_secs(60), || {
            left = difference(&before, &host_lines(&site.node));
            left.is_empty().then_some(())
        })
    });
    gone.unwrap_or_else(|late| panic!("{late}: {left:#?}"));
}
