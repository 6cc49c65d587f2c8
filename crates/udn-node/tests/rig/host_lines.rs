//! Everything of a host that networks change, as lines that can be compared.
//!
//! Invariant: two looks at an untouched host are equal.

use std::collections::BTreeSet;
use std::process::Command;

use udn_lab::node::{EXTERNAL_BRIDGE, Node};
use udn_lab::run::run;

/// The parameters of a link that the host plan sets and the kernel tells of.
const PARAMETERS: [&str; 3] =
    ["ipv4/conf/LINK/rp_filter", "ipv4/conf/LINK/forwarding", "ipv6/conf/LINK/forwarding"];

/// The lines of a host.
pub(crate) fn host_lines(node: &Node) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    let mut add = |what: &str, text: String| {
        lines.extend(text.lines().map(|line| format!("{what}: {}", line.trim())));
    };
    add("link", links(node));
    for (what, arguments) in [
        ("address", &["-o", "address", "show", "scope", "global"][..]),
        ("rule", &["rule"]),
        ("rule 6", &["-6", "rule"]),
        ("route", &["route", "show", "table", "all"]),
        ("route 6", &["-6", "route", "show", "table", "all"]),
    ] {
        let text = node.namespace().ip(arguments).expect("ip answers");
        // What the kernel adds by itself comes and goes with links' states.
        let is_ours = |line: &&str| !line.contains("table local") && !line.starts_with("multicast");
        let plain = |line: &str| {
            let line = line.replace(" linkdown", "").replace(" dead", "");
            // Numbers of links are others after each restart.
            line.split_once(": ")
                .filter(|_| what == "address")
                .map(|(_, it)| it.to_owned())
                .unwrap_or(line)
        };
        add(what, text.lines().filter(is_ours).map(plain).collect::<Vec<_>>().join("\n"));
    }
    for bridge in ["br-int", EXTERNAL_BRIDGE] {
        add(&format!("port of {bridge}"), told(node.vsctl().args(["list-ports", bridge])));
    }
    add("name in OVN", names_in_ovn(node));
    add("flow", flows(node));
    add("quiet", quiet(node));
    add(
        "switch",
        told(node.vsctl().args(["--columns=external_ids", "list", "Open_vSwitch"]))
            .replace(", ", "\n"),
    );
    add("bridge", told(node.vsctl().args(["get", "Bridge", "br-int", "fail_mode"])));
    lines
}

/// The lines that only one of two hosts has.
pub(crate) fn difference(one: &BTreeSet<String>, other: &BTreeSet<String>) -> Vec<String> {
    let gone = one.difference(other).map(|it| format!("- {it}"));
    gone.chain(other.difference(one).map(|it| format!("+ {it}"))).collect()
}

fn told(command: &mut Command) -> String {
    run(command).unwrap_or_default()
}

/// Links with what they are to be, and their parameters.
fn links(node: &Node) -> String {
    let text = node.namespace().ip(&["-o", "link"]).expect("ip answers");
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words[1].trim_end_matches(':').split('@').next().unwrap_or_default();
        let after = |word: &str| {
            let at = words.iter().position(|it| *it == word).map(|it| it + 1);
            at.and_then(|at| words.get(at)).copied().unwrap_or_default()
        };
        let is_up =
            words[2].contains("UP,") || words[2].contains(",UP") || words[2].contains("<UP");
        lines.push(format!("{name} mtu {} {} up {is_up}", after("mtu"), after("link/ether")));
        if name.starts_with("ovn-k8s-mp") {
            lines.extend(PARAMETERS.iter().map(|it| parameter(node, &it.replace("LINK", name))));
        }
    }
    lines.join("\n")
}

fn parameter(node: &Node, path: &str) -> String {
    let file = format!("/proc/sys/net/{path}");
    let value = node.namespace().inside(|| std::fs::read_to_string(&file).unwrap_or_default());
    format!("{path} = {}", value.expect("the namespace is there").trim())
}

/// The ports of the host by what they are called in OVN.
fn names_in_ovn(node: &Node) -> String {
    let mut list = node.vsctl();
    list.args(["--bare", "--columns=name,external_ids", "find", "Interface", "type=internal"]);
    let words = told(&mut list);
    let names = words.split_whitespace().filter(|it| it.starts_with("iface-id="));
    names.collect::<Vec<_>>().join("\n")
}

/// The flows of the external bridge, but for neighbours that it remembers.
fn flows(node: &Node) -> String {
    let all = told(node.ofctl().args(["--no-stats", "dump-flows", EXTERNAL_BRIDGE]));
    let is_fixed = |line: &&str| !line.contains("table=20");
    all.lines().filter(is_fixed).collect::<Vec<_>>().join("\n")
}

/// The ports of the external bridge that floods do not reach.
fn quiet(node: &Node) -> String {
    let mut quiet = Vec::new();
    let mut port = "";
    let text =
        told(node.ofctl().args(["--protocols=OpenFlow10", "dump-ports-desc", EXTERNAL_BRIDGE]));
    for line in text.lines().map(str::trim) {
        if let Some((_, rest)) = line.split_once('(') {
            port = rest.split(')').next().unwrap_or_default();
        } else if line.contains("NO_FLOOD") {
            quiet.push(port);
        }
    }
    quiet.join("\n")
}
