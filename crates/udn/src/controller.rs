//! `udn controller`: the cluster controller at an API server.
//!
//! Invariant: nothing is written by a program that does not lead, nor after it lost the lease.

use std::future::pending;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use kube::Client;
use tokio::select;
use tokio::sync::watch;
use udn_control::cluster::{self, ControllerSettings, Signals, Stop};
use udn_control::health::Health;
use udn_control::lease::{self, Leadership};
use udn_control::metrics::Metrics;

use crate::args::ControllerRequest;
use crate::connect::connect;
use crate::{settings, signals};

mod request;
mod show;

/// Two are enough to renew the lease while a reconcile computes, and each costs memory.
const THREADS: usize = 2;

/// Runs `udn controller`.
pub(crate) fn run(request: &ControllerRequest) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let outcome = runtime.block_on(start(request));
    // Whatever still runs must not write any more: another one may lead by now.
    runtime.shutdown_background();
    outcome
}

async fn start(request: &ControllerRequest) -> Result<ExitCode> {
    let stop = signals::watch()?;
    let client = connect(request.kubeconfig.as_deref()).await?;
    let cluster = request::settings(&client, request).await;
    settings::check(&cluster)?;
    let settings =
        ControllerSettings { workers: request.workers.into(), ..ControllerSettings::new(cluster) };
    if request.dry_run {
        let run = cluster::dry_run_at(client, settings).await;
        return show::show(&run, request.output);
    }
    let metrics = Arc::new(Metrics::default());
    let (ready, is_ready) = watch::channel(false);
    serve_health(request, &metrics, is_ready).await?;
    work(request, Controller { client, settings, metrics, ready, stop }).await
}

async fn serve_health(
    request: &ControllerRequest,
    metrics: &Arc<Metrics>,
    is_ready: watch::Receiver<bool>,
) -> Result<()> {
    if let Some(address) = request.listen_metrics {
        let health = Health::listen(address, Arc::clone(metrics), is_ready).await?;
        let address = health.address().unwrap_or(address);
        tracing::info!(%address, "serving health and metrics");
        tokio::spawn(health.serve());
    }
    Ok(())
}

/// The controller before it opens.
struct Controller {
    client: Client,
    settings: ControllerSettings,
    metrics: Arc<Metrics>,
    ready: watch::Sender<bool>,
    stop: Stop,
}

/// Waits for its time, works, and lets the next one lead.
async fn work(request: &ControllerRequest, mut controller: Controller) -> Result<ExitCode> {
    let leadership = match request::lease(request) {
        None => None,
        Some(lease) => {
            // Who stands by is ready to take over.
            controller.ready.send_replace(true);
            tracing::info!(identity = lease.identity, lease = lease.name, "standing by");
            let Controller { client, stop, .. } = &controller;
            let Some(leadership) = lease::lead(client.clone(), lease, stop.clone()).await else {
                return Ok(ExitCode::SUCCESS);
            };
            controller.ready.send_replace(false);
            controller.settings.fence = leadership.version();
            Some(leadership)
        }
    };
    let outcome = lead(controller, leadership.as_ref()).await;
    if let Some(leadership) = leadership {
        leadership.release().await;
    }
    outcome
}

async fn lead(controller: Controller, leadership: Option<&Leadership>) -> Result<ExitCode> {
    let Controller { client, settings, metrics, ready, stop } = controller;
    metrics.leading(true);
    tracing::info!(fence = settings.fence, workers = settings.workers, "leading");
    let signals = Signals::new(ready, stop);
    let lost = async {
        match leadership {
            Some(leadership) => leadership.lost().await,
            None => pending().await,
        }
    };
    select! {
        () = cluster::run(client, settings, Arc::clone(&metrics), signals) => {}
        () = lost => bail!("lost the lease: another one may lead now; start this one again"),
    };
    metrics.leading(false);
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
