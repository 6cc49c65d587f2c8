//! Namespaces and veth pairs: packets pass, routes lead on, and nothing stays.

use std::path::Path;

use udn_lab::janitor::Janitor;
use udn_lab::namespaces::{End, Namespace, connect};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;

fn join(left: &Namespace, right: &Namespace, links: [&str; 2]) {
    let [here, there] = links;
    let ends = [End { namespace: left, link: here }, End { namespace: right, link: there }];
    connect(ends[0], ends[1], 1400).expect("the namespaces are connected");
}

fn ping(from: &Namespace, address: &str) {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let mut command = root.command("ping");
    command.args(["-n", "-c", "1", "-W", "5", address]);
    run(&mut from.enter(&command)).expect("the other end answers");
}

#[test]
fn packets_pass_through_a_router_in_the_middle() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let [left, router, right] = ["left", "router", "right"]
        .map(|label| Namespace::create(&janitor, label).expect("a namespace can be made"));
    join(&left, &router, ["eth0", "west"]);
    join(&right, &router, ["eth0", "east"]);
    let addresses = [
        (&left, "eth0", ["10.1.0.2/24", "fd01::2/64"]),
        (&router, "west", ["10.1.0.1/24", "fd01::1/64"]),
        (&router, "east", ["10.2.0.1/24", "fd02::1/64"]),
        (&right, "eth0", ["10.2.0.2/24", "fd02::2/64"]),
    ];
    for (namespace, link, addresses) in addresses {
        for address in addresses {
            namespace.add_address(link, address).expect("the address is taken");
        }
    }
    for parameter in ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"] {
        router.set_parameter(parameter, "1").expect("the router forwards");
    }
    for (namespace, next_hops) in
        [(&left, ["10.1.0.1", "fd01::1"]), (&right, ["10.2.0.1", "fd02::1"])]
    {
        for next_hop in next_hops {
            namespace.add_route("default", next_hop).expect("the route is taken");
        }
    }
    ping(&left, "10.2.0.2");
    ping(&left, "fd02::2");
}

#[test]
fn a_dropped_namespace_is_gone_and_the_host_never_saw_its_links() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let one = Namespace::create(&janitor, "same").expect("a namespace can be made");
    let two = Namespace::create(&janitor, "same").expect("another of that label can be made");
    assert_ne!(one.name(), two.name());
    join(&one, &two, ["udn-lab-left", "udn-lab-right"]);
    one.ip(&["link", "show", "udn-lab-left"]).expect("the link is inside");
    assert!(!Path::new("/sys/class/net/udn-lab-left").exists());
    let paths = [one.path().to_owned(), two.path().to_owned()];
    assert!(paths.iter().all(|path| path.exists()));
    drop((one, two));
    assert!(paths.iter().all(|path| !path.exists()));
}
