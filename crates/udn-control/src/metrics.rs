//! What the controllers count, in the text that Prometheus reads.
//!
//! Names and labels that OVN-Kubernetes has are kept; ours begin with `udn_controller_`.
//! Invariant: counting never waits and never fails, and what is gone has no series.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::encoding::text;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use udn_cluster::WorkItem;
use udn_model::Findings;

mod gauges;
#[cfg(test)]
mod tests;

use gauges::{FindingGauges, NetworkGauges};

/// Work that waits for longer than this without any reconcile coming to its end is stuck.
const STUCK: Duration = Duration::from_secs(180);

type Pair = [(&'static str, &'static str); 2];

/// The counters of one program.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: Family<Pair, Histogram>,
    /// compat: the name of the wire; there it counts only with scale metrics switched on.
    synced: Histogram,
    requests: Family<[(&'static str, String); 2], Histogram>,
    queue: Gauge,
    is_leader: Gauge,
    networks: NetworkGauges,
    found: FindingGauges,
    /// When a reconcile last ended, or nothing waited for one.
    progress: Mutex<Instant>,
}

/// What metrics tell networks apart by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkLabels {
    /// As the spec writes it: `Primary` or `Secondary`.
    pub role: &'static str,
    /// As the spec writes it: `Layer2`, `Layer3` or `Localnet`.
    pub topology: &'static str,
    /// Type and status (`True`, `False`, `Unknown`) of each condition.
    pub conditions: Vec<(String, &'static str)>,
}

impl Default for Metrics {
    fn default() -> Self {
        // From a millisecond to half a minute.
        let seconds: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 16));
        let metrics = Self {
            registry: Registry::default(),
            reconciles: Family::new_with_constructor(seconds),
            synced: seconds(),
            requests: Family::new_with_constructor(seconds),
            queue: Gauge::default(),
            is_leader: Gauge::default(),
            networks: NetworkGauges::default(),
            found: FindingGauges::default(),
            progress: Mutex::new(Instant::now()),
        };
        metrics.registered()
    }
}

impl Metrics {
    /// A reconcile ended.
    pub fn reconciled(&self, item: &WorkItem, took: Duration, is_good: bool) {
        let outcome = if is_good { "done" } else { "failed" };
        let labels = [("kind", item.kind()), ("outcome", outcome)];
        self.reconciles.get_or_create(&labels).observe(took.as_secs_f64());
        if item.network().is_some() {
            self.synced.observe(took.as_secs_f64());
        }
        self.progressed();
    }

    /// What a work item is told now; a work item that is gone is told nothing.
    pub fn found(&self, item: &WorkItem, findings: &Findings) {
        self.found.tell(item, findings);
    }

    /// How many work items could be reconciled now and wait for it, without those that are put off.
    pub fn waiting(&self, count: usize) {
        self.queue.set(i64::try_from(count).unwrap_or(i64::MAX));
        if count == 0 {
            self.progressed();
        }
    }

    /// A request was answered; 0 where no answer came.
    pub fn requested(&self, verb: &'static str, code: u16, took: Duration) {
        let code = match code {
            0 => "none".to_owned(),
            100..=599 => code.to_string(),
            _ => "other".to_owned(),
        };
        let labels = [("verb", verb.to_owned()), ("code", code)];
        self.requests.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// A UDN or CUDN came, changed or went (`None`), with what the metrics of the wire tell of it.
    pub fn network(&self, item: &WorkItem, labels: Option<NetworkLabels>) {
        self.networks.tell(item, labels);
    }

    /// Whether this program leads.
    pub fn leading(&self, is_leader: bool) {
        self.is_leader.set(i64::from(is_leader));
    }

    /// Whether work items wait and none has had its reconcile for too long.
    pub fn is_stuck(&self, now: Instant) -> bool {
        let progress = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        self.queue.get() > 0 && now.saturating_duration_since(progress) > STUCK
    }

    /// Everything, as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        text::encode(&mut text, &self.registry).expect("a string takes all");
        text
    }

    fn progressed(&self) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn registered(mut self) -> Self {
        let wire = self.registry.sub_registry_with_prefix("ovnkube_clustermanager");
        let help = "How long a reconcile of a network takes";
        wire.register_with_unit("udn_nad_sync_duration", help, Unit::Seconds, self.synced.clone());
        wire.register_collector(Box::new(self.networks.clone()));
        let ours = self.registry.sub_registry_with_prefix("udn_controller");
        let help = "How long a reconcile takes";
        ours.register_with_unit("reconcile_duration", help, Unit::Seconds, self.reconciles.clone());
        let help = "How long the API server takes to answer";
        ours.register_with_unit("request_duration", help, Unit::Seconds, self.requests.clone());
        let help = "Work items that wait to be reconciled";
        ours.register("queue_depth", help, self.queue.clone());
        ours.register("is_leader", "1 in the program that leads", self.is_leader.clone());
        ours.register_collector(Box::new(self.found.clone()));
        self
    }
}
