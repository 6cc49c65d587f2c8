//! The servers that compete: ours as a child process, and a real etcd with kube-apiserver.
//!
//! Reads what kind of server is wanted; returns it running, and how long its start took.
//! Invariant: the time ends with the first answered request.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use kube_embedded::{Server, Storage};
use udn_lab::kubernetes::Cluster;

use crate::{Outcome, resident};

/// The word that makes this program a server: `SERVE kubeconfig [store]`.
pub(crate) const SERVE: &str = "serve-for-the-bench";

pub(crate) enum Contestant {
    Ours { child: Child, folder: tempfile::TempDir },
    Real { cluster: Box<Cluster> },
}

impl Contestant {
    pub(crate) fn ours(store: Option<&Path>) -> Outcome<(Self, f64)> {
        let folder = tempfile::tempdir()?;
        let started = Instant::now();
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(SERVE).arg(folder.path().join("kubeconfig")).args(store);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("it is piped")?).read_line(&mut line)?;
        let ours = Self::Ours { child, folder };
        ours.greet()?;
        Ok((ours, started.elapsed().as_secs_f64()))
    }

    pub(crate) fn real(waits_for_disk: bool) -> Outcome<(Self, f64)> {
        let started = Instant::now();
        let mut builder = Cluster::builder().without_controllers();
        if waits_for_disk {
            builder = builder.with_fsync();
        }
        let real = Self::Real { cluster: Box::new(builder.start()?) };
        real.greet()?;
        Ok((real, started.elapsed().as_secs_f64()))
    }

    /// Asks for the first time, on a runtime of its own.
    fn greet(&self) -> Outcome<()> {
        std::thread::scope(|scope| {
            let greeting = scope.spawn(|| -> Outcome<()> {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(async {
                    self.client().await?.apiserver_version().await?;
                    Ok(())
                })
            });
            greeting.join().map_err(|_| "the first request panicked")?
        })
    }

    pub(crate) async fn client(&self) -> Outcome<Client> {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig())?;
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        Ok(Client::try_from(config)?)
    }

    fn kubeconfig(&self) -> PathBuf {
        match self {
            Self::Ours { folder, .. } => folder.path().join("kubeconfig"),
            Self::Real { cluster } => cluster.kubeconfig().to_owned(),
        }
    }

    /// The memory of all its processes, in bytes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Ours { child, .. } => resident::bytes(&[child.id()]),
            Self::Real { cluster } => resident::bytes(&cluster.pids()),
        }
    }
}

impl Drop for Contestant {
    fn drop(&mut self) {
        match self {
            Self::Ours { child, .. } => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Self::Real { .. } => {}
        }
    }
}

/// Serves until whoever started this program is gone.
pub(crate) async fn serve(words: &[String]) -> Outcome<()> {
    let [kubeconfig, store @ ..] = words else {
        return Err("no place for the kubeconfig".into());
    };
    let mut builder = Server::builder();
    if let [store] = store {
        builder = builder.storage(Storage::File(store.into()));
    }
    let server = builder.start().await?;
    let serving = server.serve(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    std::fs::write(kubeconfig, serving.kubeconfig())?;
    println!("ready");
    let gone = tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop));
    gone.await?;
    Ok(())
}
