//! Asks the parts of the agent that answer questions whether they still do.
//!
//! Invariant: a question costs next to nothing, and each part is asked apart.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use udn_control::heartbeat::Watchdog;
use udn_control::zone::ZoneHandle;
use udn_model::ObjectName;

use crate::kernel::Kernel;

/// How often each is asked.
const REST: Duration = Duration::from_secs(10);

/// Asks until it is told to stop.
pub(super) async fn work(
    watchdog: Watchdog,
    (zone, kernel): (ZoneHandle, Kernel),
    mut stop: watch::Receiver<bool>,
) {
    let asking = async { tokio::join!(ask_zone(&watchdog, zone), ask_kernel(&watchdog, kernel)) };
    tokio::select! {
        _ = stop.wait_for(|it| *it) => {}
        _ = asking => {}
    }
}

async fn ask_zone(watchdog: &Watchdog, zone: ZoneHandle) {
    // Before its databases are there it answers nobody, and says so itself.
    if zone.host_news().wait_for(|it| it.is_synced).await.is_err() {
        return;
    }
    let nobody = ObjectName::new("", "");
    loop {
        {
            let _work = watchdog.begin("zone controller");
            if zone.pod(&nobody, None).await.is_err() {
                return;
            }
        }
        // waits: until the next question
        sleep(REST).await;
    }
}

async fn ask_kernel(watchdog: &Watchdog, kernel: Kernel) {
    loop {
        {
            let _work = watchdog.begin("links of pods");
            if kernel.is_up("lo").await.is_err() {
                return;
            }
        }
        // waits: until the next question
        sleep(REST).await;
    }
}
