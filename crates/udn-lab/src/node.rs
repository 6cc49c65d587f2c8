//! A whole node: its own NB, SB, northd, OVS and ovn-controller in a network namespace.
//!
//! Reads an [`OvnRoot`], a [`Fabric`] that joins nodes, a name and a tunnel address; returns a node
//! whose ovn-controller is connected. Each node is a zone of its own, as in OVN's interconnection:
//! nodes know of each other what [`Node::meet`] tells them.
//! Invariant: the tunnel address lies on an OVS bridge (`br-ex`), because the userspace datapath
//! finds the way for a tunnel's packets only through a bridge of its own.

use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::daemon::DaemonError;
use crate::janitor::{Janitor, JanitorError};
use crate::namespaces::{End, Namespace, NamespaceError, connect};
use crate::ovn_daemons::{Databases, Northd, OvnController, Vswitchd, Workplace};
use crate::ovn_root::{Database, OvnRoot};
use crate::ovsdb_server::{OvsdbServer, ServerError};
use crate::run::{RunError, run};

/// The size of packets on the fabric.
const FABRIC_MTU: u16 = 1500;
/// How long OVN's tools may wait for OVN, in seconds, as an argument.
const PATIENCE: &str = "--timeout=60";

/// Why a node does not stand.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    #[error("could not prepare the node's folder")]
    Janitor {
        #[from]
        source: JanitorError,
    },
    #[error("could not prepare the node's network")]
    Network {
        #[from]
        source: NamespaceError,
    },
    #[error("could not start the node's databases")]
    Database {
        #[from]
        source: ServerError,
    },
    #[error("could not start the node's programs")]
    Daemon {
        #[from]
        source: DaemonError,
    },
    #[error("could not configure the node")]
    Configure {
        #[from]
        source: RunError,
    },
}

/// The network between nodes: one Linux bridge in a namespace of its own.
#[derive(Debug)]
pub struct Fabric {
    namespace: Namespace,
    ports: AtomicU32,
    janitor: Janitor,
}

impl Fabric {
    /// Makes a fabric that joins nobody yet.
    pub fn create() -> Result<Self, NodeError> {
        let janitor = Janitor::hire()?;
        let namespace = Namespace::create(&janitor, "fabric")?;
        // No spanning tree delay, or the first packets of every node would be lost.
        namespace.ip(&["link", "add", "fabric", "type", "bridge", "forward_delay", "0"])?;
        namespace.ip(&["link", "set", "fabric", "up"])?;
        Ok(Self { namespace, ports: AtomicU32::new(0), janitor })
    }

    /// Gives a namespace a link called `link` that leads to the fabric.
    pub fn attach(&self, namespace: &Namespace, link: &str) -> Result<(), NamespaceError> {
        let port = format!("port{}", self.ports.fetch_add(1, Ordering::Relaxed));
        let ours = End { namespace: &self.namespace, link: &port };
        connect(ours, End { namespace, link }, FABRIC_MTU)?;
        self.namespace.ip(&["link", "set", &port, "master", "fabric"])?;
        Ok(())
    }

    /// The namespace in which the bridge is.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }
}

/// A running node; its name is also its chassis name and its zone.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct Node {
    controller: OvnController,
    northd: Northd,
    vswitchd: Vswitchd,
    servers: Servers,
    namespace: Namespace,
    name: String,
    address: Ipv4Addr,
    workplace: Workplace,
}

impl Node {
    /// Starts a node whose tunnels end at `address` on the fabric, which is a /24.
    pub fn start(
        root: &OvnRoot,
        fabric: &Fabric,
        name: &str,
        address: Ipv4Addr,
    ) -> Result<Self, NodeError> {
        let janitor = fabric.janitor.clone();
        let namespace = Namespace::create(&janitor, name)?;
        fabric.attach(&namespace, "eth0")?;
        let folder = janitor.folder()?;
        let entrance = Some(namespace.entrance());
        let workplace = Workplace { root: root.clone(), janitor, folder, entrance };
        let servers = Servers::start(&workplace, &namespace)?;
        let vswitchd = start_switch(&workplace, &servers, name, address)?;
        namespace.add_address("br-ex", &format!("{address}/24"))?;
        namespace.ip(&["link", "set", "br-ex", "up"])?;
        let northd = Northd::start(&workplace, &servers.databases())?;
        let controller = OvnController::start(&workplace, &servers.open_vswitch.remote())?;
        let name = name.to_owned();
        let node =
            Self { controller, northd, vswitchd, servers, namespace, name, address, workplace };
        let zone = format!("name={}", node.name);
        run(node.nbctl().args(["--wait=hv", "set", "NB_Global", ".", &zone]))?;
        Ok(node)
    }

    /// Tells this node of another one, so that it builds a tunnel to it.
    pub fn meet(&self, other: &Self) -> Result<(), NodeError> {
        let mut command = self.sbctl();
        command.args(["chassis-add", &other.name, "geneve", &other.address.to_string()]);
        command.args(["--", "set", "Chassis", &other.name, "other_config:is-remote=true"]);
        command.arg(format!("hostname={}", other.name));
        run(&mut command)?;
        Ok(())
    }

    /// The node's name, which is also its chassis name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its tunnels end.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// The node's network namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// Where its programs run.
    pub fn workplace(&self) -> &Workplace {
        &self.workplace
    }

    /// The node's northbound database.
    pub fn northbound(&self) -> &OvsdbServer {
        &self.servers.northbound
    }

    /// The node's southbound database.
    pub fn southbound(&self) -> &OvsdbServer {
        &self.servers.southbound
    }

    /// The database of the node's switch.
    pub fn open_vswitch(&self) -> &OvsdbServer {
        &self.servers.open_vswitch
    }

    /// The node's northd.
    pub fn northd(&self) -> &Northd {
        &self.northd
    }

    /// The node's ovn-controller.
    pub fn controller(&self) -> &OvnController {
        &self.controller
    }

    /// The node's switch.
    pub fn vswitchd(&self) -> &Vswitchd {
        &self.vswitchd
    }

    /// An `ovn-nbctl` for this node, to be completed with arguments.
    pub fn nbctl(&self) -> Command {
        self.tool("ovn-nbctl", &self.servers.northbound)
    }

    /// An `ovn-sbctl` for this node, to be completed with arguments.
    pub fn sbctl(&self) -> Command {
        self.tool("ovn-sbctl", &self.servers.southbound)
    }

    /// An `ovs-vsctl` for this node, to be completed with arguments.
    pub fn vsctl(&self) -> Command {
        self.tool("ovs-vsctl", &self.servers.open_vswitch)
    }

    fn tool(&self, program: &str, database: &OvsdbServer) -> Command {
        let mut command = self.workplace.command(program);
        command.arg(PATIENCE).arg(format!("--db={}", database.remote()));
        command
    }
}

/// The databases of a node.
#[derive(Debug)]
struct Servers {
    northbound: OvsdbServer,
    southbound: OvsdbServer,
    open_vswitch: OvsdbServer,
}

impl Servers {
    fn start(workplace: &Workplace, namespace: &Namespace) -> Result<Self, ServerError> {
        let start = |database: Database| {
            let builder = OvsdbServer::builder(&workplace.root, database).within(namespace);
            builder.janitor(&workplace.janitor).name(database.name()).start()
        };
        Ok(Self {
            northbound: start(Database::Northbound)?,
            southbound: start(Database::Southbound)?,
            open_vswitch: start(Database::OpenVswitch)?,
        })
    }

    fn databases(&self) -> Databases {
        Databases { northbound: self.northbound.remote(), southbound: self.southbound.remote() }
    }
}

/// Starts the switch of a node that does not stand yet, with its bridges.
fn start_switch(
    workplace: &Workplace,
    servers: &Servers,
    name: &str,
    address: Ipv4Addr,
) -> Result<Vswitchd, NodeError> {
    let remote = servers.open_vswitch.remote();
    let vsctl = || {
        let mut command = workplace.command("ovs-vsctl");
        command.arg(PATIENCE).arg(format!("--db={remote}"));
        command
    };
    // ovn-controller reads who the node is when it starts.
    run(&mut describe_node(vsctl(), name, address, &servers.southbound.remote()))?;
    let vswitchd = Vswitchd::start(workplace, &remote)?;
    run(&mut describe_bridges(vsctl()))?;
    Ok(vswitchd)
}

fn describe_node(mut vsctl: Command, name: &str, address: Ipv4Addr, southbound: &str) -> Command {
    vsctl.args(["--no-wait", "set", "Open_vSwitch", "."]);
    vsctl.arg(format!("external_ids:system-id={name}"));
    vsctl.arg(format!("external_ids:hostname={name}"));
    vsctl.arg(format!("external_ids:ovn-remote=\"{southbound}\""));
    vsctl.args(["external_ids:ovn-encap-type=geneve", "external_ids:ovn-is-interconn=true"]);
    vsctl.arg(format!("external_ids:ovn-encap-ip={address}"));
    vsctl.arg("external_ids:ovn-bridge-datapath-type=netdev");
    vsctl
}

/// The bridge for pods, and the one that leads to the fabric.
fn describe_bridges(mut vsctl: Command) -> Command {
    for bridge in ["br-int", "br-ex"] {
        vsctl.args(["--", "--may-exist", "add-br", bridge]);
        vsctl.args(["--", "set", "Bridge", bridge, "datapath_type=netdev"]);
    }
    vsctl.args(["--", "set", "Bridge", "br-int", "fail-mode=secure"]);
    vsctl.args(["--", "add-port", "br-ex", "eth0"]);
    vsctl
}
