//! What a zone controller counts, in the text that Prometheus reads.
//!
//! Invariant: counting never waits and never fails.

use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use udn_zone::Ports;

use super::confirm::Numbers;

type Label = [(&'static str, &'static str); 1];

/// The counters of one zone.
#[derive(Debug)]
pub struct ZoneMetrics {
    registry: Registry,
    commits: Histogram,
    confirmations: Histogram,
    lags: Histogram,
    queue: Gauge,
    numbers: Family<Label, Gauge>,
    networks: Family<Label, Gauge>,
    ports: Family<Label, Gauge>,
}

impl Default for ZoneMetrics {
    fn default() -> Self {
        // From a tenth of a millisecond to half a minute.
        let seconds = || Histogram::new(exponential_buckets(0.0001, 2.0, 19));
        let mut metrics = Self {
            registry: Registry::default(),
            commits: seconds(),
            confirmations: seconds(),
            lags: seconds(),
            queue: Gauge::default(),
            numbers: Family::default(),
            networks: Family::default(),
            ports: Family::default(),
        };
        metrics.register();
        metrics
    }
}

impl ZoneMetrics {
    fn register(&mut self) {
        let Self { registry, commits, confirmations, lags, queue, numbers, networks, ports } = self;
        let ours = registry.sub_registry_with_prefix("udn_zone");
        let help = "From drawing a work item until the database has committed it";
        ours.register_with_unit("commit_duration", help, Unit::Seconds, commits.clone());
        let help = "From asking OVN until the node's switch has confirmed";
        ours.register_with_unit(
            "confirmation_duration",
            help,
            Unit::Seconds,
            confirmations.clone(),
        );
        let help = "From the server's word of a change until its rows in a work item are committed";
        ours.register_with_unit("lag", help, Unit::Seconds, lags.clone());
        ours.register("queue_depth", "Work items that wait or are under way", queue.clone());
        let help = "OVN's sequence numbers: asked, and reached by northd and by the node's switch";
        ours.register("sequence_number", help, numbers.clone());
        let help = "Networks of the zone, by whether OVN has confirmed what they ask for";
        ours.register("networks", help, networks.clone());
        let help = "Ports of the node's own pods, by whether OVN has brought them up";
        ours.register("ports", help, ports.clone());
    }

    /// Everything, as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        text::encode(&mut rendered, &self.registry).expect("a string takes all");
        rendered
    }

    pub(super) fn committed(&self, took: Duration) {
        self.commits.observe(took.as_secs_f64());
    }

    pub(super) fn confirmed(&self, took: Duration) {
        self.confirmations.observe(took.as_secs_f64());
    }

    pub(super) fn caught_up(&self, took: Duration) {
        self.lags.observe(took.as_secs_f64());
    }

    pub(super) fn queued(&self, count: usize) {
        self.queue.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    pub(super) fn networks(&self, all: usize, troubled: usize) {
        let states = [("programmed", all.saturating_sub(troubled)), ("not_programmed", troubled)];
        set(&self.networks, "state", states);
    }

    pub(super) fn ports(&self, ports: &Ports) {
        set(&self.ports, "state", [("up", ports.up()), ("down", ports.down())]);
    }

    pub(super) fn numbers(&self, numbers: Numbers) {
        let Numbers { northbound, southbound, hypervisor } = numbers;
        let all = [("nb_cfg", northbound), ("sb_cfg", southbound), ("hv_cfg", hypervisor)];
        for (name, number) in all {
            self.numbers.get_or_create(&[("name", name)]).set(number);
        }
    }
}

fn set<const N: usize>(
    family: &Family<Label, Gauge>,
    label: &'static str,
    values: [(&'static str, usize); N],
) {
    for (value, count) in values {
        family.get_or_create(&[(label, value)]).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}
