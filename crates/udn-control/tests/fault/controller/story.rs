//! A story: what users do while the controller works, and what may go wrong meanwhile.
//!
//! Invariant: a story played twice with the same disturbance gives the same ending.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kube::Client;
use kube_embedded::{FaultPlan, PerMille};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use super::ending::{Ending, audit};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

/// How long nothing more happens, in the test's own time, once all is settled: longer than any rest
/// between two tries. The clock stands still while anybody works, so this waits for the work only.
const QUIET: Duration = Duration::from_secs(90);

/// The same with events that never arrive, which only the next whole list makes up for.
const QUIET_WITH_LOSSES: Duration = Duration::from_secs(3 * 3600);

/// How often somebody looks whether the controller is so far that they can go on.
const MOST_TRIES: usize = 20;

/// One thing that happens.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Create(Value),
    Patch(Kind, &'static str, &'static str, Value),
    Status(Kind, &'static str, &'static str, Value),
    Delete(Kind, &'static str, &'static str),
    /// Until nobody has anything left to do.
    Settle,
    /// The same, also for those of whom no event told.
    Served,
    /// No controller works from now on.
    Stop,
    /// One works again, with other settings if any are given.
    Start(Option<Box<ClusterSettings>>),
}

/// What happens to whom.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) name: &'static str,
    pub(crate) settings: ClusterSettings,
    pub(crate) acts: Vec<Act>,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disturbance {
    Nothing,
    /// The controller ends right after so many writes, and another one begins.
    CrashAfter(u64),
    /// Every controller ends right after so many writes.
    CrashEvery(u64),
    /// Requests and events fare badly, by this seed.
    Faults(u64),
    /// Both; the controller ends again and again, after so many writes each time.
    FaultsAndCrashes(u64),
}

/// What came of a story.
pub(crate) struct Played {
    pub(crate) ending: Ending,
    /// How many writes the controllers sent.
    pub(crate) writes: u64,
    /// How many controllers there were.
    pub(crate) controllers: u64,
}

impl Story {
    /// Plays it to its end.
    pub(crate) async fn play(&self, disturbance: Disturbance) -> Result<Played, String> {
        let site = Site::embedded().await;
        let start = site.version().await;
        let writes = Arc::new(AtomicU64::new(0));
        let mut controller =
            Controller::new(&site, self.settings.clone(), disturbance, writes.clone());
        controller.start();
        site.server().faults().set(disturbance.plan());
        for act in &self.acts {
            self.perform(act, &site, &mut controller, disturbance).await;
        }
        site.server().faults().set(None);
        quiet(QUIET).await;
        if disturbance.loses_events() {
            quiet(QUIET_WITH_LOSSES).await;
        }
        controller.stop().await;
        audit(&site, start).await?;
        let (ending, writes) = (Ending::of(&site).await, writes.load(Ordering::SeqCst));
        Ok(Played { ending, writes, controllers: controller.count.load(Ordering::SeqCst) })
    }

    async fn perform(
        &self,
        act: &Act,
        site: &Site,
        controller: &mut Controller,
        disturbance: Disturbance,
    ) {
        match act {
            Act::Settle => return quiet(QUIET).await,
            Act::Served => return quiet(disturbance.quiet()).await,
            Act::Stop => return controller.stop().await,
            Act::Start(settings) => {
                if let Some(settings) = settings {
                    controller.settings = (**settings).clone();
                }
                return controller.start();
            }
            Act::Create(_) | Act::Patch(..) | Act::Status(..) | Act::Delete(..) => {}
        }
        // Users' own requests are not what is tested. The controller answers to them at once, so that
        // nothing else may be waited for before faults come back.
        let seed = calm(site).await;
        let seed = self.until_users_can(act, site, disturbance, seed).await;
        match act {
            Act::Create(object) => drop(site.create(object.clone()).await),
            Act::Patch(kind, namespace, name, patch) => {
                site.patch(*kind, namespace, name, patch.clone()).await;
            }
            Act::Status(kind, namespace, name, status) => {
                site.patch_status(*kind, namespace, name, status.clone()).await;
            }
            Act::Delete(kind, namespace, name) => site.delete(*kind, namespace, name).await,
            Act::Settle | Act::Served | Act::Stop | Act::Start(_) => {}
        }
        site.server().faults().set(disturbance.plan_with(seed));
    }

    /// Whoever makes anew what is being deleted waits until it is gone, and whoever changes what the
    /// controller makes waits until it is there; a fault that comes meanwhile is none of theirs.
    async fn until_users_can(
        &self,
        act: &Act,
        site: &Site,
        disturbance: Disturbance,
        mut seed: u64,
    ) -> u64 {
        for _ in 0..MOST_TRIES {
            let must_wait = match act {
                Act::Create(object) => site.is_ending(object).await,
                Act::Patch(kind, namespace, name, _) | Act::Status(kind, namespace, name, _) => {
                    site.read(*kind, namespace, name).await.is_none()
                }
                Act::Delete(..) | Act::Settle | Act::Served | Act::Stop | Act::Start(_) => false,
            };
            if !must_wait {
                return seed;
            }
            site.server().faults().set(disturbance.plan_with(seed));
            quiet(disturbance.quiet()).await;
            seed = seed.wrapping_add(calm(site).await);
        }
        panic!("{}: {act:?} cannot be done", self.name);
    }
}

/// No faults for now; returns a number by which the next dice differ.
async fn calm(site: &Site) -> u64 {
    site.server().faults().set(None);
    site.version().await
}

/// Waits in the test's own time.
async fn quiet(time: Duration) {
    // waits: the clock of the test is paused and goes on only when nobody has anything to do
    tokio::time::sleep(time).await;
}

impl Disturbance {
    fn plan(self) -> Option<FaultPlan> {
        let (Self::Faults(seed) | Self::FaultsAndCrashes(seed)) = self else { return None };
        let often = |mille: u16| PerMille(mille);
        // Small seeds have no high bits, so that without this some faults would never be.
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let sometimes =
            |bit: u64, mille| if mixed >> bit & 1 == 1 { often(mille) } else { often(0) };
        Some(FaultPlan {
            seed,
            delay: sometimes(0, 200),
            event_delay: sometimes(1, 300),
            longest_delay: Duration::from_millis(400),
            refuse: sometimes(2, 80),
            conflict: sometimes(3, 80),
            cut_before: sometimes(4, 50),
            cut_after: sometimes(4, 80),
            twice: sometimes(5, 60),
            stale: sometimes(6, 300),
            stalest: 30,
            watch_cut: sometimes(7, 150),
            event_twice: sometimes(8, 150),
            event_lost: if self.loses_events() { often(100) } else { often(0) },
        })
    }

    /// The same for one stretch: each has dice of its own, or all would fall alike.
    fn plan_with(self, seed: u64) -> Option<FaultPlan> {
        self.plan().map(|it| FaultPlan { seed: it.seed ^ (seed << 8), ..it })
    }

    /// How long it takes until all is done.
    fn quiet(self) -> Duration {
        if self.loses_events() { QUIET_WITH_LOSSES } else { QUIET }
    }

    /// Every eighth seed loses events.
    fn loses_events(self) -> bool {
        match self {
            Self::Nothing | Self::CrashAfter(_) | Self::CrashEvery(_) => false,
            Self::Faults(seed) | Self::FaultsAndCrashes(seed) => seed % 8 == 7,
        }
    }

    /// After how many writes the n-th controller ends.
    fn lifetime(self, controller: u64) -> u64 {
        match self {
            Self::CrashAfter(writes) if controller == 0 => writes,
            Self::CrashEvery(writes) => writes,
            Self::FaultsAndCrashes(seed) if controller < 20 => {
                1 + (seed.wrapping_mul(31) + controller * 7) % 9
            }
            Self::Nothing | Self::CrashAfter(_) | Self::Faults(_) | Self::FaultsAndCrashes(_) => {
                u64::MAX
            }
        }
    }
}

/// Whoever works at the moment; one that is killed is followed by another.
struct Controller {
    client: Client,
    settings: ClusterSettings,
    disturbance: Disturbance,
    writes: Arc<AtomicU64>,
    count: Arc<AtomicU64>,
    now: Option<(JoinHandle<()>, watch::Sender<bool>)>,
}

impl Controller {
    fn new(
        site: &Site,
        settings: ClusterSettings,
        disturbance: Disturbance,
        writes: Arc<AtomicU64>,
    ) -> Self {
        let (client, count) = (site.client.clone(), Arc::default());
        Self { client, settings, disturbance, writes, count, now: None }
    }

    fn start(&mut self) {
        let (client, disturbance) = (self.client.clone(), self.disturbance);
        let (writes, count) = (self.writes.clone(), self.count.clone());
        let settings = ControllerSettings::new(self.settings.clone());
        let (stop, mut stopped) = watch::channel(false);
        let supervise = async move {
            loop {
                let lifetime = disturbance.lifetime(count.fetch_add(1, Ordering::SeqCst));
                let fence = Site::fence(&client).await;
                let settings = ControllerSettings { fence, ..settings.clone() };
                let running = RunningController::start_until(&client, settings, lifetime);
                let is_over = tokio::select! {
                    () = running.killed() => false,
                    _ = stopped.wait_for(|it| *it) => true,
                };
                writes.fetch_add(running.writes(), Ordering::SeqCst);
                if is_over {
                    return running.stop().await;
                }
                running.kill().await;
            }
        };
        self.now = Some((tokio::spawn(supervise), stop));
    }

    async fn stop(&mut self) {
        let Some((task, stop)) = self.now.take() else { return };
        stop.send(true).expect("the controller runs");
        task.await.expect("the controller stops");
    }
}
