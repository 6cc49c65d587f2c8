//! A whole node: its own NB, SB, northd, OVS and ovn-controller in a network namespace.
//!
//! Reads an [`OvnRoot`], a [`Fabric`] that joins nodes, and [`NodeSettings`]; returns a node whose
//! ovn-controller is connected. Each node is a zone of its own, as in OVN's interconnection: nodes
//! know of each other what [`Node::meet`] tells them.
//! Invariant: the tunnel address lies on an OVS bridge (`br-ex`), because the userspace datapath
//! finds the way for a tunnel's packets only through a bridge of its own.

use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;

use crate::daemon::DaemonError;
use crate::janitor::JanitorError;
use crate::namespaces::{Namespace, NamespaceError};
use crate::ovn_daemons::{Databases, Northd, OvnController, Vswitchd, Workplace};
use crate::ovn_root::{Database, OvnRoot};
use crate::ovsdb_server::{OvsdbServer, ServerError};
use crate::run::{RunError, run};

mod restart;
mod switch;

use switch::Switch;

pub use crate::fabric::{Addresses, Fabric};

/// The bridge that leads out, which carries the node's addresses.
pub const EXTERNAL_BRIDGE: &str = "br-ex";
/// The name by which OVN's localnet ports mean that bridge.
pub const EXTERNAL_NETWORK: &str = "physnet";
/// The port of that bridge which is the wire.
pub const UPLINK: &str = "eth0";
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

/// Who a node is.
#[derive(Debug, Clone)]
pub struct NodeSettings {
    /// Also its chassis name and its zone.
    pub name: String,
    /// Where it lives on the fabric; its tunnels end at the IPv4 address.
    pub addresses: Addresses,
    /// Its default gateways.
    pub next_hops: Vec<IpAddr>,
    /// What it has from the beginning.
    pub installed: Installed,
}

/// What a node has before anybody installs a network on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installed {
    /// OVN, and a switch with OVN's bridge and the external one.
    Ovn,
    /// A switch with the external bridge only.
    Switch,
    /// Nothing: the node's addresses are on its uplink.
    Nothing,
}

impl NodeSettings {
    /// A node without a way out of the fabric.
    pub fn new(name: &str, addresses: impl Into<Addresses>) -> Self {
        let addresses = addresses.into();
        Self { name: name.to_owned(), addresses, next_hops: Vec::new(), installed: Installed::Ovn }
    }

    /// The MAC address of its external bridge.
    pub fn mac(&self) -> String {
        let [a, b, c, d] = self.addresses.v4.octets();
        format!("02:42:{a:02x}:{b:02x}:{c:02x}:{d:02x}")
    }
}

/// A running node; its name is also its chassis name and its zone.
///
/// The fields are dropped from top to bottom, so that no program outlives what it talks to.
#[derive(Debug)]
pub struct Node {
    ovn: Option<Ovn>,
    switch: Option<Switch>,
    namespace: Namespace,
    settings: NodeSettings,
    workplace: Workplace,
}

impl Node {
    /// Starts a node of this name and IPv4 address, everything else as usual.
    pub fn start(
        root: &OvnRoot,
        fabric: &Fabric,
        name: &str,
        address: Ipv4Addr,
    ) -> Result<Self, NodeError> {
        Self::start_with(root, fabric, NodeSettings::new(name, address))
    }

    /// Starts a node and waits until its ovn-controller follows its databases.
    pub fn start_with(
        root: &OvnRoot,
        fabric: &Fabric,
        settings: NodeSettings,
    ) -> Result<Self, NodeError> {
        let janitor = fabric.janitor().clone();
        let namespace = Namespace::create(&janitor, &settings.name)?;
        fabric.attach(&namespace, UPLINK)?;
        let folder = janitor.folder()?;
        let entrance = Some(namespace.entrance());
        let workplace = Workplace { root: root.clone(), janitor, folder, entrance };
        let servers = (settings.installed == Installed::Ovn)
            .then(|| Servers::start(&workplace, &namespace))
            .transpose()?;
        let switch = match settings.installed {
            Installed::Nothing => None,
            Installed::Ovn | Installed::Switch => {
                namespace.silence(UPLINK)?;
                Some(Switch::start(&workplace, &namespace, servers.as_ref(), &settings)?)
            }
        };
        switch::settle_on(&namespace, &settings)?;
        let ovn = match (servers, &switch) {
            (Some(servers), Some(switch)) => {
                Some(Ovn::start(&workplace, servers, &switch.database)?)
            }
            (None, _) | (_, None) => None,
        };
        let node = Self { ovn, switch, namespace, settings, workplace };
        if node.ovn.is_some() {
            let zone = format!("name={}", node.name());
            run(node.nbctl().args(["--wait=hv", "set", "NB_Global", ".", &zone]))?;
        }
        Ok(node)
    }

    /// Tells this node of another one, so that it builds a tunnel to it.
    pub fn meet(&self, other: &Self) -> Result<(), NodeError> {
        let mut command = self.sbctl();
        let (name, address) = (other.name(), other.address().to_string());
        command.args(["chassis-add", name, "geneve", &address]);
        command.args(["--", "set", "Chassis", name, "other_config:is-remote=true"]);
        command.arg(format!("hostname={name}"));
        run(&mut command)?;
        Ok(())
    }

    /// Lets OVN know a bridge of this node by the name of a physical network.
    pub fn map_bridge(&self, physical_network: &str, bridge: &str) -> Result<(), NodeError> {
        let mut read = self.vsctl();
        read.args(["get", "Open_vSwitch", ".", "external_ids:ovn-bridge-mappings"]);
        let mappings = run(&mut read)?;
        let mappings = format!("{},{physical_network}:{bridge}", mappings.trim_matches('"'));
        let mut write = self.vsctl();
        write.args(["set", "Open_vSwitch", "."]);
        write.arg(format!("external_ids:ovn-bridge-mappings=\"{mappings}\""));
        run(&mut write)?;
        Ok(())
    }

    /// Who the node is.
    pub fn settings(&self) -> &NodeSettings {
        &self.settings
    }

    /// The node's name, which is also its chassis name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Where its tunnels end.
    pub fn address(&self) -> Ipv4Addr {
        self.settings.addresses.v4
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
        &self.ovn().servers.northbound
    }

    /// The node's southbound database.
    pub fn southbound(&self) -> &OvsdbServer {
        &self.ovn().servers.southbound
    }

    /// The database of the node's switch.
    pub fn open_vswitch(&self) -> &OvsdbServer {
        &self.switch().database
    }

    /// The node's northd.
    pub fn northd(&self) -> &Northd {
        &self.ovn().northd
    }

    /// The node's ovn-controller.
    pub fn controller(&self) -> &OvnController {
        &self.ovn().controller
    }

    fn ovn(&self) -> &Ovn {
        self.ovn.as_ref().expect("a test asks for the OVN of a node that was to have it")
    }

    fn switch(&self) -> &Switch {
        self.switch.as_ref().expect("a test asks for the switch of a node that was to have it")
    }

    /// The node's switch.
    pub fn vswitchd(&self) -> &Vswitchd {
        &self.switch().vswitchd
    }

    /// An `ovn-nbctl` for this node, to be completed with arguments.
    pub fn nbctl(&self) -> Command {
        self.tool("ovn-nbctl", self.northbound())
    }

    /// An `ovn-sbctl` for this node, to be completed with arguments.
    pub fn sbctl(&self) -> Command {
        self.tool("ovn-sbctl", self.southbound())
    }

    /// An `ovs-vsctl` for this node, to be completed with arguments.
    pub fn vsctl(&self) -> Command {
        self.tool("ovs-vsctl", self.open_vswitch())
    }

    /// An `ovs-ofctl` for this node's bridges, to be completed with arguments.
    pub fn ofctl(&self) -> Command {
        self.workplace.command("ovs-ofctl")
    }

    fn tool(&self, program: &str, database: &OvsdbServer) -> Command {
        tool(&self.workplace, program, database)
    }
}

fn tool(workplace: &Workplace, program: &str, database: &OvsdbServer) -> Command {
    let mut command = workplace.command(program);
    command.arg(PATIENCE).arg(format!("--db={}", database.remote()));
    command
}

/// The programs of OVN on a node.
#[derive(Debug)]
struct Ovn {
    controller: OvnController,
    northd: Northd,
    servers: Servers,
}

impl Ovn {
    fn start(
        workplace: &Workplace,
        servers: Servers,
        open_vswitch: &OvsdbServer,
    ) -> Result<Self, NodeError> {
        let northd = Northd::start(workplace, &servers.databases())?;
        // ovn-controller 25.03 crashes if it meets a southbound database without its first row.
        run(tool(workplace, "ovn-sbctl", &servers.southbound).arg("init"))?;
        let controller = OvnController::start(workplace, &open_vswitch.remote())?;
        Ok(Self { controller, northd, servers })
    }
}

/// The databases of OVN on a node.
#[derive(Debug)]
struct Servers {
    northbound: OvsdbServer,
    southbound: OvsdbServer,
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
        })
    }

    fn kill(&mut self) {
        self.northbound.kill();
        self.southbound.kill();
    }

    fn restart(&mut self) -> Result<(), ServerError> {
        self.northbound.restart()?;
        self.southbound.restart()
    }

    fn databases(&self) -> Databases {
        Databases { northbound: self.northbound.remote(), southbound: self.southbound.remote() }
    }
}
