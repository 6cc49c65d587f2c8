//! Draws the router guard: workloads are neither routers nor DHCP servers of their network.
//!
//! Reads a switch, the names of the ports on it that are no workload's, and the settings; draws a fixed
//! number of ACLs, however many workloads there are. Ports of routers, of the host and of the network
//! outside go on sending; what comes from other nodes has passed their guard, and meets no ACL for what
//! ports send.
//! Invariant: no other ACL comes before these: they are of the first tier and the highest priorities.
//!
//! The ACLs are the switch's own and name no workload: a port group of the workloads would reach the
//! switch with the first of them, and leave it with the last, and northd builds the flows of all networks
//! anew each time that a group reaches another set of switches.
//!
//! OVN lets frames of a tracked connection pass before it looks at any ACL: answers, and errors that
//! quote a packet, which is what a redirect looks like. So the frames in question are taken out of
//! connection tracking, one priority below the drops. It also lets router advertisements pass every
//! ACL of a switch that tracks connections at all; those are dropped by the host's flows besides
//! (`udn_host::guard`).

use ovn::Sheet;
use ovn::northbound::{Acl, AclAction, AclDirection, LogicalSwitch};
use udn_model::Network;

use super::rows::{key, signature};
use crate::input::DrawingInput;
use crate::names::ids;

/// What workloads may not send, by the names of the ACLs. A DHCP client takes an answer from any
/// port, so only where it goes counts.
const FORBIDDEN: [(&str, &str); 5] = [
    ("dhcp-v4-server", "ip4 && udp.dst == 68"),
    ("dhcp-v6-server", "ip6 && udp.dst == 546"),
    ("redirect-v4", "icmp4.type == 5"),
    ("redirect-v6", "icmp6.type == 137"),
    ("router-advertisement", "icmp6.type == 134"),
];

/// The name of the ACL that leaves what others send to the tiers below.
const OTHERS: &str = "others";

/// The name of the ACL that keeps all of it out of connection tracking.
const UNTRACKED: &str = "untracked";

/// The highest priority that OVN knows.
const FIRST: i64 = 32767;

/// A switch that has workloads.
pub(super) struct Guarded<'a> {
    pub(super) network: &'a Network,
    pub(super) switch: String,
    /// The ports on it that are no workload's, whether they are there yet or not.
    pub(super) others: Vec<String>,
}

pub(super) fn draw_guard(sheet: &mut Sheet, input: &DrawingInput<'_>, guarded: &Guarded<'_>) {
    if !guarded.network.has_router_guard(input.settings.features) {
        return;
    }
    let all = FORBIDDEN.map(|(_, frames)| format!("({frames})")).join(" || ");
    let others: Vec<String> = guarded.others.iter().map(|port| format!("{port:?}")).collect();
    if !others.is_empty() {
        let frames = format!("inport == {{{}}} && ({all})", others.join(", "));
        guarded.draw(sheet, OTHERS, frames, (AclAction::Pass, FIRST));
    }
    for (kind, frames) in FORBIDDEN {
        guarded.draw(sheet, kind, frames.to_owned(), (AclAction::Drop, FIRST - 1));
    }
    guarded.draw(sheet, UNTRACKED, all, (AclAction::AllowStateless, FIRST - 2));
}

impl Guarded<'_> {
    /// Draws one ACL of the guard.
    fn draw(
        &self,
        sheet: &mut Sheet,
        kind: &str,
        r#match: String,
        (action, priority): (AclAction, i64),
    ) {
        let which = [(ids::NAME, self.switch.as_str()), (ids::FRAMES, kind)];
        let acl = Acl {
            action: Some(action),
            direction: Some(AclDirection::FromLport),
            priority,
            r#match,
            external_ids: signature(&self.network.name, ids::ROUTER_GUARD, which),
            ..Acl::default()
        };
        sheet.draw_under(&acl, &key::<LogicalSwitch>(&self.switch), LogicalSwitch::ACLS);
    }
}
