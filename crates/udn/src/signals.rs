//! Listens for those who want the program to end.
//!
//! Invariant: a signal asks; only a second Ctrl-C ends the program at once, as what is sent twice by a
//! supervisor is sent by no impatient person.

use std::process::exit;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Becomes true with SIGTERM or Ctrl-C.
pub(crate) fn watch() -> Result<watch::Receiver<bool>> {
    let mut interrupted = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminated = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
        tracing::info!("stopping; Ctrl-C ends it at once");
        stop.send_replace(true);
        interrupted.recv().await;
        exit(INTERRUPTED);
    });
    Ok(stopped)
}
