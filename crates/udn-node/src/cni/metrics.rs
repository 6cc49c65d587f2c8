//! What the CNI server counts, in the text that Prometheus reads.
//!
//! Invariant: counting never waits and never fails.

use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use udn_cni::Command;

type CommandLabels = [(&'static str, &'static str); 2];
type Seconds = fn() -> Histogram;

/// The counters of one server.
#[derive(Debug)]
pub struct CniMetrics {
    registry: Registry,
    requests: Family<CommandLabels, Histogram, Seconds>,
    shims: Family<CommandLabels, Histogram, Seconds>,
    share: Histogram,
    waits: Family<[(&'static str, &'static str); 1], Histogram, Seconds>,
    steps: Family<[(&'static str, &'static str); 1], Histogram, Seconds>,
    repairs: Counter,
    wired: Gauge,
}

/// What an ADD can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// What others say about the pod.
    Pod,
    /// The flows of its ports.
    Flows,
}

/// What it takes to wire a pod; some of it is done beside each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To get a thread into the pod's namespace.
    Enter,
    /// To lay the cables.
    Lay,
    /// To have the bridge drop what the pod may not send.
    Guard,
    /// To tell the switch of the ports.
    Plug,
    /// To make the pod's ends as planned.
    Settle,
}

impl Default for CniMetrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::new_with_constructor(seconds as Seconds),
            shims: Family::new_with_constructor(seconds as Seconds),
            share: seconds(),
            waits: Family::new_with_constructor(seconds as Seconds),
            steps: Family::new_with_constructor(seconds as Seconds),
            repairs: Counter::default(),
            wired: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl CniMetrics {
    fn register(&mut self) {
        let Self { registry, requests, shims, share, waits, steps, repairs, wired } = self;
        let ours = registry.sub_registry_with_prefix("udn_cni");
        let help = "From a request's arrival to its answer";
        ours.register_with_unit("request_duration", help, Unit::Seconds, requests.clone());
        let help = "From the shim's start to its end, as shims tell it";
        ours.register_with_unit("shim_duration", help, Unit::Seconds, shims.clone());
        let help = "What an ADD took besides waiting for others";
        ours.register_with_unit("add_share", help, Unit::Seconds, share.clone());
        let help = "How long an ADD waited for what others do";
        ours.register_with_unit("add_wait", help, Unit::Seconds, waits.clone());
        let help = "How long each step of wiring a pod took; some are taken beside each other";
        ours.register_with_unit("wiring_step", help, Unit::Seconds, steps.clone());
        ours.register("repairs", "Pods that were put as they were wired", repairs.clone());
        ours.register("wired_links", "Links of pods that are wired", wired.clone());
    }

    /// Everything, as OpenMetrics text.
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        text::encode(&mut rendered, &self.registry).expect("a string takes all");
        rendered
    }

    pub(super) fn answered(&self, command: Command, has_failed: bool, took: Duration) {
        let labels = labels(command, has_failed);
        self.requests.get_or_create(&labels).observe(took.as_secs_f64());
    }

    pub(super) fn told_by_shim(&self, command: Command, has_failed: bool, seconds: f64) {
        self.shims.get_or_create(&labels(command, has_failed)).observe(seconds);
    }

    pub(super) fn added(&self, share: Duration) {
        self.share.observe(share.as_secs_f64());
    }

    pub(super) fn waited(&self, wait: Wait, took: Duration) {
        let what = match wait {
            Wait::Pod => "pod",
            Wait::Flows => "flows",
        };
        self.waits.get_or_create(&[("for", what)]).observe(took.as_secs_f64());
    }

    pub(super) fn stepped(&self, step: Step, took: Duration) {
        let what = match step {
            Step::Enter => "enter",
            Step::Lay => "lay",
            Step::Guard => "guard",
            Step::Plug => "plug",
            Step::Settle => "settle",
        };
        self.steps.get_or_create(&[("step", what)]).observe(took.as_secs_f64());
    }

    pub(super) fn repaired(&self) {
        self.repairs.inc();
    }

    pub(super) fn wired(&self, links: usize) {
        self.wired.set(i64::try_from(links).unwrap_or(i64::MAX));
    }
}

fn labels(command: Command, has_failed: bool) -> CommandLabels {
    [("command", command.as_str()), ("err", if has_failed { "true" } else { "false" })]
}

/// From half a millisecond to two minutes, with 20 ms among them.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.000_625, 2.0, 19))
}
