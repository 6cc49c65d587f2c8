//! `udn controller`: the cluster office at an API server.
//!
//! Invariant: nothing is written by a program that does not lead, nor after it lost the lease.

use std::future::pending;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::Client;
use tokio::select;
use tokio::sync::watch;
use udn_control::cluster::server::{self, OfficeSettings, Stop};
use udn_control::health::Health;
use udn_control::lease::{self, Leadership};
use udn_control::meters::Meters;

use crate::args::ControllerRequest;

mod connect;
mod request;
mod show;
mod signals;

/// How long the turns that are under way may take once the program is told to stop.
const LAST_TURNS: Duration = Duration::from_secs(20);

/// Two are enough to renew the lease while a turn computes, and each costs memory.
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
    let client = connect::connect(request.kubeconfig.as_deref()).await?;
    let cluster = request::settings(&client, request).await;
    let settings = OfficeSettings { turns: request.turns.into(), ..OfficeSettings::new(cluster) };
    if request.dry_run {
        let rehearsal = server::rehearse(client, settings).await;
        return show::show(&rehearsal, request.output);
    }
    let meters = Arc::new(Meters::default());
    let (ready, is_ready) = watch::channel(false);
    serve_health(request, &meters, is_ready).await?;
    work(request, Office { client, settings, meters, ready, stop }).await
}

async fn serve_health(
    request: &ControllerRequest,
    meters: &Arc<Meters>,
    is_ready: watch::Receiver<bool>,
) -> Result<()> {
    if let Some(address) = request.listen_metrics {
        let health = Health::listen(address, Arc::clone(meters), is_ready).await?;
        let address = health.address().unwrap_or(address);
        tracing::info!(%address, "serving health and metrics");
        tokio::spawn(health.serve());
    }
    Ok(())
}

/// The office before it opens.
struct Office {
    client: Client,
    settings: OfficeSettings,
    meters: Arc<Meters>,
    ready: watch::Sender<bool>,
    stop: Stop,
}

/// Waits for its time, works, and makes room for the next one.
async fn work(request: &ControllerRequest, mut office: Office) -> Result<ExitCode> {
    let leadership = match request::lease(request) {
        None => None,
        Some(lease) => {
            // Who stands by is ready to take over.
            office.ready.send_replace(true);
            tracing::info!(identity = lease.identity, lease = lease.name, "standing by");
            let Office { client, stop, .. } = &office;
            let Some(leadership) = lease::lead(client.clone(), lease, stop.clone()).await else {
                return Ok(ExitCode::SUCCESS);
            };
            office.ready.send_replace(false);
            office.settings.fence = leadership.version();
            Some(leadership)
        }
    };
    let outcome = lead(office, leadership.as_ref()).await;
    if let Some(leadership) = leadership {
        leadership.release().await;
    }
    outcome
}

async fn lead(office: Office, leadership: Option<&Leadership>) -> Result<ExitCode> {
    let Office { client, settings, meters, ready, stop } = office;
    meters.leading(true);
    tracing::info!(fence = settings.fence, turns = settings.turns, "leading");
    let lost = async {
        match leadership {
            Some(leadership) => leadership.lost().await,
            None => pending().await,
        }
    };
    select! {
        () = server::run(client, settings, Arc::clone(&meters), ready, stop.clone()) => {}
        () = lost => bail!("lost the lease: another one may lead now; start this one again"),
        () = out_of_time(stop) => bail!("some turns did not come to their end in time"),
    };
    meters.leading(false);
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

async fn out_of_time(mut stop: Stop) {
    let _ = stop.wait_for(|stop| *stop).await;
    tokio::time::sleep(LAST_TURNS).await;
}
