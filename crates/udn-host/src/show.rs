//! A host plan for people.
//!
//! Invariant: the text follows the order in which a plan is applied.

use std::fmt::{self, Display, Formatter};

use crate::links::{Checksums, HostLink, PodLink};
use crate::plan::HostPlan;
use crate::routing::{HostNeighbour, HostRoute, MAIN_TABLE, RULE_PRIORITY, Rule, Selector, Way};

impl Display for HostPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for mac in &self.guard.macs {
            writeln!(f, "{} drops router advertisements of {mac}", self.guard.bridge)?;
        }
        self.ports.iter().try_for_each(|sheet| sheet.fmt(f))?;
        for link in &self.links {
            writeln!(f, "{link}")?;
        }
        for parameter in &self.parameters {
            writeln!(f, "parameter {} {}", parameter.path, parameter.value)?;
        }
        for rule in &self.routing.rules {
            writeln!(f, "{rule}")?;
        }
        for route in &self.routing.routes {
            writeln!(f, "{route}")?;
        }
        for neighbour in &self.routing.neighbours {
            writeln!(f, "{neighbour}")?;
        }
        for port in &self.bridge.quiet {
            writeln!(f, "port {port} of {} is quiet", self.bridge.name)?;
        }
        write!(f, "{}", self.bridge.flows)?;
        for pod in &self.pods {
            writeln!(f, "{pod}")?;
        }
        Ok(())
    }
}

impl Display for HostLink {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "link {} into {}", self.name, self.network)?;
        self.addresses.iter().try_for_each(|address| write!(f, " {address}"))
    }
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "rule {RULE_PRIORITY} {}", self.family)?;
        match &self.selector {
            Selector::Mark(mark) => write!(f, " mark {mark:#x}")?,
            Selector::To(ip) => write!(f, " to {ip}")?,
            Selector::From(link) => write!(f, " from {link}")?,
            Selector::Source(ip) => write!(f, " of {ip}")?,
        }
        write!(f, " table {}", self.table)
    }
}

impl Display for HostRoute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "route {} ", self.destination)?;
        match &self.way {
            Way::Link { link } => write!(f, "on {link}")?,
            Way::NextHop { next_hop, link } => write!(f, "via {next_hop} on {link}")?,
            Way::Unreachable => f.write_str("unreachable")?,
        }
        if self.metric > 0 {
            write!(f, " metric {}", self.metric)?;
        }
        match self.table {
            MAIN_TABLE => Ok(()),
            table => write!(f, " table {table}"),
        }
    }
}

impl Display for HostNeighbour {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "neighbour {} {} on {}", self.ip, self.mac, self.link)
    }
}

impl Display for PodLink {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "pod {}: {} to {}", self.attachment, self.link, self.interface)?;
        write!(f, " in {} {} mtu {}", self.namespace.display(), self.mac, self.mtu)?;
        self.addresses.iter().try_for_each(|address| write!(f, " {address}"))?;
        for route in &self.routes {
            write!(f, ", {} via {}", route.destination, route.next_hop)?;
        }
        if self.is_one_of_several {
            f.write_str(", one of several")?;
        }
        if let Some(router) = self.router {
            write!(f, ", advertisements of {router} alone")?;
        }
        match self.checksums {
            Checksums::Deferred => Ok(()),
            Checksums::Immediate => f.write_str(", checksums at once"),
        }
    }
}
