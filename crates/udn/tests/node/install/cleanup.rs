//! What is left on nodes after the manifests are gone, and how the clean-up takes it away.
//!
//! Reads everything of a host that installing changes, as lines; the clean-up is started as
//! docs/operations.md says.
//! Invariant: two looks at an untouched host are equal.

use std::process::Command;

use udn_lab::node::EXTERNAL_BRIDGE;
use udn_lab::run::run;

use super::PATIENCE;
use crate::snapshot::Snapshot;
use crate::stand::Stand;

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/cleanup/cleanup.yaml");

/// Whose files are ours, besides those that snapshots of networks look at.
const FOLDERS: [&str; 4] = ["/run/ovn", "/run/openvswitch", "/run/ovn-kubernetes", "/var/lib/udn"];

/// A node's host, with all that agents and OVN write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    networks: Snapshot,
    switch: String,
    flows: String,
    files: String,
}

impl Host {
    pub(super) fn look(stand: &Stand, node: &str) -> Self {
        Self {
            networks: Snapshot::take(stand, node),
            switch: switch(stand, node),
            flows: flows(stand, node),
            files: paths(stand, node),
        }
    }

    /// What only one of two hosts has.
    pub(super) fn difference(&self, other: &Self) -> String {
        let lines = |it: &Self| -> Vec<String> {
            let all = [("switch", &it.switch), ("flow", &it.flows), ("path", &it.files)];
            let lines = all.map(|(place, text)| {
                text.lines().map(|line| format!("{place}: {line}\n")).collect::<Vec<_>>()
            });
            lines.concat()
        };
        let (ours, theirs) = (lines(self), lines(other));
        let only = |one: &[String], other: &[String], sign: &str| -> String {
            one.iter().filter(|it| !other.contains(it)).map(|it| format!("{sign} {it}")).collect()
        };
        self.networks.difference(&other.networks)
            + &only(&ours, &theirs, "-")
            + &only(&theirs, &ours, "+")
    }
}

/// What the switch's database says of the switch as a whole, its bridges and what limits pods.
fn switch(stand: &Stand, node: &str) -> String {
    let vsctl = |arguments: &[&str]| {
        let mut command = stand.node(node).lab_node().vsctl();
        run(command.args(arguments)).unwrap_or_else(|error| panic!("{error}"))
    };
    let own = vsctl(&["--columns=external_ids,other_config", "list", "Open_vSwitch"]);
    let bridges =
        ["--columns=name,external_ids,other_config,fail_mode", "--format=csv", "list", "Bridge"];
    own + &vsctl(&bridges) + &vsctl(&["--columns=type", "list", "QoS"])
}

fn flows(stand: &Stand, node: &str) -> String {
    let mut command = stand.node(node).lab_node().ofctl();
    command.args(["--no-stats", "dump-flows", EXTERNAL_BRIDGE]);
    run(&mut command).unwrap_or_else(|error| panic!("{error}"))
}

/// Our files on a node.
pub(super) fn paths(stand: &Stand, node: &str) -> String {
    let files = format!("find {} 2>/dev/null | sort; true", FOLDERS.join(" "));
    stand.on_node(node, "sh", &["-c", &files])
}

/// Cleans all nodes as people do, while nothing of ours runs; returns what was told.
pub(super) fn clean_up(stand: &Stand) -> String {
    stand.kubectl(&["apply", "-f", MANIFEST]);
    let cleaning = ["-n", "udn-cleanup"];
    stand.eventually("pods on all nodes", || {
        let pods = stand.kubectl(&[&["get", "pods", "-o", "name"], &cleaning[..]].concat());
        (pods.lines().count() == stand.cluster.nodes().len()).then_some(())
    });
    let condition = "--for=condition=Initialized";
    let wait = [&["wait", PATIENCE, condition, "pods", "--all"], &cleaning[..]].concat();
    let cleaned = run(stand.cluster.kubectl().args(&wait));
    let label = "--selector=app.kubernetes.io/name=udn-cleanup";
    let logs = ["logs", label, "--container=cleanup", "--prefix", "--tail=-1"];
    let told = stand.kubectl(&[&logs[..], &cleaning].concat());
    cleaned.unwrap_or_else(|error| panic!("{error}\n{told}"));
    stand.kubectl(&["delete", PATIENCE, "-f", MANIFEST]);
    told
}

/// `udn node --cleanup` on a node, without a container: what it prints, or why it refuses.
pub(super) fn clean_host(stand: &Stand, node: &str, flags: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["node", "--cleanup"]).args(flags);
    run(&mut stand.node(node).enter(&command)).map_err(|error| error.to_string())
}
