//! Pods and claims, on networks that are settled.

use udn_model::settings::{Deprecation, Features};
use udn_model::{
    Attachment, Claim, ClusterSettings, Findings, Intent, Manifest, NetworkName, ObjectName,
    RequestedAddress,
};
use udn_wire::keys::POD_NETWORKS;

use super::super::attachments::nad_states;
use super::super::nads::ReadNads;
use super::super::pods;
use super::{NODES, cluster, keys, nad, namespace, world, zone};
use crate::nad_states::{NadState, NadStates};
use crate::work_item::WorkItem;
use crate::world::World;

/// The networks of namespace `a`, by the names of their NADs.
const NETWORKS: [(&str, &str); 5] = [
    (
        "main",
        r#""topology":"layer2","role":"primary","subnets":"10.0.0.0/16,fd00::/64","allowPersistentIPs":true"#,
    ),
    ("flat", r#""topology":"layer2","subnets":"10.1.0.0/16","allowPersistentIPs":true"#),
    ("plain", r#""topology":"layer2","subnets":"10.2.0.0/16""#),
    ("bare", r#""topology":"layer2""#),
    ("local", r#""topology":"localnet","subnets":"10.3.0.0/16","allowPersistentIPs":true"#),
];

/// Namespace `a` with all networks, and what else is given.
pub(super) fn scene(texts: &[&str]) -> (World, NadStates) {
    let nad = |(name, config): &(&str, &str)| {
        nad(&format!("a/{name}"), "", &format!("\"name\":\"{name}\",{config}"))
    };
    let nads: Vec<String> = NETWORKS.iter().map(nad).collect();
    let labelled = namespace("a", true);
    let own = nads.iter().map(String::as_str).chain([labelled.as_str()]);
    let world = world(&own.chain(texts.iter().copied()).collect::<Vec<_>>());
    let mut findings = Findings::new();
    let intent = cluster(&world, &ClusterSettings::default()).value;
    let nad_states = nad_states(&world, &ReadNads::read(&world, &mut findings), &intent.networks);
    (world, nad_states)
}

/// Translates and compares attachments, claims and findings, each in a line.
pub(super) fn check(texts: &[&str], settings: &ClusterSettings, want: &[&str]) -> Intent {
    let (world, nad_states) = scene(texts);
    let told = pods(&world, &nad_states, settings);
    let intent = told.value;
    let attachments = intent.attachments.values().flat_map(|it| it.values().map(told_attachment));
    let claims = intent.claims.values().map(|claim| told_claim(claim, &intent));
    let findings = told.findings.iter().map(ToString::to_string);
    let lines: Vec<String> = attachments.chain(claims).chain(findings).collect();
    assert_eq!(lines, want, "{texts:#?}");
    intent
}

fn told_attachment(it: &Attachment) -> String {
    let mut words = vec![format!("{}:", it.key)];
    words.extend(it.request.addresses.iter().map(told_request));
    words.extend(it.request.mac.map(|mac| mac.to_string()));
    words.extend(it.claim.iter().map(|claim| format!("claim {claim}")));
    words.extend(it.machine.iter().map(|machine| format!("machine {machine}")));
    words.extend(it.interface.iter().map(|name| format!("as {name}")));
    words.extend(it.gateways.iter().map(|ip| format!("via {ip}")));
    words.join(" ")
}

fn told_request(it: &RequestedAddress) -> String {
    it.prefix_len.map_or(it.ip.to_string(), |length| format!("{}/{length}", it.ip))
}

fn told_claim(claim: &Claim, intent: &Intent) -> String {
    let mut words = vec![format!("claim {} on {}:", claim.name, claim.network)];
    words.extend(claim.request.iter().map(|it| format!("wants {}", told_request(it))));
    words.extend(claim.users.iter().map(ToString::to_string));
    words.extend(claim.machine.iter().map(|machine| format!("machine {machine}")));
    words.extend(claim.failure.iter().map(|failure| format!("failed: {failure}")));
    if let Some(published) = intent.published.claims.get(&claim.name) {
        words.extend(published.addresses.iter().map(|ip| format!("has {ip}")));
        words.extend(published.mac.map(|mac| format!("has {mac}")));
    }
    words.join(" ")
}

/// A pod on a node, with annotations and more metadata.
pub(super) fn pod_request(name: &str, annotations: &str, more: &str) -> String {
    let (namespace, short) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{namespace: {namespace}, name: '{short}', \
         annotations: {{{annotations}}}{more}}}, spec: {{nodeName: nowhere-known}}}}"
    )
}

/// The annotation about the main network.
pub(super) fn main_request(fields: &str) -> String {
    let element = format!("{{\"name\":\"default\",\"namespace\":\"ovn-kubernetes\"{fields}}}");
    format!("v1.multus-cni.io/default-network: '{element}'")
}

/// The annotation about other networks, with one element.
fn request(name: &str, fields: &str) -> String {
    format!("k8s.v1.cni.cncf.io/networks: '[{{\"name\":\"{name}\"{fields}}}]'")
}

pub(super) fn claim(name: &str, network: &str, more: &str) -> String {
    let (namespace, short) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: k8s.cni.cncf.io/v1alpha1, kind: IPAMClaim, metadata: {{namespace: \
         {namespace}, name: '{short}'}}, spec: {{network: {network}, interface: ''}}{more}}}"
    )
}

fn settings(change: impl FnOnce(&mut ClusterSettings)) -> ClusterSettings {
    let mut settings = ClusterSettings::default();
    change(&mut settings);
    settings
}

fn without_requests() -> ClusterSettings {
    let features = Features { requested_addresses: false, ..Features::default() };
    settings(|it| it.features = features)
}

const ON_MAIN: &str = "pod a/p: ";
const AT_MAIN: &str = "metadata.annotations[v1.multus-cni.io/default-network]: ";
const AT_OTHERS: &str = "metadata.annotations[k8s.v1.cni.cncf.io/networks]: ";

/// One pod `a/p` with these annotations: what it gets on its main network and elsewhere, or what
/// is told of it.
fn check_pod(annotations: &str, settings: &ClusterSettings, want: &[&str]) {
    check(&[&pod_request("a/p", annotations, "")], settings, want);
}

#[test]
fn each_request_on_the_main_network_stands_alone() {
    let usual = ClusterSettings::default();
    for (fields, want) in [
        ("", "a/p on a/main:"),
        (r#","ips":["10.0.0.9","fd00::9/64"]"#, "a/p on a/main: 10.0.0.9 fd00::9/64"),
        (r#","mac":"02:00:00:00:00:01""#, "a/p on a/main: 02:00:00:00:00:01"),
        (
            r#","ips":["10.0.0.9/16"],"mac":"02:00:00:00:00:01","default-route":["10.0.0.7"]"#,
            "a/p on a/main: 10.0.0.9/16 02:00:00:00:00:01",
        ),
    ] {
        check_pod(&main_request(fields), &usual, &[want]);
    }
}

#[test]
fn a_request_that_cannot_be_keeps_the_pod_from_its_main_network() {
    let usual = ClusterSettings::default();
    let bad = main_request(r#","ips":["10.0.0"]"#);
    let want = format!(
        "{ON_MAIN}InvalidAnnotation: {AT_MAIN}at ovn-kubernetes/default: ips: \"10.0.0\" is not an \
         address such as 10.0.0.5 or 10.0.0.5/16"
    );
    check_pod(&bad, &usual, &[&want]);
    let other = main_request("").replace("ovn-kubernetes", "a");
    let want = format!(
        "{ON_MAIN}InvalidAnnotation: {AT_MAIN}names NAD a/default, but the main network of a pod is \
         asked for by the name of NAD ovn-kubernetes/default; write that one"
    );
    check_pod(&other, &usual, &[&want]);
    let renamed = settings(|it| it.default_nad = ObjectName::new("a", "default"));
    check_pod(&other, &renamed, &["a/p on a/main:"]);
}

#[test]
fn switched_off_requests_on_the_main_network_are_told_and_have_no_effect() {
    let ignored = format!(
        "{ON_MAIN}RequestIgnored: {AT_MAIN}ips and mac have no effect, because requested addresses \
         are switched off in this cluster; remove them or ask an administrator to switch them on"
    );
    let both = r#","ips":["10.0.0.9"],"ipam-claim-reference":"c""#;
    let texts = [pod_request("a/p", &main_request(both), ""), claim("a/c", "main", "")];
    check(
        &texts.each_ref().map(String::as_str),
        &without_requests(),
        &["a/p on a/main: claim a/c", "claim a/c on main: a/p on a/main", &ignored],
    );
}

#[test]
fn requests_on_other_networks_are_for_those_with_addresses() {
    let usual = ClusterSettings::default();
    let plain = "a/p on a/main:";
    let ips = r#","ips":["10.1.0.9"],"mac":"02:00:00:00:00:01","default-route":["10.1.0.1"]"#;
    let asked = "10.1.0.9 02:00:00:00:00:01 via 10.1.0.1";
    check_pod(&request("flat", ips), &usual, &[&format!("a/p on a/flat: {asked}"), plain]);
    check_pod(&request("local", ips), &usual, &[&format!("a/p on a/local: {asked}"), plain]);
    let mac = r#","mac":"02:00:00:00:00:01","interface":"x0""#;
    check_pod(&request("bare", mac), &usual, &["a/p on a/bare: 02:00:00:00:00:01 as x0", plain]);
    let none = format!(
        "{ON_MAIN}OutOfRange: {AT_OTHERS}asks for addresses at a/bare, but network bare hands out \
         none; remove ips there"
    );
    check_pod(&request("bare", ips), &usual, &[plain, &none]);
    let off = format!(
        "{ON_MAIN}FeatureOff: {AT_OTHERS}asks for addresses at a/flat, but requested addresses are \
         switched off in this cluster; remove ips there or ask an administrator to switch them on"
    );
    check_pod(&request("flat", ips), &without_requests(), &[plain, &off]);
    check_pod(
        &request("flat", r#","mac":"02:00:00:00:00:01""#),
        &without_requests(),
        &["a/p on a/flat: 02:00:00:00:00:01", plain],
    );
    let twice = format!(
        "{ON_MAIN}InvalidAnnotation: {AT_OTHERS}at a/flat: default-route: 10.1.0.1 and 10.1.0.2 are \
         both IPv4; keep one of them"
    );
    let routes = r#","default-route":["10.1.0.1","10.1.0.2"]"#;
    check_pod(&request("flat", routes), &usual, &[plain, &twice]);
}

#[test]
fn the_deprecated_annotation_goes_stage_by_stage() {
    let at = "metadata.annotations[k8s.ovn.org/primary-udn-ipamclaim]: ";
    let instead =
        "write v1.multus-cni.io/default-network with \"ipam-claim-reference\": \"c\" instead";
    let (attached, used) = ("a/p on a/main: claim a/c", "claim a/c on main: a/p on a/main");
    let (bare, unused) = ("a/p on a/main:", "claim a/c on main:");
    let old = "k8s.ovn.org/primary-udn-ipamclaim: c";
    let check = |stage, annotations: &str, want: &[&str]| {
        let texts = [pod_request("a/p", annotations, ""), claim("a/c", "main", "")];
        let settings = settings(|it| it.claim_annotation = stage);
        check(&texts.each_ref().map(String::as_str), &settings, want);
    };
    let warning = format!(
        "{ON_MAIN}Deprecated: {at}k8s.ovn.org/primary-udn-ipamclaim is deprecated and will be removed in a future \
         release; {instead}"
    );
    check(Deprecation::Warn, old, &[attached, used, &warning]);
    let refusal = format!(
        "{ON_MAIN}FeatureOff: {at}k8s.ovn.org/primary-udn-ipamclaim is no longer supported; {instead}"
    );
    check(Deprecation::Refuse, old, &[unused, &refusal]);
    let ignored = format!(
        "{ON_MAIN}RequestIgnored: {at}k8s.ovn.org/primary-udn-ipamclaim has no effect; {instead}"
    );
    check(Deprecation::Ignore, old, &[bare, unused, &ignored]);
    let ignored = format!(
        "{ON_MAIN}RequestIgnored: {at}has no effect, because the pod has \
         v1.multus-cni.io/default-network; write \"ipam-claim-reference\": \"c\" there"
    );
    for stage in [Deprecation::Warn, Deprecation::Refuse, Deprecation::Ignore] {
        let both = format!("{old}, {}", main_request(""));
        check(stage, &both, &[bare, unused, &ignored]);
        let other = format!("{old}x, {}", main_request(r#","ipam-claim-reference":"c""#));
        check(stage, &other, &[attached, used]);
    }
}

#[test]
fn a_claim_has_no_effect_where_addresses_do_not_outlive_pods() {
    let reference = r#","ipam-claim-reference":"c""#;
    let plain = "a/p on a/main:";
    let told = |network: &str, why: &str| {
        format!(
            "{ON_MAIN}RequestIgnored: {AT_OTHERS}IPAMClaim a/c has no effect, because network \
             {network} {why}"
        )
    };
    let usual = ClusterSettings::default();
    check_pod(
        &request("plain", reference),
        &usual,
        &[
            plain,
            "a/p on a/plain:",
            &told(
                "plain",
                "has no persistent addresses; remove the reference or use a network that has them",
            ),
        ],
    );
    check_pod(
        &request("bare", reference),
        &usual,
        &["a/p on a/bare:", plain, &told("bare", "hands out no addresses; remove the reference")],
    );
    let off = Features { persistent_addresses: false, ..Features::default() };
    let off = settings(|it| it.features = off);
    check_pod(
        &request("flat", reference),
        &off,
        &[
            "a/p on a/flat:",
            plain,
            &told(
                "flat",
                "cannot keep addresses, because that is switched off in this cluster; ask an administrator \
         to switch it on",
            ),
        ],
    );
}

/// A pod that has its addresses keeps them, and its claim too, whatever was changed since.
#[test]
fn a_pod_with_addresses_stays_where_it_is() {
    let entry = r#"{"a/main":{"ip_addresses":["10.0.0.9/16"],"mac_address":"0a:58:0a:00:00:09"},"a/flat":{"ip_addresses":["10.1.0.9/16"],"mac_address":"0a:58:0a:01:00:09"}}"#;
    let carried = format!("k8s.ovn.org/pod-networks: '{entry}'");
    let old = format!("{carried}, k8s.ovn.org/primary-udn-ipamclaim: c");
    let held = claim("a/c", "main", "");
    let off =
        Features { persistent_addresses: false, requested_addresses: false, ..Features::default() };
    let strict = settings(|it| {
        it.features = off;
        it.claim_annotation = Deprecation::Refuse;
    });
    let ignoring = ClusterSettings { claim_annotation: Deprecation::Ignore, ..strict.clone() };
    let (flat, main) = ("a/p on a/flat:", "a/p on a/main:");
    for settings in [&strict, &ignoring] {
        let want = [flat, "a/p on a/main: claim a/c", "claim a/c on main: a/p on a/main"];
        let intent = check(&[&pod_request("a/p", &old, ""), &held], settings, &want);
        assert_eq!(intent.published.attachments.len(), 2);
    }
    let gone = check(&[&pod_request("a/p", &old, "")], &strict, &[flat, main]);
    assert_eq!(gone.published.attachments[&NetworkName::new("main")].len(), 1);
    for change in [main_request(r#","ips":["x"]"#), request("flat", r#","mac":"x""#)] {
        let texts = pod_request("a/p", &format!("{carried}, {change}"), "");
        check(&[&texts], &strict, &[flat, main]);
        let (world, _) = scene(&[NODES, &texts.replace("nowhere-known", "n1")]);
        let usual = ClusterSettings::default();
        for told in [cluster(&world, &usual), zone(&world, &usual)] {
            assert_eq!(keys(&told.value, "main"), ["a/p on a/main"]);
        }
    }
}

#[test]
fn pods_wait_for_nads_that_are_pending() {
    let (world, mut nad_states) = scene(&[&pod_request("a/p", &request("flat", ""), "")]);
    let lines = |nad_states: &NadStates| {
        let told = pods(&world, nad_states, &ClusterSettings::default());
        let keys: Vec<String> =
            told.value.attachments.values().flatten().map(|it| it.0.to_string()).collect();
        let findings = told.findings.iter().map(ToString::to_string);
        keys.into_iter().chain(findings).collect::<Vec<_>>()
    };
    for name in ["main", "flat"] {
        nad_states.at.insert(ObjectName::new("a", name), NadState::Pending);
    }
    nad_states.primary.clear();
    nad_states.awaited.insert("a".into(), WorkItem::Network(Manifest::Cudn("main".to_owned())));
    let waits = "pod a/p: Waiting: waits for ClusterUserDefinedNetwork main, the primary network of \
                 namespace a, which is not built yet; see what is told of it";
    let other = format!(
        "pod a/p: Waiting: {AT_OTHERS}NAD a/flat leads to no network yet; see what is told of it"
    );
    assert_eq!(lines(&nad_states), [waits, &other]);
    nad_states.awaited.clear();
    nad_states.at.remove(&ObjectName::new("a", "flat"));
    let missing = format!(
        "pod a/p: DefinitionNotFound: {AT_OTHERS}NAD a/flat does not exist; create it or correct the \
         name"
    );
    let deserted = "pod a/p: Waiting: waits for the primary network that the label \
                    k8s.ovn.org/primary-user-defined-network of namespace a promises; create a UDN \
                    there or a CUDN that selects it";
    assert_eq!(lines(&nad_states), [&missing, deserted]);
    // Who has what it waits for does not wait, whatever the NAD's state is now.
    for (key, role, is_waiting) in
        [("a/was", "primary", false), ("a/was", "secondary", true), ("default", "primary", true)]
    {
        let entry = format!(r#"{{"{key}":{{"mac_address":"02:00:00:00:00:01","role":"{role}"}}}}"#);
        let (world, _) = scene(&[&pod_request("a/p", &format!("{POD_NETWORKS}: '{entry}'"), "")]);
        let told = pods(&world, &NadStates::default(), &ClusterSettings::default()).findings;
        assert_eq!(!told.is_empty(), is_waiting, "{told:?}");
    }
    let named = request("main", "");
    let error = format!(
        "pod a/p: InvalidAnnotation: {AT_OTHERS}names NAD a/main, the main network of all pods in \
         namespace a and of no others; remove it there"
    );
    check_pod(&named, &ClusterSettings::default(), &["a/p on a/main:", &error]);
}

#[test]
fn a_pod_has_ended_only_when_nothing_of_it_runs() {
    let running = "{name: x, state: {running: {startedAt: '2026-01-01T00:00:00Z'}}}";
    let over = "{name: x, state: {terminated: {exitCode: 0}}}";
    for (phase, statuses, is_on) in [
        ("Running", String::new(), true),
        ("Succeeded", String::new(), false),
        ("Failed", format!(", containerStatuses: [{over}]"), false),
        ("Failed", format!(", containerStatuses: [{over}, {running}]"), true),
        ("Succeeded", format!(", initContainerStatuses: [{running}]"), true),
        ("Succeeded", format!(", ephemeralContainerStatuses: [{running}]"), true),
        ("Succeeded", ", containerStatuses: null".to_owned(), false),
    ] {
        let pod = pod_request("a/p", "", "");
        let pod =
            pod.replace("spec: {", &format!("status: {{phase: {phase}{statuses}}}, spec: {{"));
        let want: &[&str] = if is_on { &["a/p on a/main:"] } else { &[] };
        check(&[&pod], &ClusterSettings::default(), want);
    }
}
