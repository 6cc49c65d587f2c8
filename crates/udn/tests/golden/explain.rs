//! `udn explain` as a newcomer meets it: no root, no OVN, the example of the README.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light")
}

fn explain(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["explain", "-f"]).arg(folder).args(arguments);
    command.output().expect("the program starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_stage_can_be_shown() {
    let check = |stage: &str, want: &[&str]| {
        let shown = text(&explain(&example(), &["--stage", stage]));
        for line in want {
            assert!(shown.contains(line), "{stage} lacks {line:?}:\n{shown}");
        }
    };
    check("intent", &["network cluster_udn_red: primary layer 2", "    pod red/red-1 on node-1"]);
    check("grants", &["network cluster_udn_red: id 2", "k8s.ovn.org/network-id: \"2\""]);
    check("sheet", &["switch cluster_udn_red_ovn_layer2_switch", "# node-3"]);
    check("plan", &["+ Logical_Switch cluster_udn_red_ovn_layer2_switch"]);
}

#[test]
fn one_node_can_be_chosen_and_a_wrong_one_is_told() {
    let shown = text(&explain(&example(), &["--node", "node-2"]));
    assert!(shown.starts_with("# node-2\n") && !shown.contains("# node-1\n"), "{shown}");
    let output = explain(&example(), &["--node", "node-9"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let want = "error: there is no node node-9; the manifests have node-1, node-2, node-3\n";
    assert!(said.ends_with(want), "{said}");
}

#[test]
fn programs_read_json() {
    for stage in ["intent", "grants", "sheet", "plan"] {
        let shown = text(&explain(&example(), &["--stage", stage, "-o", "json"]));
        let value: serde_json::Value = serde_json::from_str(&shown).expect("well-formed JSON");
        assert!(value.as_object().is_some_and(|object| !object.is_empty()), "{stage}");
    }
}

#[test]
fn a_broken_manifest_is_told_with_its_line_and_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = "apiVersion: v1\nkind: Node\nmetadata:\n  name: [node\n";
    std::fs::write(folder.path().join("broken.yaml"), broken).expect("written");
    let output = explain(folder.path(), &["--stage", "intent"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("broken.yaml:") && said.starts_with("error: "), "{said}");
}

#[test]
fn nothing_is_written() {
    let before = listing(&example());
    text(&explain(&example(), &["--stage", "plan"]));
    assert_eq!(listing(&example()), before);
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the example is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

#[test]
fn arguments_that_do_not_go_together_are_told() {
    let check = |arguments: &str, want: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
        let output = command.arg("explain").args(arguments.split_whitespace()).output();
        let output = output.expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(want), "{arguments}: {said}");
    };
    check("", "<--filename <DIR>|--kubeconfig [<FILE>]>");
    check("-f a --kubeconfig b", "'--filename <DIR>' cannot be used with '--kubeconfig [<FILE>]'");
    check("-f a --northbound unix:b --stage plan", "--node <NODE>");
    let want = "error: a database is compared with in the last stage only; add --stage plan\n";
    check("-f a --northbound unix:b --node node-1", want);
    check("--kubeconfig /nowhere", "error: /nowhere: ");
}

#[test]
fn a_database_that_does_not_exist_is_told() {
    let arguments = ["--stage", "plan", "--node", "node-1", "--northbound"];
    let check = |remote: &str, want: &str| {
        let output = explain(&example(), &[&arguments[..], &[remote]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.ends_with(want), "{said}");
    };
    check("b", "error: --northbound b: \"b\" does not begin with unix:, tcp: or ssl:\n");
}

const ROUTED: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Namespace
metadata: {name: red, labels: {k8s.ovn.org/primary-user-defined-network: ''}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: red, namespace: red, uid: u}
spec: {topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.10.0.0/16, hostSubnet: 25}]}}
";

#[test]
fn subnets_of_nodes_are_shown_also_of_the_default_network_where_it_is_ours() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("all.yaml"), ROUTED).expect("written");
    let intent = text(&explain(folder.path(), &["--stage", "intent"]));
    let want = "network red_red: primary layer 3\n    subnet 10.10.0.0/16, of which each node gets a /25\n";
    assert!(intent.starts_with(want), "{intent}");
    let own = text(&explain(folder.path(), &["--stage", "grants"]));
    for want in [
        "network red_red: id 1\n    node node-1: subnets 10.10.0.0/25\n",
        "network default\n    node node-1: subnets 10.128.0.0/23 fd01:0:0:1::/64\n",
    ] {
        assert!(own.contains(want), "{own}");
    }
    let beside = explain(folder.path(), &["--stage", "grants", "--default-network", "foreign"]);
    let (beside, said) = (text(&beside), String::from_utf8_lossy(&beside.stderr).into_owned());
    assert!(!beside.contains("network default") && !beside.contains("network red_red"), "{beside}");
    let why = "another plugin's in this cluster (--default-network foreign); use role Secondary";
    assert!(said.contains(why) || beside.contains(why), "{said}{beside}");
    let twice = ["--cluster-subnets", "172.30.0.0/16/24"];
    let output = explain(folder.path(), &twice);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("--cluster-subnets 172.30.0.0/16 overlaps the service subnet"), "{said}");
}
