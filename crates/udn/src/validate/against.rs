//! Asks a cluster for the objects that networks depend on.
//!
//! Reads a kubeconfig; returns objects as JSON, cut down to what is looked at.
//! Invariant: nothing is ever written to the cluster, and lists are read in pages.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::api::ListParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request;
use kube::{Client, Config};
use serde_json::{Value, json};
use udn_wire::Kind;

/// How many objects a page holds.
const PAGE: u32 = 500;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a cluster has.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) objects: Vec<Value>,
    /// Where its services live, if it tells.
    pub(super) service_cidrs: Vec<String>,
    /// What it would not tell.
    pub(super) notes: Vec<String>,
}

/// Asks the cluster that a kubeconfig names.
pub(super) fn ask(kubeconfig: &Path) -> Result<Cluster> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = connect(kubeconfig).await?;
        let mut cluster = Cluster::default();
        for kind in Kind::ALL {
            let (path, kind_name) = (resource_path(kind), kind.as_str());
            let version = kind.api_version();
            let items = list(&client, &path, kind.is_optional(), &mut cluster.notes).await?;
            let typed = items.into_iter().map(|item| trimmed(item, version, kind_name));
            cluster.objects.extend(typed);
        }
        let path = "/apis/networking.k8s.io/v1/servicecidrs";
        let ranges = list(&client, path, false, &mut cluster.notes).await?;
        cluster.service_cidrs = ranges.iter().flat_map(cidrs).collect();
        Ok(cluster)
    })
}

async fn connect(kubeconfig: &Path) -> Result<Client> {
    let name = || kubeconfig.display().to_string();
    let read = Kubeconfig::read_from(kubeconfig).with_context(name)?;
    let options = KubeConfigOptions::default();
    let mut config = Config::from_custom_kubeconfig(read, &options).await.with_context(name)?;
    config.connect_timeout = Some(PATIENCE);
    config.read_timeout = Some(PATIENCE);
    Client::try_from(config).with_context(name)
}

/// Where the objects of a kind are listed, in all namespaces.
fn resource_path(kind: Kind) -> String {
    let base = match kind.api_version() {
        "v1" => "/api/v1".to_owned(),
        version => format!("/apis/{version}"),
    };
    format!("{base}/{}", kind.plural())
}

/// All objects of a list; none with a note where the cluster will not show it, or has no such list
/// though it should.
async fn list(
    client: &Client,
    path: &str,
    is_optional: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut params = ListParams::default().limit(PAGE);
    loop {
        let request = Request::new(path).list(&params).context("a list cannot be asked for")?;
        let mut page: Value = match client.request(request).await {
            Ok(page) => page,
            Err(kube::Error::Api(status)) if status.code == 404 && is_optional => return Ok(items),
            Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => {
                let why = if status.code == 404 { "has no" } else { "does not show" };
                notes.push(format!("the cluster {why} {}", last_word(path)));
                return Ok(items);
            }
            Err(error) => return Err(error).with_context(|| format!("cannot list {path}")),
        };
        if let Some(Value::Array(more)) = page.get_mut("items").map(Value::take) {
            items.extend(more);
        }
        match page["metadata"]["continue"].as_str() {
            Some(token) if !token.is_empty() => params = params.continue_token(token),
            Some(_) | None => return Ok(items),
        }
    }
}

fn last_word(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// An object with its type, without what nobody here looks at.
fn trimmed(mut item: Value, api_version: &str, kind: &str) -> Value {
    if let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    item["apiVersion"] = api_version.into();
    item["kind"] = kind.into();
    if kind == Kind::Pod.as_str() {
        let (spec, status) = (&item["spec"], &item["status"]);
        let spec = json!({"nodeName": spec["nodeName"], "hostNetwork": spec["hostNetwork"]});
        let status = json!({"phase": status["phase"]});
        item["spec"] = spec;
        item["status"] = status;
    }
    item
}

fn cidrs(range: &Value) -> Vec<String> {
    let texts = range["spec"]["cidrs"].as_array().into_iter().flatten();
    texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}
