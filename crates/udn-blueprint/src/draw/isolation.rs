//! Draws the lock on ports of the default network whose pods have another main network: their own
//! node reaches them, as kubelet's probes do, and nobody else does, save where a pod opens its port.
//!
//! Invariant: a port that is in the group is denied everything that no row here allows, from the
//! first moment on.
// compat: pkg/ovn/udn_isolation.go

use ovn::northbound::{Acl, AclAction, AclDirection, PortGroup};
use ovn::{Key, Sheet};
use udn_model::{Attachment, Family, Lock, Network, OpenPort, PlatformAddresses};

use super::host::DIRECTIONS;
use super::rows::{Texts, group, locked_ports, signature, source_field};
use crate::names::{self, ids};

/// The group of the locked ports, and what denies them everything.
pub(super) fn draw_lock(sheet: &mut Sheet, network: &Network) {
    let group = group(&network.name, ids::ISOLATION, ids::LOCKED_PORTS);
    let name = group.name.clone();
    let group = sheet.draw(&group);
    for (way, direction) in DIRECTIONS {
        let acl = Acl {
            action: Some(AclAction::Drop),
            priority: 1000,
            r#match: format!("{} == @{name}", port_field(direction)),
            ..acl(network, ids::DENIED, (way, direction))
        };
        sheet.draw_under(&acl, &group, PortGroup::ACLS);
    }
}

/// Lets the host find the ports and speak to them.
pub(super) fn draw_host_access(
    sheet: &mut Sheet,
    network: &Network,
    platform: &[PlatformAddresses],
) {
    let group = group(&network.name, ids::ISOLATION, ids::LOCKED_PORTS).name;
    for way in DIRECTIONS {
        let port = port_field(way.1);
        let neighbours = joined(platform.iter().map(|it| is_host_asked(it, way.1)));
        let acl = Acl {
            action: Some(AclAction::Allow),
            r#match: format!("{port} == @{group} && {neighbours}"),
            ..acl(network, ids::HOST_NEIGHBOUR, way)
        };
        sheet.draw_under(&acl, &locked_ports(&network.name), PortGroup::ACLS);
    }
    let sources = platform.iter().map(|it| it.management);
    let sources = joined(sources.map(|ip| format!("{}=={ip}", source_field(ip))));
    let acl = Acl {
        action: Some(AclAction::AllowRelated),
        r#match: format!("outport == @{group} && {sources}"),
        ..acl(network, ids::HOST_PROBES, INGRESS)
    };
    sheet.draw_under(&acl, &locked_ports(&network.name), PortGroup::ACLS);
}

/// Locks a pod's port, save for what the pod opens.
pub(super) fn lock(
    sheet: &mut Sheet,
    network: &Network,
    (attachment, lock): (&Attachment, &Lock),
    port: &Key,
) {
    let group = locked_ports(&network.name);
    sheet.join(port, &group, PortGroup::PORTS);
    if lock.open_ports.is_empty() {
        return;
    }
    let name = names::pod_port(&attachment.key);
    let which = format!("{}{}", ids::OPEN_PORT, attachment.key.pod);
    let opened: Vec<String> = lock.open_ports.iter().map(is_for).collect();
    let opened = opened.join(" || ");
    let rules = [
        (AclAction::AllowRelated, INGRESS, format!("(arp || nd || ({opened}))")),
        (AclAction::Allow, EGRESS, "(arp || nd)".to_owned()),
    ];
    for (action, way, what) in rules {
        let acl = Acl {
            action: Some(action),
            r#match: format!("{} == \"{name}\" && {what}", port_field(way.1)),
            ..acl(network, &which, way)
        };
        sheet.draw_under(&acl, &group, PortGroup::ACLS);
    }
}

/// A direction, and how ids spell it.
type Way = (&'static str, AclDirection);

const EGRESS: Way = DIRECTIONS[0];
const INGRESS: Way = DIRECTIONS[1];

fn acl(network: &Network, name: &str, (way, direction): Way) -> Acl {
    let which = [(ids::NAME, name), (ids::DIRECTION, way)];
    let external_ids: Texts = signature(&network.name, ids::ISOLATION, which);
    Acl {
        direction: Some(direction),
        priority: 1001,
        meter: Some(names::ACL_METER.to_owned()),
        external_ids,
        ..Acl::default()
    }
}

fn port_field(direction: AclDirection) -> &'static str {
    match direction {
        AclDirection::FromLport => "inport",
        AclDirection::ToLport => "outport",
    }
}

/// Whether a pod asks for the host, or the host for a pod. Pods that look for the host ask for its
/// address, and so does the host's own announcement name it.
fn is_host_asked(platform: &PlatformAddresses, direction: AclDirection) -> String {
    let ip = platform.management;
    match (platform.subnet.family(), direction) {
        (Family::V4, AclDirection::FromLport) => format!("( arp && arp.tpa == {ip} )"),
        (Family::V4, AclDirection::ToLport) => format!("( arp && arp.spa == {ip} )"),
        (Family::V6, AclDirection::FromLport | AclDirection::ToLport) => {
            format!("( nd && nd.target == {ip} )")
        }
    }
}

/// Whether a packet is for what a pod opened.
fn is_for(port: &OpenPort) -> String {
    match port {
        OpenPort::Tcp(port) => format!("tcp.dst == {port}"),
        OpenPort::Udp(port) => format!("udp.dst == {port}"),
        OpenPort::Sctp(port) => format!("sctp.dst == {port}"),
        OpenPort::Icmp => "icmp".to_owned(),
    }
}

/// Terms of which one must hold.
fn joined(terms: impl Iterator<Item = String>) -> String {
    let terms: Vec<String> = terms.collect();
    format!("({})", terms.join(" || "))
}
