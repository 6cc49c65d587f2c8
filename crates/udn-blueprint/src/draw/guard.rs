//! Draws the router guard: workloads are neither routers nor DHCP servers of their network.
//!
//! Reads a network and the settings; draws one port group and a fixed number of ACLs, however many
//! workloads there are. Ports of routers, of the host, of the network outside and of other nodes are
//! not in the group and go on sending.
//! Invariant: no other ACL comes before these: they are of the first tier and the highest priority.
//!
//! OVN lets frames of a tracked connection pass before it looks at any ACL: answers, and errors that
//! quote a packet, which is what a redirect looks like. So the frames in question are taken out of
//! connection tracking, one priority below the drops. It also lets router advertisements pass every
//! ACL of a switch that tracks connections at all; those are dropped by the host's flows besides
//! (`udn_host::guard`).

use ovn::northbound::{Acl, AclAction, AclDirection, PortGroup};
use ovn::{Key, Sheet};
use udn_model::Network;

use super::rows::{group, signature};
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

/// The name of the ACL that keeps all of it out of connection tracking.
const UNTRACKED: &str = "untracked";

/// The highest priority that OVN knows.
const FIRST: i64 = 32767;

pub(super) fn draw_guard(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &Network) {
    if !network.has_router_guard(input.settings.features) {
        return;
    }
    let group = group(&network.name, ids::ROUTER_GUARD, ids::GUARDED_PORTS);
    let name = group.name.clone();
    let group = sheet.draw(&group);
    for (kind, frames) in FORBIDDEN {
        let rule = Rule { kind, frames, action: AclAction::Drop, priority: FIRST };
        rule.draw(sheet, network, &group, &name);
    }
    let all = FORBIDDEN.map(|(_, frames)| format!("({frames})")).join(" || ");
    let (action, priority) = (AclAction::AllowStateless, FIRST - 1);
    let rule = Rule { kind: UNTRACKED, frames: &all, action, priority };
    rule.draw(sheet, network, &group, &name);
}

/// One ACL of the guard.
struct Rule<'a> {
    kind: &'a str,
    frames: &'a str,
    action: AclAction,
    priority: i64,
}

impl Rule<'_> {
    fn draw(self, sheet: &mut Sheet, network: &Network, group: &Key, name: &str) {
        let external_ids = signature(&network.name, ids::ROUTER_GUARD, [(ids::NAME, self.kind)]);
        let acl = Acl {
            action: Some(self.action),
            direction: Some(AclDirection::FromLport),
            priority: self.priority,
            r#match: format!("inport == @{name} && ({})", self.frames),
            external_ids,
            ..Acl::default()
        };
        sheet.draw_under(&acl, group, PortGroup::ACLS);
    }
}
