//! What the zones of nodes would draw, and what it takes to make OVN stand like that.
//!
//! Invariant: a database is only monitored; no transaction is ever sent to it.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use ovn::{Plan, SimulatedDatabase, compare_all};
use serde_json::{Map, Value, json};
use udn_blueprint::owners;
use udn_control::zone::{Database, ZoneDryRun};
use udn_model::{ClusterSettings, Findings, NodeName};

use super::source::Source;
use super::{pretty, text};
use crate::args::{ExplainRequest, Output, Stage};

/// How long a database may take to answer and to tell what it has.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is said where a plan is empty.
const NOTHING: &str = "# nothing to do: the database stands as it is drawn\n";

/// What is shown of one node.
struct Shown {
    text: String,
    rows: Value,
    findings: Findings,
}

/// The sheets or plans of the chosen nodes.
pub(super) fn show(request: &ExplainRequest, source: &Source) -> Result<String> {
    let nodes = chosen_nodes(request, source)?;
    source.tell_of_unwritten();
    let (mut texts, mut values) = (String::new(), Map::new());
    for node in nodes {
        let Shown { text, rows, findings } = show_node(request, source, &node)?;
        let findings = [source.cluster.findings.clone(), findings].concat();
        texts.push_str(&format!("# {node}\n{text}{}", text::findings(&findings)));
        values.insert(node.to_string(), json!({ "rows": rows, "findings": findings }));
    }
    match request.output {
        Output::Text => Ok(texts),
        Output::Json => pretty(&Value::Object(values)),
    }
}

fn chosen_nodes(request: &ExplainRequest, source: &Source) -> Result<Vec<NodeName>> {
    let all = &source.cluster.intent.value.nodes;
    let Some(wanted) = &request.node else { return Ok(all.keys().cloned().collect()) };
    let wanted = NodeName::new(wanted);
    if !all.contains_key(&wanted) {
        let known: Vec<&str> = all.keys().map(NodeName::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!("there is no node {wanted}; {} {known}", source.name);
    }
    Ok(vec![wanted])
}

fn show_node(request: &ExplainRequest, source: &Source, node: &NodeName) -> Result<Shown> {
    if let Some(remote) = &request.northbound {
        return show_difference(source, node, remote);
    }
    let zone = ZoneDryRun::new(source.world(), node, &source.settings);
    let (text, rows) = match request.stage {
        Stage::Plan => show_plan(&zone, &source.settings)?,
        Stage::Sheet | Stage::Intent | Stage::Grants => show_sheets(&zone),
    };
    Ok(Shown { text, rows, findings: zone.findings() })
}

fn show_sheets(zone: &ZoneDryRun) -> (String, Value) {
    let sheets: Vec<_> = zone.sheets().iter().flat_map(|(_, sheets)| sheets).collect();
    let southbound = zone.southbound();
    let shown: Vec<String> =
        sheets.iter().copied().chain([&southbound]).map(ToString::to_string).collect();
    (shown.concat(), json!({ "northbound": sheets, "southbound": southbound }))
}

/// What it takes from an empty database.
fn show_plan(zone: &ZoneDryRun, settings: &ClusterSettings) -> Result<(String, Value)> {
    let mut standing = SimulatedDatabase::new(owners::northbound_of(zone.node(), settings));
    let mut plans: Vec<Plan> = Vec::new();
    for (_, sheets) in zone.sheets() {
        let plan = standing.plan(sheets).context("the drawn rows cannot be compared")?;
        standing.apply(&plan).map_err(|fault| anyhow::anyhow!("OVN would refuse: {fault}"))?;
        plans.push(plan);
    }
    let shown: Vec<String> = plans.iter().map(ToString::to_string).collect();
    Ok((shown.concat(), json!(plans)))
}

/// What it takes from what stands in a database.
fn show_difference(source: &Source, node: &NodeName, remote: &str) -> Result<Shown> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let database = connect(node, remote, &source.settings).await?;
        let (zone, plan) = database.client.with_cache(|rows| {
            let zone = ZoneDryRun::over(source.world(), node, &source.settings, rows);
            let sheets = zone.sheets().iter().flat_map(|(_, sheets)| sheets);
            let plan = compare_all(sheets, rows, &database.rules);
            (zone, plan)
        });
        let plan = plan.context("the drawn rows cannot be compared")?;
        let text = if plan.is_empty() { NOTHING.to_owned() } else { plan.to_string() };
        let plans: Vec<Plan> = [plan].into_iter().filter(|it| !it.is_empty()).collect();
        Ok(Shown { text, rows: json!(plans), findings: zone.findings() })
    })
}

/// A replica of the database, once it is whole.
async fn connect(node: &NodeName, remote: &str, settings: &ClusterSettings) -> Result<Database> {
    let named = || format!("--northbound {remote}");
    let rules = owners::northbound_of(node, settings);
    let database = Database::connect(remote.parse().with_context(named)?, rules);
    let database = database.with_context(named)?;
    match tokio::time::timeout(PATIENCE, database.client.wait_synced()).await {
        Ok(Ok(())) => Ok(database),
        Ok(Err(_)) | Err(_) => bail!(
            "--northbound {remote}: no northbound database answers there; \
             is this run on {node}, and by somebody who may open its socket?"
        ),
    }
}
