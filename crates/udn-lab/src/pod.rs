//! A pod: a network namespace plugged into the switch of a [`Node`].
//!
//! Reads the logical port's name, MAC and addresses; returns a pod that OVN has wired.
//! Invariant: `plug` returns only after ovn-controller has reported the port's flows installed.

use std::net::IpAddr;
use std::process::Command;

use crate::janitor::fresh_name;
use crate::namespaces::{End, Namespace, connect};
use crate::node::{Node, NodeError};
use crate::ovn_root::OvnRoot;
use crate::run::{RunError, run};

/// Room for Geneve's headers on a fabric of 1500 bytes.
const POD_MTU: u16 = 1400;

/// How a pod is attached.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// The logical switch port it is.
    pub port: String,
    /// Its MAC address.
    pub mac: String,
    /// Its addresses with their prefix lengths.
    pub addresses: Vec<String>,
}

/// A pod that is plugged in.
#[derive(Debug)]
pub struct Pod {
    namespace: Namespace,
    link: String,
    root: OvnRoot,
}

impl Pod {
    /// Makes a pod on a node and waits until OVN has wired it; its logical port must exist.
    pub fn plug(node: &Node, attachment: &Attachment) -> Result<Self, NodeError> {
        let workplace = node.workplace();
        let namespace = Namespace::create(&workplace.janitor, "pod")?;
        let link = format!("pod{}", fresh_name());
        let inside = End { namespace: &namespace, link: "eth0" };
        connect(inside, End { namespace: node.namespace(), link: &link }, POD_MTU)?;
        namespace.ip(&["link", "set", "eth0", "address", &attachment.mac])?;
        for address in &attachment.addresses {
            namespace.add_address("eth0", address)?;
        }
        let pod = Self { namespace, link, root: workplace.root.clone() };
        pod.compute_checksums()?;
        pod.wire(node, &attachment.port)?;
        Ok(pod)
    }

    /// The pod's network namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The name of the pod's link on its node.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// A ping of one packet that waits two seconds for its answer; arguments may be added.
    pub fn ping(&self, address: IpAddr) -> Command {
        let mut command = self.root.command("ping");
        command.args(["-n", "-c", "1", "-W", "2", &address.to_string()]);
        self.namespace.enter(&command)
    }

    /// Makes the pod fill in checksums itself.
    ///
    /// The kernel leaves them to the network card, which the userspace switch is not.
    fn compute_checksums(&self) -> Result<(), RunError> {
        let mut command = self.root.command("ethtool");
        command.args(["-K", "eth0", "tx", "off"]);
        run(&mut self.namespace.enter(&command))?;
        Ok(())
    }

    fn wire(&self, node: &Node, port: &str) -> Result<(), RunError> {
        let mut command = node.vsctl();
        command.args(["add-port", "br-int", &self.link, "--", "set", "Interface", &self.link]);
        command.arg(format!("external_ids:iface-id=\"{port}\""));
        run(&mut command)?;
        let mut command = node.vsctl();
        command.args([
            "wait-until",
            "Interface",
            &self.link,
            "external_ids:ovn-installed=\"true\"",
        ]);
        run(&mut command)?;
        Ok(())
    }
}
