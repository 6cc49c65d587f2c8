//! How long pods take from their creation until they are Ready, as kubelet tells it.
//!
//! Kubelet looks at its containers once a second and tells then who is Ready. A pod that is created as
//! soon as the one before is Ready would begin at the same moment of that second each time, and all
//! would take just under a second, whatever the plugin does; so each begins at another moment.
//! Invariant: pods come one after the other, of the same image and without probes, whatever the plugin.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use udn_lab::real_cluster::BUSYBOX_IMAGE;

use crate::Outcome;
use crate::api::{is_true, pods_of, until};
use crate::stand::Stand;

/// A namespace without a network of its own.
pub(crate) const PLAIN: &str = "default";

const PODS: usize = 20;
/// The first pods find nothing in any cache.
const WARM_UP: usize = 2;

/// How often kubelet looks.
const PERIOD: Duration = Duration::from_secs(1);

/// Seconds that pods took, with each plugin.
pub(crate) struct Waits {
    pub(crate) bridge: Vec<f64>,
    pub(crate) ours: Vec<f64>,
}

/// Starts pods in a namespace, one by one; what each took.
pub(crate) async fn measure(stand: &Stand, namespace: &str) -> Outcome<Vec<f64>> {
    let (api, path) = (stand.api().await?, pods_of(namespace));
    let is_there = async || Ok(!api.list(&accounts(namespace)).await?.is_empty());
    until("the namespace's account", is_there).await?;
    let mut waits = Vec::new();
    for number in 0..WARM_UP + PODS {
        // waits: so that all moments of kubelet's period are met equally often
        tokio::time::sleep(PERIOD * u32::try_from(number % PODS)? / u32::try_from(PODS)?).await;
        let (name, version) = (format!("pod-{number}"), api.version(&path).await?);
        let is_ready =
            |pod: &Value| pod["metadata"]["name"] == name.as_str() && is_true(pod, "Ready");
        let began = Instant::now();
        api.create(&path, &pod(&name)).await?;
        let ready = api.when(&path, &version, is_ready).await?;
        if number >= WARM_UP {
            waits.push((ready - began).as_secs_f64());
        }
    }
    for number in 0..WARM_UP + PODS {
        api.release(&path, &format!("pod-{number}")).await?;
    }
    until("the pods' end", async || Ok(api.list(&path).await?.is_empty())).await?;
    Ok(waits)
}

fn accounts(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/serviceaccounts")
}

/// With no time to end at all it would be gone from the API server before kubelet has taken it away,
/// and what is measured next would be measured beside that.
fn pod(name: &str) -> Value {
    let container = json!({ "name": "main", "image": BUSYBOX_IMAGE, "imagePullPolicy": "Never",
        "command": ["sleep", "3600"] });
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
        "spec": { "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": false,
            "containers": [container] } })
}
