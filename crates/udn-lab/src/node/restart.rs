//! A node's programs begun again, one at a time or all with the machine.
//!
//! Reads a running [`Node`]; returns once what was begun again answers.
//! Invariant: programs end as in a crash, and databases stay.

use super::{EXTERNAL_BRIDGE, Fabric, Node, NodeError, UPLINK, switch};
use crate::daemon::{DaemonError, READY_LIMIT};
use crate::ovn_daemons::{Northd, OvnController, Vswitchd};
use crate::wait::wait_for;

impl Node {
    /// Crashes northd and starts it again; a node without OVN has none.
    pub fn restart_northd(&mut self) -> Result<(), NodeError> {
        let Some(ovn) = &mut self.ovn else { return Ok(()) };
        ovn.northd.kill();
        ovn.northd = Northd::start(&self.workplace, &ovn.servers.databases())?;
        Ok(())
    }

    /// Crashes ovn-controller and starts it again; a node without OVN has none.
    pub fn restart_controller(&mut self) -> Result<(), NodeError> {
        let (Some(ovn), Some(switch)) = (&mut self.ovn, &self.switch) else { return Ok(()) };
        ovn.controller.kill();
        ovn.controller = OvnController::start(&self.workplace, &switch.database.remote())?;
        Ok(())
    }

    /// Crashes the switch and starts it again; should its links have gone meanwhile, the node's
    /// addresses come back as the network service of a real node would bring them back.
    ///
    /// The switch is the datapath: until it is back, the node is cut off.
    pub fn restart_vswitchd(&mut self) -> Result<(), NodeError> {
        if let Some(switch) = &mut self.switch {
            switch.vswitchd.kill();
        }
        self.start_vswitchd()
    }

    /// Ends all programs and the network namespace at once, and starts all of it again under the
    /// same name, with the databases as they were.
    pub fn reboot(&mut self, fabric: &Fabric) -> Result<(), NodeError> {
        if let Some(ovn) = &mut self.ovn {
            ovn.controller.kill();
            ovn.northd.kill();
            ovn.servers.kill();
        }
        if let Some(switch) = &mut self.switch {
            switch.vswitchd.kill();
            switch.database.kill();
        }
        self.namespace.renew()?;
        fabric.attach(&self.namespace, UPLINK)?;
        if let Some(switch) = &mut self.switch {
            self.namespace.silence(UPLINK)?;
            switch.database.restart()?;
        }
        if let Some(ovn) = &mut self.ovn {
            ovn.servers.restart()?;
        }
        self.start_vswitchd()?;
        self.restart_northd()?;
        self.restart_controller()
    }

    fn start_vswitchd(&mut self) -> Result<(), NodeError> {
        if let Some(switch) = &mut self.switch {
            switch.vswitchd = Vswitchd::start(&self.workplace, &switch.database.remote())?;
            let is_there =
                || self.namespace.ip(&["link", "show", EXTERNAL_BRIDGE]).is_ok().then_some(());
            wait_for("the external bridge", READY_LIMIT, is_there).map_err(|source| {
                let name = "ovs-vswitchd".to_owned();
                let source = DaemonError::NotReady { name, log: String::new(), source };
                NodeError::Daemon { source }
            })?;
        }
        switch::settle_on(&self.namespace, &self.settings)?;
        Ok(())
    }
}
