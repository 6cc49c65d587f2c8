//! A localnet network of OVN on a provider's VLANs: same VLAN meets, other VLANs do not.

use std::net::IpAddr;
use std::time::Duration;

use udn_lab::host::Host;
use udn_lab::node::{Fabric, Node};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::pod::{Attachment, Pod};
use udn_lab::provider::Provider;
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_lab::witness::Witness;

const LIMIT: Duration = Duration::from_secs(60);
const VLANS: [u16; 2] = [100, 200];

/// Draws a localnet switch with one pod for a VLAN, and plugs the pod in.
fn plug(node: &Node, vlan: u16) -> Pod {
    let (switch, way_out, port) =
        (format!("switch{vlan}"), format!("out{vlan}"), format!("pod{vlan}"));
    let mac = "0a:58:c0:a8:07:02";
    let mut command = node.nbctl();
    command.args(["--wait=hv", "ls-add", &switch, "--", "lsp-add", &switch, &way_out]);
    command.args(["--", "lsp-set-type", &way_out, "localnet"]);
    command.args(["--", "lsp-set-addresses", &way_out, "unknown"]);
    command.args(["--", "lsp-set-options", &way_out, "network_name=tenantblue"]);
    command.args(["--", "set", "Logical_Switch_Port", &way_out, &format!("tag_request={vlan}")]);
    command.args(["--", "lsp-add", &switch, &port]);
    command.args(["--", "lsp-set-addresses", &port, &format!("{mac} 192.168.7.2 fd77::2")]);
    run(&mut command).expect("the zone takes the switch");
    let addresses = ["192.168.7.2/24", "fd77::2/64"].map(str::to_owned).to_vec();
    let attachment = Attachment { port, mac: mac.to_owned(), addresses };
    Pod::plug(node, &attachment).expect("the pod is plugged in")
}

fn ips(texts: [&str; 2]) -> [IpAddr; 2] {
    texts.map(|text| text.parse().expect("the test's addresses are sound"))
}

#[test]
fn vlans_with_equal_addresses_stay_apart() {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let node = Node::start(&root, &fabric, "node1", [172, 18, 0, 11].into()).expect("it starts");
    let provider = Provider::start(&root).expect("the provider's switch starts");
    provider.connect(&node, "br-provider", "tenantblue").expect("a trunk leads to the node");
    let host = |vlan| provider.host(Some(vlan), &["192.168.7.1/24", "fd77::1/64"]);
    let hosts: Vec<Host> = VLANS.map(|vlan| host(vlan).expect("a host can be made")).into();
    let pods: Vec<Pod> = VLANS.map(|vlan| plug(&node, vlan)).into();
    for (host, pod) in hosts.iter().zip(&pods) {
        // Only this VLAN's host listens at this port, so an answer proves which VLAN was reached.
        let witness = Witness::listen(host.namespace()).expect("the host listens");
        for (theirs, ours) in
            ips(["192.168.7.1", "fd77::1"]).into_iter().zip(ips(["192.168.7.2", "fd77::2"]))
        {
            wait_for("the first answer", LIMIT, || run(&mut pod.ping(theirs)).ok())
                .expect("the VLAN's host is reached");
            assert_eq!(witness.ask(pod.namespace(), theirs).expect("TCP passes"), ours);
        }
        for other in pods.iter().filter(|other| other.link() != pod.link()) {
            let refused = witness.ask(other.namespace(), ips(["192.168.7.1", "fd77::1"])[0]);
            assert!(refused.is_err(), "the other VLAN reached this one: {refused:?}");
        }
    }
}
