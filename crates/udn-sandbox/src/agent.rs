//! One node's side of the sandbox: its zone controller and its hands.
//!
//! The controller follows the API by itself; the host is brought up to date with what it saw.
//! Invariant: it decides nothing; the controller draws and the host plan plans.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kube::Client;
use ovsdb_net::Remote;
use udn_blueprint::DrawingInput;
use udn_cluster::World;
use udn_control::zone::{Ended, Observer, Remotes, Snapshot, ZoneSettings};
use udn_control::{ZoneController, zone};
use udn_host::survey::{PodPlace, Seen, patch_ports, survey};
use udn_host::{Datapath, HostPart, HostPlan};
use udn_lab::node::{Node, UPLINK};
use udn_model::{ClusterSettings, Intent, NodeName, ObjectName};
use udn_node::host::HostSettings;
use udn_node::{Host, Program};
use udn_wire::Kind;

use crate::error::SandboxError;
use crate::leaving::Leaving;

const INTEGRATION_BRIDGE: &str = "br-int";

/// How long a zone controller may take to do everything that was asked for.
const LIMIT: Duration = Duration::from_secs(120);

/// The plans that were committed, as people read them.
type Plans = Arc<Mutex<Vec<(String, String)>>>;

/// Notes plans.
struct Notes(Plans);

impl Observer for Notes {
    fn planned(&mut self, title: &str, plan: &ovn::Plan) {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.push((title.to_owned(), plan.to_string()));
    }
}

/// The agent of one node.
#[derive(Debug)]
pub(crate) struct Agent {
    controller: ZoneController,
    plans: Plans,
    host: Host,
    /// The links that the last reconcile left on the host, by the part they belong to.
    links: Vec<(HostPart, String)>,
}

impl Agent {
    pub(crate) async fn start(
        name: &NodeName,
        node: &Node,
        client: Client,
        settings: &Arc<ClusterSettings>,
    ) -> Result<Self, SandboxError> {
        let remote =
            |text: String| text.parse::<Remote>().map_err(|_| SandboxError::Remote { text });
        let remotes = Remotes {
            northbound: remote(node.northbound().remote())?,
            southbound: remote(node.southbound().remote())?,
        };
        let plans = Plans::default();
        let observer = Box::new(Notes(Arc::clone(&plans)));
        let zone = ZoneSettings::new(name.clone(), Arc::clone(settings));
        let controller = ZoneController::start(client, zone, remotes, observer)
            .map_err(|source| SandboxError::Controller { node: name.clone(), source })?;
        let host = HostSettings {
            namespace: node.namespace().path().to_owned(),
            open_vswitch: vec![remote(node.open_vswitch().remote())?],
            ofctl: Program::from(&node.ofctl()),
            ethtool: Program::from(&node.workplace().root.command("ethtool")),
        };
        let host = Host::new(host).await.map_err(|source| SandboxError::host(name, source))?;
        Ok(Self { controller, plans, host, links: Vec::new() })
    }

    /// Unplugs who goes, before its rows do.
    ///
    /// A container runtime does so too: a pod's link is gone before the pod is. ovn-controller
    /// forgets a port fully only in this order.
    pub(crate) async fn unplug(&mut self, leaving: &Leaving) -> Result<usize, SandboxError> {
        self.unplug_all(|part| match part {
            HostPart::Network(network) => leaving.networks.contains(network),
            HostPart::Pod(key) => leaving.pods.contains(&key.pod),
        })
        .await
    }

    /// Unplugs what the zone no longer has, however it went.
    async fn unplug_gone(&mut self, intent: &Intent) -> Result<usize, SandboxError> {
        let node = self.controller.settings.node.clone();
        self.unplug_all(|part| match part {
            HostPart::Network(network) => !intent.networks.contains_key(network),
            HostPart::Pod(key) => {
                let mut all = intent.attachments.values();
                !all.any(|of| of.get(key).is_some_and(|it| it.node == node))
            }
        })
        .await
    }

    async fn unplug_all(
        &mut self,
        goes: impl Fn(&HostPart) -> bool,
    ) -> Result<usize, SandboxError> {
        let node = self.controller.settings.node.clone();
        let failed = |source| SandboxError::host(&node, source);
        let (gone, stays) =
            std::mem::take(&mut self.links).into_iter().partition(|(it, _)| goes(it));
        self.links = stays;
        let (gone, mut changes): (Vec<(HostPart, String)>, usize) = (gone, 0);
        for (part, link) in &gone {
            changes += self.host.disconnect(link, &part.empty()).await.map_err(failed)?;
        }
        if changes > 0 {
            self.confirm().await?;
        }
        Ok(changes)
    }

    /// Waits until the zone controller has done what these versions ask for.
    pub(crate) async fn settled(
        &mut self,
        wanted: &BTreeMap<Kind, u64>,
    ) -> Result<(Snapshot, Vec<(String, String)>), SandboxError> {
        let node = self.controller.settings.node.clone();
        let snapshot = in_time(&node, self.controller.handle.settled(wanted)).await?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((snapshot, std::mem::take(&mut *plans)))
    }

    /// Waits until the node's report says that everything up to a version of NADs is programmed.
    pub(crate) async fn reported(&mut self, nads: u64) -> Result<(), SandboxError> {
        let node = self.controller.settings.node.clone();
        in_time(&node, self.controller.handle.reported(nads)).await
    }

    /// Brings the host up to date with what the controller saw, and waits until pods are wired.
    pub(crate) async fn build(
        &mut self,
        zone: &Snapshot,
        world: &World,
        places: &BTreeMap<ObjectName, PodPlace>,
    ) -> Result<usize, SandboxError> {
        let mut changes = self.unplug_gone(&zone.intent).await?;
        let ZoneSettings { node, cluster: settings, .. } = self.controller.settings.clone();
        let (intent, grants) = (&zone.intent, &zone.grants);
        let input = DrawingInput { intent, grants, settings: &settings, zone: &node };
        let failed = |source| SandboxError::host(&node, source);
        let seen = self.look(&input).await?;
        let Some(facts) =
            survey(&input, &|pod| world.pods.get(pod).map(|it| &it.metadata), &seen, places)
        else {
            return Ok(changes);
        };
        let plan = HostPlan::of(&facts);
        changes += self.host.apply(&plan).await.map_err(failed)?;
        for pod in &plan.pods {
            let wired = self.host.switch().wait_installed(&pod.link).await;
            wired.map_err(|source| failed(source.into()))?;
        }
        let own = plan.links.iter().map(|it| (HostPart::Network(it.network.clone()), &it.name));
        let pods = plan.pods.iter().map(|it| (HostPart::Pod(it.attachment.clone()), &it.link));
        self.links = own.chain(pods).map(|(part, link)| (part, link.clone())).collect();
        // The ports of other nodes' pods have no sign of their own, so OVN is asked as a whole.
        self.confirm().await?;
        Ok(changes)
    }

    async fn confirm(&self) -> Result<(), SandboxError> {
        let node = || self.controller.settings.node.clone();
        let confirmed = zone::confirm(&self.controller.databases.northbound).await;
        confirmed.map_err(|source| SandboxError::Confirm { node: node(), source })
    }

    async fn look(&self, input: &DrawingInput<'_>) -> Result<Seen, SandboxError> {
        let failed = |source: udn_node::switch::SwitchError| {
            SandboxError::host(&self.controller.settings.node, source.into())
        };
        let switch = self.host.switch();
        let uplink = switch.wait_port_number(UPLINK).await.map_err(failed)?;
        let mut patches = BTreeMap::new();
        for (network, port) in patch_ports(input, INTEGRATION_BRIDGE) {
            patches.insert(network, switch.wait_port_number(&port).await.map_err(failed)?);
        }
        Ok(Seen {
            integration_bridge: INTEGRATION_BRIDGE.to_owned(),
            uplink,
            datapath: Datapath::Userspace,
            patches,
        })
    }
}

async fn in_time<T>(
    node: &NodeName,
    done: impl Future<Output = Result<T, Ended>>,
) -> Result<T, SandboxError> {
    let slow = |_| SandboxError::Slow { node: node.clone(), limit: LIMIT };
    let done = tokio::time::timeout(LIMIT, done).await.map_err(slow)?;
    done.map_err(|source| SandboxError::Zone { node: node.clone(), source })
}
