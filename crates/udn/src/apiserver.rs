//! `udn apiserver`: a Kubernetes API server alone.
//!
//! Invariant: the line that says it is ready comes when kubectl works.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use kube_embedded::{Authorization, Server, Serving, Storage};
use tokio::signal::unix::{SignalKind, signal};
use udn_wire::deploy;

mod install;

use crate::args::ApiserverRequest;
use crate::output;

/// Runs `udn apiserver`.
pub(crate) fn run(request: &ApiserverRequest) -> Result<ExitCode> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start the async runtime")?;
    runtime.block_on(serve(request))
}

async fn serve(request: &ApiserverRequest) -> Result<ExitCode> {
    // Listened for before anything is made, so that an early Ctrl-C is not lost.
    let mut interrupted = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminated = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let server = start(request).await?;
    if !request.bare {
        let manifests = deploy::CRDS.iter().chain(deploy::POLICIES);
        install::install(&server.client(), manifests).await?;
    }
    let serving = server.serve(request.listen).await.context("cannot serve")?;
    serving.write_kubeconfig(&request.kubeconfig).context("cannot write the kubeconfig")?;
    let announced = announce(request, &serving);
    if announced.is_ok() {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    }
    serving.stop().await;
    announced?;
    Ok(ExitCode::SUCCESS)
}

async fn start(request: &ApiserverRequest) -> Result<Server> {
    let mut builder = Server::builder().dual_stack(true);
    if let Some(store) = &request.store {
        if store.is_dir() {
            bail!("{} is a folder; --store names one file", store.display());
        }
        builder = builder.storage(Storage::File(store.clone())).certificates(pki(store));
    }
    if request.rbac {
        builder = builder.authorization(Authorization::Rbac);
    }
    builder.start().await.context("cannot start the API server")
}

/// The folder of certificates beside a store.
fn pki(store: &Path) -> PathBuf {
    let mut name: OsString = store.as_os_str().to_owned();
    name.push(".pki");
    name.into()
}

fn announce(request: &ApiserverRequest, serving: &Serving) -> Result<()> {
    let kubeconfig = fs::canonicalize(&request.kubeconfig);
    let kubeconfig = kubeconfig.unwrap_or_else(|_| request.kubeconfig.clone());
    output::print_line(format_args!("ready on https://{}", serving.address()))?;
    output::print_line(format_args!("  export KUBECONFIG={}", kubeconfig.display()))?;
    output::print_line(match &request.store {
        Some(store) => format!("  objects are kept in {}", store.display()),
        None => "  objects are gone when it ends (--store FILE keeps them)".to_owned(),
    })
}
