//! Serves container runtimes, once it is known what the node is.
//!
//! Invariant: a runtime finds the plugin only once the node can serve it; files of others are left alone.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};
use udn_control::zone::ZoneHandle;
use udn_host::Datapath;

use super::kernel_watch::KernelWatch;
use super::pods::ZonePods;
use super::{AgentSettings, CniPlaces, HostState, pod_watch};
use crate::cni::{CniMetrics, CniServer, CniSettings, Wiring};
use crate::host::Host;

/// How long a place that cannot be used is left alone.
const REST: Duration = Duration::from_secs(5);

/// What it takes to serve container runtimes.
pub(super) struct CniTask {
    pub(super) settings: Arc<AgentSettings>,
    pub(super) places: CniPlaces,
    pub(super) host: Host,
    pub(super) zone: ZoneHandle,
    pub(super) kernel: Arc<KernelWatch>,
    pub(super) state: watch::Receiver<HostState>,
    pub(super) metrics: watch::Sender<Option<Arc<CniMetrics>>>,
}

impl CniTask {
    /// Serves until it is told to stop; requests under way are answered.
    pub(super) async fn work(mut self, mut stop: watch::Receiver<bool>) {
        let mut asked = stop.clone();
        let start = async {
            let datapath = self.datapath().await?;
            Some(self.start(datapath).await)
        };
        let server = tokio::select! {
            _ = asked.wait_for(|it| *it) => return,
            server = start => server,
        };
        let Some(server) = server else { return };
        self.metrics.send_replace(Some(server.metrics()));
        let wiring = server.wiring();
        let ofctl = self.settings.ofctl.clone();
        let bridge = self.settings.chassis.integration_bridge.clone();
        tokio::select! {
            _ = stop.wait_for(|it| *it) => {}
            () = self.announce() => {}
            () = self.lock(&wiring) => {}
            () = pod_watch::work(&wiring, &self.kernel, (ofctl, bridge)) => {}
        }
        server.stop().await;
    }

    /// Who moves the packets, once there is a bridge that tells; `None` if nobody will say.
    async fn datapath(&mut self) -> Option<Datapath> {
        let mut state = self.state.clone();
        let of = |it: &HostState| it.own.as_ref().and_then(|own| own.datapath);
        let found = state.wait_for(|it| of(it).is_some()).await.ok()?;
        of(&found)
    }

    async fn start(&self, datapath: Datapath) -> CniServer<ZonePods> {
        let bridge = self.settings.chassis.integration_bridge.clone();
        let cluster = Arc::clone(&self.settings.cluster);
        let settings = CniSettings::new(self.places.socket.clone(), cluster, bridge, datapath);
        loop {
            let pods = Arc::new(ZonePods(self.zone.clone()));
            match CniServer::start(settings.clone(), self.host.clone(), pods) {
                Ok(server) => return server,
                Err(error) => {
                    let source = std::error::Error::source(&error).map(ToString::to_string);
                    warn!(%error, source, "could not serve container runtimes; trying again");
                }
            }
            // waits: until somebody has mended the folder
            sleep(REST).await;
        }
    }

    /// Has the addresses of pods locked that an agent before this one has wired, once all is known of them;
    /// never ends.
    async fn lock(&self, wiring: &Wiring<ZonePods>) {
        if self.zone.host_news().wait_for(|it| it.is_synced).await.is_ok() {
            wiring.lock_learned().await;
        }
        std::future::pending::<()>().await;
    }

    /// Lets runtimes find the plugin once pods can be served; never ends.
    async fn announce(&self) {
        let mut state = self.state.clone();
        if state.wait_for(HostState::is_ready).await.is_err() {
            return std::future::pending().await;
        }
        while let Err(error) = self.places.plugin.install(&self.places.socket) {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            warn!(%error, source, "runtimes cannot find the CNI plugin; trying again");
            // waits: until somebody has mended the folder
            sleep(REST).await;
        }
        info!("the node is ready for pods");
        std::future::pending::<()>().await;
    }
}
