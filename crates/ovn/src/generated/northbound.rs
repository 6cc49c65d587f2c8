//! Tables of `OVN_Northbound` 7.11.0, written by `cargo xtask gen`; do not edit.
//!
//! Invariant: [`DATABASE`] is the schema this file was written from.

use crate::prelude::*;

/// The whole database.
pub static DATABASE: DatabaseDef = DatabaseDef {
    name: "OVN_Northbound",
    version: "7.11.0",
    tables: &[
        <Acl as Record>::TABLE,
        <AddressSet as Record>::TABLE,
        <Bfd as Record>::TABLE,
        <ChassisTemplateVar as Record>::TABLE,
        <Connection as Record>::TABLE,
        <Copp as Record>::TABLE,
        <DhcpOptions as Record>::TABLE,
        <DhcpRelay as Record>::TABLE,
        <Dns as Record>::TABLE,
        <ForwardingGroup as Record>::TABLE,
        <GatewayChassis as Record>::TABLE,
        <HaChassis as Record>::TABLE,
        <HaChassisGroup as Record>::TABLE,
        <LoadBalancer as Record>::TABLE,
        <LoadBalancerGroup as Record>::TABLE,
        <LoadBalancerHealthCheck as Record>::TABLE,
        <LogicalRouter as Record>::TABLE,
        <LogicalRouterPolicy as Record>::TABLE,
        <LogicalRouterPort as Record>::TABLE,
        <LogicalRouterStaticRoute as Record>::TABLE,
        <LogicalSwitch as Record>::TABLE,
        <LogicalSwitchPort as Record>::TABLE,
        <Meter as Record>::TABLE,
        <MeterBand as Record>::TABLE,
        <Mirror as Record>::TABLE,
        <Nat as Record>::TABLE,
        <NbGlobal as Record>::TABLE,
        <PortGroup as Record>::TABLE,
        <QoS as Record>::TABLE,
        <Ssl as Record>::TABLE,
        <Sample as Record>::TABLE,
        <SampleCollector as Record>::TABLE,
        <SamplingApp as Record>::TABLE,
        <StaticMacBinding as Record>::TABLE,
    ],
};

enumeration! {
    /// A value of `action`.
    AclAction {
        Allow = "allow",
        AllowRelated = "allow-related",
        AllowStateless = "allow-stateless",
        Drop = "drop",
        Pass = "pass",
        Reject = "reject",
    }
}

enumeration! {
    /// A value of `direction`.
    AclDirection {
        FromLport = "from-lport",
        ToLport = "to-lport",
    }
}

enumeration! {
    /// A value of `severity`.
    AclSeverity {
        Alert = "alert",
        Debug = "debug",
        Info = "info",
        Notice = "notice",
        Warning = "warning",
    }
}

/// A row of `ACL`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Acl {
    pub action: Option<AclAction>,
    pub direction: Option<AclDirection>,
    pub external_ids: BTreeMap<String, String>,
    pub label: i64,
    pub log: bool,
    pub r#match: String,
    pub meter: Option<String>,
    pub name: Option<String>,
    pub options: BTreeMap<String, String>,
    pub priority: i64,
    pub sample_est: RowRef,
    pub sample_new: RowRef,
    pub severity: Option<AclSeverity>,
    pub tier: i64,
}

impl Acl {
    pub const ACTION: Column<AclAction> = Column::new("action");
    pub const DIRECTION: Column<AclDirection> = Column::new("direction");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LABEL: Column<i64> = Column::new("label");
    pub const LOG: Column<bool> = Column::new("log");
    pub const MATCH: Column<String> = Column::new("match");
    pub const METER: Column<Option<String>> = Column::new("meter");
    pub const NAME: Column<Option<String>> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PRIORITY: Column<i64> = Column::new("priority");
    pub const SAMPLE_EST: Column<Option<Uuid>> = Column::new("sample_est");
    pub const SAMPLE_NEW: Column<Option<Uuid>> = Column::new("sample_new");
    pub const SEVERITY: Column<Option<AclSeverity>> = Column::new("severity");
    pub const TIER: Column<i64> = Column::new("tier");
}

impl Record for Acl {
    const TABLE: &'static TableDef = &TableDef {
        name: "ACL",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar(
                "action",
                BaseDef::OneOf(&[
                    "allow",
                    "allow-related",
                    "allow-stateless",
                    "drop",
                    "pass",
                    "reject",
                ]),
            ),
            ColumnDef::scalar("direction", BaseDef::OneOf(&["from-lport", "to-lport"])),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("label", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::scalar("log", BaseDef::Boolean),
            ColumnDef::scalar("match", BaseDef::String),
            ColumnDef::optional("meter", BaseDef::String),
            ColumnDef::optional("name", BaseDef::StringOf(0, 63)),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
            ColumnDef::optional("sample_est", BaseDef::Strong("Sample")),
            ColumnDef::optional("sample_new", BaseDef::Strong("Sample")),
            ColumnDef::optional(
                "severity",
                BaseDef::OneOf(&["alert", "debug", "info", "notice", "warning"]),
            ),
            ColumnDef::scalar("tier", BaseDef::IntegerIn(0, 3)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "action", &self.action);
        put(values, "direction", &self.direction);
        put(values, "external_ids", &self.external_ids);
        put(values, "label", &self.label);
        put(values, "log", &self.log);
        put(values, "match", &self.r#match);
        put(values, "meter", &self.meter);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "priority", &self.priority);
        put(values, "sample_est", &self.sample_est);
        put(values, "sample_new", &self.sample_new);
        put(values, "severity", &self.severity);
        put(values, "tier", &self.tier);
    }
}

/// A row of `Address_Set`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddressSet {
    pub addresses: BTreeSet<String>,
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
}

impl AddressSet {
    pub const ADDRESSES: Column<BTreeSet<String>> = Column::new("addresses");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const NAME: Column<String> = Column::new("name");
}

impl Record for AddressSet {
    const TABLE: &'static TableDef = &TableDef {
        name: "Address_Set",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::set("addresses", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "addresses", &self.addresses);
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
    }
}

enumeration! {
    /// A value of `status`.
    BfdStatus {
        AdminDown = "admin_down",
        Down = "down",
        Init = "init",
        Up = "up",
    }
}

/// A row of `BFD`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bfd {
    pub detect_mult: Option<i64>,
    pub dst_ip: String,
    pub external_ids: BTreeMap<String, String>,
    pub logical_port: String,
    pub min_rx: Option<i64>,
    pub min_tx: Option<i64>,
    pub options: BTreeMap<String, String>,
    pub status: Option<BfdStatus>,
}

impl Bfd {
    pub const DETECT_MULT: Column<Option<i64>> = Column::new("detect_mult");
    pub const DST_IP: Column<String> = Column::new("dst_ip");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const MIN_RX: Column<Option<i64>> = Column::new("min_rx");
    pub const MIN_TX: Column<Option<i64>> = Column::new("min_tx");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const STATUS: Column<Option<BfdStatus>> = Column::new("status");
}

impl Record for Bfd {
    const TABLE: &'static TableDef = &TableDef {
        name: "BFD",
        is_root: true,
        max_rows: None,
        indexes: &[&["dst_ip", "logical_port"]],
        columns: &[
            ColumnDef::optional("detect_mult", BaseDef::IntegerIn(1, i64::MAX)),
            ColumnDef::scalar("dst_ip", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::optional("min_rx", BaseDef::Integer),
            ColumnDef::optional("min_tx", BaseDef::IntegerIn(1, i64::MAX)),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("status", BaseDef::OneOf(&["admin_down", "down", "init", "up"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "detect_mult", &self.detect_mult);
        put(values, "dst_ip", &self.dst_ip);
        put(values, "external_ids", &self.external_ids);
        put(values, "logical_port", &self.logical_port);
        put(values, "min_rx", &self.min_rx);
        put(values, "min_tx", &self.min_tx);
        put(values, "options", &self.options);
        put(values, "status", &self.status);
    }
}

/// A row of `Chassis_Template_Var`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChassisTemplateVar {
    pub chassis: String,
    pub external_ids: BTreeMap<String, String>,
    pub variables: BTreeMap<String, String>,
}

impl ChassisTemplateVar {
    pub const CHASSIS: Column<String> = Column::new("chassis");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const VARIABLES: Column<BTreeMap<String, String>> = Column::new("variables");
}

impl Record for ChassisTemplateVar {
    const TABLE: &'static TableDef = &TableDef {
        name: "Chassis_Template_Var",
        is_root: true,
        max_rows: None,
        indexes: &[&["chassis"]],
        columns: &[
            ColumnDef::scalar("chassis", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("variables", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
        put(values, "external_ids", &self.external_ids);
        put(values, "variables", &self.variables);
    }
}

/// A row of `Connection`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Connection {
    pub external_ids: BTreeMap<String, String>,
    pub inactivity_probe: Option<i64>,
    pub is_connected: bool,
    pub max_backoff: Option<i64>,
    pub other_config: BTreeMap<String, String>,
    pub status: BTreeMap<String, String>,
    pub target: String,
}

impl Connection {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const INACTIVITY_PROBE: Column<Option<i64>> = Column::new("inactivity_probe");
    pub const IS_CONNECTED: Column<bool> = Column::new("is_connected");
    pub const MAX_BACKOFF: Column<Option<i64>> = Column::new("max_backoff");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const TARGET: Column<String> = Column::new("target");
}

impl Record for Connection {
    const TABLE: &'static TableDef = &TableDef {
        name: "Connection",
        is_root: false,
        max_rows: None,
        indexes: &[&["target"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("inactivity_probe", BaseDef::Integer),
            ColumnDef::scalar("is_connected", BaseDef::Boolean).ephemeral(),
            ColumnDef::optional("max_backoff", BaseDef::IntegerIn(1000, i64::MAX)),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::map("status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::scalar("target", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "inactivity_probe", &self.inactivity_probe);
        put(values, "is_connected", &self.is_connected);
        put(values, "max_backoff", &self.max_backoff);
        put(values, "other_config", &self.other_config);
        put(values, "status", &self.status);
        put(values, "target", &self.target);
    }
}

/// A row of `Copp`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Copp {
    pub external_ids: BTreeMap<String, String>,
    pub meters: BTreeMap<String, String>,
    pub name: String,
}

impl Copp {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const METERS: Column<BTreeMap<String, String>> = Column::new("meters");
    pub const NAME: Column<String> = Column::new("name");
}

impl Record for Copp {
    const TABLE: &'static TableDef = &TableDef {
        name: "Copp",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("meters", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "meters", &self.meters);
        put(values, "name", &self.name);
    }
}

/// A row of `DHCP_Options`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DhcpOptions {
    pub cidr: String,
    pub external_ids: BTreeMap<String, String>,
    pub options: BTreeMap<String, String>,
}

impl DhcpOptions {
    pub const CIDR: Column<String> = Column::new("cidr");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
}

impl Record for DhcpOptions {
    const TABLE: &'static TableDef = &TableDef {
        name: "DHCP_Options",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("cidr", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "cidr", &self.cidr);
        put(values, "external_ids", &self.external_ids);
        put(values, "options", &self.options);
    }
}

/// A row of `DHCP_Relay`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DhcpRelay {
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub servers: Option<String>,
}

impl DhcpRelay {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const NAME: Column<String> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const SERVERS: Column<Option<String>> = Column::new("servers");
}

impl Record for DhcpRelay {
    const TABLE: &'static TableDef = &TableDef {
        name: "DHCP_Relay",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("servers", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "servers", &self.servers);
    }
}

/// A row of `DNS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dns {
    pub external_ids: BTreeMap<String, String>,
    pub options: BTreeMap<String, String>,
    pub records: BTreeMap<String, String>,
}

impl Dns {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const RECORDS: Column<BTreeMap<String, String>> = Column::new("records");
}

impl Record for Dns {
    const TABLE: &'static TableDef = &TableDef {
        name: "DNS",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::map("records", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "options", &self.options);
        put(values, "records", &self.records);
    }
}

/// A row of `Forwarding_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForwardingGroup {
    pub child_port: BTreeSet<String>,
    pub external_ids: BTreeMap<String, String>,
    pub liveness: bool,
    pub name: String,
    pub vip: String,
    pub vmac: String,
}

impl ForwardingGroup {
    pub const CHILD_PORT: Column<BTreeSet<String>> = Column::new("child_port");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LIVENESS: Column<bool> = Column::new("liveness");
    pub const NAME: Column<String> = Column::new("name");
    pub const VIP: Column<String> = Column::new("vip");
    pub const VMAC: Column<String> = Column::new("vmac");
}

impl Record for ForwardingGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Forwarding_Group",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::sized("child_port", BaseDef::String, 1, None),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("liveness", BaseDef::Boolean),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("vip", BaseDef::String),
            ColumnDef::scalar("vmac", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "child_port", &self.child_port);
        put(values, "external_ids", &self.external_ids);
        put(values, "liveness", &self.liveness);
        put(values, "name", &self.name);
        put(values, "vip", &self.vip);
        put(values, "vmac", &self.vmac);
    }
}

/// A row of `Gateway_Chassis`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GatewayChassis {
    pub chassis_name: String,
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub priority: i64,
}

impl GatewayChassis {
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const NAME: Column<String> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PRIORITY: Column<i64> = Column::new("priority");
}

impl Record for GatewayChassis {
    const TABLE: &'static TableDef = &TableDef {
        name: "Gateway_Chassis",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis_name", &self.chassis_name);
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "priority", &self.priority);
    }
}

/// A row of `HA_Chassis`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HaChassis {
    pub chassis_name: String,
    pub external_ids: BTreeMap<String, String>,
    pub priority: i64,
}

impl HaChassis {
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const PRIORITY: Column<i64> = Column::new("priority");
}

impl Record for HaChassis {
    const TABLE: &'static TableDef = &TableDef {
        name: "HA_Chassis",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis_name", &self.chassis_name);
        put(values, "external_ids", &self.external_ids);
        put(values, "priority", &self.priority);
    }
}

/// A row of `HA_Chassis_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HaChassisGroup {
    pub external_ids: BTreeMap<String, String>,
    pub ha_chassis: RowRefs,
    pub name: String,
}

impl HaChassisGroup {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HA_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("ha_chassis");
    pub const NAME: Column<String> = Column::new("name");
}

impl Record for HaChassisGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "HA_Chassis_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("ha_chassis", BaseDef::Strong("HA_Chassis")),
            ColumnDef::scalar("name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "ha_chassis", &self.ha_chassis);
        put(values, "name", &self.name);
    }
}

enumeration! {
    /// A value of `protocol`.
    LoadBalancerProtocol {
        Sctp = "sctp",
        Tcp = "tcp",
        Udp = "udp",
    }
}

enumeration! {
    /// A value of `selection_fields`.
    LoadBalancerSelectionFields {
        EthDst = "eth_dst",
        EthSrc = "eth_src",
        IpDst = "ip_dst",
        IpSrc = "ip_src",
        Ipv6Dst = "ipv6_dst",
        Ipv6Src = "ipv6_src",
        TpDst = "tp_dst",
        TpSrc = "tp_src",
    }
}

/// A row of `Load_Balancer`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancer {
    pub external_ids: BTreeMap<String, String>,
    pub health_check: RowRefs,
    pub ip_port_mappings: BTreeMap<String, String>,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub protocol: Option<LoadBalancerProtocol>,
    pub selection_fields: BTreeSet<LoadBalancerSelectionFields>,
    pub vips: BTreeMap<String, String>,
}

impl LoadBalancer {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HEALTH_CHECK: Column<BTreeSet<Uuid>> = Column::new("health_check");
    pub const IP_PORT_MAPPINGS: Column<BTreeMap<String, String>> = Column::new("ip_port_mappings");
    pub const NAME: Column<String> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PROTOCOL: Column<Option<LoadBalancerProtocol>> = Column::new("protocol");
    pub const SELECTION_FIELDS: Column<BTreeSet<LoadBalancerSelectionFields>> =
        Column::new("selection_fields");
    pub const VIPS: Column<BTreeMap<String, String>> = Column::new("vips");
}

impl Record for LoadBalancer {
    const TABLE: &'static TableDef = &TableDef {
        name: "Load_Balancer",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("health_check", BaseDef::Strong("Load_Balancer_Health_Check")),
            ColumnDef::map("ip_port_mappings", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("protocol", BaseDef::OneOf(&["sctp", "tcp", "udp"])),
            ColumnDef::set(
                "selection_fields",
                BaseDef::OneOf(&[
                    "eth_dst", "eth_src", "ip_dst", "ip_src", "ipv6_dst", "ipv6_src", "tp_dst",
                    "tp_src",
                ]),
            ),
            ColumnDef::map("vips", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "health_check", &self.health_check);
        put(values, "ip_port_mappings", &self.ip_port_mappings);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "protocol", &self.protocol);
        put(values, "selection_fields", &self.selection_fields);
        put(values, "vips", &self.vips);
    }
}

/// A row of `Load_Balancer_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancerGroup {
    pub load_balancer: RowRefs,
    pub name: String,
}

impl LoadBalancerGroup {
    pub const LOAD_BALANCER: Column<BTreeSet<Uuid>> = Column::new("load_balancer");
    pub const NAME: Column<String> = Column::new("name");
}

impl Record for LoadBalancerGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Load_Balancer_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::set("load_balancer", BaseDef::Weak("Load_Balancer")),
            ColumnDef::scalar("name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "load_balancer", &self.load_balancer);
        put(values, "name", &self.name);
    }
}

/// A row of `Load_Balancer_Health_Check`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancerHealthCheck {
    pub external_ids: BTreeMap<String, String>,
    pub options: BTreeMap<String, String>,
    pub vip: String,
}

impl LoadBalancerHealthCheck {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const VIP: Column<String> = Column::new("vip");
}

impl Record for LoadBalancerHealthCheck {
    const TABLE: &'static TableDef = &TableDef {
        name: "Load_Balancer_Health_Check",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("vip", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "options", &self.options);
        put(values, "vip", &self.vip);
    }
}

/// A row of `Logical_Router`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalRouter {
    pub copp: RowRef,
    pub enabled: Option<bool>,
    pub external_ids: BTreeMap<String, String>,
    pub load_balancer: RowRefs,
    pub load_balancer_group: RowRefs,
    pub name: String,
    pub nat: RowRefs,
    pub options: BTreeMap<String, String>,
    pub policies: RowRefs,
    pub ports: RowRefs,
    pub static_routes: RowRefs,
}

impl LogicalRouter {
    pub const COPP: Column<Option<Uuid>> = Column::new("copp");
    pub const ENABLED: Column<Option<bool>> = Column::new("enabled");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LOAD_BALANCER: Column<BTreeSet<Uuid>> = Column::new("load_balancer");
    pub const LOAD_BALANCER_GROUP: Column<BTreeSet<Uuid>> = Column::new("load_balancer_group");
    pub const NAME: Column<String> = Column::new("name");
    pub const NAT: Column<BTreeSet<Uuid>> = Column::new("nat");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const POLICIES: Column<BTreeSet<Uuid>> = Column::new("policies");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
    pub const STATIC_ROUTES: Column<BTreeSet<Uuid>> = Column::new("static_routes");
}

impl Record for LogicalRouter {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Router",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("copp", BaseDef::Weak("Copp")),
            ColumnDef::optional("enabled", BaseDef::Boolean),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("load_balancer", BaseDef::Weak("Load_Balancer")),
            ColumnDef::set("load_balancer_group", BaseDef::Strong("Load_Balancer_Group")),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::set("nat", BaseDef::Strong("NAT")),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::set("policies", BaseDef::Strong("Logical_Router_Policy")),
            ColumnDef::set("ports", BaseDef::Strong("Logical_Router_Port")),
            ColumnDef::set("static_routes", BaseDef::Strong("Logical_Router_Static_Route")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "copp", &self.copp);
        put(values, "enabled", &self.enabled);
        put(values, "external_ids", &self.external_ids);
        put(values, "load_balancer", &self.load_balancer);
        put(values, "load_balancer_group", &self.load_balancer_group);
        put(values, "name", &self.name);
        put(values, "nat", &self.nat);
        put(values, "options", &self.options);
        put(values, "policies", &self.policies);
        put(values, "ports", &self.ports);
        put(values, "static_routes", &self.static_routes);
    }
}

enumeration! {
    /// A value of `action`.
    LogicalRouterPolicyAction {
        Allow = "allow",
        Drop = "drop",
        Jump = "jump",
        Reroute = "reroute",
    }
}

/// A row of `Logical_Router_Policy`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalRouterPolicy {
    pub action: Option<LogicalRouterPolicyAction>,
    pub bfd_sessions: RowRefs,
    pub chain: Option<String>,
    pub external_ids: BTreeMap<String, String>,
    pub jump_chain: Option<String>,
    pub r#match: String,
    pub nexthop: Option<String>,
    pub nexthops: BTreeSet<String>,
    pub options: BTreeMap<String, String>,
    pub priority: i64,
}

impl LogicalRouterPolicy {
    pub const ACTION: Column<LogicalRouterPolicyAction> = Column::new("action");
    pub const BFD_SESSIONS: Column<BTreeSet<Uuid>> = Column::new("bfd_sessions");
    pub const CHAIN: Column<Option<String>> = Column::new("chain");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const JUMP_CHAIN: Column<Option<String>> = Column::new("jump_chain");
    pub const MATCH: Column<String> = Column::new("match");
    pub const NEXTHOP: Column<Option<String>> = Column::new("nexthop");
    pub const NEXTHOPS: Column<BTreeSet<String>> = Column::new("nexthops");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PRIORITY: Column<i64> = Column::new("priority");
}

impl Record for LogicalRouterPolicy {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Router_Policy",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("action", BaseDef::OneOf(&["allow", "drop", "jump", "reroute"])),
            ColumnDef::set("bfd_sessions", BaseDef::Weak("BFD")),
            ColumnDef::optional("chain", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("jump_chain", BaseDef::String),
            ColumnDef::scalar("match", BaseDef::String),
            ColumnDef::optional("nexthop", BaseDef::String),
            ColumnDef::set("nexthops", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "action", &self.action);
        put(values, "bfd_sessions", &self.bfd_sessions);
        put(values, "chain", &self.chain);
        put(values, "external_ids", &self.external_ids);
        put(values, "jump_chain", &self.jump_chain);
        put(values, "match", &self.r#match);
        put(values, "nexthop", &self.nexthop);
        put(values, "nexthops", &self.nexthops);
        put(values, "options", &self.options);
        put(values, "priority", &self.priority);
    }
}

/// A row of `Logical_Router_Port`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalRouterPort {
    pub dhcp_relay: RowRef,
    pub enabled: Option<bool>,
    pub external_ids: BTreeMap<String, String>,
    pub gateway_chassis: RowRefs,
    pub ha_chassis_group: RowRef,
    pub ipv6_prefix: BTreeSet<String>,
    pub ipv6_ra_configs: BTreeMap<String, String>,
    pub mac: String,
    pub name: String,
    pub networks: BTreeSet<String>,
    pub options: BTreeMap<String, String>,
    pub peer: Option<String>,
    pub status: BTreeMap<String, String>,
}

impl LogicalRouterPort {
    pub const DHCP_RELAY: Column<Option<Uuid>> = Column::new("dhcp_relay");
    pub const ENABLED: Column<Option<bool>> = Column::new("enabled");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const GATEWAY_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("gateway_chassis");
    pub const HA_CHASSIS_GROUP: Column<Option<Uuid>> = Column::new("ha_chassis_group");
    pub const IPV6_PREFIX: Column<BTreeSet<String>> = Column::new("ipv6_prefix");
    pub const IPV6_RA_CONFIGS: Column<BTreeMap<String, String>> = Column::new("ipv6_ra_configs");
    pub const MAC: Column<String> = Column::new("mac");
    pub const NAME: Column<String> = Column::new("name");
    pub const NETWORKS: Column<BTreeSet<String>> = Column::new("networks");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PEER: Column<Option<String>> = Column::new("peer");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
}

impl Record for LogicalRouterPort {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Router_Port",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::optional("dhcp_relay", BaseDef::Strong("DHCP_Relay")),
            ColumnDef::optional("enabled", BaseDef::Boolean),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("gateway_chassis", BaseDef::Strong("Gateway_Chassis")),
            ColumnDef::optional("ha_chassis_group", BaseDef::Strong("HA_Chassis_Group")),
            ColumnDef::set("ipv6_prefix", BaseDef::String),
            ColumnDef::map("ipv6_ra_configs", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::set("networks", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("peer", BaseDef::String),
            ColumnDef::map("status", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "dhcp_relay", &self.dhcp_relay);
        put(values, "enabled", &self.enabled);
        put(values, "external_ids", &self.external_ids);
        put(values, "gateway_chassis", &self.gateway_chassis);
        put(values, "ha_chassis_group", &self.ha_chassis_group);
        put(values, "ipv6_prefix", &self.ipv6_prefix);
        put(values, "ipv6_ra_configs", &self.ipv6_ra_configs);
        put(values, "mac", &self.mac);
        put(values, "name", &self.name);
        put(values, "networks", &self.networks);
        put(values, "options", &self.options);
        put(values, "peer", &self.peer);
        put(values, "status", &self.status);
    }
}

enumeration! {
    /// A value of `policy`.
    LogicalRouterStaticRoutePolicy {
        DstIp = "dst-ip",
        SrcIp = "src-ip",
    }
}

enumeration! {
    /// A value of `selection_fields`.
    LogicalRouterStaticRouteSelectionFields {
        EthDst = "eth_dst",
        EthSrc = "eth_src",
        IpDst = "ip_dst",
        IpProto = "ip_proto",
        IpSrc = "ip_src",
        Ipv6Dst = "ipv6_dst",
        Ipv6Src = "ipv6_src",
        TpDst = "tp_dst",
        TpSrc = "tp_src",
    }
}

/// A row of `Logical_Router_Static_Route`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalRouterStaticRoute {
    pub bfd: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub ip_prefix: String,
    pub nexthop: String,
    pub options: BTreeMap<String, String>,
    pub output_port: Option<String>,
    pub policy: Option<LogicalRouterStaticRoutePolicy>,
    pub route_table: String,
    pub selection_fields: BTreeSet<LogicalRouterStaticRouteSelectionFields>,
}

impl LogicalRouterStaticRoute {
    pub const BFD: Column<Option<Uuid>> = Column::new("bfd");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IP_PREFIX: Column<String> = Column::new("ip_prefix");
    pub const NEXTHOP: Column<String> = Column::new("nexthop");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const OUTPUT_PORT: Column<Option<String>> = Column::new("output_port");
    pub const POLICY: Column<Option<LogicalRouterStaticRoutePolicy>> = Column::new("policy");
    pub const ROUTE_TABLE: Column<String> = Column::new("route_table");
    pub const SELECTION_FIELDS: Column<BTreeSet<LogicalRouterStaticRouteSelectionFields>> =
        Column::new("selection_fields");
}

impl Record for LogicalRouterStaticRoute {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Router_Static_Route",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("bfd", BaseDef::Weak("BFD")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("ip_prefix", BaseDef::String),
            ColumnDef::scalar("nexthop", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("output_port", BaseDef::String),
            ColumnDef::optional("policy", BaseDef::OneOf(&["dst-ip", "src-ip"])),
            ColumnDef::scalar("route_table", BaseDef::String),
            ColumnDef::set(
                "selection_fields",
                BaseDef::OneOf(&[
                    "eth_dst", "eth_src", "ip_dst", "ip_proto", "ip_src", "ipv6_dst", "ipv6_src",
                    "tp_dst", "tp_src",
                ]),
            ),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bfd", &self.bfd);
        put(values, "external_ids", &self.external_ids);
        put(values, "ip_prefix", &self.ip_prefix);
        put(values, "nexthop", &self.nexthop);
        put(values, "options", &self.options);
        put(values, "output_port", &self.output_port);
        put(values, "policy", &self.policy);
        put(values, "route_table", &self.route_table);
        put(values, "selection_fields", &self.selection_fields);
    }
}

/// A row of `Logical_Switch`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalSwitch {
    pub acls: RowRefs,
    pub copp: RowRef,
    pub dns_records: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub forwarding_groups: RowRefs,
    pub load_balancer: RowRefs,
    pub load_balancer_group: RowRefs,
    pub name: String,
    pub other_config: BTreeMap<String, String>,
    pub ports: RowRefs,
    pub qos_rules: RowRefs,
}

impl LogicalSwitch {
    pub const ACLS: Column<BTreeSet<Uuid>> = Column::new("acls");
    pub const COPP: Column<Option<Uuid>> = Column::new("copp");
    pub const DNS_RECORDS: Column<BTreeSet<Uuid>> = Column::new("dns_records");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FORWARDING_GROUPS: Column<BTreeSet<Uuid>> = Column::new("forwarding_groups");
    pub const LOAD_BALANCER: Column<BTreeSet<Uuid>> = Column::new("load_balancer");
    pub const LOAD_BALANCER_GROUP: Column<BTreeSet<Uuid>> = Column::new("load_balancer_group");
    pub const NAME: Column<String> = Column::new("name");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
    pub const QOS_RULES: Column<BTreeSet<Uuid>> = Column::new("qos_rules");
}

impl Record for LogicalSwitch {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Switch",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::set("acls", BaseDef::Strong("ACL")),
            ColumnDef::optional("copp", BaseDef::Weak("Copp")),
            ColumnDef::set("dns_records", BaseDef::Weak("DNS")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("forwarding_groups", BaseDef::Strong("Forwarding_Group")),
            ColumnDef::set("load_balancer", BaseDef::Weak("Load_Balancer")),
            ColumnDef::set("load_balancer_group", BaseDef::Strong("Load_Balancer_Group")),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::set("ports", BaseDef::Strong("Logical_Switch_Port")),
            ColumnDef::set("qos_rules", BaseDef::Strong("QoS")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "acls", &self.acls);
        put(values, "copp", &self.copp);
        put(values, "dns_records", &self.dns_records);
        put(values, "external_ids", &self.external_ids);
        put(values, "forwarding_groups", &self.forwarding_groups);
        put(values, "load_balancer", &self.load_balancer);
        put(values, "load_balancer_group", &self.load_balancer_group);
        put(values, "name", &self.name);
        put(values, "other_config", &self.other_config);
        put(values, "ports", &self.ports);
        put(values, "qos_rules", &self.qos_rules);
    }
}

/// A row of `Logical_Switch_Port`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalSwitchPort {
    pub addresses: BTreeSet<String>,
    pub dhcpv4_options: RowRef,
    pub dhcpv6_options: RowRef,
    pub dynamic_addresses: Option<String>,
    pub enabled: Option<bool>,
    pub external_ids: BTreeMap<String, String>,
    pub ha_chassis_group: RowRef,
    pub mirror_rules: RowRefs,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub parent_name: Option<String>,
    pub peer: Option<String>,
    pub port_security: BTreeSet<String>,
    pub tag: Option<i64>,
    pub tag_request: Option<i64>,
    pub r#type: String,
    pub up: Option<bool>,
}

impl LogicalSwitchPort {
    pub const ADDRESSES: Column<BTreeSet<String>> = Column::new("addresses");
    pub const DHCPV4_OPTIONS: Column<Option<Uuid>> = Column::new("dhcpv4_options");
    pub const DHCPV6_OPTIONS: Column<Option<Uuid>> = Column::new("dhcpv6_options");
    pub const DYNAMIC_ADDRESSES: Column<Option<String>> = Column::new("dynamic_addresses");
    pub const ENABLED: Column<Option<bool>> = Column::new("enabled");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HA_CHASSIS_GROUP: Column<Option<Uuid>> = Column::new("ha_chassis_group");
    pub const MIRROR_RULES: Column<BTreeSet<Uuid>> = Column::new("mirror_rules");
    pub const NAME: Column<String> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PARENT_NAME: Column<Option<String>> = Column::new("parent_name");
    pub const PEER: Column<Option<String>> = Column::new("peer");
    pub const PORT_SECURITY: Column<BTreeSet<String>> = Column::new("port_security");
    pub const TAG: Column<Option<i64>> = Column::new("tag");
    pub const TAG_REQUEST: Column<Option<i64>> = Column::new("tag_request");
    pub const TYPE: Column<String> = Column::new("type");
    pub const UP: Column<Option<bool>> = Column::new("up");
}

impl Record for LogicalSwitchPort {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Switch_Port",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::set("addresses", BaseDef::String),
            ColumnDef::optional("dhcpv4_options", BaseDef::Weak("DHCP_Options")),
            ColumnDef::optional("dhcpv6_options", BaseDef::Weak("DHCP_Options")),
            ColumnDef::optional("dynamic_addresses", BaseDef::String),
            ColumnDef::optional("enabled", BaseDef::Boolean),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("ha_chassis_group", BaseDef::Strong("HA_Chassis_Group")),
            ColumnDef::set("mirror_rules", BaseDef::Weak("Mirror")),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("parent_name", BaseDef::String),
            ColumnDef::optional("peer", BaseDef::String),
            ColumnDef::set("port_security", BaseDef::String),
            ColumnDef::optional("tag", BaseDef::IntegerIn(1, 4095)),
            ColumnDef::optional("tag_request", BaseDef::IntegerIn(0, 4095)),
            ColumnDef::scalar("type", BaseDef::String),
            ColumnDef::optional("up", BaseDef::Boolean),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "addresses", &self.addresses);
        put(values, "dhcpv4_options", &self.dhcpv4_options);
        put(values, "dhcpv6_options", &self.dhcpv6_options);
        put(values, "dynamic_addresses", &self.dynamic_addresses);
        put(values, "enabled", &self.enabled);
        put(values, "external_ids", &self.external_ids);
        put(values, "ha_chassis_group", &self.ha_chassis_group);
        put(values, "mirror_rules", &self.mirror_rules);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "parent_name", &self.parent_name);
        put(values, "peer", &self.peer);
        put(values, "port_security", &self.port_security);
        put(values, "tag", &self.tag);
        put(values, "tag_request", &self.tag_request);
        put(values, "type", &self.r#type);
        put(values, "up", &self.up);
    }
}

enumeration! {
    /// A value of `unit`.
    MeterUnit {
        Kbps = "kbps",
        Pktps = "pktps",
    }
}

/// A row of `Meter`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meter {
    pub bands: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub fair: Option<bool>,
    pub name: String,
    pub unit: Option<MeterUnit>,
}

impl Meter {
    pub const BANDS: Column<BTreeSet<Uuid>> = Column::new("bands");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FAIR: Column<Option<bool>> = Column::new("fair");
    pub const NAME: Column<String> = Column::new("name");
    pub const UNIT: Column<MeterUnit> = Column::new("unit");
}

impl Record for Meter {
    const TABLE: &'static TableDef = &TableDef {
        name: "Meter",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::sized("bands", BaseDef::Strong("Meter_Band"), 1, None),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("fair", BaseDef::Boolean),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("unit", BaseDef::OneOf(&["kbps", "pktps"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bands", &self.bands);
        put(values, "external_ids", &self.external_ids);
        put(values, "fair", &self.fair);
        put(values, "name", &self.name);
        put(values, "unit", &self.unit);
    }
}

enumeration! {
    /// A value of `action`.
    MeterBandAction {
        Drop = "drop",
    }
}

/// A row of `Meter_Band`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeterBand {
    pub action: Option<MeterBandAction>,
    pub burst_size: i64,
    pub external_ids: BTreeMap<String, String>,
    pub rate: i64,
}

impl MeterBand {
    pub const ACTION: Column<MeterBandAction> = Column::new("action");
    pub const BURST_SIZE: Column<i64> = Column::new("burst_size");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const RATE: Column<i64> = Column::new("rate");
}

impl Record for MeterBand {
    const TABLE: &'static TableDef = &TableDef {
        name: "Meter_Band",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("action", BaseDef::OneOf(&["drop"])),
            ColumnDef::scalar("burst_size", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("rate", BaseDef::IntegerIn(1, 4294967295)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "action", &self.action);
        put(values, "burst_size", &self.burst_size);
        put(values, "external_ids", &self.external_ids);
        put(values, "rate", &self.rate);
    }
}

enumeration! {
    /// A value of `filter`.
    MirrorFilter {
        Both = "both",
        FromLport = "from-lport",
        ToLport = "to-lport",
    }
}

enumeration! {
    /// A value of `type`.
    MirrorType {
        Erspan = "erspan",
        Gre = "gre",
        Local = "local",
    }
}

/// A row of `Mirror`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mirror {
    pub external_ids: BTreeMap<String, String>,
    pub filter: Option<MirrorFilter>,
    pub index: i64,
    pub name: String,
    pub sink: String,
    pub r#type: Option<MirrorType>,
}

impl Mirror {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FILTER: Column<MirrorFilter> = Column::new("filter");
    pub const INDEX: Column<i64> = Column::new("index");
    pub const NAME: Column<String> = Column::new("name");
    pub const SINK: Column<String> = Column::new("sink");
    pub const TYPE: Column<MirrorType> = Column::new("type");
}

impl Record for Mirror {
    const TABLE: &'static TableDef = &TableDef {
        name: "Mirror",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("filter", BaseDef::OneOf(&["both", "from-lport", "to-lport"])),
            ColumnDef::scalar("index", BaseDef::Integer),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("sink", BaseDef::String),
            ColumnDef::scalar("type", BaseDef::OneOf(&["erspan", "gre", "local"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "filter", &self.filter);
        put(values, "index", &self.index);
        put(values, "name", &self.name);
        put(values, "sink", &self.sink);
        put(values, "type", &self.r#type);
    }
}

enumeration! {
    /// A value of `type`.
    NatType {
        Dnat = "dnat",
        DnatAndSnat = "dnat_and_snat",
        Snat = "snat",
    }
}

/// A row of `NAT`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nat {
    pub allowed_ext_ips: RowRef,
    pub exempted_ext_ips: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub external_ip: String,
    pub external_mac: Option<String>,
    pub external_port_range: String,
    pub gateway_port: RowRef,
    pub logical_ip: String,
    pub logical_port: Option<String>,
    pub r#match: String,
    pub options: BTreeMap<String, String>,
    pub priority: i64,
    pub r#type: Option<NatType>,
}

impl Nat {
    pub const ALLOWED_EXT_IPS: Column<Option<Uuid>> = Column::new("allowed_ext_ips");
    pub const EXEMPTED_EXT_IPS: Column<Option<Uuid>> = Column::new("exempted_ext_ips");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const EXTERNAL_IP: Column<String> = Column::new("external_ip");
    pub const EXTERNAL_MAC: Column<Option<String>> = Column::new("external_mac");
    pub const EXTERNAL_PORT_RANGE: Column<String> = Column::new("external_port_range");
    pub const GATEWAY_PORT: Column<Option<Uuid>> = Column::new("gateway_port");
    pub const LOGICAL_IP: Column<String> = Column::new("logical_ip");
    pub const LOGICAL_PORT: Column<Option<String>> = Column::new("logical_port");
    pub const MATCH: Column<String> = Column::new("match");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PRIORITY: Column<i64> = Column::new("priority");
    pub const TYPE: Column<NatType> = Column::new("type");
}

impl Record for Nat {
    const TABLE: &'static TableDef = &TableDef {
        name: "NAT",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("allowed_ext_ips", BaseDef::Strong("Address_Set")),
            ColumnDef::optional("exempted_ext_ips", BaseDef::Strong("Address_Set")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("external_ip", BaseDef::String),
            ColumnDef::optional("external_mac", BaseDef::String),
            ColumnDef::scalar("external_port_range", BaseDef::String),
            ColumnDef::optional("gateway_port", BaseDef::Weak("Logical_Router_Port")),
            ColumnDef::scalar("logical_ip", BaseDef::String),
            ColumnDef::optional("logical_port", BaseDef::String),
            ColumnDef::scalar("match", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
            ColumnDef::scalar("type", BaseDef::OneOf(&["dnat", "dnat_and_snat", "snat"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "allowed_ext_ips", &self.allowed_ext_ips);
        put(values, "exempted_ext_ips", &self.exempted_ext_ips);
        put(values, "external_ids", &self.external_ids);
        put(values, "external_ip", &self.external_ip);
        put(values, "external_mac", &self.external_mac);
        put(values, "external_port_range", &self.external_port_range);
        put(values, "gateway_port", &self.gateway_port);
        put(values, "logical_ip", &self.logical_ip);
        put(values, "logical_port", &self.logical_port);
        put(values, "match", &self.r#match);
        put(values, "options", &self.options);
        put(values, "priority", &self.priority);
        put(values, "type", &self.r#type);
    }
}

/// A row of `NB_Global`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NbGlobal {
    pub connections: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub hv_cfg: i64,
    pub hv_cfg_timestamp: i64,
    pub ipsec: bool,
    pub name: String,
    pub nb_cfg: i64,
    pub nb_cfg_timestamp: i64,
    pub options: BTreeMap<String, String>,
    pub sb_cfg: i64,
    pub sb_cfg_timestamp: i64,
    pub ssl: RowRef,
}

impl NbGlobal {
    pub const CONNECTIONS: Column<BTreeSet<Uuid>> = Column::new("connections");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HV_CFG: Column<i64> = Column::new("hv_cfg");
    pub const HV_CFG_TIMESTAMP: Column<i64> = Column::new("hv_cfg_timestamp");
    pub const IPSEC: Column<bool> = Column::new("ipsec");
    pub const NAME: Column<String> = Column::new("name");
    pub const NB_CFG: Column<i64> = Column::new("nb_cfg");
    pub const NB_CFG_TIMESTAMP: Column<i64> = Column::new("nb_cfg_timestamp");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const SB_CFG: Column<i64> = Column::new("sb_cfg");
    pub const SB_CFG_TIMESTAMP: Column<i64> = Column::new("sb_cfg_timestamp");
    pub const SSL: Column<Option<Uuid>> = Column::new("ssl");
}

impl Record for NbGlobal {
    const TABLE: &'static TableDef = &TableDef {
        name: "NB_Global",
        is_root: true,
        max_rows: Some(1),
        indexes: &[],
        columns: &[
            ColumnDef::set("connections", BaseDef::Strong("Connection")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("hv_cfg", BaseDef::Integer),
            ColumnDef::scalar("hv_cfg_timestamp", BaseDef::Integer),
            ColumnDef::scalar("ipsec", BaseDef::Boolean),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("nb_cfg", BaseDef::Integer),
            ColumnDef::scalar("nb_cfg_timestamp", BaseDef::Integer),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("sb_cfg", BaseDef::Integer),
            ColumnDef::scalar("sb_cfg_timestamp", BaseDef::Integer),
            ColumnDef::optional("ssl", BaseDef::Strong("SSL")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "connections", &self.connections);
        put(values, "external_ids", &self.external_ids);
        put(values, "hv_cfg", &self.hv_cfg);
        put(values, "hv_cfg_timestamp", &self.hv_cfg_timestamp);
        put(values, "ipsec", &self.ipsec);
        put(values, "name", &self.name);
        put(values, "nb_cfg", &self.nb_cfg);
        put(values, "nb_cfg_timestamp", &self.nb_cfg_timestamp);
        put(values, "options", &self.options);
        put(values, "sb_cfg", &self.sb_cfg);
        put(values, "sb_cfg_timestamp", &self.sb_cfg_timestamp);
        put(values, "ssl", &self.ssl);
    }
}

/// A row of `Port_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PortGroup {
    pub acls: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
    pub ports: RowRefs,
}

impl PortGroup {
    pub const ACLS: Column<BTreeSet<Uuid>> = Column::new("acls");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const NAME: Column<String> = Column::new("name");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
}

impl Record for PortGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Port_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::set("acls", BaseDef::Strong("ACL")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::set("ports", BaseDef::Weak("Logical_Switch_Port")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "acls", &self.acls);
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
        put(values, "ports", &self.ports);
    }
}

enumeration! {
    /// A value of `action`.
    QoSAction {
        Dscp = "dscp",
        Mark = "mark",
    }
}

enumeration! {
    /// A value of `bandwidth`.
    QoSBandwidth {
        Burst = "burst",
        Rate = "rate",
    }
}

enumeration! {
    /// A value of `direction`.
    QoSDirection {
        FromLport = "from-lport",
        ToLport = "to-lport",
    }
}

/// A row of `QoS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QoS {
    pub action: BTreeMap<QoSAction, i64>,
    pub bandwidth: BTreeMap<QoSBandwidth, i64>,
    pub direction: Option<QoSDirection>,
    pub external_ids: BTreeMap<String, String>,
    pub r#match: String,
    pub priority: i64,
}

impl QoS {
    pub const ACTION: Column<BTreeMap<QoSAction, i64>> = Column::new("action");
    pub const BANDWIDTH: Column<BTreeMap<QoSBandwidth, i64>> = Column::new("bandwidth");
    pub const DIRECTION: Column<QoSDirection> = Column::new("direction");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const MATCH: Column<String> = Column::new("match");
    pub const PRIORITY: Column<i64> = Column::new("priority");
}

impl Record for QoS {
    const TABLE: &'static TableDef = &TableDef {
        name: "QoS",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map(
                "action",
                BaseDef::OneOf(&["dscp", "mark"]),
                BaseDef::IntegerIn(0, 4294967295),
            ),
            ColumnDef::map(
                "bandwidth",
                BaseDef::OneOf(&["burst", "rate"]),
                BaseDef::IntegerIn(1, 4294967295),
            ),
            ColumnDef::scalar("direction", BaseDef::OneOf(&["from-lport", "to-lport"])),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("match", BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "action", &self.action);
        put(values, "bandwidth", &self.bandwidth);
        put(values, "direction", &self.direction);
        put(values, "external_ids", &self.external_ids);
        put(values, "match", &self.r#match);
        put(values, "priority", &self.priority);
    }
}

/// A row of `SSL`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ssl {
    pub bootstrap_ca_cert: bool,
    pub ca_cert: String,
    pub certificate: String,
    pub external_ids: BTreeMap<String, String>,
    pub private_key: String,
    pub ssl_ciphers: String,
    pub ssl_ciphersuites: String,
    pub ssl_protocols: String,
}

impl Ssl {
    pub const BOOTSTRAP_CA_CERT: Column<bool> = Column::new("bootstrap_ca_cert");
    pub const CA_CERT: Column<String> = Column::new("ca_cert");
    pub const CERTIFICATE: Column<String> = Column::new("certificate");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const PRIVATE_KEY: Column<String> = Column::new("private_key");
    pub const SSL_CIPHERS: Column<String> = Column::new("ssl_ciphers");
    pub const SSL_CIPHERSUITES: Column<String> = Column::new("ssl_ciphersuites");
    pub const SSL_PROTOCOLS: Column<String> = Column::new("ssl_protocols");
}

impl Record for Ssl {
    const TABLE: &'static TableDef = &TableDef {
        name: "SSL",
        is_root: false,
        max_rows: Some(1),
        indexes: &[],
        columns: &[
            ColumnDef::scalar("bootstrap_ca_cert", BaseDef::Boolean),
            ColumnDef::scalar("ca_cert", BaseDef::String),
            ColumnDef::scalar("certificate", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("private_key", BaseDef::String),
            ColumnDef::scalar("ssl_ciphers", BaseDef::String),
            ColumnDef::scalar("ssl_ciphersuites", BaseDef::String),
            ColumnDef::scalar("ssl_protocols", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bootstrap_ca_cert", &self.bootstrap_ca_cert);
        put(values, "ca_cert", &self.ca_cert);
        put(values, "certificate", &self.certificate);
        put(values, "external_ids", &self.external_ids);
        put(values, "private_key", &self.private_key);
        put(values, "ssl_ciphers", &self.ssl_ciphers);
        put(values, "ssl_ciphersuites", &self.ssl_ciphersuites);
        put(values, "ssl_protocols", &self.ssl_protocols);
    }
}

/// A row of `Sample`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    pub collectors: RowRefs,
    pub metadata: i64,
}

impl Sample {
    pub const COLLECTORS: Column<BTreeSet<Uuid>> = Column::new("collectors");
    pub const METADATA: Column<i64> = Column::new("metadata");
}

impl Record for Sample {
    const TABLE: &'static TableDef = &TableDef {
        name: "Sample",
        is_root: false,
        max_rows: None,
        indexes: &[&["metadata"]],
        columns: &[
            ColumnDef::set("collectors", BaseDef::Strong("Sample_Collector")),
            ColumnDef::scalar("metadata", BaseDef::IntegerIn(1, 4294967295)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "collectors", &self.collectors);
        put(values, "metadata", &self.metadata);
    }
}

/// A row of `Sample_Collector`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleCollector {
    pub external_ids: BTreeMap<String, String>,
    pub id: i64,
    pub name: String,
    pub probability: i64,
    pub set_id: i64,
}

impl SampleCollector {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const ID: Column<i64> = Column::new("id");
    pub const NAME: Column<String> = Column::new("name");
    pub const PROBABILITY: Column<i64> = Column::new("probability");
    pub const SET_ID: Column<i64> = Column::new("set_id");
}

impl Record for SampleCollector {
    const TABLE: &'static TableDef = &TableDef {
        name: "Sample_Collector",
        is_root: true,
        max_rows: None,
        indexes: &[&["id"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("id", BaseDef::IntegerIn(1, 255)),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("probability", BaseDef::IntegerIn(0, 65535)),
            ColumnDef::scalar("set_id", BaseDef::IntegerIn(1, 4294967295)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "id", &self.id);
        put(values, "name", &self.name);
        put(values, "probability", &self.probability);
        put(values, "set_id", &self.set_id);
    }
}

enumeration! {
    /// A value of `type`.
    SamplingAppType {
        AclEst = "acl-est",
        AclNew = "acl-new",
        Drop = "drop",
    }
}

/// A row of `Sampling_App`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SamplingApp {
    pub external_ids: BTreeMap<String, String>,
    pub id: i64,
    pub r#type: Option<SamplingAppType>,
}

impl SamplingApp {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const ID: Column<i64> = Column::new("id");
    pub const TYPE: Column<SamplingAppType> = Column::new("type");
}

impl Record for SamplingApp {
    const TABLE: &'static TableDef = &TableDef {
        name: "Sampling_App",
        is_root: true,
        max_rows: None,
        indexes: &[&["type"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("id", BaseDef::IntegerIn(1, 255)),
            ColumnDef::scalar("type", BaseDef::OneOf(&["acl-est", "acl-new", "drop"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "id", &self.id);
        put(values, "type", &self.r#type);
    }
}

/// A row of `Static_MAC_Binding`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StaticMacBinding {
    pub ip: String,
    pub logical_port: String,
    pub mac: String,
    pub override_dynamic_mac: bool,
}

impl StaticMacBinding {
    pub const IP: Column<String> = Column::new("ip");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const MAC: Column<String> = Column::new("mac");
    pub const OVERRIDE_DYNAMIC_MAC: Column<bool> = Column::new("override_dynamic_mac");
}

impl Record for StaticMacBinding {
    const TABLE: &'static TableDef = &TableDef {
        name: "Static_MAC_Binding",
        is_root: true,
        max_rows: None,
        indexes: &[&["ip", "logical_port"]],
        columns: &[
            ColumnDef::scalar("ip", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("override_dynamic_mac", BaseDef::Boolean),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "ip", &self.ip);
        put(values, "logical_port", &self.logical_port);
        put(values, "mac", &self.mac);
        put(values, "override_dynamic_mac", &self.override_dynamic_mac);
    }
}
