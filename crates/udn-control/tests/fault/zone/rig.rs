//! A cluster of one zone: API server, cluster controller, databases, and whoever answers for OVN.
//!
//! Grants come from the cluster controller, as in production; it is never disturbed here.
//! Invariant: what should stand is computed from the objects at the server alone.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use udn_control::cluster::ControllerSettings;
use udn_control::zone::{Listing, ZoneBrain, ZoneDryRun, ZoneSettings};
use udn_model::{ClusterSettings, NodeName};
use udn_wire::Kind;
use udn_wire::api::ReportStatus;
use udn_zone::KINDS;

use super::databases::{Databases, Side};
use super::fuse::{Fates, Fuse};
use super::objects::HERE;
use super::rows::{self, Content, audit, content, difference};
use super::running_zone::{RunningZone, Setting};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

/// How long nothing more happens, in the test's own time, once all is settled: longer than any rest
/// between two tries, shorter than the time between two full passes.
const QUIET: Duration = Duration::from_secs(90);

/// The same where nothing failed again and again.
const PAUSE: Duration = Duration::from_secs(10);

/// Everything but the zone controller.
pub(crate) struct Rig {
    pub(crate) site: Site,
    pub(crate) databases: Databases,
    pub(crate) settings: ZoneSettings,
    cluster: RunningController,
}

impl Rig {
    pub(crate) async fn start() -> Self {
        Self::start_with(ClusterSettings::default()).await
    }

    /// The same in a cluster with other settings.
    pub(crate) async fn start_with(settings: ClusterSettings) -> Self {
        let (site, node) = (Site::embedded().await, NodeName::new(HERE));
        let cluster = ControllerSettings::new(settings.clone());
        let cluster = RunningController::start(&site.client, cluster);
        let databases = Databases::start(&node);
        let settings = ZoneSettings::new(node, Arc::new(settings));
        Self { site, databases, settings, cluster }
    }

    /// A zone controller to which nothing happens.
    pub(crate) fn zone(&self) -> RunningZone {
        self.zone_with(Fates::default())
    }

    pub(crate) fn zone_with(&self, fates: Fates) -> RunningZone {
        RunningZone::start(&self.setting(), Fuse::new(fates))
    }

    /// A zone controller with another brain.
    pub(crate) fn zone_of(&self, brain: impl ZoneBrain) -> RunningZone {
        RunningZone::start_with(brain, &self.setting(), Fuse::new(Fates::default()))
    }

    pub(crate) fn setting(&self) -> Setting {
        let (client, settings) = (self.site.client.clone(), self.settings.clone());
        Setting {
            client,
            settings,
            sockets: self.databases.sockets(),
            answered: None,
            meddler: None,
        }
    }

    pub(crate) async fn create(&self, objects: impl IntoIterator<Item = Value>) {
        for object in objects {
            self.site.create(object).await;
        }
    }

    /// Until nobody has anything left to do.
    pub(crate) async fn settle(&self) {
        quiet(QUIET).await;
    }

    /// Until nobody has anything left to do that did not fail before.
    pub(crate) async fn pause(&self) {
        quiet(PAUSE).await;
    }

    /// The zone's part of the node's report.
    pub(crate) async fn report(&self) -> ReportStatus {
        let report = self.site.read(Kind::Report, "", HERE).await.unwrap_or(Value::Null);
        serde_json::from_value(report["status"].clone()).unwrap_or_default()
    }

    /// The version of the newest NAD.
    pub(crate) async fn newest_nad(&self) -> u64 {
        let listing = Listing::read(&self.site.client, &[Kind::Nad]).await;
        let newest = listing.expect("the server answers").newest();
        newest.get(&Kind::Nad).copied().unwrap_or_default()
    }

    /// A report says that everything is in force, and names nobody.
    pub(crate) async fn judge_report(&self, report: &ReportStatus) -> Result<(), String> {
        let newest = self.newest_nad().await;
        let up_to = report.programmed_up_to.as_deref().and_then(|it| it.parse::<u64>().ok());
        let is_well = up_to.is_some_and(|it| it >= newest)
            && report.not_programmed.as_ref().is_none_or(Vec::is_empty)
            && report.not_programmed_count == Some(0);
        if is_well {
            Ok(())
        } else {
            Err(format!("NADs are at {newest}; the report is {report:#?}"))
        }
    }

    /// What a fresh build from the objects at the server would write.
    pub(crate) async fn wanted(&self) -> [Content; 2] {
        let listing = Listing::read(&self.site.client, &KINDS).await.expect("the server answers");
        let ZoneSettings { node, cluster, .. } = &self.settings;
        rows::fresh(&ZoneDryRun::new(&listing.world, node, cluster))
    }

    /// The rows are those of a fresh build, and the audit has nothing to say.
    pub(crate) async fn check_rows(&self) -> Result<(), String> {
        for (side, wanted) in
            [Side::Northbound, Side::Southbound].into_iter().zip(self.wanted().await)
        {
            let standing = self.databases.rows(side);
            let difference = difference(&wanted, &content(&standing));
            if !difference.is_empty() {
                return Err(format!("{side:?}\n{difference}"));
            }
        }
        let standing = self.databases.rows(Side::Northbound);
        let notes = audit(&standing, &Side::Northbound.rules(&self.settings.node));
        if notes.is_empty() { Ok(()) } else { Err(notes) }
    }

    pub(crate) async fn check(&self) -> Result<(), String> {
        self.check_rows().await?;
        self.judge_report(&self.report().await).await
    }

    /// The same, where anything else is a failure of the test.
    pub(crate) async fn assert_well(&self, when: &str) {
        self.check().await.unwrap_or_else(|why| panic!("{when}: {why}"));
    }

    pub(crate) async fn end(self) {
        self.cluster.stop().await;
    }
}

/// Lets time pass, in the test's own time.
pub(crate) async fn quiet(time: Duration) {
    // waits: the clock of the test is paused and goes on only when nobody has anything to do
    tokio::time::sleep(time).await;
}

/// Plays a test in a time of its own that goes on only when nobody has anything to do.
pub(crate) fn in_its_own_time<T>(test: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().expect("a runtime starts");
    runtime.block_on(test)
}
