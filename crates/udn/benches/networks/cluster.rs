//! A real kube-apiserver with our CRDs, for one round.
//!
//! Invariant: a round begins with a server that has answered everything once.

#![allow(dead_code, reason = "each bench needs another part of it")]

use std::time::Duration;

use kube::Client;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::Request;
use serde_json::{Value, json};
use udn_lab::kubernetes::Cluster;
use udn_manifest::manifest::documents;
use udn_wire::deploy::CRDS;

use crate::Outcome;

pub(crate) const CUDNS: &str = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks";

/// The server and a client.
pub(crate) struct Ground {
    pub(crate) cluster: Cluster,
    pub(crate) client: Client,
}

impl Ground {
    /// Starts it, and makes a namespace for each network.
    pub(crate) async fn prepare(names: &[String]) -> Outcome<Self> {
        let cluster = Cluster::builder().without_controllers().start()?;
        let client = client(&cluster).await?;
        let ground = Self { cluster, client };
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        for manifest in CRDS {
            for document in documents(manifest.text) {
                for object in document.objects().map_err(|error| error.to_string())? {
                    ground.post(path, &object.value).await?;
                }
            }
        }
        for name in names {
            let labels = json!({ "network": name, "k8s.ovn.org/primary-user-defined-network": "" });
            let metadata = json!({ "name": name, "labels": labels });
            let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
            ground.post("/api/v1/namespaces", &object).await?;
        }
        ground.warm_up().await?;
        Ok(ground)
    }

    /// The first request of a kind is slow: rules are compiled for it.
    async fn warm_up(&self) -> Outcome<()> {
        let probe = network("probe", "10.0.0.0/16");
        let mut tries = 0;
        while let Err(error) = self.post(CUDNS, &probe).await {
            tries += 1;
            if tries > 600 {
                return Err(error);
            }
            // waits: the server tells nobody when a kind is served
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let request = Request::new(CUDNS).delete("probe", &kube::api::DeleteParams::default())?;
        self.client.request_text(request).await?;
        Ok(())
    }

    pub(crate) async fn post(&self, path: &str, object: &Value) -> Outcome<Value> {
        let bytes = object.to_string().into_bytes();
        let request = Request::new(path).create(&PostParams::default(), bytes)?;
        Ok(self.client.request(request).await?)
    }

    pub(crate) async fn merge(&self, path: &str, name: &str, patch: &Value) -> Outcome<Value> {
        let patch = Patch::Merge(patch);
        let request = Request::new(path).patch(name, &PatchParams::default(), &patch)?;
        Ok(self.client.request(request).await?)
    }

    pub(crate) async fn apply_status(
        &self,
        path: &str,
        name: &str,
        patch: &Value,
    ) -> Outcome<Value> {
        let params = PatchParams::apply("bench").force();
        let patch = Patch::Apply(patch);
        let request = Request::new(path).patch_subresource("status", name, &params, &patch)?;
        Ok(self.client.request(request).await?)
    }
}

/// A primary Layer2 CUDN for the namespace of its name.
pub(crate) fn network(name: &str, subnet: &str) -> Value {
    let selector = json!({ "matchLabels": { "network": name } });
    let layer2 = json!({ "role": "Primary", "subnets": [subnet] });
    json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
        "metadata": { "name": name },
        "spec": { "namespaceSelector": selector,
            "network": { "topology": "Layer2", "layer2": layer2 } } })
}

async fn client(cluster: &Cluster) -> Outcome<Client> {
    let config = kube::config::Kubeconfig::read_from(cluster.kubeconfig())?;
    let options = kube::config::KubeConfigOptions::default();
    Ok(Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?)
}
