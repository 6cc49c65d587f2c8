//! Everything that pods and networks leave on a node, as lines that can be compared.
//!
//! Invariant: two snapshots of an untouched node are equal.

use std::collections::BTreeSet;

use crate::stand::Stand;

/// What is asked, and what of each answer says nothing about networks.
const QUESTIONS: [(&str, &str, &[&str]); 12] = [
    ("link", "ip", &["-o", "link"]),
    ("address", "ip", &["-o", "address"]),
    ("route", "ip", &["route", "show", "table", "all"]),
    ("route6", "ip", &["-6", "route", "show", "table", "all"]),
    ("rule", "ip", &["rule"]),
    ("rule6", "ip", &["-6", "rule"]),
    ("neighbour", "ip", &["neighbour", "show", "nud", "permanent"]),
    ("nft", "nft", &["list", "ruleset"]),
    ("namespace", "ls", &["/run/netns"]),
    ("flow br-ex", "ovs-ofctl", &["dump-flows", "--no-stats", "br-ex", "cookie=0xdeff105/-1"]),
    ("flow br-int", "ovs-ofctl", &["dump-flows", "--no-stats", "br-int", "table=0"]),
    // Folders that Multus makes once stay; what it notes of pods must not.
    (
        "file",
        "find",
        &["/run/ovn-kubernetes", "/etc/cni", "/opt/cni", "/var/lib/cni", "-type", "f"],
    ),
];

/// Lines by place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeSet<String>);

impl Snapshot {
    pub(crate) fn take(stand: &Stand, node: &str) -> Self {
        let mut lines = BTreeSet::new();
        for (place, program, arguments) in QUESTIONS {
            let said = stand.on_node(node, "sh", &["-c", &quietly(program, arguments)]);
            lines.extend(said.lines().map(|line| format!("{place}: {}", constant(line))));
        }
        let mut ports = stand.node(node).lab_node().vsctl();
        ports.args(["--format=list", "--columns=name,external_ids,ofport", "list", "Interface"]);
        let ports = udn_lab::run::run(&mut ports).expect("the switch answers");
        let names = ports.lines().filter(|line| line.starts_with("name"));
        lines.extend(names.map(|line| format!("port: {line}")));
        Self(lines)
    }

    /// What is in `other` and not here, and the other way round, for a person to read.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let gone = self.0.difference(&other.0).map(|line| format!("- {line}\n"));
        let come = other.0.difference(&self.0).map(|line| format!("+ {line}\n"));
        gone.chain(come).collect()
    }

    /// Whether any line of a place holds a text.
    pub(crate) fn holds(&self, place: &str, text: &str) -> bool {
        self.0.iter().any(|line| line.starts_with(place) && line.contains(text))
    }
}

/// A place that does not exist holds nothing.
fn quietly(program: &str, arguments: &[&str]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    format!("{program} {} 2>/dev/null || true", words.join(" "))
}

/// A line without what differs from one look to the next.
fn constant(line: &str) -> String {
    let words = line.split_whitespace().filter(|word| {
        !["expires", "used", "age"].iter().any(|it| word.starts_with(it)) && !word.ends_with("sec")
    });
    words.collect::<Vec<_>>().join(" ")
}
