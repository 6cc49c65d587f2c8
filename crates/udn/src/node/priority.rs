//! How soon the agent gets a processor: before the programs of OVN, whose work a pod never waits for
//! as long as for its own plugin's.
//!
//! Invariant: it is asked for before there is a second thread, so that all threads have it.

use rustix::process::setpriority_process;

/// As `nice` counts.
const NICE: i32 = -10;

/// Asks for it; a host that refuses is no reason not to work.
pub(super) fn raise() {
    if let Err(error) = setpriority_process(None, NICE) {
        tracing::info!(%error, nice = NICE, "cannot run before other programs (CAP_SYS_NICE); pods start later on a busy node");
    }
}
