//! Which elements follow from which pods, and what changes when they or the kubelet do.

use super::*;

const GROUP: KubeletGroup = KubeletGroup { level: 2, id: 4711 };

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn pod(addresses: &[&str], open_ports: &[OpenPort]) -> LockedPod {
    LockedPod {
        addresses: addresses.iter().map(|it| ip(it)).collect(),
        open_ports: open_ports.iter().copied().collect(),
    }
}

fn two_families(number: u8, open_ports: &[OpenPort]) -> LockedPod {
    pod(&[&format!("10.244.0.{number}"), &format!("fd00::{number}")], open_ports)
}

fn plan(pods: &[LockedPod], kubelet: Kubelet) -> Option<IsolationPlan> {
    IsolationPlan::of(pods, kubelet)
}

/// What stands once a plan is carried out.
fn standing(plan: &IsolationPlan) -> IsolationSeen {
    IsolationSeen { is_framed: true, is_ruled: true, sets: plan.sets.clone() }
}

/// Lines of the sets, as a person would write them.
fn lines(sets: &Sets) -> Vec<String> {
    let all = sets.iter().flat_map(|(set, elements)| elements.iter().map(move |it| (set, it)));
    let port = |it: &Element| it.port.map(|port| format!(" {}/{}", port.protocol, port.number));
    all.map(|(set, it)| format!("{} {}{}", set.name(), it.address, port(it).unwrap_or_default()))
        .collect()
}

#[track_caller]
fn check(
    (before, after): (&[LockedPod], &[LockedPod]),
    knowledge: Knowledge,
    want: &[IsolationChange],
) {
    let before = plan(before, Kubelet::In(GROUP)).map(|it| standing(&it));
    let after = plan(after, Kubelet::In(GROUP));
    assert_eq!(changes(after, before.as_ref(), knowledge), want);
}

fn elements(address: &str) -> BTreeSet<Element> {
    [Element { address: ip(address), port: None }].into()
}

#[test]
fn every_address_is_locked_and_every_open_port_listed() {
    let ports = [OpenPort::Tcp(80), OpenPort::Udp(53), OpenPort::Sctp(9), OpenPort::Icmp];
    let plan = plan(&[two_families(5, &ports), pod(&["10.244.0.6"], &[])], Kubelet::In(GROUP));
    let plan = plan.expect("there are locked pods");
    assert_eq!(
        lines(&plan.sets),
        [
            "udn-pod-default-ips-v4 10.244.0.5",
            "udn-pod-default-ips-v4 10.244.0.6",
            "udn-pod-default-ips-v6 fd00::5",
            "udn-open-ports-v4 10.244.0.5 6/80",
            "udn-open-ports-v4 10.244.0.5 17/53",
            "udn-open-ports-v4 10.244.0.5 132/9",
            "udn-open-ports-v6 fd00::5 6/80",
            "udn-open-ports-v6 fd00::5 17/53",
            "udn-open-ports-v6 fd00::5 132/9",
            "udn-open-ports-icmp-v4 10.244.0.5",
            "udn-open-ports-icmp-v6 fd00::5",
        ]
    );
    assert_eq!(plan.kubelet, Some(GROUP));
}

#[test]
fn nothing_is_dropped_where_the_kubelet_cannot_be_told() {
    let pods = [two_families(5, &[])];
    for (kubelet, stands, want) in [
        (Kubelet::Unknowable, false, None),
        (Kubelet::Unknowable, true, None),
        (Kubelet::NeverSeen, false, None),
        (Kubelet::NeverSeen, true, Some(None)),
        (Kubelet::Away, false, Some(None)),
        (Kubelet::In(GROUP), false, Some(Some(GROUP))),
    ] {
        let found = plan(&pods, kubelet.given(stands)).map(|it| it.kubelet);
        assert_eq!(found, want, "{kubelet:?}, {stands}");
    }
}

#[test]
fn nothing_stands_without_locked_pods() {
    assert_eq!(plan(&[], Kubelet::In(GROUP)), None);
    check((&[], &[]), Knowledge::Whole, &[]);
    check((&[two_families(5, &[])], &[]), Knowledge::Whole, &[IsolationChange::Clear]);
}

#[test]
fn what_stands_is_left_alone() {
    let pods = [two_families(5, &[OpenPort::Tcp(80)])];
    check((&pods, &pods), Knowledge::Whole, &[]);
}

#[test]
fn pods_come_and_go_by_their_own_elements() {
    let (five, six) = (pod(&["10.244.0.5"], &[]), pod(&["10.244.0.6"], &[]));
    let set = AddressSet::Locked(Family::V4);
    let add = [IsolationChange::Add(set, elements("10.244.0.6"))];
    let [only_five, only_six] = [[five.clone()], [six.clone()]];
    let both = [five, six];
    check((&only_five, &both), Knowledge::Whole, &add);
    let remove = [IsolationChange::Remove(set, elements("10.244.0.5"))];
    check((&both, &only_six), Knowledge::Whole, &remove);
    check((&both, &only_six), Knowledge::Partial, &[]);
}

#[test]
fn what_is_not_known_yet_stays_closed() {
    let five = [two_families(5, &[])];
    check((&five, &[]), Knowledge::Partial, &[]);
    let old = plan(&five, Kubelet::In(GROUP)).expect("a pod is locked");
    let broken = IsolationSeen { is_framed: false, ..standing(&old) };
    let six = plan(&[two_families(6, &[])], Kubelet::In(GROUP));
    let [IsolationChange::Make(made)] = &changes(six, Some(&broken), Knowledge::Partial)[..] else {
        panic!("all is made anew");
    };
    assert_eq!(lines(&made.sets).len(), 4, "{made:?}");
}

#[test]
fn a_frame_that_is_not_ours_is_made_anew() {
    let wanted = plan(&[two_families(5, &[])], Kubelet::Away);
    let make = [IsolationChange::Make(wanted.clone().expect("a pod is locked"))];
    assert_eq!(changes(wanted.clone(), None, Knowledge::Whole), make);
    let strange = IsolationSeen::default();
    assert_eq!(changes(wanted, Some(&strange), Knowledge::Whole), make);
}

#[test]
fn another_kubelet_changes_the_rules_alone() {
    let wanted = plan(&[two_families(5, &[])], Kubelet::In(GROUP)).expect("a pod is locked");
    let seen = IsolationSeen { is_ruled: false, ..standing(&wanted) };
    let rule = [IsolationChange::Rule(Some(GROUP))];
    assert_eq!(changes(Some(wanted), Some(&seen), Knowledge::Whole), rule);
}

#[test]
fn an_address_of_two_lives_of_a_pod_is_one_element() {
    let old = two_families(5, &[OpenPort::Tcp(80)]);
    let both = [old.clone(), two_families(5, &[])];
    assert_eq!(plan(&both, Kubelet::Away), plan(&[old], Kubelet::Away));
}
