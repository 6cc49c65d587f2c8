//! `udn node`: the agent of a node.
//!
//! Invariant: what is not there yet is waited for, and told; the program ends only if it is told to, or
//! if a part of it ended that never should.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kube::Client;
use tokio::sync::watch;
use udn_control::health::Health;
use udn_node::NodeAgent;
use udn_node::agent::HostState;

use crate::args::NodeRequest;
use crate::connect::connect;
use crate::{settings, signals};

mod cleanup;
mod priority;
mod request;

/// One hears and one computes; each more costs memory.
const THREADS: usize = 2;

/// How long a cluster that does not answer is left alone.
const REST: Duration = Duration::from_secs(2);

/// Runs `udn node`.
pub(crate) fn run(request: &NodeRequest) -> Result<ExitCode> {
    if !request.cleanup.cleanup {
        priority::raise();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let outcome = runtime.block_on(async {
        match request.cleanup.cleanup {
            true => cleanup::run(request).await,
            false => start(request).await,
        }
    });
    // Whatever still runs has nothing left to do.
    runtime.shutdown_background();
    outcome
}

async fn start(request: &NodeRequest) -> Result<ExitCode> {
    let mut stop = signals::watch()?;
    let client = connect(request.kubeconfig.as_deref()).await?;
    let mut asked = stop.clone();
    tokio::select! {
        biased;
        _ = asked.wait_for(|it| *it) => return Ok(ExitCode::SUCCESS),
        () = until_answered(&client) => {}
    }
    let cluster = settings::of_cluster(&client, &request.settings, &request.networks).await;
    settings::check(&cluster)?;
    let settings = request::settings(request, cluster)?;
    let node = settings.chassis.node.clone();
    tracing::info!(%node, version = env!("CARGO_PKG_VERSION"), "starting");
    let mut agent = NodeAgent::start(client, settings).await?;
    serve_health(request, &agent).await?;
    tokio::select! {
        _ = stop.wait_for(|it| *it) => {}
        part = agent.ended() => bail!("{part} has ended, which it never should; start this again"),
    }
    agent.stop().await;
    tracing::info!(%node, "stopped");
    Ok(ExitCode::SUCCESS)
}

/// Waits until the API server answers: what it says of itself is needed for the settings.
async fn until_answered(client: &Client) {
    let mut last = String::new();
    while let Err(error) = client.apiserver_version().await {
        // That it refuses to tell is an answer too.
        if matches!(error, kube::Error::Api(_)) {
            return;
        }
        let error = error.to_string();
        if error != last {
            tracing::warn!(error, "the API server does not answer; trying again");
            last = error;
        }
        // waits: until the server is better
        tokio::time::sleep(REST).await;
    }
}

async fn serve_health(request: &NodeRequest, agent: &NodeAgent) -> Result<()> {
    let Some(address) = request.listen_metrics else { return Ok(()) };
    let (ready, is_ready) = watch::channel(false);
    let health = Health::listen(address, Arc::new(agent.counters()), is_ready).await?;
    let address = health.address().unwrap_or(address);
    tracing::info!(%address, "serving health and metrics");
    tokio::spawn(health.serve());
    let mut state = agent.state();
    tokio::spawn(async move {
        loop {
            let is_ready = HostState::is_ready(&state.borrow_and_update());
            ready.send_replace(is_ready);
            if state.changed().await.is_err() {
                return;
            }
        }
    });
    Ok(())
}
