//! A remedy for each message of a rule.
//!
//! Invariant: a message appears once, spelled as in `deploy/`.

const NEW_NETWORK: &str = "write the former value again; a network with another one needs another \
                           name";
const FAMILIES: &str = "give one of IPv4 and one of IPv6, such as 10.128.0.0/16 and fd00:10::/64, or \
                        leave one out";
const IPV6_MTU: &str = "write an mtu of at least 1280, which is the least that IPv6 works with, or take \
                        the IPv6 subnet out";
const PRIMARY_ONLY: &str =
    "remove this field, or make the network a primary one with `role: Primary`";
const NEEDS_SUBNETS: &str = "remove this field, or add the `subnets` that it is a part of";
const INSIDE: &str = "use parts of the networks in `subnets`, or widen `subnets`";
const NO_OVERLAP: &str = "leave out the entries that another entry contains already";
const MASKED: &str =
    "set all bits after the prefix length to zero: 10.0.0.0/24 instead of 10.0.0.5/24";
const ROUTE_TARGET: &str = "write a route target such as 65000:100, 192.0.2.1:100 or *:100";

/// What a rule says that wants a field at times and forbids it at others; what to do if the field is
/// missing, and if it is there.
#[rustfmt::skip]
pub(super) const EITHER: &[(&str, &str, &str)] = &[
    ("spec.layer2 is required when topology is Layer2 and forbidden otherwise",
     "add `layer2` with what the network is like, or choose another `topology`",
     "remove `layer2`, or write `topology: Layer2`"),
    ("spec.layer3 is required when topology is Layer3 and forbidden otherwise",
     "add `layer3` with what the network is like, or choose another `topology`",
     "remove `layer3`, or write `topology: Layer3`"),
    ("spec.localnet is required when topology is Localnet and forbidden otherwise",
     "add `localnet` with what the network is like, or choose another `topology`",
     "remove `localnet`, or write `topology: Localnet`"),
    ("Subnets is required with ipam.mode is Enabled or unset, and forbidden otherwise",
     "add `subnets`, from which addresses are handed out, or write `ipam: {mode: Disabled}`",
     "remove `subnets`, since no addresses are handed out, or remove `mode: Disabled`"),
    ("vlan access config is required when vlan mode is 'Access', and forbidden otherwise",
     "add `access: {id: 100}` with the VLAN of the network, from 1 to 4094",
     "remove `access`, or write `mode: Access`"),
];

/// What a rule says, and what to do about it.
#[rustfmt::skip]
pub(super) const REMEDIES: &[(&str, &str)] = &[
    ("CIDR is invalid",
     "write an address and a prefix length without leading zeros, such as 10.128.0.0/16 or fd00:10::/64"),
    ("IP is invalid",
     "write one address without a prefix length and without leading zeros, such as 10.128.0.1 or fd00:10::1"),
    ("When 2 CIDRs are set, they must be from different IP families", FAMILIES),
    ("When 2 CIDRs are set for Secondary networks, they must be from different IP families", FAMILIES),
    ("When 2 IPs are set, they must be from different IP families",
     "give one IPv4 and one IPv6 address, or leave one out"),

    ("Subnets is required with ipam.mode is Enabled or unset",
     "add `subnets`, from which addresses are handed out, or set `ipam.mode: Disabled` on a secondary network"),
    ("Subnets must be unset when ipam.mode is Disabled",
     "remove `subnets`, since no addresses are handed out, or remove `ipam.mode: Disabled`"),
    ("Disabled ipam.mode is only supported for Secondary network",
     "remove `ipam.mode: Disabled`: pods of a primary network get their addresses from it; or make the network \
      a secondary one with `role: Secondary`"),
    ("lifecycle Persistent is only supported when ipam.mode is Enabled",
     "remove `lifecycle`, since no addresses are handed out that could be kept, or remove `mode: Disabled`"),

    ("MTU should be greater than or equal to 1280 when IPv6 subnet is used", IPV6_MTU),
    ("MTU should be greater than or equal to 1280 when an IPv6 subnet is used", IPV6_MTU),

    ("JoinSubnets is only supported for Primary network", PRIMARY_ONLY),
    ("defaultGatewayIPs is only supported for Primary network", PRIMARY_ONLY),
    ("reservedSubnets is only supported for Primary network", PRIMARY_ONLY),
    ("infrastructureSubnets is only supported for Primary network", PRIMARY_ONLY),

    ("defaultGatewayIPs must belong to one of the subnets specified in the subnets field",
     "choose gateway addresses inside of `subnets`, or remove them and let the first address of each subnet serve"),
    ("defaultGatewayIPs must be specified for all IP families",
     "give as many gateway addresses as there are subnets, one for each"),
    ("defaultGatewayIPs have to belong to infrastructureSubnets",
     "choose gateway addresses inside of `infrastructureSubnets`, or widen those"),

    ("reservedSubnets must be unset when subnets is unset", NEEDS_SUBNETS),
    ("infrastructureSubnets must be unset when subnets is unset", NEEDS_SUBNETS),
    ("excludeSubnets must be unset when subnets is unset", NEEDS_SUBNETS),
    ("reservedSubnets must be subnetworks of the networks specified in the subnets field", INSIDE),
    ("infrastructureSubnets must be subnetworks of the networks specified in the subnets field", INSIDE),
    ("excludeSubnets must be subnetworks of the networks specified in the subnets field", INSIDE),
    ("reservedSubnets must be a masked network address (no host bits set)", MASKED),
    ("infrastructureSubnets must be a masked network address (no host bits set)", MASKED),
    ("reservedSubnets must not overlap or contain each other", NO_OVERLAP),
    ("infrastructureSubnets must not overlap or contain each other", NO_OVERLAP),
    ("infrastructureSubnets and reservedSubnets must not overlap",
     "take addresses that both lists name out of one of them"),

    ("HostSubnet must < 32 for ipv4 CIDR", "write a prefix length of at most 31; 24 gives each node 256 addresses"),
    ("HostSubnet must be 64 for ipv6 CIDR", "write 64, or leave the field out"),
    ("HostSubnet must be smaller than CIDR subnet",
     "write a prefix length that is larger than the one of the CIDR, so that each node gets a part of it"),
    ("Subnets from the same IP family must use the same hostSubnet value",
     "give all IPv4 subnets the same hostSubnet, and all IPv6 subnets too"),
    ("Secondary networks may define at most 2 subnets",
     "give one IPv4 and one IPv6 subnet at most, or make the network a primary one with `role: Primary`"),
    ("Subnets must not overlap or contain each other",
     "leave out the subnets that another one contains already"),
    ("Subnets with same CIDR are not allowed", "remove the subnet that is given a second time"),
    ("Removing existing subnets is not allowed",
     "keep the former subnets: pods may have addresses of them; new ones may be added"),
    ("hostSubnet is immutable", "write the former hostSubnet again; nodes have their parts already"),
    ("Subnets is immutable for Secondary role", NEW_NETWORK),

    ("Topology is immutable", NEW_NETWORK),
    ("Layer2 is immutable", NEW_NETWORK),
    ("Localnet is immutable", NEW_NETWORK),
    ("Transport is immutable", NEW_NETWORK),
    ("NoOverlay is immutable", NEW_NETWORK),
    ("role is immutable", NEW_NETWORK),
    ("mtu is immutable", "set it as it was, or leave it out as it was; a network with another mtu needs another name"),
    ("joinSubnets is immutable",
     "set it as it was, or leave it out as it was; a network with other join subnets needs another name"),
    ("uplinks is immutable",
     "set it as it was, or leave it out as it was; a network with another uplink needs another name"),

    ("physicalNetworkName cannot contain `,` or `:` characters",
     "write the name as it stands in the nodes' bridge mappings, where `,` and `:` separate names"),

    ("transport 'NoOverlay' is only supported for Layer3 primary networks",
     "remove `transport`, or make the network a Layer3 one with `role: Primary`"),
    ("transport 'EVPN' is only supported for Layer2 or Layer3 primary networks",
     "remove `transport` and `evpn`, or make the network a primary one with `role: Primary`"),
    ("spec.noOverlay is required when type transport is 'NoOverlay'",
     "add `noOverlay`, which says how routes get to the other nodes, or remove `transport`"),
    ("spec.noOverlay is forbidden when transport type is not 'NoOverlay'",
     "remove `noOverlay`, or set `transport: NoOverlay`"),
    ("spec.evpn field is required when transport is 'EVPN'", "add `evpn`, or remove `transport`"),
    ("spec.evpn field is forbidden when transport is not 'EVPN'", "remove `evpn`, or set `transport: EVPN`"),
    ("spec.evpn.macVRF field is required for Layer2 topology when transport is 'EVPN'",
     "add `macVRF` with a VNI below `evpn`"),
    ("spec.evpn.ipVRF field is required for Layer3 topology when transport is 'EVPN'",
     "add `ipVRF` with a VNI below `evpn`"),
    ("spec.evpn.macVRF field is forbidden for Layer3 topology when transport is 'EVPN'",
     "remove `macVRF`: nodes of a Layer3 network share no layer 2"),
    ("at least one of macVRF or ipVRF must be specified", "add `macVRF` for Layer2, or `ipVRF` for Layer3"),
    ("macVRF and ipVRF must use different VNIs", "choose another VNI for one of the two"),
    ("RT must contain exactly one colon", ROUTE_TARGET),
    ("RT global administrator must be either '*', an IPv4 address, or a number", ROUTE_TARGET),
    ("RT local administrator must be a number", ROUTE_TARGET),
    ("RT with wildcard global administrator must have format *:OPQR where OPQR <= 4294967295",
     "write a number of at most 4294967295 after the colon"),
    ("RT with IPv4 global administrator must have format A.B.C.D:MN where MN <= 65535",
     "write a number of at most 65535 after the colon"),
    ("RT with 4-byte ASN global administrator must have format GHJK:MN where GHJK <= 4294967295 and MN <= 65535",
     "write a number of at most 4294967295 before the colon and one of at most 65535 after it"),
    ("RT with 2-byte ASN global administrator must have format EF:OPQR where EF <= 65535 and OPQR <= 4294967295",
     "write a number of at most 65535 before the colon and one of at most 4294967295 after it"),
    ("spec.uplinks is supported only for primary Layer2 and Layer3 networks",
     "remove `uplinks`; a localnet names its own way out with `physicalNetworkName`"),
    ("spec.uplinks is not supported with EVPN transport", "remove `uplinks`, or `transport: EVPN`"),

    ("first must not be greater than last", "exchange `first` and `last`"),

    ("The 'k8s.ovn.org/primary-user-defined-network' label cannot be added/removed after the namespace was created",
     "leave the label as it was, or make a new namespace"),
    ("The 'v1.multus-cni.io/default-network' annotation cannot be changed after the pod was created",
     "leave the annotation as it was, or make a new pod"),

    ("A node agent neither creates nor deletes Nodes", "let kubelets and administrators do that"),
    ("A node agent may change annotations of its Node only", "leave all else of the Node to its owners"),
    ("A node agent neither creates nor deletes pods", "let controllers, kubelets and users do that"),
    ("A node agent may change the addresses of pods only", "leave all else of the pod to its owners"),
];
