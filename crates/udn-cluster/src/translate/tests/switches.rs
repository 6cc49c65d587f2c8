//! What is switched off, names of links, and layer-3 networks.

use udn_model::settings::Features;
use udn_model::{ClusterSettings, Finding, NetworkName, Severity};

use super::{cudn, nad, namespace, told, world};
use crate::translate::cluster;

/// Translates with some switches off and compares network names and findings.
fn check(features: Features, texts: &[&str], networks: &[&str], findings: &[&str]) {
    let settings = ClusterSettings { features, ..ClusterSettings::default() };
    let result = cluster(&world(texts), &settings);
    assert_eq!(told(&result), findings);
    let names: Vec<&str> = result.value.networks.keys().map(NetworkName::as_str).collect();
    assert_eq!(names, networks);
    let severities: Vec<Severity> = result.findings.iter().map(Finding::severity).collect();
    let lives = !networks.is_empty() && !findings.is_empty();
    let want = if lives { Severity::Warning } else { Severity::Error };
    assert!(severities.iter().all(|it| *it == want), "{severities:?}");
}

fn red(more: &str) -> String {
    cudn("red", "10.10.0.0/16").replace("subnets:", &format!("{more}, subnets:"))
}

fn alive(cudn: &str) -> String {
    cudn.replace("spec:", "status: {networkID: 7}, spec:")
}

#[test]
fn persistent_addresses_are_never_dropped_silently() {
    let (on, off) =
        (Features::default(), Features { persistent_addresses: false, ..Features::default() });
    let (a, net) = (namespace("a", true), red("ipam: {lifecycle: Persistent}"));
    let path = "FeatureOff: spec.network.layer2.ipam.lifecycle: ipam.lifecycle Persistent";
    let refused = format!(
        "ClusterUserDefinedNetwork red: {path} asks for persistent addresses, which are switched off in \
         this cluster; remove it, or have them switched on (--enable-persistent-ips)"
    );
    check(on, &[&a, &net], &["cluster_udn_red"], &[]);
    check(off, &[&a, &net], &[], &[&refused]);
    check(off, &[&a, &red("mtu: 1400")], &["cluster_udn_red"], &[]);
    let kept = "ClusterUserDefinedNetwork red: FeatureKept: spec.network.layer2.ipam.lifecycle: \
                ipam.lifecycle Persistent asks for persistent addresses, which were switched off \
                since; this network keeps them, but one made anew would not get them, so switch them \
                on again (--enable-persistent-ips)";
    check(off, &[&a, &alive(&net)], &["cluster_udn_red"], &[kept]);
    let written =
        r#""name":"n","topology":"layer2","subnets":"10.0.0.0/16","allowPersistentIPs":true"#;
    let refused = "NetworkAttachmentDefinition a/n: FeatureOff: spec.config: allowPersistentIPs asks for \
                   persistent addresses, which are switched off in this cluster; remove the key, or \
                   have them switched on (--enable-persistent-ips)";
    check(off, &[&a, &nad("a/n", "", written)], &[], &[refused]);
}

#[test]
fn beside_another_plugin_nobody_gets_a_primary_network() {
    let off = Features { primary_networks: false, ..Features::default() };
    let a = namespace("a", true);
    let (net, side) = (red("mtu: 1400"), red("mtu: 1400").replace("Primary", "Secondary"));
    let why = "spec.network.layer2.role: role Primary asks to be the first network of pods, which is \
               another plugin's in this cluster (--default-network foreign)";
    let refused = format!(
        "ClusterUserDefinedNetwork red: FeatureOff: {why}; use role Secondary and name the network in \
         pods' annotations"
    );
    check(off, &[&a, &net], &[], &[&refused]);
    check(off, &[&a, &side], &["cluster_udn_red"], &[]);
    check(Features::default(), &[&a, &net], &["cluster_udn_red"], &[]);
    let kept = format!(
        "ClusterUserDefinedNetwork red: FeatureKept: {why}; this network stays as it is, but new pods \
         do not get on it"
    );
    check(off, &[&a, &alive(&net)], &["cluster_udn_red"], &[&kept]);
    let written = r#""name":"n","topology":"layer3","role":"primary","subnets":"10.1.0.0/16/24""#;
    let refused =
        refused.replace("ClusterUserDefinedNetwork red", "NetworkAttachmentDefinition a/n");
    let refused = refused.replace("spec.network.layer2.role", "spec.config");
    check(off, &[&a, &nad("a/n", "", written)], &[], &[&refused]);
}

#[test]
fn preconfigured_addresses_are_never_dropped_silently() {
    let off = Features { requested_addresses: false, ..Features::default() };
    let a = namespace("a", true);
    let asked = [
        ("defaultGatewayIPs", "[10.10.0.9]"),
        ("infrastructureSubnets", "[10.10.1.0/24]"),
        ("reservedSubnets", "[10.10.2.0/24]"),
    ];
    for (field, list) in asked {
        let net = red(&format!("{field}: {list}"));
        let refused = format!(
            "ClusterUserDefinedNetwork red: FeatureOff: spec.network.layer2.{field}: {field} asks for \
             preconfigured addresses, which are switched off in this cluster; remove it, or have them \
             switched on (--enable-preconfigured-udn-addresses)"
        );
        check(Features::default(), &[&a, &net], &["cluster_udn_red"], &[]);
        check(off, &[&a, &net], &[], &[&refused]);
        let kept = format!(
            "ClusterUserDefinedNetwork red: FeatureKept: spec.network.layer2.{field}: {field} asks for \
             preconfigured addresses, which were switched off since; this network keeps them, but one \
             made anew would not get them, so switch them on again \
             (--enable-preconfigured-udn-addresses)"
        );
        check(off, &[&a, &alive(&net)], &["cluster_udn_red"], &[&kept]);
    }
}

#[test]
fn a_primary_cudn_is_not_named_like_a_link_of_nodes() {
    let a = namespace("a", true);
    let told = |name: &str| {
        format!(
            "ClusterUserDefinedNetwork {name}: DeviceNameTaken: metadata.name: nodes have a link \
             {name}, and those that run OVN-Kubernetes would name the network's routing domain so too; \
             choose another name"
        )
    };
    for name in
        ["lo", "br-int", "br-ex", "ovs-system", "ovn-k8s-mp0", "ovn-k8s-mp12", "mp3-udn-vrf"]
    {
        check(Features::default(), &[&a, &cudn(name, "10.1.0.0/16")], &[], &[&told(name)]);
        let secondary = cudn(name, "10.1.0.0/16").replace("Primary", "Secondary");
        let network = format!("cluster_udn_{name}");
        check(Features::default(), &[&a, &secondary], &[&network], &[]);
    }
    // Names that are too long for a link, or of no link.
    for name in ["ovn-k8s-mp123456", "ovn-k8s-mp", "mp-udn-vrf", "mpx-udn-vrf", "default", "lo0"] {
        let network = format!("cluster_udn_{name}");
        check(Features::default(), &[&a, &cudn(name, "10.1.0.0/16")], &[&network], &[]);
    }
}

#[test]
fn a_layer3_network_is_told_what_it_overlaps() {
    let config = |subnets: &str| {
        format!(r#""name":"deep","topology":"layer3","role":"primary","subnets":"{subnets}""#)
    };
    let subject = "NetworkAttachmentDefinition a/n";
    let a = namespace("a", true);
    check(Features::default(), &[&a, &nad("a/n", "", &config("10.1.0.0/16/24"))], &["deep"], &[]);
    for (subnet, other) in [
        ("100.88.0.0/17", "transit subnet 100.88.0.0/16"),
        ("fd97::/48", "transit subnet fd97::/64"),
        ("10.128.0.0/16", "cluster subnet 10.128.0.0/14"),
        ("172.30.0.0/23", "service subnet 172.30.0.0/16"),
        ("100.64.0.0/23", "default network's join subnet 100.64.0.0/16"),
        ("169.254.0.0/23", "masquerade subnet 169.254.0.0/17"),
        ("100.65.0.0/17", "network's own join subnet 100.65.0.0/16"),
    ] {
        let overlap = format!(
            "{subject}: SubnetOverlap: spec.config: subnet {subnet} overlaps the {other}; choose another"
        );
        let net = nad("a/n", "", &config(subnet));
        check(Features::default(), &[&a, &net], &[], &[&overlap]);
    }
    let wide = "{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, metadata: {name: red}, \
                spec: {namespaceSelector: {}, network: {topology: Layer3, layer3: {role: Primary, \
                subnets: [{cidr: 100.88.0.0/17}]}}}}";
    let told = "ClusterUserDefinedNetwork red: SubnetOverlap: spec.network.layer3.subnets[0].cidr: subnet \
                100.88.0.0/17 overlaps the transit subnet 100.88.0.0/16; choose another";
    check(Features::default(), &[&a, wide], &[], &[told]);
}

#[test]
fn a_nad_that_cannot_be_read_is_told_and_harms_nobody() {
    let broken = nad("a/broken", "", r#""name":"x","topology":"layer2""#).replace("}'}", "'}");
    let other = nad("a/good", "", r#""name":"flat","topology":"layer2""#);
    let settings = ClusterSettings::default();
    let result = cluster(&world(&[&namespace("a", false), &broken, &other]), &settings);
    let told = told(&result);
    assert_eq!(told.len(), 1);
    let start = "NetworkAttachmentDefinition a/broken: InvalidConfig: spec.config: the configuration \
                 cannot be read: ";
    assert!(told[0].starts_with(start), "{told:?}");
    assert!(told[0].ends_with("; write it as JSON, as CNI has it"), "{told:?}");
    assert_eq!(result.value.networks.len(), 1);
}
