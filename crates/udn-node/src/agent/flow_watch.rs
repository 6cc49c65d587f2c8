//! Hears of changes of a bridge's flows and of the end of the switch, through `ovs-ofctl monitor`.
//!
//! The program keeps a connection to the switch and prints what the switch tells of flows; when the
//! switch ends, so does the program.
//! Invariant: after a change or an end that nobody heard of comes a wake-up, and no more than one waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tracing::debug;
use udn_host::flow::Table;

use crate::program::Program;

/// The first wait before the program is started again, and the longest: the switch is away.
const FIRST_REST: Duration = Duration::from_millis(100);
const LONGEST_REST: Duration = Duration::from_secs(5);

/// How much of packets the switch may send; it tells of ports only those to whom it may send some.
// compat: ofproto/connmgr.c, ofconn_receives_async_msg
const BYTES: &str = "64";

/// How many lines are kept until somebody asks.
const MOST_LINES: usize = 256;

/// A bridge whose flows are followed, until this is dropped.
#[derive(Debug)]
pub(crate) struct FlowWatch {
    told: Arc<Told>,
    task: AbortHandle,
}

impl FlowWatch {
    /// Follows the flows of a bridge, or those that are as a condition says; must be called inside a tokio
    /// runtime.
    pub(crate) fn start(ofctl: Program, bridge: String, condition: Option<&'static str>) -> Self {
        let told = Arc::new(Told::default());
        let task = tokio::spawn(follow(ofctl, bridge, condition, Arc::clone(&told)));
        Self { told, task: task.abort_handle() }
    }

    /// Waits until something may have changed.
    pub(crate) async fn changed(&self) {
        self.told.changed.notified().await;
    }

    /// What was told since this was last asked.
    pub(crate) fn take_told(&self) -> ToldFlows {
        std::mem::take(&mut self.told.flows())
    }

    /// Waits until the switch has begun to tell, at first and after each of its ends.
    pub(crate) async fn began(&self) {
        self.told.began.notified().await;
    }

    /// Whether the switch is there and tells.
    pub(crate) fn is_connected(&self) -> bool {
        self.told.is_connected.load(Ordering::Relaxed)
    }
}

/// Flows that were told to have changed, each as a line.
#[derive(Debug, Default)]
pub(crate) struct ToldFlows {
    pub(crate) lines: Vec<String>,
    /// Some may be missing in the list.
    pub(crate) may_be_more: bool,
}

/// What was told and not taken yet.
#[derive(Debug, Default)]
struct Told {
    flows: Mutex<ToldFlows>,
    changed: Notify,
    began: Notify,
    is_connected: AtomicBool,
}

impl Told {
    fn flows(&self) -> MutexGuard<'_, ToldFlows> {
        self.flows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed; the line says what, if that is known.
    fn tell(&self, line: Option<String>) {
        {
            let mut flows = self.flows();
            match line.filter(|_| flows.lines.len() < MOST_LINES) {
                Some(line) => flows.lines.push(line),
                None => flows.may_be_more = true,
            }
        }
        self.changed.notify_one();
    }
}

impl Drop for FlowWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn follow(ofctl: Program, bridge: String, condition: Option<&str>, told: Arc<Told>) {
    // The tool takes one condition.
    let words = ["watch:!initial", "!actions"].into_iter().chain(condition);
    let watched = words.collect::<Vec<_>>().join(",");
    // Nobody asks the tool to end, and the socket for that would outlive it.
    let arguments = ["--unixctl=none", "monitor", &bridge, BYTES, &watched];
    let mut rest = FIRST_REST;
    loop {
        match ofctl.follow(&arguments) {
            Ok(child) => {
                if read(child, &bridge, &told).await {
                    // The switch is away, or begins anew without flows.
                    told.is_connected.store(false, Ordering::Relaxed);
                    told.tell(None);
                    rest = FIRST_REST;
                }
            }
            Err(error) => debug!(bridge, %error, "could not follow flows; trying again"),
        }
        // waits: nobody tells when a switch listens again
        tokio::time::sleep(rest).await;
        rest = (rest * 2).min(LONGEST_REST);
    }
}

/// Reads what the program tells until it ends; returns whether the switch was there.
async fn read(mut child: Child, bridge: &str, told: &Told) -> bool {
    let Some(output) = child.stderr.take() else { return false };
    let (mut lines, mut was_there) = (BufReader::new(output).lines(), false);
    while let Ok(Some(line)) = lines.next_line().await {
        match News::of(&line) {
            News::None => debug!(bridge, line, "follows flows"),
            News::Memory => {}
            News::Answer if was_there => {}
            News::Answer => {
                was_there = true;
                told.is_connected.store(true, Ordering::Relaxed);
                told.began.notify_one();
                // What happened before that was not heard.
                told.tell(None);
            }
            News::Change => told.tell(Some(line)),
        }
    }
    // It has ended, or soon will; nobody needs to know how.
    let _ = child.wait().await;
    was_there
}

/// What a line tells.
#[derive(Debug, PartialEq, Eq)]
enum News {
    None,
    /// The bridge remembers a neighbour.
    Memory,
    /// The switch answers.
    Answer,
    /// Flows or ports are others.
    Change,
}

impl News {
    fn of(line: &str) -> Self {
        let memory = format!(" table={} ", Table::Memory as u8);
        if line.contains("event=") && line.contains(&memory) {
            Self::Memory
        } else if line.contains("event=") || line.contains("OFPT_PORT_STATUS") {
            Self::Change
        } else if line.contains("_FLOW_MONITOR") {
            Self::Answer
        } else {
            Self::None
        }
    }
}
