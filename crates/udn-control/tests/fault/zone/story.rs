//! A story: what users and nodes do while the zone controller works, and what may go wrong meanwhile.
//!
//! Invariant: whatever goes wrong, the rows at the end are those of a fresh build from the objects that
//! are there.

use serde_json::Value;
use udn_wire::Kind;

use super::auditor::Auditor;
use super::rig::{Rig, quiet};
use super::running_zone::RunningZone;

/// One thing that happens.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Create(Value),
    Patch(Kind, &'static str, &'static str, Value),
    Status(Kind, &'static str, &'static str, Value),
    Delete(Kind, &'static str, &'static str),
    /// Until nobody has anything left to do.
    Settle,
}

/// What happens to whom.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) name: &'static str,
    pub(crate) acts: Vec<Act>,
}

/// What came of a story that ended as it should.
pub(crate) struct Played {
    /// How many transactions changed rows.
    pub(crate) plans: usize,
    /// How often the audit looked.
    pub(crate) audits: usize,
}

impl Story {
    /// Plays it undisturbed to its end, and judges the end.
    pub(crate) async fn play(&self) -> Result<Played, String> {
        let rig = Rig::start().await;
        let (auditor, mut zone) = (Auditor::start(&rig).await, rig.zone());
        for act in &self.acts {
            act.perform(&rig).await;
        }
        rig.settle().await;
        rig.check().await?;
        let newest = rig.newest_nad().await;
        zone.controller.handle.reported(newest).await.map_err(|it| it.to_string())?;
        self.stay(&rig, &zone).await?;
        let plans = zone.fuse.plans();
        drop(zone);
        self.begin_again(&rig).await?;
        let audits = auditor.stop()?;
        rig.end().await;
        Ok(Played { plans, audits })
    }

    /// Full passes write nothing at all.
    async fn stay(&self, rig: &Rig, zone: &RunningZone) -> Result<(), String> {
        let before = zone.fuse.sent().len();
        zone.take_plans();
        quiet(rig.settings.full_pass * 3).await;
        let (sent, plans) = (zone.fuse.sent(), zone.take_plans());
        match (&sent[before..], &plans[..]) {
            ([], []) => Ok(()),
            (sent, plans) => Err(format!("full passes sent {sent:?} for {plans:?}")),
        }
    }

    /// A controller that finds everything as it should be changes no row. It asks OVN once to confirm
    /// what its predecessor may have left unconfirmed.
    async fn begin_again(&self, rig: &Rig) -> Result<(), String> {
        let zone = rig.zone();
        rig.settle().await;
        let (plans, planned) = (zone.fuse.plans(), zone.take_plans());
        if plans != 0 || !planned.is_empty() {
            return Err(format!("a new controller planned {planned:?}"));
        }
        rig.check().await
    }
}

impl Act {
    pub(crate) async fn perform(&self, rig: &Rig) {
        let site = &rig.site;
        match self {
            Self::Create(object) => {
                // Whoever makes anew what is being deleted waits until it is gone.
                while site.is_ending(object).await {
                    rig.pause().await;
                }
                site.create(object.clone()).await;
            }
            Self::Patch(kind, namespace, name, patch) => {
                site.patch(*kind, namespace, name, patch.clone()).await;
            }
            Self::Status(kind, namespace, name, status) => {
                site.patch_status(*kind, namespace, name, status.clone()).await;
            }
            Self::Delete(kind, namespace, name) => site.delete(*kind, namespace, name).await,
            Self::Settle => rig.pause().await,
        }
    }
}
