//! A zone controller that is followed by another one whenever it dies.
//!
//! Invariant: there is never more than one.

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::fuse::{Fates, Fuse};
use super::running_zone::{RunningZone, Setting};

/// Somebody who starts another controller when one has died.
pub(crate) struct Supervised {
    task: JoinHandle<(RunningZone, u64, u64)>,
    stop: watch::Sender<bool>,
}

impl Supervised {
    /// The first controller has these fates; those after it have the same dice and nothing else.
    pub(crate) fn start(setting: Setting, fates: Fates) -> Self {
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(supervise(setting, fates, stopped));
        Self { task, stop }
    }

    /// The last controller, which goes on; how many there were, and what the first one sent.
    pub(crate) async fn stop(self) -> (RunningZone, u64, u64) {
        self.stop.send_replace(true);
        self.task.await.expect("the supervisor works")
    }
}

async fn supervise(
    setting: Setting,
    mut fates: Fates,
    mut stopped: watch::Receiver<bool>,
) -> (RunningZone, u64, u64) {
    let (mut controllers, mut sent) = (0, None);
    loop {
        controllers += 1;
        let fuse = Fuse::new(fates.clone());
        let zone = RunningZone::start(&setting, fuse);
        let is_over = tokio::select! {
            () = zone.fuse.blown() => false,
            _ = stopped.wait_for(|it| *it) => true,
        };
        let sent = *sent.get_or_insert(zone.fuse.count());
        if is_over {
            return (zone, controllers, sent);
        }
        fates = fates.next();
    }
}
