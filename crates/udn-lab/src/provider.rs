//! A provider's network: a switch with VLANs that nodes reach through a bridge of their own.
//!
//! Reads an [`OvnRoot`]; returns a [`Provider`] with trunks to nodes and hosts in VLANs.
//! Invariant: a trunk carries every tag; a host sees the frames of one VLAN, without the tag, so
//! neither side needs the kernel's 8021q module.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::fabric::FABRIC_MTU;
use crate::host::Host;
use crate::janitor::Janitor;
use crate::namespaces::{End, Namespace, connect};
use crate::node::{Node, NodeError};
use crate::ovn_daemons::{Vswitchd, Workplace};
use crate::ovn_root::{Database, OvnRoot};
use crate::ovsdb_server::OvsdbServer;
use crate::run::run;

/// The provider's one bridge.
const BRIDGE: &str = "provider";

/// The provider's switch, and what is plugged into it.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct Provider {
    _vswitchd: Vswitchd,
    server: OvsdbServer,
    namespace: Namespace,
    ports: AtomicU32,
    workplace: Workplace,
}

impl Provider {
    /// Starts a switch that nothing is plugged into yet.
    pub fn start(root: &OvnRoot) -> Result<Self, NodeError> {
        Self::start_with(root, Janitor::hire()?)
    }

    /// The same, in the care of a janitor that is there already.
    pub fn start_with(root: &OvnRoot, janitor: Janitor) -> Result<Self, NodeError> {
        let namespace = Namespace::create(&janitor, BRIDGE)?;
        let (folder, entrance) = (janitor.folder()?, Some(namespace.entrance()));
        let builder = OvsdbServer::builder(root, Database::OpenVswitch).within(&namespace);
        let server = builder.janitor(&janitor).name(BRIDGE).start()?;
        let workplace = Workplace { root: root.clone(), janitor, folder, entrance };
        let vswitchd = Vswitchd::start(&workplace, &server.remote())?;
        let ports = AtomicU32::new(0);
        let provider = Self { _vswitchd: vswitchd, server, namespace, ports, workplace };
        provider.vsctl(&[
            "add-br",
            BRIDGE,
            "--",
            "set",
            "Bridge",
            BRIDGE,
            "datapath_type=netdev",
        ])?;
        Ok(provider)
    }

    /// Leads a trunk to a node, into a new bridge that OVN knows by the physical network's name.
    pub fn connect(
        &self,
        node: &Node,
        bridge: &str,
        physical_network: &str,
    ) -> Result<(), NodeError> {
        let ours = self.new_port("trunk");
        let theirs = End { namespace: node.namespace(), link: &ours };
        connect(End { namespace: &self.namespace, link: &ours }, theirs, FABRIC_MTU)?;
        node.namespace().silence(theirs.link)?;
        self.vsctl(&["add-port", BRIDGE, &ours])?;
        let mut command = node.vsctl();
        command.args(["add-br", bridge, "--", "set", "Bridge", bridge, "datapath_type=netdev"]);
        command.args(["--", "add-port", bridge, theirs.link]);
        run(&mut command)?;
        node.map_bridge(physical_network, bridge)
    }

    /// Puts a host with addresses such as `192.168.7.1/24` into a VLAN, or among untagged frames.
    pub fn host(&self, vlan: Option<u16>, addresses: &[&str]) -> Result<Host, NodeError> {
        let host = Host::create(&self.workplace.janitor, &self.workplace.root, "vlan")?;
        let port = self.new_port("access");
        let theirs = End { namespace: host.namespace(), link: Host::LINK };
        connect(End { namespace: &self.namespace, link: &port }, theirs, FABRIC_MTU)?;
        host.settle_on(&addresses.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())?;
        // A port without a tag would be a trunk and hear every VLAN; tag 0 is the untagged frames.
        let tag = format!("tag={}", vlan.unwrap_or(0));
        let arguments = ["add-port", BRIDGE, port.as_str(), tag.as_str()];
        self.vsctl(&arguments)?;
        Ok(host)
    }

    fn new_port(&self, kind: &str) -> String {
        format!("{kind}{}", self.ports.fetch_add(1, Ordering::Relaxed))
    }

    fn vsctl(&self, arguments: &[&str]) -> Result<(), NodeError> {
        let mut command = self.workplace.command("ovs-vsctl");
        command.arg("--timeout=60").arg(format!("--db={}", self.server.remote()));
        run(command.args(arguments))?;
        Ok(())
    }
}
