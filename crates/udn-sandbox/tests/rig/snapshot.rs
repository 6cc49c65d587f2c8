//! Everything that networks leave on nodes and in the API, as lines that can be compared.
//!
//! Reads a [`Stand`]; returns lines by place, such as `node-1 northbound Logical_Switch`.
//! Invariant: two snapshots of an untouched sandbox are equal.

use std::collections::BTreeSet;
use std::time::Duration;

use kube::api::{Api, DynamicObject, ListParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Map, Value};
use udn_host::guard::GUARD_COOKIE;
use udn_lab::node::Node;
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_wire::Kind;

use super::{Stand, told};

/// How long ovn-controller may take to forget; it begins ten seconds after its start.
const FORGETTING: Duration = Duration::from_secs(40);

/// The kinds whose objects tell of networks; a node's report tells of all of them at once.
const KINDS: [Kind; 7] = [
    Kind::Namespace,
    Kind::Node,
    Kind::UserDefinedNetwork,
    Kind::ClusterUserDefinedNetwork,
    Kind::Nad,
    Kind::Pod,
    Kind::Claim,
];

/// Lines by place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) lines: BTreeSet<String>,
}

impl Snapshot {
    /// Looks at everything, once OVN has done what it was told.
    pub(crate) async fn take(stand: &Stand) -> Self {
        let mut lines = BTreeSet::new();
        for name in stand.nodes() {
            let node = stand.node(&name);
            told(node.nbctl(), &["--wait=hv", "sync"]);
            lines.extend(of_node(node).into_iter().map(|line| format!("{name} {line}")));
        }
        for kind in KINDS {
            lines.extend(objects(stand, kind).await);
        }
        Self { lines }
    }

    /// Waits until ovn-controller has taken away what it made for a network: it keeps the ports
    /// between bridges for a while after its own start, whatever it is told.
    pub(crate) fn wait_forgotten(stand: &Stand, network: &str) {
        for name in stand.nodes() {
            let node = stand.node(&name);
            let what = format!("ovn-controller of {name} to forget {network}");
            let mut left = String::new();
            let forgotten = wait_for(&what, FORGETTING, || {
                told(node.nbctl(), &["--wait=hv", "sync"]);
                let ports = told(node.vsctl(), &["list-ports", "br-int"]);
                let zones = told(node.vsctl(), &["get", "Bridge", "br-int", "external_ids"]);
                left = format!("{ports}, {zones}");
                (!left.contains(network)).then_some(())
            });
            forgotten.unwrap_or_else(|late| panic!("{late}: {left}"));
        }
    }

    /// The lines that begin like this, behind the node's name.
    pub(crate) fn of(&self, kind: &str) -> BTreeSet<&String> {
        let is_of = |line: &&String| {
            line.starts_with(kind)
                || line.split_once(' ').is_some_and(|(_, it)| it.starts_with(kind))
        };
        self.lines.iter().filter(is_of).collect()
    }

    /// What is in `other` and not here, and the other way round, for a person to read.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let gone = self.lines.difference(&other.lines).map(|line| format!("- {line}\n"));
        let come = other.lines.difference(&self.lines).map(|line| format!("+ {line}\n"));
        gone.chain(come).collect()
    }
}

/// All objects of a kind, one line each, without what tells only when and by whom they changed.
async fn objects(stand: &Stand, kind: Kind) -> Vec<String> {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let kind_of = GroupVersionKind::gvk(group, version, kind.as_str());
    let resource = ApiResource::from_gvk_with_plural(&kind_of, kind.plural());
    let all: Api<DynamicObject> = Api::all_with(stand.sandbox.client(), &resource);
    let list = all.list(&ListParams::default()).await.expect("the server answers");
    let line = |mut object: DynamicObject| {
        object.metadata.managed_fields = None;
        object.metadata.resource_version = None;
        if kind == Kind::Node {
            // Kubernetes' own controllers note there that no kubelet is heard, whenever they notice.
            object.data = Value::Null;
        }
        format!("object {kind} {}", serde_json::to_string(&object).expect("it is JSON"))
    };
    list.into_iter().map(line).collect()
}

fn of_node(node: &Node) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(rows(node, "northbound", &node.northbound().remote(), "OVN_Northbound"));
    lines.extend(rows(node, "southbound", &node.southbound().remote(), "OVN_Southbound"));
    lines.extend(rows(node, "switch", &node.open_vswitch().remote(), "Open_vSwitch"));
    let bridge = told(node.ofctl(), &["dump-flows", "--no-stats", "br-ex"]);
    // What the switch learned from passing packets tells of packets, not of networks.
    let is_learned = |line: &&str| {
        line.split("actions=").next().is_some_and(|head| head.contains("hard_timeout="))
    };
    let flows = bridge.lines().filter(|line| !is_learned(line));
    lines.extend(flows.map(|line| format!("flow {}", line.trim())));
    let guard = format!("cookie={GUARD_COOKIE:#x}/-1");
    let guard = told(node.ofctl(), &["dump-flows", "--no-stats", "br-int", &guard]);
    lines.extend(guard.lines().map(|line| format!("guard {}", line.trim())));
    let host = |kind: &'static str, arguments: &[&str]| {
        let text = node.namespace().ip(arguments).expect("ip answers");
        text.lines().map(|line| format!("{kind} {}", line.trim())).collect::<Vec<_>>()
    };
    lines.extend(host("link", &["-o", "link", "show"]));
    for family in ["-4", "-6"] {
        lines.extend(host("address", &["-o", family, "address", "show"]));
        lines.extend(host("rule", &[family, "rule", "show"]));
        lines.extend(host("route", &[family, "route", "show", "table", "all"]));
    }
    lines
}

/// All rows of a database, one line each, without the columns that change by themselves.
fn rows(node: &Node, kind: &str, remote: &str, database: &str) -> Vec<String> {
    let mut command = node.workplace().command("ovsdb-client");
    command.args(["--format=json", "dump", remote, database]);
    let text = run(&mut command).expect("the database can be dumped");
    let tables = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let mut lines = Vec::new();
    for table in tables {
        let table = table.expect("a dump is made of tables");
        let caption = table["caption"].as_str().unwrap_or_default();
        let caption = caption.strip_suffix(" table").unwrap_or(caption);
        if !is_told(kind, caption) {
            continue;
        }
        let headings: Vec<&str> =
            table["headings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for row in table["data"].as_array().into_iter().flatten() {
            let cells = row.as_array().into_iter().flatten().cloned();
            let row: Map<String, Value> = headings
                .iter()
                .zip(cells)
                .filter(|(heading, _)| !is_volatile(kind, caption, heading))
                .map(|(heading, cell)| ((*heading).to_owned(), without_counters(cell)))
                .collect();
            lines.push(format!("{kind} {caption} {}", Value::Object(row)));
        }
    }
    lines
}

/// A map without what ovn-controller counts in it; anything else as it is.
fn without_counters(mut cell: Value) -> Value {
    if cell.get(0).and_then(Value::as_str) == Some("map")
        && let Some(pairs) = cell.get_mut(1).and_then(Value::as_array_mut)
    {
        let is_counter = |key: &str| key.starts_with("ovn-nb-cfg");
        pairs.retain(|pair| !pair.get(0).and_then(Value::as_str).is_some_and(is_counter));
    }
    cell
}

/// Whether a table holds what networks leave behind.
fn is_told(kind: &str, table: &str) -> bool {
    match kind {
        "southbound" => ["Datapath_Binding", "Port_Binding", "Chassis"].contains(&table),
        "switch" => ["Bridge", "Port", "Interface", "Open_vSwitch"].contains(&table),
        _ => true,
    }
}

/// Whether a column changes without anybody's doing, such as a counter.
fn is_volatile(kind: &str, table: &str, column: &str) -> bool {
    let columns: &[&str] = match (kind, table) {
        (_, "NB_Global") => &[
            "nb_cfg",
            "nb_cfg_timestamp",
            "sb_cfg",
            "sb_cfg_timestamp",
            "hv_cfg",
            "hv_cfg_timestamp",
        ],
        ("southbound", "Chassis") => &["nb_cfg"],
        ("switch", "Interface") => &["statistics"],
        ("switch", "Open_vSwitch") => &["statistics", "cur_cfg", "next_cfg"],
        _ => &[],
    };
    columns.contains(&column)
}
