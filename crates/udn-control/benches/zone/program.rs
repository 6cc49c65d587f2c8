//! The zone controller as a program beside the bench, and what it has used.
//!
//! The bench tells it on one line which versions it must have heard of; it answers, once it has
//! nothing left to do, with what it has counted.
//! Invariant: it ends with its handle.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use udn_control::ZoneController;
use udn_control::zone::{Observer, Remotes, ZoneSettings};
use udn_model::NodeName;
use udn_wire::Kind as ObjectKind;

use crate::Outcome;
use crate::server::{Ground, Versions, client};
use crate::shape::Kind;

/// The word that makes this bench a zone controller.
pub(crate) const WORK: &str = "--work-as-zone";

/// Whose zone it is.
pub(crate) const NODE: &str = "node-0";

/// What the controller has counted.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Transactions, and seconds from drawing until they were committed.
    pub(crate) commits: f64,
    pub(crate) commit_seconds: f64,
    /// From the server's words until rows were committed: how often, and seconds altogether.
    pub(crate) lags: f64,
    pub(crate) lag_seconds: f64,
}

/// Works until it is told no more.
pub(crate) fn work(words: &[String]) -> Outcome<()> {
    let [kubeconfig, northbound, southbound, kind, plans] = words else {
        return Err("five words".into());
    };
    let kind = Kind::of_word(kind).ok_or("an unknown kind of cluster")?;
    // The loop is one task, and each thread would keep memory of its own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let remotes = Remotes { northbound: northbound.parse()?, southbound: southbound.parse()? };
        let settings = Arc::new(kind.settings());
        let settings = ZoneSettings::new(NodeName::new(NODE), settings);
        let client = client(kubeconfig.as_ref()).await?;
        let observer = Plans { are_shown: plans == Plans::SHOWN };
        let zone = ZoneController::start(client, settings, remotes, Box::new(observer))?;
        let mut activity = zone.handle.activity();
        let mut lines = lines();
        while let Some(line) = lines.recv().await {
            let wanted = wanted(&line)?;
            let has_seen = |seen: &Versions| {
                wanted.iter().all(|(kind, version)| seen.get(kind).is_some_and(|it| it >= version))
            };
            activity.wait_for(|it| it.is_idle && has_seen(&it.seen)).await?;
            println!("{}", serde_json::to_string(&counts(&zone.metrics.render()))?);
        }
        Ok(())
    })
}

/// Shows each plan, for whoever must know why a controller writes that should not.
struct Plans {
    are_shown: bool,
}

impl Plans {
    const SHOWN: &str = "plans-shown";
    const HIDDEN: &str = "plans-hidden";
}

impl Observer for Plans {
    fn planned(&mut self, title: &str, plan: &ovn::Plan) {
        if self.are_shown {
            eprintln!("{title}:\n{plan}");
        }
    }
}

/// What the bench tells. The thread stays, so that its time is not lost with it.
fn lines() -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if tell.blocking_send(line).is_err() {
                return;
            }
        }
    });
    told
}

/// `Pod=12 Node=3`.
fn wanted(line: &str) -> Outcome<Versions> {
    let mut versions = Versions::new();
    for word in line.split_whitespace() {
        let (name, version) = word.split_once('=').ok_or("a word without `=`")?;
        let kind = udn_zone::KINDS.into_iter().find(|it| it.as_str() == name);
        versions.insert(kind.ok_or("an unknown kind")?, version.parse()?);
    }
    Ok(versions)
}

fn counts(metrics: &str) -> Counts {
    let number = |name: &str| {
        let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
        lines.find_map(|rest| rest.trim().parse::<f64>().ok()).unwrap_or_default()
    };
    Counts {
        commits: number("udn_zone_commit_duration_seconds_count "),
        commit_seconds: number("udn_zone_commit_duration_seconds_sum "),
        lags: number("udn_zone_lag_seconds_count "),
        lag_seconds: number("udn_zone_lag_seconds_sum "),
    }
}

/// The running program.
pub(crate) struct Program {
    child: Child,
    tell: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Program {
    /// Starts this bench as a zone controller.
    pub(crate) fn start(
        ground: &Ground,
        [northbound, southbound]: [&str; 2],
        shows_plans: bool,
    ) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(WORK).arg(ground.cluster.kubeconfig()).args([
            northbound,
            southbound,
            ground.shape.kind.word(),
            if shows_plans { Plans::SHOWN } else { Plans::HIDDEN },
        ]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let tell = child.stdin.take().ok_or("no way to tell")?;
        let told = BufReader::new(child.stdout.take().ok_or("no way to be told")?);
        Ok(Self { child, tell, told })
    }

    /// Waits until it has heard of these versions and has nothing left to do.
    pub(crate) fn settled(&mut self, versions: &[(ObjectKind, u64)]) -> Outcome<Counts> {
        let words = versions.iter().map(|(kind, version)| format!("{}={version}", kind.as_str()));
        writeln!(self.tell, "{}", words.collect::<Vec<_>>().join(" "))?;
        let mut line = String::new();
        tokio::task::block_in_place(|| self.told.read_line(&mut line))?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Seconds of processor time so far.
    pub(crate) fn busy(&self) -> Outcome<f64> {
        let mut nanoseconds = 0.0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let schedule = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let first = schedule.split_whitespace().next().unwrap_or_default();
            nanoseconds += first.parse::<f64>()?;
        }
        Ok(nanoseconds / 1e9)
    }

    /// The most memory that it held, in MB.
    pub(crate) fn peak(&self) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes: f64 = line.ok_or("it ended")?.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes * 1.024 / 1000.0)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
