//! One story, played before many zones of the same node at once, each disturbed in its own way.
//!
//! The zones share the API server and the cluster controller, which nobody disturbs, and nothing else:
//! each has databases and an OVN of its own. Their reports are answered in the server's place, as they
//! would be about the same node.
//! Invariant: whatever goes wrong for one, the rows and the report are those of the others.

use super::databases::{Databases, Side};
use super::fuse::{Fates, Turn};
use super::rig::Rig;
use super::rows::{Content, content, difference};
use super::running_zone::{Answered, Setting};
use super::story::Story;
use super::supervised::Supervised;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disturbance {
    Nothing,
    /// The controller dies right after so many things that it sent, and another one begins.
    CrashAfter(u64),
    /// What is sent as such a number does not arrive, and the connection breaks.
    CutBefore(u64),
    /// The answer to it is lost with the connection.
    CutAfter(u64),
}

impl Disturbance {
    fn fates(self) -> Fates {
        let (number, turn) = match self {
            Self::Nothing => return Fates::default(),
            Self::CrashAfter(number) => (number, Turn::Last),
            Self::CutBefore(number) => (number, Turn::CutBefore),
            Self::CutAfter(number) => (number, Turn::CutAfter),
        };
        Fates::at(number, turn)
    }
}

/// One zone.
struct Member {
    disturbance: Disturbance,
    databases: Databases,
    answered: Answered,
    supervised: Supervised,
}

impl Member {
    fn join(rig: &Rig, disturbance: Disturbance) -> Self {
        let databases = Databases::start(&rig.settings.node);
        let answered = Answered::default();
        let setting = Setting {
            client: rig.site.client.clone(),
            settings: rig.settings.clone(),
            sockets: databases.sockets(),
            answered: Some(answered.clone()),
            meddler: None,
        };
        let supervised = Supervised::start(setting, disturbance.fates());
        Self { disturbance, databases, answered, supervised }
    }

    /// Whether all is as it should be.
    async fn leave(self, rig: &Rig, wanted: &[Content; 2]) -> Result<Outcome, String> {
        for (side, wanted) in [Side::Northbound, Side::Southbound].into_iter().zip(wanted) {
            let difference = difference(wanted, &content(&self.databases.rows(side)));
            if !difference.is_empty() {
                return Err(format!("{side:?}\n{difference}"));
            }
        }
        rig.judge_report(&self.answered.report()).await?;
        let (_, controllers, sent) = self.supervised.stop().await;
        Ok(Outcome { sent, controllers })
    }
}

/// What came of a story for one zone that ended as it should.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    /// How many things the first controller sent.
    pub(crate) sent: u64,
    pub(crate) controllers: u64,
}

/// Plays a story; returns what came of it for each zone, or all that went wrong.
pub(crate) async fn play(
    story: &Story,
    disturbances: Vec<Disturbance>,
) -> Result<Vec<Outcome>, Vec<String>> {
    let rig = Rig::start().await;
    let mut members = Vec::new();
    for disturbance in disturbances {
        members.push(Member::join(&rig, disturbance));
    }
    for act in &story.acts {
        act.perform(&rig).await;
    }
    rig.settle().await;
    let wanted = rig.wanted().await;
    let (mut outcomes, mut failures) = (Vec::new(), Vec::new());
    for member in members {
        let name = format!("{} with {:?}", story.name, member.disturbance);
        match member.leave(&rig, &wanted).await {
            Ok(outcome) => outcomes.push(outcome),
            Err(why) => failures.push(format!("{name}\n{why}")),
        }
    }
    rig.end().await;
    if failures.is_empty() { Ok(outcomes) } else { Err(failures) }
}
