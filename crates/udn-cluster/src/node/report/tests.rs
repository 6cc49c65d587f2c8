//! What a node writes about itself, text by text.

use udn_model::{ChassisName, Gateway, GatewayMode, NodeName};

use super::{NodeReport, node_report};

#[test]
fn a_node_tells_what_others_need() {
    let report = NodeReport {
        node: NodeName::new("node1"),
        chassis: ChassisName::new("c1"),
        gateway: Some(Gateway {
            bridge: "br-ex".to_owned(),
            mac: "02:42:ac:12:00:03".parse().unwrap(),
            addresses: vec!["172.18.0.3/16".parse().unwrap()],
            next_hops: vec!["172.18.0.1".parse().unwrap()],
            vlan: None,
            serves_node_ports: true,
        }),
        gateway_mode: GatewayMode::Local,
        addresses: vec!["172.18.0.3/16".parse().unwrap(), "10.0.0.1/8".parse().unwrap()],
        tunnel_addresses: vec!["172.18.0.3".parse().unwrap()],
    };
    let told = node_report(&report);
    let told: Vec<(&str, &str)> = told.iter().map(|(key, text)| (&**key, &**text)).collect();
    let want = [
        ("k8s.ovn.org/host-cidrs", r#"["10.0.0.1/8","172.18.0.3/16"]"#),
        (
            "k8s.ovn.org/l3-gateway-config",
            r#"{"default":{"mode":"local","bridge-id":"br-ex","interface-id":"br-ex_node1","mac-address":"02:42:ac:12:00:03","ip-addresses":["172.18.0.3/16"],"ip-address":"172.18.0.3/16","next-hops":["172.18.0.1"],"next-hop":"172.18.0.1","node-port-enable":"true","vlan-id":"0"}}"#,
        ),
        ("k8s.ovn.org/layer2-topology-version", "2.0"),
        ("k8s.ovn.org/node-chassis-id", "c1"),
        ("k8s.ovn.org/node-encap-ips", r#"["172.18.0.3"]"#),
        ("k8s.ovn.org/node-primary-ifaddr", r#"{"ipv4":"172.18.0.3/16"}"#),
    ];
    assert_eq!(told, want);
    let silent = node_report(&NodeReport { gateway: None, ..report });
    assert_eq!(silent["k8s.ovn.org/l3-gateway-config"], r#"{"default":{"mode":""}}"#);
    assert_eq!(silent["k8s.ovn.org/node-primary-ifaddr"], "{}");
}
