//! The chart, rendered by the real Helm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use udn_lab::helm::Helm;
use udn_lab::run::{RunError, run};
use udn_manifest::manifest::documents;

use super::api_server;
use crate::stand::Stand;

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy");

#[test]
fn the_chart_renders_what_the_manifests_have() {
    let said = run(helm().args(["--set", "namespace.create=true"])).expect("Helm renders it");
    let rendered = objects(&said);
    let mut applied = BTreeMap::new();
    for entry in fs::read_dir(Path::new(DEPLOY).join("manifests")).expect("they are there") {
        let path = entry.expect("the folder can be read").path();
        applied.extend(objects(&fs::read_to_string(path).expect("it can be read")));
    }
    assert_eq!(names(&rendered), names(&applied));
    for (name, object) in &applied {
        assert_eq!(&rendered[name], object, "{name}");
    }
}

#[test]
fn helm_makes_no_namespace_unless_told_to() {
    let rendered = objects(&run(&mut helm()).expect("Helm renders it"));
    assert!(!names(&rendered).iter().any(|name| name.starts_with("Namespace/")));
    assert!(names(&rendered).contains(&"DaemonSet/udn-system/udn-node".to_owned()));
}

#[test]
fn values_reach_the_settings_that_controller_and_agents_share() {
    let values = [
        "apiServer.host=192.0.2.10",
        "networks.default=foreign",
        "networks.clusterSubnets=10.0.0.0/8/24",
        "networks.flags=--max-networks=100",
        "node.flags=--uplink=eth1",
    ];
    let rendered = objects(&render(&values).expect("Helm renders it"));
    let settings = &rendered["ConfigMap/udn-system/udn-settings"]["data"];
    let want = [
        ("KUBERNETES_SERVICE_HOST", "192.0.2.10"),
        ("KUBERNETES_SERVICE_PORT", "6443"),
        (
            "UDN_NETWORKS",
            "--default-network=foreign --gateway-mode=shared --mtu=1400 \
             --cluster-subnets=10.0.0.0/8/24 --max-networks=100",
        ),
        (
            "UDN_NODE",
            "--external-bridge=br-ex --physical-network=physnet \
             --kubelet-cgroup=/system.slice/kubelet.service --uplink=eth1",
        ),
    ];
    for (name, value) in want {
        assert_eq!(settings[name].as_str().map(str::trim_end), Some(value), "{name}");
    }
}

#[test]
fn an_object_is_left_out_where_nobody_wants_it() {
    let rendered = objects(&render(&["openvswitch.enabled=false"]).expect("Helm renders it"));
    assert!(!rendered.contains_key("DaemonSet/udn-system/udn-openvswitch"));
}

#[test]
fn wrong_values_are_refused_by_name() {
    for (value, complaint) in [
        ("networks.default=calico", "/networks/default"),
        ("networks.mtu=12", "/networks/mtu"),
        ("nods=1", "nods"),
        ("node.stateFolder=var", "/node/stateFolder"),
    ] {
        let error = render(&[value]).expect_err(value).to_string();
        assert!(error.contains(complaint), "{value}: {error}");
    }
}

/// The chart for a cluster, as manifests in a folder.
pub(super) fn rendered(stand: &Stand) -> PathBuf {
    let (host, port) = api_server(stand);
    let values = ["namespace.create=true", &format!("apiServer.host={host}")];
    let port = format!("apiServer.port={port}");
    let mut command = helm();
    command.args(values.iter().flat_map(|value| ["--set", value])).args(["--set-string", &port]);
    let said = run(&mut command).expect("Helm renders it");
    let folder = stand.cluster.control_plane().folder().join("rendered");
    fs::create_dir_all(&folder).expect("a folder can be made");
    fs::write(folder.join("chart.yaml"), said).expect("a file can be written");
    folder
}

fn render(values: &[&str]) -> Result<String, RunError> {
    run(helm().args(values.iter().flat_map(|value| ["--set", value])))
}

/// A Helm that prints the chart, to be completed with values.
fn helm() -> Command {
    let helm = Helm::find().unwrap_or_else(|error| panic!("{error}"));
    let mut command = helm.command();
    command.args(["template", "udn"]).arg(Path::new(DEPLOY).join("chart/udn"));
    command.args(["--include-crds", "--namespace", "udn-system"]);
    command
}

/// Objects by kind, namespace and name.
fn objects(text: &str) -> BTreeMap<String, Value> {
    let objects = documents(text).flat_map(|it| it.objects().expect("it is YAML"));
    let name = |object: &Value| {
        let metadata = &object["metadata"];
        let parts = [&object["kind"], &metadata["namespace"], &metadata["name"]];
        parts.iter().filter_map(|part| part.as_str()).collect::<Vec<_>>().join("/")
    };
    objects.map(|it| (name(&it.value), it.value)).collect()
}

fn names(objects: &BTreeMap<String, Value>) -> Vec<String> {
    objects.keys().cloned().collect()
}
