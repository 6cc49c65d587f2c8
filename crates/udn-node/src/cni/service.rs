//! What is done for each request, and how failures are told.
//!
//! Reads the body of a request; returns the answer.
//! Invariant: a request that has begun runs to its end, whether somebody still listens or not.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tracing::{debug, warn};
use udn_cni::{Attachment, CniError, CniResult, Code, Command, Request, Response};
use udn_model::ObjectName;

use super::metrics::CniMetrics;
use super::pods::Pods;
use super::wiring::{WireError, Wiring};
use crate::causes::with_causes;
use crate::kernel::KernelError;

/// How long a request waits for a switch that is away.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many pods are entered early; each costs a thread and some files while it waits.
const MOST_EARLY: usize = 32;

/// Serves requests.
#[derive(Debug)]
pub(super) struct Service<P> {
    pub(super) wiring: Wiring<P>,
    /// Whether the server is about to end.
    pub(super) stop: watch::Receiver<bool>,
    /// Requests that may wait for others.
    adds: Semaphore,
    /// ADDs that enter their pods before they know what to do there.
    pub(super) early: Semaphore,
    /// Requests that take something away or only look; ADDs that wait must not hold them up.
    others: Semaphore,
}

/// What a shim tells about itself.
// compat: go-controller/pkg/cni/types.go, CNIRequestMetrics
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShimReport {
    command: String,
    elapsed_time: f64,
    has_err: bool,
}

impl<P: Pods> Service<P> {
    pub(super) fn new(wiring: Wiring<P>, stop: watch::Receiver<bool>) -> Self {
        let most = wiring.settings.limits.at_once;
        let [adds, others, early] = [most, most, MOST_EARLY.min(most)].map(Semaphore::new);
        Self { wiring, stop, adds, early, others }
    }

    /// Answers a request.
    pub(super) async fn answer(&self, body: &[u8]) -> Response {
        let began = Instant::now();
        let request = match Request::parse(body) {
            Ok(request) => request,
            Err(error) => {
                debug!(%error, "refused a request");
                return Response::failure(&error);
            }
        };
        let command = request.command();
        let outcome = self.serve(&request, began + self.limit()).await;
        self.metrics().answered(command, outcome.is_err(), began.elapsed());
        match outcome {
            Ok(result) => Response::success(result.as_ref()),
            Err(error) => {
                warn!(%command, code = error.code.number(), %error, "a request failed");
                Response::failure(&error)
            }
        }
    }

    /// Takes in what a shim tells about itself.
    pub(super) fn take_report(&self, body: &[u8]) -> Response {
        let report = serde_json::from_slice::<ShimReport>(body).ok();
        let command = report.as_ref().and_then(|report| Command::parse(&report.command));
        match (report, command) {
            (Some(report), Some(command)) if report.elapsed_time.is_finite() => {
                self.metrics().told_by_shim(command, report.has_err, report.elapsed_time);
                Response::success(None)
            }
            (_, _) => {
                let message = "the figures are not as a CNI shim posts them";
                Response::failure(&CniError::new(Code::Undecodable, message))
            }
        }
    }

    async fn serve(
        &self,
        request: &Request,
        until: Instant,
    ) -> Result<Option<CniResult>, CniError> {
        let permits = match request.command() {
            Command::Add => &self.adds,
            Command::Del | Command::Check | Command::Gc | Command::Status | Command::Version => {
                &self.others
            }
        };
        let permit = tokio::time::timeout_at(until, permits.acquire()).await;
        let _permit = permit.map_err(|_| busy())?.map_err(|_| stopping())?;
        if request.command() != Command::Status {
            self.wait_for_switch(until).await?;
        }
        match request {
            Request::Add(interface) => self.add(interface, until).await.map(Some),
            Request::Check(interface, previous) => {
                self.check(interface, previous).await.map(|()| None)
            }
            Request::Del(removal) => self.del(removal).await.map(|()| None),
            Request::Gc { valid, conf } => self.gc(valid, conf).await.map(|()| None),
            Request::Status(_) => self.status().map(|()| None),
            Request::Version => Ok(None),
        }
    }

    /// Waits until the switch's rows are known, without which nothing can be done.
    async fn wait_for_switch(&self, until: Instant) -> Result<(), CniError> {
        let until = until.min(Instant::now() + PATIENCE);
        let synced = tokio::time::timeout_at(until, self.wiring.host.switch().wait_synced()).await;
        match synced {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => {
                let message = "the database of Open vSwitch is away; see whether ovsdb-server runs on \
                               this node";
                Err(CniError::new(Code::TryAgainLater, message))
            }
        }
    }

    pub(super) fn metrics(&self) -> &Arc<CniMetrics> {
        &self.wiring.metrics
    }

    pub(super) fn limit(&self) -> Duration {
        self.wiring.settings.limits.request
    }
}

fn busy() -> CniError {
    let message = "too many requests are under way on this node; the runtime tries again by itself";
    CniError::new(Code::TryAgainLater, message)
}

/// Why a request ends when the server does.
pub(super) fn stopping() -> CniError {
    let message = "udn node stops or starts anew; the runtime tries again by itself";
    CniError::new(Code::TryAgainLater, message)
}

/// A failure to wire a pod, with what it comes from.
pub(super) fn explain(pod: &ObjectName, error: &WireError) -> CniError {
    let message = format!("pod {pod}: {}", with_causes(error));
    CniError::new(code(error), message)
}

/// The same where only the sandbox is known.
pub(super) fn explain_sandbox(attachment: &Attachment, error: &WireError) -> CniError {
    CniError::new(code(error), format!("{attachment}: {}", with_causes(error)))
}

fn code(error: &WireError) -> Code {
    match error {
        WireError::Kernel {
            source:
                KernelError::NotANamespace { .. }
                | KernelError::HostNamespace { .. }
                | KernelError::Enter { .. },
        } => Code::InvalidNamespace,
        WireError::Kernel { .. }
        | WireError::Switch { .. }
        | WireError::Guard { .. }
        | WireError::Lock { .. } => Code::TryAgainLater,
    }
}
