//! The switch of a node: who it is to OVN, its bridges, and the node's addresses on one of them.
//!
//! Reads [`NodeSettings`]; returns a running switch.
//! Invariant: the external bridge has the MAC address that the settings tell, from its first moment.

use std::process::Command;

use super::{EXTERNAL_BRIDGE, EXTERNAL_NETWORK, NodeError, NodeSettings, Servers, UPLINK, tool};
use crate::namespaces::{Namespace, NamespaceError};
use crate::ovn_daemons::{Vswitchd, Workplace};
use crate::run::run;

/// Starts the switch of a node that does not stand yet, with its bridges.
pub(super) fn start(
    workplace: &Workplace,
    servers: &Servers,
    settings: &NodeSettings,
) -> Result<Vswitchd, NodeError> {
    let vsctl = || tool(workplace, "ovs-vsctl", &servers.open_vswitch);
    // ovn-controller reads who the node is when it starts.
    run(&mut describe_node(vsctl(), settings, &servers.southbound.remote()))?;
    let vswitchd = Vswitchd::start(workplace, &servers.open_vswitch.remote())?;
    run(&mut describe_bridges(vsctl(), &settings.mac()))?;
    Ok(vswitchd)
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

/// The bridge for pods, and the one that leads to the fabric.
fn describe_bridges(mut vsctl: Command, mac: &str) -> Command {
    for bridge in ["br-int", EXTERNAL_BRIDGE] {
        vsctl.args(["--", "--may-exist", "add-br", bridge]);
        vsctl.args(["--", "set", "Bridge", bridge, "datapath_type=netdev"]);
    }
    vsctl.args(["--", "set", "Bridge", "br-int", "fail-mode=secure"]);
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
    for address in settings.addresses.with_lengths() {
        namespace.add_address(EXTERNAL_BRIDGE, &address)?;
    }
    namespace.ip(&["link", "set", EXTERNAL_BRIDGE, "up"])?;
    for next_hop in &settings.next_hops {
        namespace.add_route("default", &next_hop.to_string())?;
    }
    Ok(())
}
