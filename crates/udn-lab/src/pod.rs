//! A pod: a network namespace plugged into the switch of a [`Node`].
//!
//! Reads the logical port's name, MAC and addresses; returns a pod that OVN has wired.
//! Invariant: `plug` returns only after ovn-controller has reported the port's flows installed.

use std::net::IpAddr;
use std::process::Command;

use crate::host::Host;
use crate::janitor::fresh_name;
use crate::namespaces::{End, Namespace, connect};
use crate::node::{Node, NodeError};
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
    host: Host,
    link: String,
}

impl Pod {
    /// Makes a pod on a node and waits until OVN has wired it; its logical port must exist.
    pub fn plug(node: &Node, attachment: &Attachment) -> Result<Self, NodeError> {
        let workplace = node.workplace();
        let host = Host::create(&workplace.janitor, &workplace.root, "pod")?;
        let link = format!("pod{}", fresh_name());
        let inside = End { namespace: host.namespace(), link: Host::LINK };
        connect(inside, End { namespace: node.namespace(), link: &link }, POD_MTU)?;
        node.namespace().silence(&link)?;
        host.namespace().ip(&["link", "set", Host::LINK, "address", &attachment.mac])?;
        host.settle_on(&attachment.addresses)?;
        let pod = Self { host, link };
        pod.wire(node, &attachment.port)?;
        Ok(pod)
    }

    /// The pod's network namespace.
    pub fn namespace(&self) -> &Namespace {
        self.host.namespace()
    }

    /// The name of the pod's link on its node.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// A ping of one packet that waits two seconds for its answer; arguments may be added.
    pub fn ping(&self, address: IpAddr) -> Command {
        self.host.ping(address)
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
