//! Keeps a node's host as its networks need it: looks whenever something may have changed.
//!
//! Reads what the zone controller, the switch, the kernel and the flows tell; changes what differs.
//! Invariant: whatever happens to the host is looked at on the event that tells it, and pods that come
//! and go are no such event; a failure is tried again and ends nothing.

use std::sync::Arc;
use std::time::Duration;

use ovsdb_net::client::{Changes, ChangesError, State};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, info, warn};
use udn_control::heartbeat::Watchdog;
use udn_control::zone::{HostNews, ZoneHandle};

use super::flow_watch::FlowWatch;
use super::kernel_watch::KernelWatch;
use super::pass::{Causes, Pass};
use super::{AgentSettings, HostState};
use crate::host::Host;
use crate::publish::Telling;

/// How long events are gathered before the host is looked at: one change comes as several.
const GATHERING: Duration = Duration::from_millis(10);

/// How long the switch's database is waited for before anybody is told that it is away.
const LONG_START: Duration = Duration::from_secs(5);

/// Everything is looked at this often, in case somebody's change was missed.
const SWEEP: Duration = Duration::from_secs(300);

/// The first rest after a failure, and the longest.
const FIRST_REST: Duration = Duration::from_millis(200);
const LONGEST_REST: Duration = Duration::from_secs(15);

/// The loop of one node.
pub(super) struct HostLoop {
    pass: Pass,
    host: Host,
    zone: watch::Receiver<HostNews>,
    switch: Changes,
    kernel: Arc<KernelWatch>,
    flows: FlowWatch,
    integration_bridge: String,
    state: watch::Sender<HostState>,
    watchdog: Watchdog,
    rest: Duration,
    last_failure: Option<String>,
}

impl HostLoop {
    pub(super) fn new(
        settings: &Arc<AgentSettings>,
        zone: &ZoneHandle,
        host: Host,
        kernel: Arc<KernelWatch>,
        (state, tellings): (watch::Sender<HostState>, watch::Sender<Option<Telling>>),
        watchdog: Watchdog,
    ) -> Self {
        let bridge = settings.chassis.external_bridge.clone();
        let flows = FlowWatch::start(settings.ofctl.clone(), bridge, None);
        let switch = host.switch().changes();
        let integration_bridge = settings.chassis.integration_bridge.clone();
        let pass = Pass::new(settings, zone.clone(), host.clone(), Arc::clone(&kernel), tellings);
        let (zone, rest, last_failure) = (zone.host_news(), FIRST_REST, None);
        Self {
            pass,
            host,
            zone,
            switch,
            kernel,
            flows,
            integration_bridge,
            state,
            watchdog,
            rest,
            last_failure,
        }
    }

    /// Works until it is told to stop, or the zone controller or the switch's client ends.
    pub(super) async fn work(mut self, mut stop: watch::Receiver<bool>) {
        let mut stopped = std::pin::pin!(async move { drop(stop.wait_for(|it| *it).await) });
        let mut connection = self.host.switch().status();
        tokio::select! {
            () = &mut stopped => return,
            _ = connection.wait_for(|it| it.state == State::Synced) => {}
            // waits: a switch that is away for long is worth a word
            () = sleep(LONG_START) => {}
        }
        let (mut causes, mut wakes) = (Causes::EVERYTHING, Instant::now());
        loop {
            let heard = tokio::select! {
                biased;
                () = &mut stopped => return,
                heard = self.hear(wakes) => heard,
            };
            let Some(heard) = heard else { return };
            causes |= heard;
            if causes.is_empty() {
                continue;
            }
            // waits: what belongs together comes within a moment
            sleep(GATHERING).await;
            wakes = tokio::select! {
                biased;
                // What is under way is whole or compared again at the next start.
                () = &mut stopped => return,
                wakes = self.look(std::mem::take(&mut causes)) => wakes,
            };
        }
    }

    /// Waits for something that may concern the host; `None` at the end.
    async fn hear(&mut self, wakes: Instant) -> Option<Causes> {
        tokio::select! {
            changed = self.zone.changed() => changed.ok().map(|()| Causes::ZONE),
            changes = self.switch.next() => match changes {
                Ok(changes) => {
                    let is_ours = self.host.switch().concerns_host(&changes, &self.integration_bridge);
                    Some(if is_ours { Causes::SWITCH } else { Causes::NONE })
                }
                Err(ChangesError::Lagged) => Some(Causes::EVERYTHING),
                Err(ChangesError::Closed) => None,
            },
            () = self.kernel.host_changed() => Some(Causes::KERNEL),
            () = self.flows.changed() => Some(Causes::FLOWS),
            () = sleep_until(wakes) => Some(Causes::EVERYTHING),
        }
    }

    /// Looks at the host and changes what differs; returns when to look again at the latest.
    async fn look(&mut self, causes: Causes) -> Instant {
        let _work = self.watchdog.begin("host loop");
        let begun = Instant::now();
        let mut done = match self.pass.run(causes, self.flows.is_connected()).await {
            Ok(done) => done,
            Err(error) => {
                let text = error.chain();
                self.state.send_if_modified(|it| it.fail(&text));
                return self.fail(text);
            }
        };
        let changes = done.changes;
        if changes > 0 {
            info!(changes, took = ?begun.elapsed(), "brought the host in order");
        }
        let failure = done.failure.take().map(|it| it.chain());
        self.state.send_if_modified(|it| it.take_in(&done, failure.clone()));
        if let Some(text) = failure {
            return self.fail(text);
        }
        self.rest = FIRST_REST;
        if self.last_failure.take().is_some() {
            info!("the host can be brought in order again");
        }
        begun + done.look_again.unwrap_or(SWEEP)
    }

    /// Tells a failure once; returns when to try again.
    fn fail(&mut self, text: String) -> Instant {
        if self.last_failure.as_ref() == Some(&text) {
            debug!(error = text, "could not bring the host in order, as before");
        } else {
            warn!(error = text, "could not bring the host in order; trying again");
            self.last_failure = Some(text);
        }
        let rest = self.rest;
        self.rest = (rest * 2).min(LONGEST_REST);
        Instant::now() + rest
    }
}
