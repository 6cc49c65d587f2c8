//! Changes of objects that stand already: those allowed, and those that no longer are.
//!
//! Invariant: the table is data; what the server says to each of them is not written here.

use super::breaches::Breach;

/// Changes of a standing template.
#[rustfmt::skip]
pub(crate) const UPDATES: &[Breach] = &[
    // Two fields, of which the server meets either first.
    ("layer2-unmanaged", &[("layer2.role", r#""Primary""#), ("layer2.mtu", "1.0")]),
    // allowed
    ("layer2-primary", &[("/metadata.labels.more", r#""yes""#)]),
    ("layer3-primary", &[("layer3.subnets", r#"+{"cidr":"10.33.0.0/16","hostSubnet":24}"#)]),
    ("layer3-primary", &[("layer3.subnets", r#"[{"cidr":"fd31::/48","hostSubnet":64},{"cidr":"fd30::/48","hostSubnet":64},{"cidr":"10.31.0.0/16","hostSubnet":24},{"cidr":"10.30.0.0/16","hostSubnet":24}]"#)]),
    ("localnet", &[("/spec.namespaceSelector", "{}")]),
    ("localnet", &[("/spec.namespaceSelector.matchLabels.team", r#""red""#)]),
    ("evpn2", &[("evpn.macVRF.vni", "200")]),
    ("evpn2", &[("evpn.vtep", r#""other""#)]),
    ("evpn2", &[("evpn.ipVRF", "-")]),
    ("evpn2", &[("evpn.macVRF.routeTarget", "-")]),
    ("claim", &[("ipRequest", "-")]),
    ("claim", &[("interface", r#""net1""#)]),
    ("nad", &[("config", r#""{}""#)]),
    ("report", &[("/metadata.annotations", r#"{"a":"b"}"#)]),
    // refused
    ("layer2-primary", &[("topology", r#""Layer3""#)]),
    ("layer2-primary", &[("topology", r#""Layer3""#), ("layer2", "-"), ("layer3", r#"{"role":"Primary","subnets":[{"cidr":"10.0.0.0/16"}]}"#)]),
    ("layer2-primary", &[("layer2.mtu", "1300")]),
    ("layer2-primary", &[("layer2.mtu", "-")]),
    ("layer2-secondary", &[("layer2.mtu", "1300")]),
    ("layer2-primary", &[("layer2.role", r#""Secondary""#)]),
    ("layer2-primary", &[("layer2.defaultGatewayIPs", r#"["10.20.0.1","fd20::2"]"#)]),
    ("layer2-primary", &[("layer2.defaultGatewayIPs", "-")]),
    ("layer2-primary", &[("layer2.infrastructureSubnets", "-")]),
    ("layer2-primary", &[("layer2.infrastructureSubnets", r#"+"10.20.9.0/30""#)]),
    ("layer2-primary", &[("layer2.reservedSubnets", r#"["10.20.200.0/24"]"#)]),
    ("layer2-primary", &[("layer2.subnets", r#"["10.20.0.0/16"]"#)]),
    ("layer2-primary", &[("layer2", "-")]),
    ("layer3-primary", &[("layer3.mtu", "1300")]),
    ("layer3-primary", &[("layer3.mtu", "-")]),
    ("layer3-secondary", &[("layer3.mtu", "1300")]),
    ("layer3-primary", &[("layer3.joinSubnets", "-")]),
    ("layer3-primary", &[("layer3.joinSubnets", r#"["100.72.0.0/16"]"#)]),
    ("no-overlay", &[("layer3.joinSubnets", r#"["100.72.0.0/16"]"#)]),
    ("layer3-primary", &[("layer3.role", r#""Secondary""#)]),
    ("layer3-primary", &[("layer3.subnets.0", "-")]),
    ("layer3-primary", &[("layer3.subnets.0.hostSubnet", "25"), ("layer3.subnets.1.hostSubnet", "25")]),
    ("layer3-primary", &[("layer3.subnets.0.hostSubnet", "-"), ("layer3.subnets.1.hostSubnet", "-")]),
    ("layer3-secondary", &[("layer3.subnets.0.cidr", r#""10.99.0.0/16""#)]),
    ("layer3-secondary", &[("layer3.subnets.1", "-")]),
    ("localnet", &[("localnet.mtu", "1500")]),
    ("localnet", &[("localnet.mtu", "-")]),
    ("localnet", &[("localnet.vlan", "-")]),
    ("localnet", &[("localnet.vlan.access.id", "201")]),
    ("localnet", &[("localnet.physicalNetworkName", r#""other""#)]),
    ("localnet", &[("localnet.excludeSubnets", "-")]),
    ("localnet-unmanaged", &[("localnet.vlan", r#"{"mode":"Access","access":{"id":3}}"#)]),
    ("no-overlay", &[("transport", "-")]),
    ("no-overlay", &[("transport", "-"), ("noOverlay", "-")]),
    ("no-overlay", &[("noOverlay.outboundSNAT", r#""Disabled""#)]),
    ("no-overlay", &[("transport", r#""EVPN""#), ("noOverlay", "-"), ("evpn", r#"{"vtep":"v","ipVRF":{"vni":3}}"#)]),
    ("layer2-primary", &[("transport", r#""EVPN""#), ("evpn", r#"{"vtep":"v","macVRF":{"vni":3}}"#)]),
    ("layer2-primary", &[("/spec.uplinks", r#"["a"]"#)]),
    ("uplink", &[("/spec.uplinks", "-")]),
    ("uplink", &[("/spec.uplinks", r#"["red-uplink"]"#)]),
    ("localnet", &[("localnet.mtu", "100")]),
    ("localnet", &[("localnet.role", "-")]),
    ("evpn2", &[("evpn.macVRF.vni", "101")]),
];

/// Reports of nodes, good and bad, which go to the status.
pub(crate) const STATUSES: &[(&str, &str)] = &[
    (
        "report",
        r#"{"physicalNetworks":[{"name":"a","bridge":"br-a","mtu":1500,"vlans":[{"first":1,"last":9}]}],"programmedUpTo":"7","notProgrammedCount":1,"notProgrammed":[{"network":"x","reason":"Waiting","message":"m"}]}"#,
    ),
    (
        "report",
        r#"{"physicalNetworks":[{"name":"a","bridge":"br-a"},{"name":"a","bridge":"br-b"}]}"#,
    ),
    (
        "report",
        r#"{"physicalNetworks":[{"name":"a","bridge":"br-a","vlans":[{"first":9,"last":1}]}]}"#,
    ),
    (
        "report",
        r#"{"physicalNetworks":[{"name":"a","bridge":"br-a","vlans":[{"first":0,"last":5000}]}]}"#,
    ),
    ("report", r#"{"physicalNetworks":[{"bridge":"br-a"}],"unknown":1}"#),
    ("report", r#"{"notProgrammedCount":-1}"#),
    (
        "layer2-primary",
        r#"{"conditions":[{"type":"Ready","status":"True","reason":"Programmed","message":"","lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1}],"networkID":3,"tunnelKeys":[16711685],"transitSubnets":["100.88.0.0/16"],"nodes":{"total":2,"ready":1,"notReady":1,"problems":[{"node":"b","reason":"Waiting","message":"m"}]}}"#,
    ),
    (
        "layer2-primary",
        r#"{"conditions":[{"type":"Ready","status":"true","reason":"","message":"","lastTransitionTime":"yesterday"}]}"#,
    ),
    (
        "layer2-primary",
        r#"{"conditions":[{"type":"Ready","status":"True","reason":"A","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Ready","status":"False","reason":"B","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}"#,
    ),
    ("layer2-primary", r#"{"nodes":{"total":2}}"#),
    ("claim", r#"{"ips":["10.0.0.5/24"],"ownerPod":{"name":"p"}}"#),
    ("claim", r#"{"ips":"10.0.0.5/24","ownerPod":{}}"#),
];
