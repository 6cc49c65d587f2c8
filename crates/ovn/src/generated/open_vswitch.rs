//! Tables of `Open_vSwitch` 8.8.0, written by `cargo xtask gen`; do not edit.
//!
//! Invariant: [`DATABASE`] is the schema this file was written from.

use crate::prelude::*;

/// The whole database.
pub static DATABASE: DatabaseDef = DatabaseDef {
    name: "Open_vSwitch",
    version: "8.8.0",
    tables: &[
        <AutoAttach as Record>::TABLE,
        <Bridge as Record>::TABLE,
        <CtTimeoutPolicy as Record>::TABLE,
        <CtZone as Record>::TABLE,
        <Controller as Record>::TABLE,
        <Datapath as Record>::TABLE,
        <FlowSampleCollectorSet as Record>::TABLE,
        <FlowTable as Record>::TABLE,
        <Ipfix as Record>::TABLE,
        <Interface as Record>::TABLE,
        <Manager as Record>::TABLE,
        <Mirror as Record>::TABLE,
        <NetFlow as Record>::TABLE,
        <OpenVSwitch as Record>::TABLE,
        <Port as Record>::TABLE,
        <QoS as Record>::TABLE,
        <Queue as Record>::TABLE,
        <Ssl as Record>::TABLE,
        <SFlow as Record>::TABLE,
    ],
};

/// A row of `AutoAttach`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AutoAttach {
    pub mappings: BTreeMap<i64, i64>,
    pub system_description: String,
    pub system_name: String,
}

impl AutoAttach {
    pub const MAPPINGS: Column<BTreeMap<i64, i64>> = Column::new("mappings");
    pub const SYSTEM_DESCRIPTION: Column<String> = Column::new("system_description");
    pub const SYSTEM_NAME: Column<String> = Column::new("system_name");
}

impl Record for AutoAttach {
    const TABLE: &'static TableDef = &TableDef {
        name: "AutoAttach",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map(
                "mappings",
                BaseDef::IntegerIn(0, 16777215),
                BaseDef::IntegerIn(0, 4095),
            ),
            ColumnDef::scalar("system_description", BaseDef::String),
            ColumnDef::scalar("system_name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "mappings", &self.mappings);
        put(values, "system_description", &self.system_description);
        put(values, "system_name", &self.system_name);
    }
}

enumeration! {
    /// A value of `fail_mode`.
    BridgeFailMode {
        Secure = "secure",
        Standalone = "standalone",
    }
}

enumeration! {
    /// A value of `protocols`.
    BridgeProtocols {
        OpenFlow10 = "OpenFlow10",
        OpenFlow11 = "OpenFlow11",
        OpenFlow12 = "OpenFlow12",
        OpenFlow13 = "OpenFlow13",
        OpenFlow14 = "OpenFlow14",
        OpenFlow15 = "OpenFlow15",
    }
}

/// A row of `Bridge`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bridge {
    pub auto_attach: RowRef,
    pub controller: RowRefs,
    pub datapath_id: Option<String>,
    pub datapath_type: String,
    pub datapath_version: String,
    pub external_ids: BTreeMap<String, String>,
    pub fail_mode: Option<BridgeFailMode>,
    pub flood_vlans: BTreeSet<i64>,
    pub flow_tables: RowRefMap<i64>,
    pub ipfix: RowRef,
    pub mcast_snooping_enable: bool,
    pub mirrors: RowRefs,
    pub name: String,
    pub netflow: RowRef,
    pub other_config: BTreeMap<String, String>,
    pub ports: RowRefs,
    pub protocols: BTreeSet<BridgeProtocols>,
    pub rstp_enable: bool,
    pub rstp_status: BTreeMap<String, String>,
    pub sflow: RowRef,
    pub status: BTreeMap<String, String>,
    pub stp_enable: bool,
}

impl Bridge {
    pub const AUTO_ATTACH: Column<Option<Uuid>> = Column::new("auto_attach");
    pub const CONTROLLER: Column<BTreeSet<Uuid>> = Column::new("controller");
    pub const DATAPATH_ID: Column<Option<String>> = Column::new("datapath_id");
    pub const DATAPATH_TYPE: Column<String> = Column::new("datapath_type");
    pub const DATAPATH_VERSION: Column<String> = Column::new("datapath_version");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FAIL_MODE: Column<Option<BridgeFailMode>> = Column::new("fail_mode");
    pub const FLOOD_VLANS: Column<BTreeSet<i64>> = Column::new("flood_vlans");
    pub const FLOW_TABLES: Column<BTreeMap<i64, Uuid>> = Column::new("flow_tables");
    pub const IPFIX: Column<Option<Uuid>> = Column::new("ipfix");
    pub const MCAST_SNOOPING_ENABLE: Column<bool> = Column::new("mcast_snooping_enable");
    pub const MIRRORS: Column<BTreeSet<Uuid>> = Column::new("mirrors");
    pub const NAME: Column<String> = Column::new("name");
    pub const NETFLOW: Column<Option<Uuid>> = Column::new("netflow");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
    pub const PROTOCOLS: Column<BTreeSet<BridgeProtocols>> = Column::new("protocols");
    pub const RSTP_ENABLE: Column<bool> = Column::new("rstp_enable");
    pub const RSTP_STATUS: Column<BTreeMap<String, String>> = Column::new("rstp_status");
    pub const SFLOW: Column<Option<Uuid>> = Column::new("sflow");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const STP_ENABLE: Column<bool> = Column::new("stp_enable");
}

impl Record for Bridge {
    const TABLE: &'static TableDef = &TableDef {
        name: "Bridge",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::optional("auto_attach", BaseDef::Strong("AutoAttach")),
            ColumnDef::set("controller", BaseDef::Strong("Controller")),
            ColumnDef::optional("datapath_id", BaseDef::String).ephemeral(),
            ColumnDef::scalar("datapath_type", BaseDef::String),
            ColumnDef::scalar("datapath_version", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("fail_mode", BaseDef::OneOf(&["secure", "standalone"])),
            ColumnDef::sized("flood_vlans", BaseDef::IntegerIn(0, 4095), 0, Some(4096)),
            ColumnDef::map(
                "flow_tables",
                BaseDef::IntegerIn(0, 254),
                BaseDef::Strong("Flow_Table"),
            ),
            ColumnDef::optional("ipfix", BaseDef::Strong("IPFIX")),
            ColumnDef::scalar("mcast_snooping_enable", BaseDef::Boolean),
            ColumnDef::set("mirrors", BaseDef::Strong("Mirror")),
            ColumnDef::scalar("name", BaseDef::String).immutable(),
            ColumnDef::optional("netflow", BaseDef::Strong("NetFlow")),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::set("ports", BaseDef::Strong("Port")),
            ColumnDef::set(
                "protocols",
                BaseDef::OneOf(&[
                    "OpenFlow10",
                    "OpenFlow11",
                    "OpenFlow12",
                    "OpenFlow13",
                    "OpenFlow14",
                    "OpenFlow15",
                ]),
            ),
            ColumnDef::scalar("rstp_enable", BaseDef::Boolean),
            ColumnDef::map("rstp_status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::optional("sflow", BaseDef::Strong("sFlow")),
            ColumnDef::map("status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::scalar("stp_enable", BaseDef::Boolean),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "auto_attach", &self.auto_attach);
        put(values, "controller", &self.controller);
        put(values, "datapath_id", &self.datapath_id);
        put(values, "datapath_type", &self.datapath_type);
        put(values, "datapath_version", &self.datapath_version);
        put(values, "external_ids", &self.external_ids);
        put(values, "fail_mode", &self.fail_mode);
        put(values, "flood_vlans", &self.flood_vlans);
        put(values, "flow_tables", &self.flow_tables);
        put(values, "ipfix", &self.ipfix);
        put(values, "mcast_snooping_enable", &self.mcast_snooping_enable);
        put(values, "mirrors", &self.mirrors);
        put(values, "name", &self.name);
        put(values, "netflow", &self.netflow);
        put(values, "other_config", &self.other_config);
        put(values, "ports", &self.ports);
        put(values, "protocols", &self.protocols);
        put(values, "rstp_enable", &self.rstp_enable);
        put(values, "rstp_status", &self.rstp_status);
        put(values, "sflow", &self.sflow);
        put(values, "status", &self.status);
        put(values, "stp_enable", &self.stp_enable);
    }
}

enumeration! {
    /// A value of `timeouts`.
    CtTimeoutPolicyTimeouts {
        IcmpFirst = "icmp_first",
        IcmpReply = "icmp_reply",
        TcpClose = "tcp_close",
        TcpCloseWait = "tcp_close_wait",
        TcpEstablished = "tcp_established",
        TcpFinWait = "tcp_fin_wait",
        TcpLastAck = "tcp_last_ack",
        TcpRetransmit = "tcp_retransmit",
        TcpSynRecv = "tcp_syn_recv",
        TcpSynSent = "tcp_syn_sent",
        TcpSynSent2 = "tcp_syn_sent2",
        TcpTimeWait = "tcp_time_wait",
        TcpUnack = "tcp_unack",
        UdpFirst = "udp_first",
        UdpMultiple = "udp_multiple",
        UdpSingle = "udp_single",
    }
}

/// A row of `CT_Timeout_Policy`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CtTimeoutPolicy {
    pub external_ids: BTreeMap<String, String>,
    pub timeouts: BTreeMap<CtTimeoutPolicyTimeouts, i64>,
}

impl CtTimeoutPolicy {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const TIMEOUTS: Column<BTreeMap<CtTimeoutPolicyTimeouts, i64>> = Column::new("timeouts");
}

impl Record for CtTimeoutPolicy {
    const TABLE: &'static TableDef = &TableDef {
        name: "CT_Timeout_Policy",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map(
                "timeouts",
                BaseDef::OneOf(&[
                    "icmp_first",
                    "icmp_reply",
                    "tcp_close",
                    "tcp_close_wait",
                    "tcp_established",
                    "tcp_fin_wait",
                    "tcp_last_ack",
                    "tcp_retransmit",
                    "tcp_syn_recv",
                    "tcp_syn_sent",
                    "tcp_syn_sent2",
                    "tcp_time_wait",
                    "tcp_unack",
                    "udp_first",
                    "udp_multiple",
                    "udp_single",
                ]),
                BaseDef::IntegerIn(0, 4294967295),
            ),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "timeouts", &self.timeouts);
    }
}

/// A row of `CT_Zone`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CtZone {
    pub external_ids: BTreeMap<String, String>,
    pub limit: Option<i64>,
    pub timeout_policy: RowRef,
}

impl CtZone {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LIMIT: Column<Option<i64>> = Column::new("limit");
    pub const TIMEOUT_POLICY: Column<Option<Uuid>> = Column::new("timeout_policy");
}

impl Record for CtZone {
    const TABLE: &'static TableDef = &TableDef {
        name: "CT_Zone",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("limit", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::optional("timeout_policy", BaseDef::Strong("CT_Timeout_Policy")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "limit", &self.limit);
        put(values, "timeout_policy", &self.timeout_policy);
    }
}

enumeration! {
    /// A value of `connection_mode`.
    ControllerConnectionMode {
        InBand = "in-band",
        OutOfBand = "out-of-band",
    }
}

enumeration! {
    /// A value of `role`.
    ControllerRole {
        Master = "master",
        Other = "other",
        Slave = "slave",
    }
}

enumeration! {
    /// A value of `type`.
    ControllerType {
        Primary = "primary",
        Service = "service",
    }
}

/// A row of `Controller`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Controller {
    pub connection_mode: Option<ControllerConnectionMode>,
    pub controller_burst_limit: Option<i64>,
    pub controller_queue_size: Option<i64>,
    pub controller_rate_limit: Option<i64>,
    pub enable_async_messages: Option<bool>,
    pub external_ids: BTreeMap<String, String>,
    pub inactivity_probe: Option<i64>,
    pub is_connected: bool,
    pub local_gateway: Option<String>,
    pub local_ip: Option<String>,
    pub local_netmask: Option<String>,
    pub max_backoff: Option<i64>,
    pub other_config: BTreeMap<String, String>,
    pub role: Option<ControllerRole>,
    pub status: BTreeMap<String, String>,
    pub target: String,
    pub r#type: Option<ControllerType>,
}

impl Controller {
    pub const CONNECTION_MODE: Column<Option<ControllerConnectionMode>> =
        Column::new("connection_mode");
    pub const CONTROLLER_BURST_LIMIT: Column<Option<i64>> = Column::new("controller_burst_limit");
    pub const CONTROLLER_QUEUE_SIZE: Column<Option<i64>> = Column::new("controller_queue_size");
    pub const CONTROLLER_RATE_LIMIT: Column<Option<i64>> = Column::new("controller_rate_limit");
    pub const ENABLE_ASYNC_MESSAGES: Column<Option<bool>> = Column::new("enable_async_messages");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const INACTIVITY_PROBE: Column<Option<i64>> = Column::new("inactivity_probe");
    pub const IS_CONNECTED: Column<bool> = Column::new("is_connected");
    pub const LOCAL_GATEWAY: Column<Option<String>> = Column::new("local_gateway");
    pub const LOCAL_IP: Column<Option<String>> = Column::new("local_ip");
    pub const LOCAL_NETMASK: Column<Option<String>> = Column::new("local_netmask");
    pub const MAX_BACKOFF: Column<Option<i64>> = Column::new("max_backoff");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const ROLE: Column<Option<ControllerRole>> = Column::new("role");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const TARGET: Column<String> = Column::new("target");
    pub const TYPE: Column<Option<ControllerType>> = Column::new("type");
}

impl Record for Controller {
    const TABLE: &'static TableDef = &TableDef {
        name: "Controller",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("connection_mode", BaseDef::OneOf(&["in-band", "out-of-band"])),
            ColumnDef::optional("controller_burst_limit", BaseDef::IntegerIn(25, i64::MAX)),
            ColumnDef::optional("controller_queue_size", BaseDef::IntegerIn(1, 512)),
            ColumnDef::optional("controller_rate_limit", BaseDef::IntegerIn(100, i64::MAX)),
            ColumnDef::optional("enable_async_messages", BaseDef::Boolean),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("inactivity_probe", BaseDef::Integer),
            ColumnDef::scalar("is_connected", BaseDef::Boolean).ephemeral(),
            ColumnDef::optional("local_gateway", BaseDef::String),
            ColumnDef::optional("local_ip", BaseDef::String),
            ColumnDef::optional("local_netmask", BaseDef::String),
            ColumnDef::optional("max_backoff", BaseDef::IntegerIn(1000, i64::MAX)),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::optional("role", BaseDef::OneOf(&["master", "other", "slave"])).ephemeral(),
            ColumnDef::map("status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::scalar("target", BaseDef::String),
            ColumnDef::optional("type", BaseDef::OneOf(&["primary", "service"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "connection_mode", &self.connection_mode);
        put(values, "controller_burst_limit", &self.controller_burst_limit);
        put(values, "controller_queue_size", &self.controller_queue_size);
        put(values, "controller_rate_limit", &self.controller_rate_limit);
        put(values, "enable_async_messages", &self.enable_async_messages);
        put(values, "external_ids", &self.external_ids);
        put(values, "inactivity_probe", &self.inactivity_probe);
        put(values, "is_connected", &self.is_connected);
        put(values, "local_gateway", &self.local_gateway);
        put(values, "local_ip", &self.local_ip);
        put(values, "local_netmask", &self.local_netmask);
        put(values, "max_backoff", &self.max_backoff);
        put(values, "other_config", &self.other_config);
        put(values, "role", &self.role);
        put(values, "status", &self.status);
        put(values, "target", &self.target);
        put(values, "type", &self.r#type);
    }
}

/// A row of `Datapath`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Datapath {
    pub capabilities: BTreeMap<String, String>,
    pub ct_zone_default_limit: Option<i64>,
    pub ct_zones: RowRefMap<i64>,
    pub datapath_version: String,
    pub external_ids: BTreeMap<String, String>,
}

impl Datapath {
    pub const CAPABILITIES: Column<BTreeMap<String, String>> = Column::new("capabilities");
    pub const CT_ZONE_DEFAULT_LIMIT: Column<Option<i64>> = Column::new("ct_zone_default_limit");
    pub const CT_ZONES: Column<BTreeMap<i64, Uuid>> = Column::new("ct_zones");
    pub const DATAPATH_VERSION: Column<String> = Column::new("datapath_version");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
}

impl Record for Datapath {
    const TABLE: &'static TableDef = &TableDef {
        name: "Datapath",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("capabilities", BaseDef::String, BaseDef::String),
            ColumnDef::optional("ct_zone_default_limit", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::map("ct_zones", BaseDef::IntegerIn(0, 65535), BaseDef::Strong("CT_Zone")),
            ColumnDef::scalar("datapath_version", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "capabilities", &self.capabilities);
        put(values, "ct_zone_default_limit", &self.ct_zone_default_limit);
        put(values, "ct_zones", &self.ct_zones);
        put(values, "datapath_version", &self.datapath_version);
        put(values, "external_ids", &self.external_ids);
    }
}

/// A row of `Flow_Sample_Collector_Set`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowSampleCollectorSet {
    pub bridge: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub id: i64,
    pub ipfix: RowRef,
    pub local_group_id: Option<i64>,
}

impl FlowSampleCollectorSet {
    pub const BRIDGE: Column<Uuid> = Column::new("bridge");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const ID: Column<i64> = Column::new("id");
    pub const IPFIX: Column<Option<Uuid>> = Column::new("ipfix");
    pub const LOCAL_GROUP_ID: Column<Option<i64>> = Column::new("local_group_id");
}

impl Record for FlowSampleCollectorSet {
    const TABLE: &'static TableDef = &TableDef {
        name: "Flow_Sample_Collector_Set",
        is_root: true,
        max_rows: None,
        indexes: &[&["bridge", "id"]],
        columns: &[
            ColumnDef::scalar("bridge", BaseDef::Strong("Bridge")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("id", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::optional("ipfix", BaseDef::Strong("IPFIX")),
            ColumnDef::optional("local_group_id", BaseDef::IntegerIn(0, 4294967295)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bridge", &self.bridge);
        put(values, "external_ids", &self.external_ids);
        put(values, "id", &self.id);
        put(values, "ipfix", &self.ipfix);
        put(values, "local_group_id", &self.local_group_id);
    }
}

enumeration! {
    /// A value of `overflow_policy`.
    FlowTableOverflowPolicy {
        Evict = "evict",
        Refuse = "refuse",
    }
}

/// A row of `Flow_Table`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowTable {
    pub external_ids: BTreeMap<String, String>,
    pub flow_limit: Option<i64>,
    pub groups: BTreeSet<String>,
    pub name: Option<String>,
    pub overflow_policy: Option<FlowTableOverflowPolicy>,
    pub prefixes: BTreeSet<String>,
}

impl FlowTable {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FLOW_LIMIT: Column<Option<i64>> = Column::new("flow_limit");
    pub const GROUPS: Column<BTreeSet<String>> = Column::new("groups");
    pub const NAME: Column<Option<String>> = Column::new("name");
    pub const OVERFLOW_POLICY: Column<Option<FlowTableOverflowPolicy>> =
        Column::new("overflow_policy");
    pub const PREFIXES: Column<BTreeSet<String>> = Column::new("prefixes");
}

impl Record for FlowTable {
    const TABLE: &'static TableDef = &TableDef {
        name: "Flow_Table",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("flow_limit", BaseDef::IntegerIn(0, i64::MAX)),
            ColumnDef::set("groups", BaseDef::String),
            ColumnDef::optional("name", BaseDef::String),
            ColumnDef::optional("overflow_policy", BaseDef::OneOf(&["evict", "refuse"])),
            ColumnDef::sized("prefixes", BaseDef::String, 0, Some(4)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "flow_limit", &self.flow_limit);
        put(values, "groups", &self.groups);
        put(values, "name", &self.name);
        put(values, "overflow_policy", &self.overflow_policy);
        put(values, "prefixes", &self.prefixes);
    }
}

/// A row of `IPFIX`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ipfix {
    pub cache_active_timeout: Option<i64>,
    pub cache_max_flows: Option<i64>,
    pub external_ids: BTreeMap<String, String>,
    pub obs_domain_id: Option<i64>,
    pub obs_point_id: Option<i64>,
    pub other_config: BTreeMap<String, String>,
    pub sampling: Option<i64>,
    pub stats_interval: Option<i64>,
    pub targets: BTreeSet<String>,
    pub template_interval: Option<i64>,
}

impl Ipfix {
    pub const CACHE_ACTIVE_TIMEOUT: Column<Option<i64>> = Column::new("cache_active_timeout");
    pub const CACHE_MAX_FLOWS: Column<Option<i64>> = Column::new("cache_max_flows");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OBS_DOMAIN_ID: Column<Option<i64>> = Column::new("obs_domain_id");
    pub const OBS_POINT_ID: Column<Option<i64>> = Column::new("obs_point_id");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const SAMPLING: Column<Option<i64>> = Column::new("sampling");
    pub const STATS_INTERVAL: Column<Option<i64>> = Column::new("stats_interval");
    pub const TARGETS: Column<BTreeSet<String>> = Column::new("targets");
    pub const TEMPLATE_INTERVAL: Column<Option<i64>> = Column::new("template_interval");
}

impl Record for Ipfix {
    const TABLE: &'static TableDef = &TableDef {
        name: "IPFIX",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("cache_active_timeout", BaseDef::IntegerIn(0, 4200)),
            ColumnDef::optional("cache_max_flows", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("obs_domain_id", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::optional("obs_point_id", BaseDef::IntegerIn(0, 4294967295)),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::optional("sampling", BaseDef::IntegerIn(1, 4294967295)),
            ColumnDef::optional("stats_interval", BaseDef::IntegerIn(1, 3600)),
            ColumnDef::set("targets", BaseDef::String),
            ColumnDef::optional("template_interval", BaseDef::IntegerIn(1, 3600)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "cache_active_timeout", &self.cache_active_timeout);
        put(values, "cache_max_flows", &self.cache_max_flows);
        put(values, "external_ids", &self.external_ids);
        put(values, "obs_domain_id", &self.obs_domain_id);
        put(values, "obs_point_id", &self.obs_point_id);
        put(values, "other_config", &self.other_config);
        put(values, "sampling", &self.sampling);
        put(values, "stats_interval", &self.stats_interval);
        put(values, "targets", &self.targets);
        put(values, "template_interval", &self.template_interval);
    }
}

enumeration! {
    /// A value of `admin_state`.
    InterfaceAdminState {
        Down = "down",
        Up = "up",
    }
}

enumeration! {
    /// A value of `cfm_remote_opstate`.
    InterfaceCfmRemoteOpstate {
        Down = "down",
        Up = "up",
    }
}

enumeration! {
    /// A value of `duplex`.
    InterfaceDuplex {
        Full = "full",
        Half = "half",
    }
}

enumeration! {
    /// A value of `link_state`.
    InterfaceLinkState {
        Down = "down",
        Up = "up",
    }
}

/// A row of `Interface`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    pub admin_state: Option<InterfaceAdminState>,
    pub bfd: BTreeMap<String, String>,
    pub bfd_status: BTreeMap<String, String>,
    pub cfm_fault: Option<bool>,
    pub cfm_fault_status: BTreeSet<String>,
    pub cfm_flap_count: Option<i64>,
    pub cfm_health: Option<i64>,
    pub cfm_mpid: Option<i64>,
    pub cfm_remote_mpids: BTreeSet<i64>,
    pub cfm_remote_opstate: Option<InterfaceCfmRemoteOpstate>,
    pub duplex: Option<InterfaceDuplex>,
    pub error: Option<String>,
    pub external_ids: BTreeMap<String, String>,
    pub ifindex: Option<i64>,
    pub ingress_policing_burst: i64,
    pub ingress_policing_kpkts_burst: i64,
    pub ingress_policing_kpkts_rate: i64,
    pub ingress_policing_rate: i64,
    pub lacp_current: Option<bool>,
    pub link_resets: Option<i64>,
    pub link_speed: Option<i64>,
    pub link_state: Option<InterfaceLinkState>,
    pub lldp: BTreeMap<String, String>,
    pub mac: Option<String>,
    pub mac_in_use: Option<String>,
    pub mtu: Option<i64>,
    pub mtu_request: Option<i64>,
    pub name: String,
    pub ofport: Option<i64>,
    pub ofport_request: Option<i64>,
    pub options: BTreeMap<String, String>,
    pub other_config: BTreeMap<String, String>,
    pub statistics: BTreeMap<String, i64>,
    pub status: BTreeMap<String, String>,
    pub r#type: String,
}

impl Interface {
    pub const ADMIN_STATE: Column<Option<InterfaceAdminState>> = Column::new("admin_state");
    pub const BFD: Column<BTreeMap<String, String>> = Column::new("bfd");
    pub const BFD_STATUS: Column<BTreeMap<String, String>> = Column::new("bfd_status");
    pub const CFM_FAULT: Column<Option<bool>> = Column::new("cfm_fault");
    pub const CFM_FAULT_STATUS: Column<BTreeSet<String>> = Column::new("cfm_fault_status");
    pub const CFM_FLAP_COUNT: Column<Option<i64>> = Column::new("cfm_flap_count");
    pub const CFM_HEALTH: Column<Option<i64>> = Column::new("cfm_health");
    pub const CFM_MPID: Column<Option<i64>> = Column::new("cfm_mpid");
    pub const CFM_REMOTE_MPIDS: Column<BTreeSet<i64>> = Column::new("cfm_remote_mpids");
    pub const CFM_REMOTE_OPSTATE: Column<Option<InterfaceCfmRemoteOpstate>> =
        Column::new("cfm_remote_opstate");
    pub const DUPLEX: Column<Option<InterfaceDuplex>> = Column::new("duplex");
    pub const ERROR: Column<Option<String>> = Column::new("error");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IFINDEX: Column<Option<i64>> = Column::new("ifindex");
    pub const INGRESS_POLICING_BURST: Column<i64> = Column::new("ingress_policing_burst");
    pub const INGRESS_POLICING_KPKTS_BURST: Column<i64> =
        Column::new("ingress_policing_kpkts_burst");
    pub const INGRESS_POLICING_KPKTS_RATE: Column<i64> = Column::new("ingress_policing_kpkts_rate");
    pub const INGRESS_POLICING_RATE: Column<i64> = Column::new("ingress_policing_rate");
    pub const LACP_CURRENT: Column<Option<bool>> = Column::new("lacp_current");
    pub const LINK_RESETS: Column<Option<i64>> = Column::new("link_resets");
    pub const LINK_SPEED: Column<Option<i64>> = Column::new("link_speed");
    pub const LINK_STATE: Column<Option<InterfaceLinkState>> = Column::new("link_state");
    pub const LLDP: Column<BTreeMap<String, String>> = Column::new("lldp");
    pub const MAC: Column<Option<String>> = Column::new("mac");
    pub const MAC_IN_USE: Column<Option<String>> = Column::new("mac_in_use");
    pub const MTU: Column<Option<i64>> = Column::new("mtu");
    pub const MTU_REQUEST: Column<Option<i64>> = Column::new("mtu_request");
    pub const NAME: Column<String> = Column::new("name");
    pub const OFPORT: Column<Option<i64>> = Column::new("ofport");
    pub const OFPORT_REQUEST: Column<Option<i64>> = Column::new("ofport_request");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const STATISTICS: Column<BTreeMap<String, i64>> = Column::new("statistics");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const TYPE: Column<String> = Column::new("type");
}

impl Record for Interface {
    const TABLE: &'static TableDef = &TableDef {
        name: "Interface",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::optional("admin_state", BaseDef::OneOf(&["down", "up"])).ephemeral(),
            ColumnDef::map("bfd", BaseDef::String, BaseDef::String),
            ColumnDef::map("bfd_status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::optional("cfm_fault", BaseDef::Boolean).ephemeral(),
            ColumnDef::set("cfm_fault_status", BaseDef::String).ephemeral(),
            ColumnDef::optional("cfm_flap_count", BaseDef::Integer),
            ColumnDef::optional("cfm_health", BaseDef::IntegerIn(0, 100)).ephemeral(),
            ColumnDef::optional("cfm_mpid", BaseDef::Integer),
            ColumnDef::set("cfm_remote_mpids", BaseDef::Integer).ephemeral(),
            ColumnDef::optional("cfm_remote_opstate", BaseDef::OneOf(&["down", "up"])).ephemeral(),
            ColumnDef::optional("duplex", BaseDef::OneOf(&["full", "half"])).ephemeral(),
            ColumnDef::optional("error", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("ifindex", BaseDef::IntegerIn(0, 4294967295)).ephemeral(),
            ColumnDef::scalar("ingress_policing_burst", BaseDef::IntegerIn(0, i64::MAX)),
            ColumnDef::scalar("ingress_policing_kpkts_burst", BaseDef::IntegerIn(0, i64::MAX)),
            ColumnDef::scalar("ingress_policing_kpkts_rate", BaseDef::IntegerIn(0, i64::MAX)),
            ColumnDef::scalar("ingress_policing_rate", BaseDef::IntegerIn(0, i64::MAX)),
            ColumnDef::optional("lacp_current", BaseDef::Boolean).ephemeral(),
            ColumnDef::optional("link_resets", BaseDef::Integer).ephemeral(),
            ColumnDef::optional("link_speed", BaseDef::Integer).ephemeral(),
            ColumnDef::optional("link_state", BaseDef::OneOf(&["down", "up"])).ephemeral(),
            ColumnDef::map("lldp", BaseDef::String, BaseDef::String),
            ColumnDef::optional("mac", BaseDef::String),
            ColumnDef::optional("mac_in_use", BaseDef::String).ephemeral(),
            ColumnDef::optional("mtu", BaseDef::Integer).ephemeral(),
            ColumnDef::optional("mtu_request", BaseDef::IntegerIn(1, i64::MAX)),
            ColumnDef::scalar("name", BaseDef::String).immutable(),
            ColumnDef::optional("ofport", BaseDef::Integer),
            ColumnDef::optional("ofport_request", BaseDef::IntegerIn(1, 65279)),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::map("statistics", BaseDef::String, BaseDef::Integer).ephemeral(),
            ColumnDef::map("status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::scalar("type", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "admin_state", &self.admin_state);
        put(values, "bfd", &self.bfd);
        put(values, "bfd_status", &self.bfd_status);
        put(values, "cfm_fault", &self.cfm_fault);
        put(values, "cfm_fault_status", &self.cfm_fault_status);
        put(values, "cfm_flap_count", &self.cfm_flap_count);
        put(values, "cfm_health", &self.cfm_health);
        put(values, "cfm_mpid", &self.cfm_mpid);
        put(values, "cfm_remote_mpids", &self.cfm_remote_mpids);
        put(values, "cfm_remote_opstate", &self.cfm_remote_opstate);
        put(values, "duplex", &self.duplex);
        put(values, "error", &self.error);
        put(values, "external_ids", &self.external_ids);
        put(values, "ifindex", &self.ifindex);
        put(values, "ingress_policing_burst", &self.ingress_policing_burst);
        put(values, "ingress_policing_kpkts_burst", &self.ingress_policing_kpkts_burst);
        put(values, "ingress_policing_kpkts_rate", &self.ingress_policing_kpkts_rate);
        put(values, "ingress_policing_rate", &self.ingress_policing_rate);
        put(values, "lacp_current", &self.lacp_current);
        put(values, "link_resets", &self.link_resets);
        put(values, "link_speed", &self.link_speed);
        put(values, "link_state", &self.link_state);
        put(values, "lldp", &self.lldp);
        put(values, "mac", &self.mac);
        put(values, "mac_in_use", &self.mac_in_use);
        put(values, "mtu", &self.mtu);
        put(values, "mtu_request", &self.mtu_request);
        put(values, "name", &self.name);
        put(values, "ofport", &self.ofport);
        put(values, "ofport_request", &self.ofport_request);
        put(values, "options", &self.options);
        put(values, "other_config", &self.other_config);
        put(values, "statistics", &self.statistics);
        put(values, "status", &self.status);
        put(values, "type", &self.r#type);
    }
}

enumeration! {
    /// A value of `connection_mode`.
    ManagerConnectionMode {
        InBand = "in-band",
        OutOfBand = "out-of-band",
    }
}

/// A row of `Manager`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manager {
    pub connection_mode: Option<ManagerConnectionMode>,
    pub external_ids: BTreeMap<String, String>,
    pub inactivity_probe: Option<i64>,
    pub is_connected: bool,
    pub max_backoff: Option<i64>,
    pub other_config: BTreeMap<String, String>,
    pub status: BTreeMap<String, String>,
    pub target: String,
}

impl Manager {
    pub const CONNECTION_MODE: Column<Option<ManagerConnectionMode>> =
        Column::new("connection_mode");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const INACTIVITY_PROBE: Column<Option<i64>> = Column::new("inactivity_probe");
    pub const IS_CONNECTED: Column<bool> = Column::new("is_connected");
    pub const MAX_BACKOFF: Column<Option<i64>> = Column::new("max_backoff");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const TARGET: Column<String> = Column::new("target");
}

impl Record for Manager {
    const TABLE: &'static TableDef = &TableDef {
        name: "Manager",
        is_root: false,
        max_rows: None,
        indexes: &[&["target"]],
        columns: &[
            ColumnDef::optional("connection_mode", BaseDef::OneOf(&["in-band", "out-of-band"])),
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
        put(values, "connection_mode", &self.connection_mode);
        put(values, "external_ids", &self.external_ids);
        put(values, "inactivity_probe", &self.inactivity_probe);
        put(values, "is_connected", &self.is_connected);
        put(values, "max_backoff", &self.max_backoff);
        put(values, "other_config", &self.other_config);
        put(values, "status", &self.status);
        put(values, "target", &self.target);
    }
}

/// A row of `Mirror`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mirror {
    pub external_ids: BTreeMap<String, String>,
    pub filter: Option<String>,
    pub name: String,
    pub output_port: RowRef,
    pub output_vlan: Option<i64>,
    pub select_all: bool,
    pub select_dst_port: RowRefs,
    pub select_src_port: RowRefs,
    pub select_vlan: BTreeSet<i64>,
    pub snaplen: Option<i64>,
    pub statistics: BTreeMap<String, i64>,
}

impl Mirror {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FILTER: Column<Option<String>> = Column::new("filter");
    pub const NAME: Column<String> = Column::new("name");
    pub const OUTPUT_PORT: Column<Option<Uuid>> = Column::new("output_port");
    pub const OUTPUT_VLAN: Column<Option<i64>> = Column::new("output_vlan");
    pub const SELECT_ALL: Column<bool> = Column::new("select_all");
    pub const SELECT_DST_PORT: Column<BTreeSet<Uuid>> = Column::new("select_dst_port");
    pub const SELECT_SRC_PORT: Column<BTreeSet<Uuid>> = Column::new("select_src_port");
    pub const SELECT_VLAN: Column<BTreeSet<i64>> = Column::new("select_vlan");
    pub const SNAPLEN: Column<Option<i64>> = Column::new("snaplen");
    pub const STATISTICS: Column<BTreeMap<String, i64>> = Column::new("statistics");
}

impl Record for Mirror {
    const TABLE: &'static TableDef = &TableDef {
        name: "Mirror",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("filter", BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::optional("output_port", BaseDef::Weak("Port")),
            ColumnDef::optional("output_vlan", BaseDef::IntegerIn(1, 4095)),
            ColumnDef::scalar("select_all", BaseDef::Boolean),
            ColumnDef::set("select_dst_port", BaseDef::Weak("Port")),
            ColumnDef::set("select_src_port", BaseDef::Weak("Port")),
            ColumnDef::sized("select_vlan", BaseDef::IntegerIn(0, 4095), 0, Some(4096)),
            ColumnDef::optional("snaplen", BaseDef::IntegerIn(14, 65535)),
            ColumnDef::map("statistics", BaseDef::String, BaseDef::Integer).ephemeral(),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "filter", &self.filter);
        put(values, "name", &self.name);
        put(values, "output_port", &self.output_port);
        put(values, "output_vlan", &self.output_vlan);
        put(values, "select_all", &self.select_all);
        put(values, "select_dst_port", &self.select_dst_port);
        put(values, "select_src_port", &self.select_src_port);
        put(values, "select_vlan", &self.select_vlan);
        put(values, "snaplen", &self.snaplen);
        put(values, "statistics", &self.statistics);
    }
}

/// A row of `NetFlow`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetFlow {
    pub active_timeout: i64,
    pub add_id_to_interface: bool,
    pub engine_id: Option<i64>,
    pub engine_type: Option<i64>,
    pub external_ids: BTreeMap<String, String>,
    pub targets: BTreeSet<String>,
}

impl NetFlow {
    pub const ACTIVE_TIMEOUT: Column<i64> = Column::new("active_timeout");
    pub const ADD_ID_TO_INTERFACE: Column<bool> = Column::new("add_id_to_interface");
    pub const ENGINE_ID: Column<Option<i64>> = Column::new("engine_id");
    pub const ENGINE_TYPE: Column<Option<i64>> = Column::new("engine_type");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const TARGETS: Column<BTreeSet<String>> = Column::new("targets");
}

impl Record for NetFlow {
    const TABLE: &'static TableDef = &TableDef {
        name: "NetFlow",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("active_timeout", BaseDef::IntegerIn(-1, i64::MAX)),
            ColumnDef::scalar("add_id_to_interface", BaseDef::Boolean),
            ColumnDef::optional("engine_id", BaseDef::IntegerIn(0, 255)),
            ColumnDef::optional("engine_type", BaseDef::IntegerIn(0, 255)),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::sized("targets", BaseDef::String, 1, None),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "active_timeout", &self.active_timeout);
        put(values, "add_id_to_interface", &self.add_id_to_interface);
        put(values, "engine_id", &self.engine_id);
        put(values, "engine_type", &self.engine_type);
        put(values, "external_ids", &self.external_ids);
        put(values, "targets", &self.targets);
    }
}

/// A row of `Open_vSwitch`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenVSwitch {
    pub bridges: RowRefs,
    pub cur_cfg: i64,
    pub datapath_types: BTreeSet<String>,
    pub datapaths: RowRefMap<String>,
    pub db_version: Option<String>,
    pub dpdk_initialized: bool,
    pub dpdk_version: Option<String>,
    pub external_ids: BTreeMap<String, String>,
    pub iface_types: BTreeSet<String>,
    pub manager_options: RowRefs,
    pub next_cfg: i64,
    pub other_config: BTreeMap<String, String>,
    pub ovs_version: Option<String>,
    pub ssl: RowRef,
    pub statistics: BTreeMap<String, String>,
    pub system_type: Option<String>,
    pub system_version: Option<String>,
}

impl OpenVSwitch {
    pub const BRIDGES: Column<BTreeSet<Uuid>> = Column::new("bridges");
    pub const CUR_CFG: Column<i64> = Column::new("cur_cfg");
    pub const DATAPATH_TYPES: Column<BTreeSet<String>> = Column::new("datapath_types");
    pub const DATAPATHS: Column<BTreeMap<String, Uuid>> = Column::new("datapaths");
    pub const DB_VERSION: Column<Option<String>> = Column::new("db_version");
    pub const DPDK_INITIALIZED: Column<bool> = Column::new("dpdk_initialized");
    pub const DPDK_VERSION: Column<Option<String>> = Column::new("dpdk_version");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IFACE_TYPES: Column<BTreeSet<String>> = Column::new("iface_types");
    pub const MANAGER_OPTIONS: Column<BTreeSet<Uuid>> = Column::new("manager_options");
    pub const NEXT_CFG: Column<i64> = Column::new("next_cfg");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const OVS_VERSION: Column<Option<String>> = Column::new("ovs_version");
    pub const SSL: Column<Option<Uuid>> = Column::new("ssl");
    pub const STATISTICS: Column<BTreeMap<String, String>> = Column::new("statistics");
    pub const SYSTEM_TYPE: Column<Option<String>> = Column::new("system_type");
    pub const SYSTEM_VERSION: Column<Option<String>> = Column::new("system_version");
}

impl Record for OpenVSwitch {
    const TABLE: &'static TableDef = &TableDef {
        name: "Open_vSwitch",
        is_root: true,
        max_rows: Some(1),
        indexes: &[],
        columns: &[
            ColumnDef::set("bridges", BaseDef::Strong("Bridge")),
            ColumnDef::scalar("cur_cfg", BaseDef::Integer),
            ColumnDef::set("datapath_types", BaseDef::String),
            ColumnDef::map("datapaths", BaseDef::String, BaseDef::Strong("Datapath")),
            ColumnDef::optional("db_version", BaseDef::String),
            ColumnDef::scalar("dpdk_initialized", BaseDef::Boolean),
            ColumnDef::optional("dpdk_version", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("iface_types", BaseDef::String),
            ColumnDef::set("manager_options", BaseDef::Strong("Manager")),
            ColumnDef::scalar("next_cfg", BaseDef::Integer),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::optional("ovs_version", BaseDef::String),
            ColumnDef::optional("ssl", BaseDef::Strong("SSL")),
            ColumnDef::map("statistics", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::optional("system_type", BaseDef::String),
            ColumnDef::optional("system_version", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bridges", &self.bridges);
        put(values, "cur_cfg", &self.cur_cfg);
        put(values, "datapath_types", &self.datapath_types);
        put(values, "datapaths", &self.datapaths);
        put(values, "db_version", &self.db_version);
        put(values, "dpdk_initialized", &self.dpdk_initialized);
        put(values, "dpdk_version", &self.dpdk_version);
        put(values, "external_ids", &self.external_ids);
        put(values, "iface_types", &self.iface_types);
        put(values, "manager_options", &self.manager_options);
        put(values, "next_cfg", &self.next_cfg);
        put(values, "other_config", &self.other_config);
        put(values, "ovs_version", &self.ovs_version);
        put(values, "ssl", &self.ssl);
        put(values, "statistics", &self.statistics);
        put(values, "system_type", &self.system_type);
        put(values, "system_version", &self.system_version);
    }
}

enumeration! {
    /// A value of `bond_mode`.
    PortBondMode {
        ActiveBackup = "active-backup",
        BalanceSlb = "balance-slb",
        BalanceTcp = "balance-tcp",
    }
}

enumeration! {
    /// A value of `lacp`.
    PortLacp {
        Active = "active",
        Off = "off",
        Passive = "passive",
    }
}

enumeration! {
    /// A value of `vlan_mode`.
    PortVlanMode {
        Access = "access",
        Dot1qTunnel = "dot1q-tunnel",
        NativeTagged = "native-tagged",
        NativeUntagged = "native-untagged",
        Trunk = "trunk",
    }
}

/// A row of `Port`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Port {
    pub bond_active_slave: Option<String>,
    pub bond_downdelay: i64,
    pub bond_fake_iface: bool,
    pub bond_mode: Option<PortBondMode>,
    pub bond_updelay: i64,
    pub cvlans: BTreeSet<i64>,
    pub external_ids: BTreeMap<String, String>,
    pub fake_bridge: bool,
    pub interfaces: RowRefs,
    pub lacp: Option<PortLacp>,
    pub mac: Option<String>,
    pub name: String,
    pub other_config: BTreeMap<String, String>,
    pub protected: bool,
    pub qos: RowRef,
    pub rstp_statistics: BTreeMap<String, i64>,
    pub rstp_status: BTreeMap<String, String>,
    pub statistics: BTreeMap<String, i64>,
    pub status: BTreeMap<String, String>,
    pub tag: Option<i64>,
    pub trunks: BTreeSet<i64>,
    pub vlan_mode: Option<PortVlanMode>,
}

impl Port {
    pub const BOND_ACTIVE_SLAVE: Column<Option<String>> = Column::new("bond_active_slave");
    pub const BOND_DOWNDELAY: Column<i64> = Column::new("bond_downdelay");
    pub const BOND_FAKE_IFACE: Column<bool> = Column::new("bond_fake_iface");
    pub const BOND_MODE: Column<Option<PortBondMode>> = Column::new("bond_mode");
    pub const BOND_UPDELAY: Column<i64> = Column::new("bond_updelay");
    pub const CVLANS: Column<BTreeSet<i64>> = Column::new("cvlans");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FAKE_BRIDGE: Column<bool> = Column::new("fake_bridge");
    pub const INTERFACES: Column<BTreeSet<Uuid>> = Column::new("interfaces");
    pub const LACP: Column<Option<PortLacp>> = Column::new("lacp");
    pub const MAC: Column<Option<String>> = Column::new("mac");
    pub const NAME: Column<String> = Column::new("name");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const PROTECTED: Column<bool> = Column::new("protected");
    pub const QOS: Column<Option<Uuid>> = Column::new("qos");
    pub const RSTP_STATISTICS: Column<BTreeMap<String, i64>> = Column::new("rstp_statistics");
    pub const RSTP_STATUS: Column<BTreeMap<String, String>> = Column::new("rstp_status");
    pub const STATISTICS: Column<BTreeMap<String, i64>> = Column::new("statistics");
    pub const STATUS: Column<BTreeMap<String, String>> = Column::new("status");
    pub const TAG: Column<Option<i64>> = Column::new("tag");
    pub const TRUNKS: Column<BTreeSet<i64>> = Column::new("trunks");
    pub const VLAN_MODE: Column<Option<PortVlanMode>> = Column::new("vlan_mode");
}

impl Record for Port {
    const TABLE: &'static TableDef = &TableDef {
        name: "Port",
        is_root: false,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::optional("bond_active_slave", BaseDef::String),
            ColumnDef::scalar("bond_downdelay", BaseDef::Integer),
            ColumnDef::scalar("bond_fake_iface", BaseDef::Boolean),
            ColumnDef::optional(
                "bond_mode",
                BaseDef::OneOf(&["active-backup", "balance-slb", "balance-tcp"]),
            ),
            ColumnDef::scalar("bond_updelay", BaseDef::Integer),
            ColumnDef::sized("cvlans", BaseDef::IntegerIn(0, 4095), 0, Some(4096)),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("fake_bridge", BaseDef::Boolean),
            ColumnDef::sized("interfaces", BaseDef::Strong("Interface"), 1, None),
            ColumnDef::optional("lacp", BaseDef::OneOf(&["active", "off", "passive"])),
            ColumnDef::optional("mac", BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String).immutable(),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("protected", BaseDef::Boolean),
            ColumnDef::optional("qos", BaseDef::Strong("QoS")),
            ColumnDef::map("rstp_statistics", BaseDef::String, BaseDef::Integer).ephemeral(),
            ColumnDef::map("rstp_status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::map("statistics", BaseDef::String, BaseDef::Integer).ephemeral(),
            ColumnDef::map("status", BaseDef::String, BaseDef::String).ephemeral(),
            ColumnDef::optional("tag", BaseDef::IntegerIn(0, 4095)),
            ColumnDef::sized("trunks", BaseDef::IntegerIn(0, 4095), 0, Some(4096)),
            ColumnDef::optional(
                "vlan_mode",
                BaseDef::OneOf(&[
                    "access",
                    "dot1q-tunnel",
                    "native-tagged",
                    "native-untagged",
                    "trunk",
                ]),
            ),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bond_active_slave", &self.bond_active_slave);
        put(values, "bond_downdelay", &self.bond_downdelay);
        put(values, "bond_fake_iface", &self.bond_fake_iface);
        put(values, "bond_mode", &self.bond_mode);
        put(values, "bond_updelay", &self.bond_updelay);
        put(values, "cvlans", &self.cvlans);
        put(values, "external_ids", &self.external_ids);
        put(values, "fake_bridge", &self.fake_bridge);
        put(values, "interfaces", &self.interfaces);
        put(values, "lacp", &self.lacp);
        put(values, "mac", &self.mac);
        put(values, "name", &self.name);
        put(values, "other_config", &self.other_config);
        put(values, "protected", &self.protected);
        put(values, "qos", &self.qos);
        put(values, "rstp_statistics", &self.rstp_statistics);
        put(values, "rstp_status", &self.rstp_status);
        put(values, "statistics", &self.statistics);
        put(values, "status", &self.status);
        put(values, "tag", &self.tag);
        put(values, "trunks", &self.trunks);
        put(values, "vlan_mode", &self.vlan_mode);
    }
}

/// A row of `QoS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QoS {
    pub external_ids: BTreeMap<String, String>,
    pub other_config: BTreeMap<String, String>,
    pub queues: RowRefMap<i64>,
    pub r#type: String,
}

impl QoS {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const QUEUES: Column<BTreeMap<i64, Uuid>> = Column::new("queues");
    pub const TYPE: Column<String> = Column::new("type");
}

impl Record for QoS {
    const TABLE: &'static TableDef = &TableDef {
        name: "QoS",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::map("queues", BaseDef::IntegerIn(0, 4294967295), BaseDef::Strong("Queue")),
            ColumnDef::scalar("type", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "other_config", &self.other_config);
        put(values, "queues", &self.queues);
        put(values, "type", &self.r#type);
    }
}

/// A row of `Queue`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Queue {
    pub dscp: Option<i64>,
    pub external_ids: BTreeMap<String, String>,
    pub other_config: BTreeMap<String, String>,
}

impl Queue {
    pub const DSCP: Column<Option<i64>> = Column::new("dscp");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
}

impl Record for Queue {
    const TABLE: &'static TableDef = &TableDef {
        name: "Queue",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("dscp", BaseDef::IntegerIn(0, 63)),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "dscp", &self.dscp);
        put(values, "external_ids", &self.external_ids);
        put(values, "other_config", &self.other_config);
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
}

impl Ssl {
    pub const BOOTSTRAP_CA_CERT: Column<bool> = Column::new("bootstrap_ca_cert");
    pub const CA_CERT: Column<String> = Column::new("ca_cert");
    pub const CERTIFICATE: Column<String> = Column::new("certificate");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const PRIVATE_KEY: Column<String> = Column::new("private_key");
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
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bootstrap_ca_cert", &self.bootstrap_ca_cert);
        put(values, "ca_cert", &self.ca_cert);
        put(values, "certificate", &self.certificate);
        put(values, "external_ids", &self.external_ids);
        put(values, "private_key", &self.private_key);
    }
}

/// A row of `sFlow`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SFlow {
    pub agent: Option<String>,
    pub external_ids: BTreeMap<String, String>,
    pub header: Option<i64>,
    pub polling: Option<i64>,
    pub sampling: Option<i64>,
    pub targets: BTreeSet<String>,
}

impl SFlow {
    pub const AGENT: Column<Option<String>> = Column::new("agent");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HEADER: Column<Option<i64>> = Column::new("header");
    pub const POLLING: Column<Option<i64>> = Column::new("polling");
    pub const SAMPLING: Column<Option<i64>> = Column::new("sampling");
    pub const TARGETS: Column<BTreeSet<String>> = Column::new("targets");
}

impl Record for SFlow {
    const TABLE: &'static TableDef = &TableDef {
        name: "sFlow",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("agent", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("header", BaseDef::Integer),
            ColumnDef::optional("polling", BaseDef::Integer),
            ColumnDef::optional("sampling", BaseDef::Integer),
            ColumnDef::sized("targets", BaseDef::String, 1, None),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "agent", &self.agent);
        put(values, "external_ids", &self.external_ids);
        put(values, "header", &self.header);
        put(values, "polling", &self.polling);
        put(values, "sampling", &self.sampling);
        put(values, "targets", &self.targets);
    }
}
