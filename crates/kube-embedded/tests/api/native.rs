//! The answers kept in `tests/native` are those of a real kube-apiserver.
//!
//! Asks a real server about each object that is created there, and compares; `UPDATE=1` writes
//! its answers instead. Invariant: what is asked is a dry run.

use std::path::{Path, PathBuf};

use kube::api::PostParams;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request;
use kube::{Client, Config};
use serde_json::Value;
use udn_lab::kubernetes::Cluster;

#[tokio::test]
async fn kept_answers_are_those_of_the_real_server() {
    let cluster = Cluster::builder()
        .without_controllers()
        .api_server_flag("--service-cluster-ip-range=10.96.0.0/12,fd00:10:96::/112")
        .start()
        .expect("it starts");
    let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
    let client = Client::try_from(config).expect("the configuration is usable");
    let native = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kinds/native.json"));
    let mut wrong = Vec::new();
    for case in cases() {
        let given = read(&case);
        let got = answer(&client, &path(&native, &given), &given).await;
        let file = PathBuf::from(case.to_string_lossy().replace(".in.json", ".stored.json"));
        if std::env::var_os("UPDATE").is_some() {
            let text = serde_json::to_string_pretty(&got).expect("it is JSON");
            std::fs::write(&file, format!("{text}\n")).expect("it can be written");
        } else if got != read(&file) {
            wrong.push(format!("{}\n  {got}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "the server now answers otherwise:\n{}", wrong.join("\n"));
}

/// The cases of creates, in order.
fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let files = std::fs::read_dir(folder).expect("there are cases");
    let mut cases: Vec<PathBuf> = files
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            let is_update = Path::new(&name.replace(".in.json", ".old.json")).exists();
            name.ends_with(".in.json") && !is_update
        })
        .collect();
    cases.sort();
    cases
}

/// Where objects of a kind are created.
fn path(native: &Value, object: &Value) -> String {
    let version = object["apiVersion"].as_str().expect("it has a version");
    let (group, name) = version.split_once('/').unwrap_or(("", version));
    let resources = native["resources"].as_array().expect("there are resources");
    let resource = resources
        .iter()
        .find(|it| it["group"] == group && it["version"] == name && it["kind"] == object["kind"])
        .expect("the kind is known");
    let root = if group.is_empty() { "api" } else { "apis" };
    let place = if resource["namespaced"] == true { "/namespaces/default" } else { "" };
    let plural = resource["plural"].as_str().expect("it has a plural");
    format!("/{root}/{version}{place}/{plural}?dryRun=All&fieldValidation=Strict")
}

async fn answer(client: &Client, path: &str, object: &Value) -> Value {
    let body = serde_json::to_vec(object).expect("it is JSON");
    let params = PostParams::default();
    let mut request = Request::new("/").create(&params, body).expect("it is a request");
    *request.uri_mut() = path.parse().expect("it is a path");
    let response = client.send(request.map(Body::from)).await.expect("it answers");
    let bytes = response.into_body().collect_bytes().await.expect("it answers whole");
    plain(serde_json::from_slice(&bytes).expect("it answers in JSON"), object)
}

/// An answer without what is another one each time.
fn plain(mut answer: Value, object: &Value) -> Value {
    if let Some(metadata) = answer["metadata"].as_object_mut() {
        for name in ["uid", "creationTimestamp", "resourceVersion", "managedFields"] {
            metadata.remove(name);
        }
    }
    if answer["kind"] == "Service" {
        let spec = &mut answer["spec"];
        let ports = spec.get_mut("ports").and_then(Value::as_array_mut);
        for (place, port) in ports.into_iter().flatten().enumerate() {
            let is_given = object["spec"]["ports"][place].get("nodePort").is_some();
            if let Some(port) = port.as_object_mut().filter(|_| !is_given) {
                port.remove("nodePort");
            }
        }
        if let Some(addresses) = spec.get_mut("clusterIPs").and_then(Value::as_array_mut) {
            addresses.iter_mut().for_each(sign);
        }
        if let Some(address) = spec.get_mut("clusterIP") {
            sign(address);
        }
    }
    answer
}

fn sign(address: &mut Value) {
    match address.as_str() {
        Some("None") | None => {}
        Some(text) => *address = Value::from(if text.contains(':') { "<v6>" } else { "<v4>" }),
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the file is readable");
    serde_json::from_str(&text).expect("the file is JSON")
}
