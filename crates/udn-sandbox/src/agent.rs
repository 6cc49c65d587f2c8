//! One node's side of the sandbox: its zone controller and its hands.
//!
//! Reads the API; makes the node's OVN and host stand accordingly.
//! Invariant: it decides nothing; the controller draws and the host plan plans.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::Client;
use ovsdb_net::Remote;
use udn_blueprint::DrawingInput;
use udn_cluster::World;
use udn_control::zone::{Batch, Remotes, ZonePass};
use udn_control::{ZoneController, zone};
use udn_host::survey::{PodPlace, Seen, patch_ports, survey};
use udn_host::{Datapath, HostPart, HostPlan};
use udn_lab::node::{Node, UPLINK};
use udn_model::{ClusterSettings, Intent, NodeName, ObjectName};
use udn_node::host::HostSettings;
use udn_node::{Host, Program};

use crate::error::SandboxError;

const INTEGRATION_BRIDGE: &str = "br-int";

/// The agent of one node.
#[derive(Debug)]
pub(crate) struct Agent {
    controller: ZoneController,
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
        let controller = ZoneController::open(name.clone(), client, Arc::clone(settings), remotes)
            .map_err(|source| SandboxError::Controller { node: name.clone(), source })?;
        let host = HostSettings {
            namespace: node.namespace().path().to_owned(),
            open_vswitch: vec![remote(node.open_vswitch().remote())?],
            ofctl: Program::from(&node.ofctl()),
            ethtool: Program::from(&node.workplace().root.command("ethtool")),
        };
        let host = Host::new(host).await.map_err(|source| SandboxError::host(name, source))?;
        Ok(Self { controller, host, links: Vec::new() })
    }

    /// Unplugs what the new intent no longer has, before its rows go.
    ///
    /// A container runtime does so too: a pod's link is gone before the pod is. ovn-controller
    /// forgets a port fully only in this order.
    pub(crate) async fn unplug(&mut self, intent: &Intent) -> Result<usize, SandboxError> {
        let node = self.controller.node.clone();
        let failed = |source| SandboxError::host(&node, source);
        let stays = |part: &HostPart| match part {
            HostPart::Network(network) => intent.networks.contains_key(network),
            HostPart::Pod(key) => {
                intent.attachments.values().any(|of| of.get(key).is_some_and(|it| it.node == node))
            }
        };
        let mut changes = 0;
        for (part, link) in self.links.iter().filter(|(part, _)| !stays(part)) {
            changes += self.host.disconnect(link, &part.empty()).await.map_err(failed)?;
        }
        if changes > 0 {
            self.confirm().await?;
        }
        Ok(changes)
    }

    /// Brings OVN up to date.
    pub(crate) async fn commit(&self) -> Result<(ZonePass, Vec<(Batch, String)>), SandboxError> {
        let mut plans = Vec::new();
        let mut watch = |batch: &Batch, plan: &ovn::Plan| {
            if !plan.is_empty() {
                plans.push((batch.clone(), plan.to_string()));
            }
        };
        let pass = zone::pass(&self.controller, &mut watch).await;
        let pass = pass.map_err(|source| {
            let node = self.controller.node.clone();
            SandboxError::Pass { node, source }
        })?;
        Ok((pass, plans))
    }

    /// Brings the host up to date with what the controller saw, and waits until pods are wired.
    pub(crate) async fn build(
        &mut self,
        pass: &ZonePass,
        world: &World,
        places: &BTreeMap<ObjectName, PodPlace>,
    ) -> Result<usize, SandboxError> {
        let (node, settings) =
            (self.controller.node.clone(), Arc::clone(&self.controller.settings));
        let input = DrawingInput {
            intent: &pass.intent,
            grants: &pass.grants,
            settings: &settings,
            zone: &node,
        };
        let failed = |source| SandboxError::host(&node, source);
        let seen = self.look(&input).await?;
        let Some(facts) =
            survey(&input, &|pod| world.pods.get(pod).map(|it| &it.metadata), &seen, places)
        else {
            return Ok(0);
        };
        let plan = HostPlan::of(&facts);
        let changes = self.host.apply(&plan).await.map_err(failed)?;
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
        let node = || self.controller.node.clone();
        let confirmed = zone::confirm(&self.controller.northbound).await;
        confirmed.map_err(|source| SandboxError::Confirm { node: node(), source })
    }

    async fn look(&self, input: &DrawingInput<'_>) -> Result<Seen, SandboxError> {
        let failed = |source: udn_node::switch::SwitchError| {
            SandboxError::host(&self.controller.node, source.into())
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
