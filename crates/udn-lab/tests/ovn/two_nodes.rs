//! The lab as a whole: two nodes with an OVN of their own, one switch across both, and a ping.

use std::net::IpAddr;
use std::time::Duration;

use udn_lab::node::{Fabric, Node};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::pod::{Attachment, Pod};
use udn_lab::run::run;
use udn_lab::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(60);
/// The switch's key on the wire, which all zones must agree on.
const SWITCH_KEY: u32 = 16_711_690;

/// A pod of the test, by which all else is numbered.
struct Plan {
    number: u8,
    home: &'static str,
}

const PLANS: [Plan; 2] = [Plan { number: 1, home: "node1" }, Plan { number: 2, home: "node2" }];

impl Plan {
    fn port(&self) -> String {
        format!("pod-{}", self.number)
    }

    fn mac(&self) -> String {
        format!("0a:58:0a:80:00:{:02x}", self.number)
    }

    fn addresses(&self) -> [IpAddr; 2] {
        let number = self.number;
        [format!("10.128.0.{number}"), format!("fd10:128::{number}")]
            .map(|text| text.parse().expect("the test's addresses are sound"))
    }

    fn attachment(&self) -> Attachment {
        let [four, six] = self.addresses();
        let addresses = vec![format!("{four}/24"), format!("{six}/64")];
        Attachment { port: self.port(), mac: self.mac(), addresses }
    }
}

/// Draws the switch and both ports in one node's zone; the other node's pod is a remote port.
fn draw(node: &Node) {
    let mut command = node.nbctl();
    command.args(["--wait=hv", "ls-add", "red", "--", "set", "Logical_Switch", "red"]);
    command.arg(format!("other_config:requested-tnl-key={SWITCH_KEY}"));
    command.arg("other_config:interconn-ts=red");
    for plan in &PLANS {
        let [four, six] = plan.addresses();
        let (port, addresses) = (plan.port(), format!("{} {four} {six}", plan.mac()));
        command.args(["--", "lsp-add", "red", &port, "--", "lsp-set-addresses", &port, &addresses]);
        command.args(["--", "lsp-set-port-security", &port, &addresses]);
        let key = format!("requested-tnl-key={}", plan.number);
        let chassis = format!("requested-chassis={}", plan.home);
        command.args(["--", "lsp-set-options", &port, &key, &chassis]);
        if plan.home != node.name() {
            command.args(["--", "lsp-set-type", &port, "remote"]);
        }
    }
    run(&mut command).expect("the zone takes the switch");
}

/// Two nodes that know each other, with the switch in both zones and a pod on each.
struct Lab {
    pods: Vec<Pod>,
    nodes: Vec<Node>,
    _fabric: Fabric,
}

fn build() -> Lab {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let nodes: Vec<Node> = std::thread::scope(|scope| {
        let start = |plan: &'static Plan| {
            let address = [172, 18, 0, 10 + plan.number].into();
            Node::start(&root, &fabric, plan.home, address).expect("the node starts")
        };
        let starts: Vec<_> = PLANS.iter().map(|plan| scope.spawn(move || start(plan))).collect();
        starts.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    nodes[0].meet(&nodes[1]).expect("the first node meets the second");
    nodes[1].meet(&nodes[0]).expect("the second node meets the first");
    nodes.iter().for_each(draw);
    let plug = |(node, plan): (&Node, &Plan)| {
        Pod::plug(node, &plan.attachment()).expect("the pod is plugged in")
    };
    let pods = nodes.iter().zip(&PLANS).map(plug).collect();
    Lab { pods, nodes, _fabric: fabric }
}

#[test]
fn a_ping_crosses_two_nodes_over_geneve() {
    let lab = build();
    for (from, to) in [(0, 1), (1, 0)] {
        for address in PLANS[to].addresses() {
            let ping = || run(&mut lab.pods[from].ping(address)).ok();
            wait_for("the first answer", LIMIT, ping).expect("the other pod is reached");
            run(lab.pods[from].ping(address).args(["-c", "5", "-i", "0.05"]))
                .expect("no packet is lost once the path is known");
        }
    }
    for node in &lab.nodes {
        wait_for("a Geneve flow", LIMIT, || sends_geneve(node).then_some(()))
            .expect("the packets went through the tunnel");
    }
}

/// Whether the switch has lately wrapped packets in Geneve, by the flows of its datapath.
fn sends_geneve(node: &Node) -> bool {
    let flows = run(node.vswitchd().appctl().arg("dpctl/dump-flows")).expect("the switch answers");
    flows.lines().any(|flow| flow.contains("tnl_push") && flow.contains("geneve("))
}
