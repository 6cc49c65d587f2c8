//! Runs the probes of a matrix and tells what came of each.
//!
//! Reads probes and the namespaces of pods; returns observations.
//! Invariant: each ping is sent once; nothing is tried again until it looks good.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use udn_lab::namespaces::Entrance;
use udn_lab::ovn_root::OvnRoot;
use udn_model::{Family, NetworkName, ObjectName};

use crate::matrix::{Expectation, Matrix, Observation, Probe, Source, Target};

/// How many pings are under way at once.
const AT_ONCE: usize = 48;
/// How long a ping that should be answered waits, in seconds.
const PATIENCE: &str = "3";
/// How long one that should not be waits: the target has heard it long before, if at all.
const IMPATIENCE: &str = "1";

/// Why a ping could not even be sent.
#[derive(Debug, thiserror::Error)]
pub enum PingError {
    #[error("pod {pod} has no namespace")]
    NoSuchPod { pod: ObjectName },
    #[error("could not run ping in pod {pod}")]
    Run { pod: ObjectName, source: io::Error },
    #[error("could not count the pings that {target} heard")]
    Count { target: String, source: io::Error },
}

/// Where pods are.
#[derive(Debug, Clone)]
pub struct Pods {
    pub root: OvnRoot,
    pub entrances: BTreeMap<ObjectName, Entrance>,
    /// Hosts outside by name, which may have the same address in different networks.
    pub hosts: BTreeMap<String, Entrance>,
}

/// How many echo requests somebody has received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Heard {
    v4: u64,
    v6: u64,
}

impl Pods {
    /// Whether the pods of a probe are here.
    pub(crate) fn has_all(&self, probe: &Probe) -> bool {
        let has_target = match &probe.to {
            Target::Pod(source) => self.entrances.contains_key(&source.pod),
            Target::Gateway | Target::Host(_) => true,
        };
        has_target && self.entrances.contains_key(&probe.from.pod)
    }

    /// Sends every probe; silence is looked into network by network, because only then does a ping
    /// that a pod hears tell who sent it.
    pub async fn probe(&self, probes: &[Probe]) -> Result<Matrix, PingError> {
        let (silent, loud): (Vec<Probe>, Vec<Probe>) =
            probes.iter().cloned().partition(|it| it.expectation == Expectation::Silence);
        let mut cells = self.send(loud).await?;
        let networks: BTreeSet<NetworkName> =
            silent.iter().map(|probe| probe.from.network.clone()).collect();
        for network in networks {
            let from_it = silent.iter().filter(|probe| probe.from.network == network).cloned();
            cells.extend(self.send_silent(from_it.collect()).await?);
        }
        cells.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Matrix { cells })
    }

    async fn send_silent(
        &self,
        probes: Vec<Probe>,
    ) -> Result<Vec<(Probe, Observation)>, PingError> {
        let targets: BTreeSet<Target> = probes.iter().map(|probe| probe.to.clone()).collect();
        let before = self.heard(&targets)?;
        let mut cells = self.send(probes).await?;
        let after = self.heard(&targets)?;
        for (probe, observation) in &mut cells {
            if let (Some(before), Some(after)) = (before.get(&probe.to), after.get(&probe.to)) {
                observation.is_heard = Some(match probe.family() {
                    Family::V4 => after.v4 > before.v4,
                    Family::V6 => after.v6 > before.v6,
                });
            }
        }
        Ok(cells)
    }

    async fn send(&self, probes: Vec<Probe>) -> Result<Vec<(Probe, Observation)>, PingError> {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut under_way = JoinSet::new();
        for probe in probes {
            let mut command = self.ping(&probe)?;
            let places = Arc::clone(&places);
            under_way.spawn(async move {
                let _place = places.acquire_owned().await;
                let status = tokio::task::spawn_blocking(move || command.status()).await;
                let status = status.unwrap_or_else(|error| Err(io::Error::other(error)));
                (probe, status)
            });
        }
        let mut cells = Vec::new();
        while let Some(joined) = under_way.join_next().await {
            let (probe, status) = joined.expect("a ping's task does not panic");
            let Source { pod, .. } = &probe.from;
            let status = status.map_err(|source| PingError::Run { pod: pod.clone(), source })?;
            let observation = Observation { is_answered: status.success(), is_heard: None };
            cells.push((probe, observation));
        }
        Ok(cells)
    }

    fn ping(&self, probe: &Probe) -> Result<std::process::Command, PingError> {
        let patience = match probe.expectation {
            Expectation::Silence => IMPATIENCE,
            Expectation::SameNode
            | Expectation::AcrossNodes
            | Expectation::Gateway
            | Expectation::Outside => PATIENCE,
        };
        let mut command = self.root.command("ping");
        command.args(["-n", "-q", "-c", "1", "-W", patience, &probe.address.to_string()]);
        let mut command = self.entrance(&probe.from.pod)?.enter(&command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }

    fn heard(&self, targets: &BTreeSet<Target>) -> Result<BTreeMap<Target, Heard>, PingError> {
        let mut all = BTreeMap::new();
        for target in targets {
            let (name, entrance) = match target {
                Target::Pod(source) => (source.pod.to_string(), self.entrance(&source.pod)?),
                Target::Host(name) => match self.hosts.get(name) {
                    Some(entrance) => (name.clone(), entrance),
                    None => continue,
                },
                Target::Gateway => continue,
            };
            let failed = |source| PingError::Count { target: name.clone(), source };
            let counted = entrance.inside(count_echoes);
            let counted = counted.map_err(|error| failed(io::Error::other(error)))?;
            all.insert(target.clone(), counted.map_err(failed)?);
        }
        Ok(all)
    }

    fn entrance(&self, pod: &ObjectName) -> Result<&Entrance, PingError> {
        self.entrances.get(pod).ok_or_else(|| PingError::NoSuchPod { pod: pod.clone() })
    }
}

/// Reads the kernel's counters of the namespace that the calling thread is in.
fn count_echoes() -> io::Result<Heard> {
    let folder = PathBuf::from("/proc/thread-self/net");
    let v4 = fs::read_to_string(folder.join("snmp"))?;
    let v6 = fs::read_to_string(folder.join("snmp6"))?;
    let missing = || io::Error::new(io::ErrorKind::InvalidData, "no such counter");
    Ok(Heard {
        v4: table_entry(&v4, "Icmp:", "InEchos").ok_or_else(missing)?,
        v6: line_entry(&v6, "Icmp6InEchos").ok_or_else(missing)?,
    })
}

/// A counter from a pair of lines, names above numbers.
fn table_entry(text: &str, table: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.split_whitespace().next() == Some(table));
    let names = lines.next()?.split_whitespace();
    let mut entries = names.zip(lines.next()?.split_whitespace());
    entries.find(|(at, _)| *at == name)?.1.parse().ok()
}

/// A counter from a line of its own.
fn line_entry(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
