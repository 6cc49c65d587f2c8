//! Finds the cluster.
//!
//! Invariant: a kubeconfig that is named is the one that is used, or the reason why not is told.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(5);

/// What every pod finds in its environment.
const IN_CLUSTER: &str = "KUBERNETES_SERVICE_HOST";

/// A client of the cluster that was named, or of the one that this program runs in or is set up for.
pub(crate) async fn connect(kubeconfig: Option<&Path>) -> Result<Client> {
    let mut config = match kubeconfig {
        Some(path) => named(path).await.with_context(|| path.display().to_string())?,
        None if std::env::var_os(IN_CLUSTER).is_some() => {
            Config::incluster().context("cannot use the cluster that this pod runs in")?
        }
        None => Config::from_kubeconfig(&KubeConfigOptions::default())
            .await
            .context("cannot find a cluster; name one with --kubeconfig")?,
    };
    config.connect_timeout = Some(PATIENCE);
    Client::try_from(config).context("cannot make a client of the cluster")
}

async fn named(path: &Path) -> Result<Config> {
    let read = Kubeconfig::read_from(path)?;
    Ok(Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?)
}
