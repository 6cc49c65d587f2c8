//! An API server that runs already: connecting, and waiting for what its controllers do.
//!
//! Invariant: it is waited for by watches; what does not come about in time is an error.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use futures_util::TryStreamExt;
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config, ResourceExt};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

/// How long a controller of the cluster may take for what it always does.
const LIMIT: Duration = Duration::from_secs(60);

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunningError {
    #[error("its kubeconfig cannot be used")]
    Kubeconfig {
        #[from]
        source: KubeconfigError,
    },
    #[error("it did not answer as it must")]
    Request {
        #[from]
        source: kube::Error,
    },
    #[error("{what} did not come about within {LIMIT:?}")]
    Slow { what: &'static str },
}

pub(super) async fn connect(kubeconfig: &Path) -> Result<Client, RunningError> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// Waits until the kinds of all custom resource definitions are served.
pub(super) async fn until_served(client: &Client) -> Result<(), RunningError> {
    let all: Api<CustomResourceDefinition> = Api::all(client.clone());
    let is_established = |it: &CustomResourceDefinition| {
        let conditions = it.status.iter().flat_map(|it| it.conditions.iter().flatten());
        conditions.into_iter().any(|it| it.type_ == "Established" && it.status == "True")
    };
    let wanted = all.list(&ListParams::default()).await?.items;
    let wanted = wanted.iter().map(ResourceExt::name_any).collect();
    until_all(&all, wanted, |it| is_established(it).then(|| it.name_any()), "CRDs").await
}

/// Waits until every namespace has the service account that pods need.
pub(super) async fn until_pods_can_be_made(client: &Client) -> Result<(), RunningError> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespaces = namespaces.list(&ListParams::default()).await?.items;
    let stays = |it: &&Namespace| it.metadata.deletion_timestamp.is_none();
    let wanted = namespaces.iter().filter(stays).map(ResourceExt::name_any).collect();
    let accounts: Api<ServiceAccount> = Api::all(client.clone());
    let of = |it: &ServiceAccount| it.namespace().filter(|_| it.name_any() == "default");
    until_all(&accounts, wanted, of, "service accounts").await
}

/// Watches objects until each that is wanted is as `is_done` says, which returns its name.
async fn until_all<K>(
    api: &Api<K>,
    mut wanted: BTreeSet<String>,
    is_done: impl Fn(&K) -> Option<String>,
    what: &'static str,
) -> Result<(), RunningError>
where
    K: Clone + std::fmt::Debug + DeserializeOwned,
{
    let watch = async {
        // From no version: the server begins with everything that there is.
        let mut events = Box::pin(api.watch(&WatchParams::default(), "0").await?);
        while !wanted.is_empty() {
            let Some(event) = events.try_next().await? else {
                events = Box::pin(api.watch(&WatchParams::default(), "0").await?);
                continue;
            };
            if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event
                && let Some(name) = is_done(&object)
            {
                wanted.remove(&name);
            }
        }
        Ok(())
    };
    timeout(LIMIT, watch).await.map_err(|_| RunningError::Slow { what })?
}
