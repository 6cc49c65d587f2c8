//! Flows of ours on a bridge that are no longer wanted.
//!
//! Reads what `ovs-ofctl` prints; returns how many flows are ours, and takes them away.
//! Invariant: flows without a cookie of ours stay, and the bridge is never without a flow for the rest.

use udn_host::flow::OWN_COOKIES;

use super::{MODERN, Openflow, OpenflowError};

#[cfg(test)]
mod tests;

impl Openflow {
    /// How many flows of ours a bridge has.
    pub async fn count_own(&self, bridge: &str) -> Result<usize, OpenflowError> {
        Ok(own(&self.dump(bridge).await?).len())
    }

    /// Takes away our flows, and has the bridge be an ordinary switch again.
    pub async fn take_own(&self, bridge: &str) -> Result<(), OpenflowError> {
        let bundle = removal(&self.dump(bridge).await?);
        if bundle.is_empty() {
            return Ok(());
        }
        let arguments = [MODERN, "--bundle", "add-flows", bridge, "-"];
        let done = self.ofctl.run(&arguments, &bundle, &[0]).await;
        let refused = |source| OpenflowError::Change { bridge: bridge.to_owned(), source };
        done.map(drop).map_err(refused)
    }

    async fn dump(&self, bridge: &str) -> Result<String, OpenflowError> {
        let printed = self.ofctl.run(&[MODERN, "--no-stats", "dump-flows", bridge], "", &[0]).await;
        printed.map_err(|source| OpenflowError::Compare { bridge: bridge.to_owned(), source })
    }
}

/// The printed flows that are ours.
fn own(printed: &str) -> Vec<&str> {
    let cookie = |line: &str| {
        let (_, rest) = line.split_once("cookie=0x")?;
        u64::from_str_radix(rest.split([',', ' ']).next()?, 16).ok()
    };
    let is_ours = |line: &&str| cookie(line).is_some_and(|it| OWN_COOKIES.contains(&it));
    printed.lines().filter(is_ours).collect()
}

/// What `ovs-ofctl --bundle add-flows` reads; empty where nothing is ours.
fn removal(printed: &str) -> String {
    let own = own(printed);
    if own.is_empty() {
        return String::new();
    }
    let mut bundle: String =
        OWN_COOKIES.iter().map(|cookie| format!("delete cookie={cookie:#x}/-1\n")).collect();
    // In the place of the flow that the switch gives every bridge ours stands.
    // compat: vswitchd, ofproto's flow of a bridge that is no longer told by anybody what to do
    let replaces = |line: &&str| {
        let is_entry = !line.contains("table=") || line.contains("table=0,");
        is_entry && line.contains("priority=0 ")
    };
    if own.iter().any(replaces) {
        bundle += "add priority=0,actions=NORMAL\n";
    }
    bundle
}
