//! The switch of a node: who it is to OVN, its bridges, and the node's addresses on one of them.
//!
//! Reads [`NodeSettings`]; returns a running switch.
//! Invariant: the external bridge has the MAC address that the settings tell, from its first moment.

use std::process::Command;

use super::{
    EXTERNAL_BRIDGE, EXTERNAL_NETWORK, Installed, NodeError, NodeSettings, Servers, UPLINK, tool,
};
use crate::namespaces::{Namespace, NamespaceError};
use crate::ovn_daemons::{Vswitchd, Workplace};
use crate::ovn_root::Database;
use crate::ovsdb_server::{OvsdbServer, ServerError};
use crate::run::run;

/// The socket of its database in the folder where the switch has its others, as a host has them all.
const SOCKET: &str = "db.sock";

/// A node's switch and its database; dropped in this order.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) vswitchd: Vswitchd,
    pub(super) database: OvsdbServer,
}

impl Switch {
    /// Starts the switch of a node that does not stand yet, with its bridges.
    pub(super) fn start(
        workplace: &Workplace,
        namespace: &Namespace,
        ovn: Option<&Servers>,
        settings: &NodeSettings,
    ) -> Result<Self, NodeError> {
        let database = serve(workplace, namespace)?;
        let vsctl = || tool(workplace, "ovs-vsctl", &database);
        // ovn-controller reads who the node is when it starts.
        if let Some(ovn) = ovn {
            run(&mut describe_node(vsctl(), settings, &ovn.southbound.remote()))?;
        }
        let vswitchd = Vswitchd::start(workplace, &database.remote())?;
        let both = ["br-int", EXTERNAL_BRIDGE];
        let bridges = if ovn.is_some() { &both[..] } else { &both[1..] };
        run(&mut describe_bridges(vsctl(), bridges, &settings.mac()))?;
        Ok(Self { vswitchd, database })
    }
}

fn serve(workplace: &Workplace, namespace: &Namespace) -> Result<OvsdbServer, ServerError> {
    let database = Database::OpenVswitch;
    let builder = OvsdbServer::builder(&workplace.root, database).within(namespace);
    let builder = builder.also_at(&workplace.folder.join(SOCKET));
    builder.janitor(&workplace.janitor).name(database.name()).start()
}

fn describe_node(mut vsctl: Command, settings: &NodeSettings, southbound: &str) -> Command {
    let name = &settings.name;
    vsctl.args(["--no-wait", "set", "Open_vSwitch", "."]);
    vsctl.arg(format!("external_ids:system-id={name}"));
    vsctl.arg(format!("external_ids:hostname={name}"));
    vsctl.arg(format!("external_ids:ovn-remote=\"{southbound}\""));
    vsctl.args(["external_ids:ovn-encap-type=geneve", "external_ids:ovn-is-interconn=true"]);
    vsctl.arg(format!("external_ids:ovn-encap-ip={}", settings.addresses.v4));
    vsctl.arg("external_ids:ovn-bridge-datapath-type=netdev");
    vsctl.arg(format!("external_ids:ovn-bridge-mappings={EXTERNAL_NETWORK}:{EXTERNAL_BRIDGE}"));
    vsctl
}

/// The bridge for pods where there is OVN, and the one that leads to the fabric.
fn describe_bridges(mut vsctl: Command, bridges: &[&str], mac: &str) -> Command {
    for bridge in bridges {
        vsctl.args(["--", "--may-exist", "add-br", bridge]);
        vsctl.args(["--", "set", "Bridge", bridge, "datapath_type=netdev"]);
        if *bridge != EXTERNAL_BRIDGE {
            vsctl.args(["--", "set", "Bridge", bridge, "fail-mode=secure"]);
        }
    }
    vsctl.args(["--", "set", "Bridge", EXTERNAL_BRIDGE]);
    vsctl.arg(format!("other_config:hwaddr=\"{mac}\""));
    vsctl.args(["--", "add-port", EXTERNAL_BRIDGE, UPLINK]);
    vsctl
}

/// Gives the node its addresses and its way out.
pub(super) fn settle_on(
    namespace: &Namespace,
    settings: &NodeSettings,
) -> Result<(), NamespaceError> {
    let link = match settings.installed {
        Installed::Ovn | Installed::Switch => EXTERNAL_BRIDGE,
        Installed::Nothing => UPLINK,
    };
    for address in settings.addresses.with_lengths() {
        namespace.add_address(link, &address)?;
    }
    namespace.ip(&["link", "set", link, "up"])?;
    for next_hop in &settings.next_hops {
        namespace.add_route("default", &next_hop.to_string())?;
    }
    Ok(())
}
