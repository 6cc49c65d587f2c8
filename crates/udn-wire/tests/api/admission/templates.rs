//! Objects that the server accepts, from which all requests of the test are made.
//!
//! Invariant: every template is valid, and together they use every field of the CRDs' specs.

use serde_json::{Value, json};

/// A valid object with a name of its own.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) name: &'static str,
    /// Where edits begin, as a JSON pointer.
    pub(crate) root: &'static str,
    pub(crate) object: Value,
}

/// All of them; networks of Layer2 and Layer3 both as a UDN and as a CUDN.
pub(crate) fn templates() -> Vec<Template> {
    let mut all = Vec::new();
    for (name, network) in shared_networks() {
        let spec = network.clone();
        let object = object("k8s.ovn.org/v1", "UserDefinedNetwork", "ns", name, spec);
        all.push(Template { name, root: "/spec", object });
        all.push(cluster_network(name, network, &json!({})));
    }
    for (name, network) in cluster_networks() {
        all.push(cluster_network(name, network, &json!({})));
    }
    let (name, network) = shared_networks().remove(0);
    assert_eq!(name, "layer2-primary", "uplinks are for a primary network");
    all.push(cluster_network("uplink", network, &json!({ "uplinks": ["blue-uplink"] })));
    all.extend(others());
    all
}

fn cluster_network(name: &'static str, network: Value, more: &Value) -> Template {
    let mut spec = json!({
        "namespaceSelector": {
            "matchLabels": { "team": "blue" },
            "matchExpressions": [{ "key": "stage", "operator": "In", "values": ["test", "run"] }],
        },
        "network": network,
    });
    let fields = spec.as_object_mut().expect("it was made as an object");
    fields.extend(more.as_object().expect("it was made as an object").clone());
    let object = object("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", name, spec);
    Template { name, root: "/spec/network", object }
}

fn object(api_version: &str, kind: &str, namespace: &str, name: &str, spec: Value) -> Value {
    let mut metadata = json!({ "name": name, "labels": { "made-by": "test" } });
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec })
}

fn shared_networks() -> Vec<(&'static str, Value)> {
    vec![
        (
            "layer2-primary",
            json!({ "topology": "Layer2", "layer2": {
                "role": "Primary",
                "mtu": 1400,
                "subnets": ["10.20.0.0/16", "fd20::/48"],
                "reservedSubnets": ["10.20.200.0/24", "10.20.201.0/28", "fd20::ff00/120"],
                "infrastructureSubnets": ["10.20.0.0/30", "10.20.1.0/30", "fd20::/126"],
                "defaultGatewayIPs": ["10.20.0.2", "fd20::2"],
                "joinSubnets": ["100.70.0.0/16", "fd98::/64"],
                "ipam": { "mode": "Enabled", "lifecycle": "Persistent" },
            }}),
        ),
        (
            "layer2-secondary",
            json!({ "topology": "Layer2", "layer2": {
                "role": "Secondary", "subnets": ["10.21.0.0/16"],
            }}),
        ),
        (
            "layer2-unmanaged",
            json!({ "topology": "Layer2", "layer2": {
                "role": "Secondary", "mtu": 9000, "ipam": { "mode": "Disabled" },
            }}),
        ),
        (
            "layer3-primary",
            json!({ "topology": "Layer3", "layer3": {
                "role": "Primary",
                "mtu": 1400,
                "subnets": [
                    { "cidr": "10.30.0.0/16", "hostSubnet": 24 },
                    { "cidr": "10.31.0.0/16", "hostSubnet": 24 },
                    { "cidr": "fd30::/48", "hostSubnet": 64 },
                    { "cidr": "fd31::/48", "hostSubnet": 64 },
                ],
                "joinSubnets": ["100.71.0.0/16"],
            }}),
        ),
        (
            "layer3-secondary",
            json!({ "topology": "Layer3", "layer3": {
                "role": "Secondary", "subnets": [{ "cidr": "10.32.0.0/16" }, { "cidr": "fd32::/48" }],
            }}),
        ),
    ]
}

fn cluster_networks() -> Vec<(&'static str, Value)> {
    let plain = |role: &str| json!({ "role": role, "subnets": [{ "cidr": "10.50.0.0/16" }] });
    vec![
        (
            "localnet",
            json!({ "topology": "Localnet", "localnet": {
                "role": "Secondary",
                "physicalNetworkName": "tenantblue",
                "mtu": 9000,
                "vlan": { "mode": "Access", "access": { "id": 200 } },
                "subnets": ["192.168.100.0/24", "2001:dbb::/64"],
                "excludeSubnets": ["192.168.100.1/32", "192.168.100.128/28", "2001:dbb::/128"],
                "ipam": { "mode": "Enabled", "lifecycle": "Persistent" },
            }}),
        ),
        (
            "localnet-unmanaged",
            json!({ "topology": "Localnet", "localnet": {
                "role": "Secondary", "physicalNetworkName": "x", "ipam": { "mode": "Disabled" },
            }}),
        ),
        (
            "no-overlay",
            json!({
                "topology": "Layer3", "layer3": plain("Primary"), "transport": "NoOverlay",
                "noOverlay": { "outboundSNAT": "Enabled", "routing": "Managed" },
            }),
        ),
        (
            "evpn2",
            json!({
                "topology": "Layer2", "transport": "EVPN",
                "layer2": { "role": "Primary", "subnets": ["10.51.0.0/16"] },
                "evpn": {
                    "vtep": "vtep",
                    "macVRF": { "vni": 100, "routeTarget": "65000:100" },
                    "ipVRF": { "vni": 101, "routeTarget": "10.0.0.1:101" },
                },
            }),
        ),
        (
            "evpn3",
            json!({
                "topology": "Layer3", "layer3": plain("Primary"), "transport": "EVPN",
                "evpn": { "vtep": "vtep", "ipVRF": { "vni": 7, "routeTarget": "*:4294967295" } },
            }),
        ),
    ]
}

fn others() -> Vec<Template> {
    let claim =
        json!({ "network": "ns_blue", "interface": "", "ipRequest": ["10.0.0.5", "fd00::5"] });
    let claim = object("k8s.cni.cncf.io/v1alpha1", "IPAMClaim", "ns", "claim", claim);
    let config = json!({ "config": "{\"cniVersion\":\"1.1.0\"}" });
    let kind = "NetworkAttachmentDefinition";
    let nad = object("k8s.cni.cncf.io/v1", kind, "ns", "nad", config);
    let mut report = object("k8s.ovn.org/v1alpha1", "NodeNetworkReport", "", "node-1", json!({}));
    report.as_object_mut().expect("it was made as an object").remove("spec");
    vec![
        Template { name: "claim", root: "/spec", object: claim },
        Template { name: "nad", root: "/spec", object: nad },
        Template { name: "report", root: "", object: report },
    ]
}
