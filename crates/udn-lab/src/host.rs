//! A plain host: a network namespace with one link, from which one can look at the network.
//!
//! Reads addresses; returns a host that pings and talks.
//! Invariant: its link fills in checksums itself, because the kernel would leave them to the
//! network card, which a userspace switch is not; without it pings pass and TCP does not.

use std::net::IpAddr;
use std::process::Command;

use crate::janitor::Janitor;
use crate::namespaces::{Namespace, NamespaceError};
use crate::ovn_root::OvnRoot;
use crate::run::run;

/// A host.
#[derive(Debug)]
pub struct Host {
    namespace: Namespace,
    root: OvnRoot,
}

impl Host {
    /// The name of its link.
    pub const LINK: &str = "eth0";

    /// A host without a link, which whoever calls adds under the name [`Host::LINK`].
    pub(crate) fn create(
        janitor: &Janitor,
        root: &OvnRoot,
        label: &str,
    ) -> Result<Self, NamespaceError> {
        Ok(Self { namespace: Namespace::create(janitor, label)?, root: root.clone() })
    }

    /// Gives its link addresses such as `10.0.0.1/24`, and makes it fill in checksums.
    pub(crate) fn settle_on(&self, addresses: &[String]) -> Result<(), NamespaceError> {
        for address in addresses {
            self.namespace.add_address(Self::LINK, address)?;
        }
        let mut command = self.root.command("ethtool");
        command.args(["-K", Self::LINK, "tx", "off"]);
        run(&mut self.namespace.enter(&command))?;
        Ok(())
    }

    /// Its network namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// A ping of one packet that waits two seconds for its answer; arguments may be added.
    pub fn ping(&self, address: IpAddr) -> Command {
        let mut command = self.root.command("ping");
        command.args(["-n", "-c", "1", "-W", "2", &address.to_string()]);
        self.namespace.enter(&command)
    }
}
