//! Stands in for kubelets, as far as the API sees them: tells which pods run, and ends those that
//! are asked to go.
//!
//! Reads pods and who is plugged; writes statuses, and deletes what waits for its node.
//! Invariant: a pod that nobody deleted stays, and telling the same again changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Container, Pod};
use kube::Client;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use serde_json::{Value, json};
use udn_control::zone::{ListError, Listing};
use udn_model::ObjectName;
use udn_wire::Kind;

/// Whose fields the statuses of pods are.
const FIELD_MANAGER: &str = "udn-kubelet";

/// Why a pod that is asked to go is still there.
#[derive(Debug, thiserror::Error)]
pub enum KubeletError {
    #[error("could not look for pods that are asked to go")]
    List {
        #[from]
        source: ListError,
    },
    #[error("could not end pod {pod}")]
    End { pod: ObjectName, source: Box<kube::Error> },
    #[error("could not tell that pods run")]
    Tell { source: Box<kube::Error> },
}

/// Tells that these pods run, with all their containers.
pub(crate) async fn tell_running(
    client: &Client,
    pods: &BTreeSet<ObjectName>,
) -> Result<(), KubeletError> {
    let failed = |source| KubeletError::Tell { source: Box::new(source) };
    let all: Api<Pod> = Api::all(client.clone());
    for pod in all.list(&ListParams::default()).await.map_err(failed)? {
        let namespace = pod.metadata.namespace.unwrap_or_default();
        let name = pod.metadata.name.unwrap_or_default();
        if !pods.contains(&ObjectName::new(&namespace, &name)) {
            continue;
        }
        let containers = pod.spec.map(|it| it.containers).unwrap_or_default();
        let status = json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": name, "namespace": namespace }, "status": running(&containers) });
        let (api, params) = (Api::<Pod>::namespaced(client.clone(), &namespace), FIELD_MANAGER);
        let params = PatchParams::apply(params).force();
        api.patch_status(&name, &params, &Patch::Apply(&status)).await.map_err(failed)?;
    }
    Ok(())
}

/// The status of a pod whose containers run.
fn running(containers: &[Container]) -> Value {
    let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    let conditions = conditions.map(|it| json!({ "type": it, "status": "True" }));
    let statuses = containers.iter().map(|it| {
        json!({ "name": it.name, "image": it.image.clone().unwrap_or_default(), "imageID": "",
            "ready": true, "started": true, "restartCount": 0, "state": { "running": {} } })
    });
    let statuses: Vec<Value> = statuses.collect();
    json!({ "phase": "Running", "conditions": conditions, "containerStatuses": statuses })
}

/// The pods that are asked to go, with their uids.
pub(crate) async fn leaving_pods(
    client: &Client,
) -> Result<BTreeMap<ObjectName, String>, KubeletError> {
    let pods = Listing::read(client, &[Kind::Pod]).await?.world.pods;
    let leaving = pods.iter().filter(|(_, pod)| pod.metadata.is_leaving());
    Ok(leaving.map(|(name, pod)| (name.clone(), pod.metadata.uid.clone())).collect())
}

/// Ends pods that wait for it; their processes need no time.
pub(crate) async fn end_pods(
    client: &Client,
    pods: &BTreeMap<ObjectName, String>,
) -> Result<(), KubeletError> {
    for (name, uid) in pods {
        let api: Api<Pod> = Api::namespaced(client.clone(), &name.namespace);
        let guard = Preconditions { uid: Some(uid.clone()), ..<_>::default() };
        let params = DeleteParams {
            grace_period_seconds: Some(0),
            preconditions: Some(guard),
            ..DeleteParams::default()
        };
        match api.delete(&name.name, &params).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            Err(source) => {
                return Err(KubeletError::End { pod: name.clone(), source: Box::new(source) });
            }
        }
    }
    Ok(())
}
