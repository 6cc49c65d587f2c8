//! Whether somebody wants the sandbox to end: Ctrl-C, a polite kill, or a closed terminal.
//!
//! Invariant: the first time it is told, and everything is removed before the program ends; whoever
//! is impatient gets the terminal back with the second Ctrl-C, and the janitor removes the rest.

use std::process::exit;
use std::thread;

use anyhow::{Context, Result};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// The exit code of a program that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// Tells that the sandbox is to end.
#[derive(Debug, Clone)]
pub(super) struct Ended(watch::Receiver<bool>);

impl Ended {
    /// Listens from now on, on a thread of its own: where all others are busy, it still hears.
    pub(super) fn watch() -> Result<Self> {
        let listening = "could not watch for Ctrl-C";
        let runtime = Builder::new_current_thread().enable_io().build().context(listening)?;
        let guard = runtime.enter();
        let watch = |kind| signal(kind).context(listening);
        let mut signals = [
            watch(SignalKind::interrupt())?,
            watch(SignalKind::terminate())?,
            watch(SignalKind::hangup())?,
        ];
        drop(guard);
        let (tell, told) = watch::channel(false);
        thread::spawn(move || {
            runtime.block_on(async {
                any(&mut signals).await;
                tell.send_replace(true);
                signals[0].recv().await;
                exit(INTERRUPTED.into());
            });
        });
        Ok(Self(told))
    }

    /// Returns once the sandbox is to end; at once, if that was told before.
    pub(super) async fn wait(&mut self) {
        // The other side lives as long as the program.
        let _ = self.0.wait_for(|is_over| *is_over).await;
    }
}

async fn any(signals: &mut [Signal; 3]) {
    let [interrupt, terminate, hang_up] = signals;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
}
