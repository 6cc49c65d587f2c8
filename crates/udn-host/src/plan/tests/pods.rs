//! What stands for one attachment of one pod, whatever else is on the host.

use ovn::drawn::Record;
use ovn::open_vswitch::{Interface, Port, QoS};
use udn_model::{AttachmentKey, ObjectName};

use super::{count, empty_switch, pod};
use crate::facts::{Bandwidth, Datapath, Guest, PodFacts};
use crate::plan::PodPlan;
use crate::{HostPart, PodLink};

fn plan(pod: &PodFacts) -> PodPlan {
    PodPlan::of("br-int", Datapath::Kernel, pod)
}

/// What the pod's own kernel is told, by the last word of each path.
fn parameters(pod: &PodFacts) -> Vec<String> {
    let all = plan(pod).link.parameters;
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    all.iter().filter_map(|it| Some(format!("{} {}", last(&it.path)?, it.value))).collect()
}

#[test]
fn a_pod_that_was_given_its_addresses_hears_no_router() {
    let usual = ["accept_dad 0", "dad_transmits 0", "addr_gen_mode 0"];
    let check = |pod: &PodFacts, hears: bool| {
        let more = (!hears).then_some("accept_ra 0");
        let want: Vec<&str> = usual.into_iter().chain(more).collect();
        assert_eq!(parameters(pod), want);
    };
    check(&pod("p"), false);
    check(&PodFacts { addresses: Vec::new(), ..pod("bare") }, true);
    check(&PodFacts { guest: Guest::Sharing, ..pod("machine") }, true);
}

#[test]
fn a_link_that_is_one_of_several_answers_for_its_own_addresses_alone() {
    let several = plan(&PodFacts { is_one_of_several: true, ..pod("p") }).link;
    assert!(several.is_one_of_several && several.to_string().contains(", one of several"));
    let filter = |link: &PodLink| link.parameters.iter().any(|it| it.path.ends_with("/arp_filter"));
    assert!(filter(&several) && !filter(&plan(&pod("p")).link));
}

#[test]
fn what_a_machine_takes_over_the_pods_kernel_does_not_have() {
    let taken = plan(&PodFacts { guest: Guest::TakingOver, ..pod("p") });
    assert!(taken.link.addresses.is_empty() && taken.link.routes.is_empty());
    assert_eq!(taken.link.mac, pod("p").mac);
    let shared = plan(&PodFacts { guest: Guest::Sharing, ..pod("p") });
    assert_eq!((shared.link.addresses.len(), shared.link.routes.len()), (1, 2));
}

#[test]
fn a_pods_only_router_is_told_to_its_link() {
    let router = "fe80::858:aff:fe0a:1".parse().ok();
    let plan = plan(&PodFacts { router, ..pod("p") });
    assert_eq!(plan.link.router, router);
    assert!(plan.link.to_string().contains("advertisements of fe80::858:aff:fe0a:1 alone"));
}

#[test]
fn a_port_tells_an_agent_that_starts_anew_what_it_is() {
    let sheet = plan(&pod("p")).ports;
    let (_, row) = sheet
        .rows()
        .find(|(key, _)| key.table() == Interface::TABLE.name)
        .expect("a pod has an interface");
    let text =
        |key: &str| row.datum("external_ids").and_then(|it| it.text(key)).unwrap_or_default();
    for (key, want) in [
        ("sandbox", "sandbox-p"),
        ("pod-if-name", "ovn-udn1"),
        ("udn-netns", "/run/netns/pod"),
        ("iface-id", "a.red_a_p"),
        ("iface-id-ver", "uid-p"),
        ("attached_mac", "0a:58:0a:0a:00:03"),
        ("ip_addresses", "10.10.0.3/16"),
        ("k8s.ovn.org/network", "cluster_udn_n1"),
        ("k8s.ovn.org/nad", "a/red"),
    ] {
        assert_eq!(text(key), want, "{key}");
    }
}

#[test]
fn a_part_reads_as_it_is_written() {
    let on_default = AttachmentKey::on_default_network(ObjectName::new("a", "p"));
    let nad = ObjectName::new("b", "flat");
    let third = AttachmentKey { nad, index: 2, ..on_default.clone() };
    let network = HostPart::Network(udn_model::NetworkName::new("red"));
    for part in [HostPart::Pod(on_default), HostPart::Pod(third), network] {
        assert_eq!(HostPart::parse(&part.to_string()), Some(part));
    }
    for text in ["", "pod", "pod a", "pod a/p", "pod a/p on ", "pod a/p on a/b/x", "host a"] {
        assert_eq!(HostPart::parse(text), None, "{text}");
    }
}

#[test]
fn a_limit_comes_and_goes_with_its_pod() {
    let bandwidth = Bandwidth { ingress: Some(10_000_000), egress: Some(1_000_000) };
    let limited = plan(&PodFacts { bandwidth, ..pod("p") }).ports;
    let mut database = empty_switch();
    let change = database.plan([&limited]).unwrap();
    database.apply(&change).unwrap();
    assert!(database.plan([&limited]).unwrap().is_empty());
    assert_eq!((count(&database, "Port"), count(&database, "QoS")), (1, 1));
    let rows = database.rows();
    let qos = rows.table(QoS::TABLE.name).unwrap().rows().next().unwrap();
    assert_eq!(qos.entry("other_config", "max-rate"), Some("10000000"));
    let port = rows.table(Port::TABLE.name).unwrap().rows().next().unwrap();
    assert_eq!(Port::QOS.read(port).flatten(), Some(qos.uuid));
    let interface = rows.table(Interface::TABLE.name).unwrap().rows().next().unwrap();
    assert_eq!(Interface::INGRESS_POLICING_RATE.read(interface), Some(1000));
    assert_eq!(Interface::INGRESS_POLICING_BURST.read(interface), Some(8000));
    let unlimited = plan(&pod("p")).ports;
    let change = database.plan([&unlimited]).unwrap();
    database.apply(&change).unwrap();
    assert_eq!((count(&database, "Port"), count(&database, "QoS")), (1, 0));
}
