//! The wire's own names: kinds of NADs, annotations, labels, finalizers.
//!
//! Invariant: a name that crosses the wire is spelled here and nowhere else.

/// The CNI plugin whose NADs are networks of ours.
// compat: pkg/cni/types/types.go, the CNI type
pub const CNI_TYPE: &str = "ovn-k8s-cni-overlay";
// compat: pkg/config/config.go, CNISpecVersion
pub const CNI_VERSION: &str = "1.1.0";

/// Annotations that begin so belong to the networks' controllers, not to the users.
pub const PREFIX: &str = "k8s.ovn.org";

/// On a namespace: its pods' main network is a user-defined one. The value does not matter.
// compat: pkg/types/const.go, RequiredUDNNamespaceLabel
pub const PRIMARY_LABEL: &str = "k8s.ovn.org/primary-user-defined-network";
/// On a NAD: made for a UDN or a CUDN.
pub const MADE_LABEL: &str = "k8s.ovn.org/user-defined-network";
/// On a NAD: its maker has a say in when it goes.
pub const FINALIZER: &str = "k8s.ovn.org/user-defined-network-protection";

// compat: pkg/types/const.go and pkg/networkmanager/nad_controller.go
pub const NETWORK_NAME: &str = "k8s.ovn.org/network-name";
pub const NETWORK_ID: &str = "k8s.ovn.org/network-id";
pub const TUNNEL_KEYS: &str = "k8s.ovn.org/tunnel-keys";

// compat: pkg/util/node_annotations.go
pub const NODE_ID: &str = "k8s.ovn.org/node-id";
/// The zone that a node says it is in: its own name, or nothing.
pub const NODE_ZONE: &str = "k8s.ovn.org/zone-name";
/// The node's addresses on the default network's transit switch.
pub const NODE_TRANSIT_ADDRESS: &str = "k8s.ovn.org/node-transit-switch-port-ifaddr";
/// The node's subnets on layer-3 networks and on the default network.
// compat: pkg/util/subnet_annotations.go, ovnNodeSubnets
pub const NODE_SUBNETS: &str = "k8s.ovn.org/node-subnets";
/// Was the node's addresses on join switches, which follow from its number today.
pub const NODE_JOIN_LEGACY: &str = "k8s.ovn.org/node-gateway-router-lrp-ifaddrs";
pub const NODE_CHASSIS: &str = "k8s.ovn.org/node-chassis-id";
pub const NODE_GATEWAY: &str = "k8s.ovn.org/l3-gateway-config";
pub const NODE_HOST_CIDRS: &str = "k8s.ovn.org/host-cidrs";
pub const NODE_PRIMARY_ADDRESS: &str = "k8s.ovn.org/node-primary-ifaddr";
pub const NODE_ENCAP_IPS: &str = "k8s.ovn.org/node-encap-ips";
/// The addresses that the node uses towards itself.
pub const NODE_MASQUERADE: &str = "k8s.ovn.org/node-masquerade-subnet";
pub const NODE_LAYER2_VERSION: &str = "k8s.ovn.org/layer2-topology-version";

/// On a node: it has the physical network whose name follows. The value is empty.
pub const PHYSICAL_NETWORK_LABEL: &str = "physical-network.k8s.ovn.org/";

// compat: pkg/util/pod_annotation.go
pub const POD_NETWORKS: &str = "k8s.ovn.org/pod-networks";
/// What the user asks for on the main network: addresses, a MAC, a claim.
// compat: Multus, the default network's own selection
pub const DEFAULT_SELECTION: &str = "v1.multus-cni.io/default-network";
/// Deprecated: the claim of the main network.
pub const PRIMARY_CLAIM: &str = "k8s.ovn.org/primary-udn-ipamclaim";
/// On a claim: the MAC that goes with its addresses.
pub const CLAIM_MAC: &str = "k8s.ovn.org/ipamclaim-mac";
/// The condition of a claim that says whether it has addresses.
// compat: k8snetworkplumbingwg/ipamclaims, the conditions of v1alpha1
pub const IPS_ALLOCATED: &str = "IPsAllocated";
/// On a pod: a virtual machine runs in it.
// compat: kubevirt.io/api/core/v1, AppLabel
pub const LAUNCHER_LABEL: &str = "kubevirt.io";
pub const LAUNCHER: &str = "virt-launcher";
/// On such a pod, as an annotation and in some versions as a label: the machine's name.
// compat: kubevirt.io/api/core/v1, DomainAnnotation
pub const MACHINE_NAME: &str = "kubevirt.io/domain";
/// What the user asks for besides the main network.
pub const SELECTION: &str = "k8s.v1.cni.cncf.io/networks";
/// On a pod: what it opens of its port on the default network, if its main network is another.
// compat: pkg/util/util.go, UDNOpenPortsAnnotationName
pub const OPEN_PORTS: &str = "k8s.ovn.org/open-default-ports";
/// The annotations of pods that are read, besides KubeVirt's.
pub const POD_KEYS: [&str; 8] = [
    POD_NETWORKS,
    DEFAULT_SELECTION,
    PRIMARY_CLAIM,
    SELECTION,
    OPEN_PORTS,
    INGRESS_BANDWIDTH,
    EGRESS_BANDWIDTH,
    STATIC_POD_HASH,
];

/// How much a pod may receive, as Kubernetes' quantity of bits per second.
pub const INGRESS_BANDWIDTH: &str = "kubernetes.io/ingress-bandwidth";
/// How much a pod may send.
pub const EGRESS_BANDWIDTH: &str = "kubernetes.io/egress-bandwidth";
/// What kubelets take for the uid of a pod that they started from a file.
// compat: kubelet, pkg/kubelet/types/pod_update.go, ConfigHashAnnotationKey
pub const STATIC_POD_HASH: &str = "kubernetes.io/config.hash";

/// Labels and annotations that most objects of a kind have.
pub const FREQUENT: [&str; 7] = [
    POD_NETWORKS,
    NETWORK_NAME,
    NETWORK_ID,
    TUNNEL_KEYS,
    MADE_LABEL,
    PRIMARY_LABEL,
    // compat: k8s.io/api/core/v1, LabelMetadataName: every namespace has it
    "kubernetes.io/metadata.name",
];

/// Where a NAD describes its network.
pub const CONFIG_PATH: &str = "spec.config";

/// The name of a network that a UDN asks for.
// compat: pkg/util/multi_network.go, GenerateUDNNetworkName
pub fn udn_network(namespace: &str, name: &str) -> String {
    format!("{namespace}_{name}")
}

/// The name of a network that a CUDN asks for.
// compat: pkg/util/multi_network.go, GenerateCUDNNetworkName
pub fn cudn_network(name: &str) -> String {
    format!("cluster_udn_{name}")
}
