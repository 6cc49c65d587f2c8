//! Tables of `OVN_Southbound` 20.41.0, written by `cargo xtask gen`; do not edit.
//!
//! Invariant: [`DATABASE`] is the schema this file was written from.

use crate::prelude::*;

/// The whole database.
pub static DATABASE: DatabaseDef = DatabaseDef {
    name: "OVN_Southbound",
    version: "20.41.0",
    tables: &[
        <AclId as Record>::TABLE,
        <AddressSet as Record>::TABLE,
        <AdvertisedRoute as Record>::TABLE,
        <Bfd as Record>::TABLE,
        <Chassis as Record>::TABLE,
        <ChassisPrivate as Record>::TABLE,
        <ChassisTemplateVar as Record>::TABLE,
        <Connection as Record>::TABLE,
        <ControllerEvent as Record>::TABLE,
        <DhcpOptions as Record>::TABLE,
        <DHCPv6Options as Record>::TABLE,
        <Dns as Record>::TABLE,
        <DatapathBinding as Record>::TABLE,
        <EcmpNexthop as Record>::TABLE,
        <Encap as Record>::TABLE,
        <Fdb as Record>::TABLE,
        <GatewayChassis as Record>::TABLE,
        <HaChassis as Record>::TABLE,
        <HaChassisGroup as Record>::TABLE,
        <IgmpGroup as Record>::TABLE,
        <IpMulticast as Record>::TABLE,
        <LearnedRoute as Record>::TABLE,
        <LoadBalancer as Record>::TABLE,
        <LogicalDpGroup as Record>::TABLE,
        <LogicalFlow as Record>::TABLE,
        <MacBinding as Record>::TABLE,
        <Meter as Record>::TABLE,
        <MeterBand as Record>::TABLE,
        <Mirror as Record>::TABLE,
        <MulticastGroup as Record>::TABLE,
        <PortBinding as Record>::TABLE,
        <PortGroup as Record>::TABLE,
        <RbacPermission as Record>::TABLE,
        <RbacRole as Record>::TABLE,
        <SbGlobal as Record>::TABLE,
        <Ssl as Record>::TABLE,
        <ServiceMonitor as Record>::TABLE,
        <StaticMacBinding as Record>::TABLE,
    ],
};

/// A row of `ACL_ID`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AclId {
    pub id: i64,
}

impl AclId {
    pub const ID: Column<i64> = Column::new("id");
}

impl Record for AclId {
    const TABLE: &'static TableDef = &TableDef {
        name: "ACL_ID",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[ColumnDef::scalar("id", BaseDef::IntegerIn(0, 32767))],
    };

    fn write(&self, values: &mut Values) {
        put(values, "id", &self.id);
    }
}

/// A row of `Address_Set`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AddressSet {
    pub addresses: BTreeSet<String>,
    pub name: String,
}

impl AddressSet {
    pub const ADDRESSES: Column<BTreeSet<String>> = Column::new("addresses");
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
            ColumnDef::scalar("name", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "addresses", &self.addresses);
        put(values, "name", &self.name);
    }
}

/// A row of `Advertised_Route`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdvertisedRoute {
    pub datapath: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub ip_prefix: String,
    pub logical_port: RowRef,
    pub tracked_port: RowRef,
}

impl AdvertisedRoute {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IP_PREFIX: Column<String> = Column::new("ip_prefix");
    pub const LOGICAL_PORT: Column<Uuid> = Column::new("logical_port");
    pub const TRACKED_PORT: Column<Option<Uuid>> = Column::new("tracked_port");
}

impl Record for AdvertisedRoute {
    const TABLE: &'static TableDef = &TableDef {
        name: "Advertised_Route",
        is_root: true,
        max_rows: None,
        indexes: &[&["datapath", "ip_prefix", "logical_port", "tracked_port"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("ip_prefix", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::Strong("Port_Binding")),
            ColumnDef::optional("tracked_port", BaseDef::Strong("Port_Binding")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "external_ids", &self.external_ids);
        put(values, "ip_prefix", &self.ip_prefix);
        put(values, "logical_port", &self.logical_port);
        put(values, "tracked_port", &self.tracked_port);
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
    pub chassis_name: String,
    pub detect_mult: i64,
    pub disc: i64,
    pub dst_ip: String,
    pub external_ids: BTreeMap<String, String>,
    pub logical_port: String,
    pub min_rx: i64,
    pub min_tx: i64,
    pub options: BTreeMap<String, String>,
    pub src_port: i64,
    pub status: Option<BfdStatus>,
}

impl Bfd {
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const DETECT_MULT: Column<i64> = Column::new("detect_mult");
    pub const DISC: Column<i64> = Column::new("disc");
    pub const DST_IP: Column<String> = Column::new("dst_ip");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const MIN_RX: Column<i64> = Column::new("min_rx");
    pub const MIN_TX: Column<i64> = Column::new("min_tx");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const SRC_PORT: Column<i64> = Column::new("src_port");
    pub const STATUS: Column<BfdStatus> = Column::new("status");
}

impl Record for Bfd {
    const TABLE: &'static TableDef = &TableDef {
        name: "BFD",
        is_root: true,
        max_rows: None,
        indexes: &[&["disc", "dst_ip", "logical_port", "src_port"]],
        columns: &[
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::scalar("detect_mult", BaseDef::Integer),
            ColumnDef::scalar("disc", BaseDef::Integer),
            ColumnDef::scalar("dst_ip", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::scalar("min_rx", BaseDef::Integer),
            ColumnDef::scalar("min_tx", BaseDef::Integer),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("src_port", BaseDef::IntegerIn(49152, 65535)),
            ColumnDef::scalar("status", BaseDef::OneOf(&["admin_down", "down", "init", "up"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis_name", &self.chassis_name);
        put(values, "detect_mult", &self.detect_mult);
        put(values, "disc", &self.disc);
        put(values, "dst_ip", &self.dst_ip);
        put(values, "external_ids", &self.external_ids);
        put(values, "logical_port", &self.logical_port);
        put(values, "min_rx", &self.min_rx);
        put(values, "min_tx", &self.min_tx);
        put(values, "options", &self.options);
        put(values, "src_port", &self.src_port);
        put(values, "status", &self.status);
    }
}

/// A row of `Chassis`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chassis {
    pub encaps: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub hostname: String,
    pub name: String,
    pub nb_cfg: i64,
    pub other_config: BTreeMap<String, String>,
    pub transport_zones: BTreeSet<String>,
    pub vtep_logical_switches: BTreeSet<String>,
}

impl Chassis {
    pub const ENCAPS: Column<BTreeSet<Uuid>> = Column::new("encaps");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HOSTNAME: Column<String> = Column::new("hostname");
    pub const NAME: Column<String> = Column::new("name");
    pub const NB_CFG: Column<i64> = Column::new("nb_cfg");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const TRANSPORT_ZONES: Column<BTreeSet<String>> = Column::new("transport_zones");
    pub const VTEP_LOGICAL_SWITCHES: Column<BTreeSet<String>> =
        Column::new("vtep_logical_switches");
}

impl Record for Chassis {
    const TABLE: &'static TableDef = &TableDef {
        name: "Chassis",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::sized("encaps", BaseDef::Strong("Encap"), 1, None),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("hostname", BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("nb_cfg", BaseDef::Integer),
            ColumnDef::map("other_config", BaseDef::String, BaseDef::String),
            ColumnDef::set("transport_zones", BaseDef::String),
            ColumnDef::set("vtep_logical_switches", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "encaps", &self.encaps);
        put(values, "external_ids", &self.external_ids);
        put(values, "hostname", &self.hostname);
        put(values, "name", &self.name);
        put(values, "nb_cfg", &self.nb_cfg);
        put(values, "other_config", &self.other_config);
        put(values, "transport_zones", &self.transport_zones);
        put(values, "vtep_logical_switches", &self.vtep_logical_switches);
    }
}

/// A row of `Chassis_Private`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChassisPrivate {
    pub chassis: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
    pub nb_cfg: i64,
    pub nb_cfg_timestamp: i64,
}

impl ChassisPrivate {
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const NAME: Column<String> = Column::new("name");
    pub const NB_CFG: Column<i64> = Column::new("nb_cfg");
    pub const NB_CFG_TIMESTAMP: Column<i64> = Column::new("nb_cfg_timestamp");
}

impl Record for ChassisPrivate {
    const TABLE: &'static TableDef = &TableDef {
        name: "Chassis_Private",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("nb_cfg", BaseDef::Integer),
            ColumnDef::scalar("nb_cfg_timestamp", BaseDef::Integer),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
        put(values, "nb_cfg", &self.nb_cfg);
        put(values, "nb_cfg_timestamp", &self.nb_cfg_timestamp);
    }
}

/// A row of `Chassis_Template_Var`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChassisTemplateVar {
    pub chassis: String,
    pub variables: BTreeMap<String, String>,
}

impl ChassisTemplateVar {
    pub const CHASSIS: Column<String> = Column::new("chassis");
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
            ColumnDef::map("variables", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
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
    pub read_only: bool,
    pub role: String,
    pub status: BTreeMap<String, String>,
    pub target: String,
}

impl Connection {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const INACTIVITY_PROBE: Column<Option<i64>> = Column::new("inactivity_probe");
    pub const IS_CONNECTED: Column<bool> = Column::new("is_connected");
    pub const MAX_BACKOFF: Column<Option<i64>> = Column::new("max_backoff");
    pub const OTHER_CONFIG: Column<BTreeMap<String, String>> = Column::new("other_config");
    pub const READ_ONLY: Column<bool> = Column::new("read_only");
    pub const ROLE: Column<String> = Column::new("role");
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
            ColumnDef::scalar("read_only", BaseDef::Boolean),
            ColumnDef::scalar("role", BaseDef::String),
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
        put(values, "read_only", &self.read_only);
        put(values, "role", &self.role);
        put(values, "status", &self.status);
        put(values, "target", &self.target);
    }
}

enumeration! {
    /// A value of `event_type`.
    ControllerEventEventType {
        EmptyLbBackends = "empty_lb_backends",
    }
}

/// A row of `Controller_Event`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ControllerEvent {
    pub chassis: RowRef,
    pub event_info: BTreeMap<String, String>,
    pub event_type: Option<ControllerEventEventType>,
    pub seq_num: i64,
}

impl ControllerEvent {
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
    pub const EVENT_INFO: Column<BTreeMap<String, String>> = Column::new("event_info");
    pub const EVENT_TYPE: Column<ControllerEventEventType> = Column::new("event_type");
    pub const SEQ_NUM: Column<i64> = Column::new("seq_num");
}

impl Record for ControllerEvent {
    const TABLE: &'static TableDef = &TableDef {
        name: "Controller_Event",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::map("event_info", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("event_type", BaseDef::OneOf(&["empty_lb_backends"])),
            ColumnDef::scalar("seq_num", BaseDef::Integer),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
        put(values, "event_info", &self.event_info);
        put(values, "event_type", &self.event_type);
        put(values, "seq_num", &self.seq_num);
    }
}

enumeration! {
    /// A value of `type`.
    DhcpOptionsType {
        Bool = "bool",
        Domains = "domains",
        HostId = "host_id",
        Ipv4 = "ipv4",
        StaticRoutes = "static_routes",
        Str = "str",
        Uint16 = "uint16",
        Uint32 = "uint32",
        Uint8 = "uint8",
    }
}

/// A row of `DHCP_Options`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DhcpOptions {
    pub code: i64,
    pub name: String,
    pub r#type: Option<DhcpOptionsType>,
}

impl DhcpOptions {
    pub const CODE: Column<i64> = Column::new("code");
    pub const NAME: Column<String> = Column::new("name");
    pub const TYPE: Column<DhcpOptionsType> = Column::new("type");
}

impl Record for DhcpOptions {
    const TABLE: &'static TableDef = &TableDef {
        name: "DHCP_Options",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("code", BaseDef::IntegerIn(0, 254)),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar(
                "type",
                BaseDef::OneOf(&[
                    "bool",
                    "domains",
                    "host_id",
                    "ipv4",
                    "static_routes",
                    "str",
                    "uint16",
                    "uint32",
                    "uint8",
                ]),
            ),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "code", &self.code);
        put(values, "name", &self.name);
        put(values, "type", &self.r#type);
    }
}

enumeration! {
    /// A value of `type`.
    DHCPv6OptionsType {
        Domain = "domain",
        Ipv6 = "ipv6",
        Mac = "mac",
        Str = "str",
    }
}

/// A row of `DHCPv6_Options`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DHCPv6Options {
    pub code: i64,
    pub name: String,
    pub r#type: Option<DHCPv6OptionsType>,
}

impl DHCPv6Options {
    pub const CODE: Column<i64> = Column::new("code");
    pub const NAME: Column<String> = Column::new("name");
    pub const TYPE: Column<DHCPv6OptionsType> = Column::new("type");
}

impl Record for DHCPv6Options {
    const TABLE: &'static TableDef = &TableDef {
        name: "DHCPv6_Options",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("code", BaseDef::IntegerIn(0, 254)),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("type", BaseDef::OneOf(&["domain", "ipv6", "mac", "str"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "code", &self.code);
        put(values, "name", &self.name);
        put(values, "type", &self.r#type);
    }
}

/// A row of `DNS`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dns {
    pub datapaths: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub options: BTreeMap<String, String>,
    pub records: BTreeMap<String, String>,
}

impl Dns {
    pub const DATAPATHS: Column<BTreeSet<Uuid>> = Column::new("datapaths");
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
            ColumnDef::sized("datapaths", BaseDef::Strong("Datapath_Binding"), 1, None),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::map("records", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapaths", &self.datapaths);
        put(values, "external_ids", &self.external_ids);
        put(values, "options", &self.options);
        put(values, "records", &self.records);
    }
}

/// A row of `Datapath_Binding`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatapathBinding {
    pub external_ids: BTreeMap<String, String>,
    pub load_balancers: BTreeSet<Uuid>,
    pub tunnel_key: i64,
}

impl DatapathBinding {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LOAD_BALANCERS: Column<BTreeSet<Uuid>> = Column::new("load_balancers");
    pub const TUNNEL_KEY: Column<i64> = Column::new("tunnel_key");
}

impl Record for DatapathBinding {
    const TABLE: &'static TableDef = &TableDef {
        name: "Datapath_Binding",
        is_root: true,
        max_rows: None,
        indexes: &[&["tunnel_key"]],
        columns: &[
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("load_balancers", BaseDef::Uuid),
            ColumnDef::scalar("tunnel_key", BaseDef::IntegerIn(1, 16777215)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "load_balancers", &self.load_balancers);
        put(values, "tunnel_key", &self.tunnel_key);
    }
}

/// A row of `ECMP_Nexthop`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EcmpNexthop {
    pub datapath: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub mac: String,
    pub nexthop: String,
    pub port: RowRef,
}

impl EcmpNexthop {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const MAC: Column<String> = Column::new("mac");
    pub const NEXTHOP: Column<String> = Column::new("nexthop");
    pub const PORT: Column<Uuid> = Column::new("port");
}

impl Record for EcmpNexthop {
    const TABLE: &'static TableDef = &TableDef {
        name: "ECMP_Nexthop",
        is_root: true,
        max_rows: None,
        indexes: &[&["nexthop", "port"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("nexthop", BaseDef::String),
            ColumnDef::scalar("port", BaseDef::Strong("Port_Binding")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "external_ids", &self.external_ids);
        put(values, "mac", &self.mac);
        put(values, "nexthop", &self.nexthop);
        put(values, "port", &self.port);
    }
}

enumeration! {
    /// A value of `type`.
    EncapType {
        Geneve = "geneve",
        Stt = "stt",
        Vxlan = "vxlan",
    }
}

/// A row of `Encap`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Encap {
    pub chassis_name: String,
    pub ip: String,
    pub options: BTreeMap<String, String>,
    pub r#type: Option<EncapType>,
}

impl Encap {
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const IP: Column<String> = Column::new("ip");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const TYPE: Column<EncapType> = Column::new("type");
}

impl Record for Encap {
    const TABLE: &'static TableDef = &TableDef {
        name: "Encap",
        is_root: false,
        max_rows: None,
        indexes: &[&["ip", "type"]],
        columns: &[
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::scalar("ip", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("type", BaseDef::OneOf(&["geneve", "stt", "vxlan"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis_name", &self.chassis_name);
        put(values, "ip", &self.ip);
        put(values, "options", &self.options);
        put(values, "type", &self.r#type);
    }
}

/// A row of `FDB`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fdb {
    pub dp_key: i64,
    pub mac: String,
    pub port_key: i64,
    pub timestamp: i64,
}

impl Fdb {
    pub const DP_KEY: Column<i64> = Column::new("dp_key");
    pub const MAC: Column<String> = Column::new("mac");
    pub const PORT_KEY: Column<i64> = Column::new("port_key");
    pub const TIMESTAMP: Column<i64> = Column::new("timestamp");
}

impl Record for Fdb {
    const TABLE: &'static TableDef = &TableDef {
        name: "FDB",
        is_root: true,
        max_rows: None,
        indexes: &[&["dp_key", "mac"]],
        columns: &[
            ColumnDef::scalar("dp_key", BaseDef::IntegerIn(1, 16777215)),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("port_key", BaseDef::IntegerIn(1, 16777215)),
            ColumnDef::scalar("timestamp", BaseDef::Integer),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "dp_key", &self.dp_key);
        put(values, "mac", &self.mac);
        put(values, "port_key", &self.port_key);
        put(values, "timestamp", &self.timestamp);
    }
}

/// A row of `Gateway_Chassis`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GatewayChassis {
    pub chassis: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub priority: i64,
}

impl GatewayChassis {
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
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
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
        put(values, "external_ids", &self.external_ids);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "priority", &self.priority);
    }
}

/// A row of `HA_Chassis`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HaChassis {
    pub chassis: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub priority: i64,
}

impl HaChassis {
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
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
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 32767)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis", &self.chassis);
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
    pub ref_chassis: RowRefs,
}

impl HaChassisGroup {
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const HA_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("ha_chassis");
    pub const NAME: Column<String> = Column::new("name");
    pub const REF_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("ref_chassis");
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
            ColumnDef::set("ref_chassis", BaseDef::Weak("Chassis")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "external_ids", &self.external_ids);
        put(values, "ha_chassis", &self.ha_chassis);
        put(values, "name", &self.name);
        put(values, "ref_chassis", &self.ref_chassis);
    }
}

/// A row of `IGMP_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IgmpGroup {
    pub address: String,
    pub chassis: RowRef,
    pub chassis_name: String,
    pub datapath: RowRef,
    pub ports: RowRefs,
    pub protocol: String,
}

impl IgmpGroup {
    pub const ADDRESS: Column<String> = Column::new("address");
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const DATAPATH: Column<Option<Uuid>> = Column::new("datapath");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
    pub const PROTOCOL: Column<String> = Column::new("protocol");
}

impl Record for IgmpGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "IGMP_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["address", "chassis", "datapath"]],
        columns: &[
            ColumnDef::scalar("address", BaseDef::String),
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::optional("datapath", BaseDef::Weak("Datapath_Binding")),
            ColumnDef::set("ports", BaseDef::Weak("Port_Binding")),
            ColumnDef::scalar("protocol", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "address", &self.address);
        put(values, "chassis", &self.chassis);
        put(values, "chassis_name", &self.chassis_name);
        put(values, "datapath", &self.datapath);
        put(values, "ports", &self.ports);
        put(values, "protocol", &self.protocol);
    }
}

/// A row of `IP_Multicast`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IpMulticast {
    pub datapath: RowRef,
    pub enabled: Option<bool>,
    pub eth_src: String,
    pub idle_timeout: Option<i64>,
    pub ip4_src: String,
    pub ip6_src: String,
    pub querier: Option<bool>,
    pub query_interval: Option<i64>,
    pub query_max_resp: Option<i64>,
    pub seq_no: i64,
    pub table_size: Option<i64>,
}

impl IpMulticast {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const ENABLED: Column<Option<bool>> = Column::new("enabled");
    pub const ETH_SRC: Column<String> = Column::new("eth_src");
    pub const IDLE_TIMEOUT: Column<Option<i64>> = Column::new("idle_timeout");
    pub const IP4_SRC: Column<String> = Column::new("ip4_src");
    pub const IP6_SRC: Column<String> = Column::new("ip6_src");
    pub const QUERIER: Column<Option<bool>> = Column::new("querier");
    pub const QUERY_INTERVAL: Column<Option<i64>> = Column::new("query_interval");
    pub const QUERY_MAX_RESP: Column<Option<i64>> = Column::new("query_max_resp");
    pub const SEQ_NO: Column<i64> = Column::new("seq_no");
    pub const TABLE_SIZE: Column<Option<i64>> = Column::new("table_size");
}

impl Record for IpMulticast {
    const TABLE: &'static TableDef = &TableDef {
        name: "IP_Multicast",
        is_root: true,
        max_rows: None,
        indexes: &[&["datapath"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Weak("Datapath_Binding")),
            ColumnDef::optional("enabled", BaseDef::Boolean),
            ColumnDef::scalar("eth_src", BaseDef::String),
            ColumnDef::optional("idle_timeout", BaseDef::Integer),
            ColumnDef::scalar("ip4_src", BaseDef::String),
            ColumnDef::scalar("ip6_src", BaseDef::String),
            ColumnDef::optional("querier", BaseDef::Boolean),
            ColumnDef::optional("query_interval", BaseDef::Integer),
            ColumnDef::optional("query_max_resp", BaseDef::Integer),
            ColumnDef::scalar("seq_no", BaseDef::Integer),
            ColumnDef::optional("table_size", BaseDef::Integer),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "enabled", &self.enabled);
        put(values, "eth_src", &self.eth_src);
        put(values, "idle_timeout", &self.idle_timeout);
        put(values, "ip4_src", &self.ip4_src);
        put(values, "ip6_src", &self.ip6_src);
        put(values, "querier", &self.querier);
        put(values, "query_interval", &self.query_interval);
        put(values, "query_max_resp", &self.query_max_resp);
        put(values, "seq_no", &self.seq_no);
        put(values, "table_size", &self.table_size);
    }
}

/// A row of `Learned_Route`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnedRoute {
    pub datapath: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub ip_prefix: String,
    pub logical_port: RowRef,
    pub nexthop: String,
}

impl LearnedRoute {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IP_PREFIX: Column<String> = Column::new("ip_prefix");
    pub const LOGICAL_PORT: Column<Uuid> = Column::new("logical_port");
    pub const NEXTHOP: Column<String> = Column::new("nexthop");
}

impl Record for LearnedRoute {
    const TABLE: &'static TableDef = &TableDef {
        name: "Learned_Route",
        is_root: true,
        max_rows: None,
        indexes: &[&["datapath", "ip_prefix", "logical_port", "nexthop"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("ip_prefix", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::Strong("Port_Binding")),
            ColumnDef::scalar("nexthop", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "external_ids", &self.external_ids);
        put(values, "ip_prefix", &self.ip_prefix);
        put(values, "logical_port", &self.logical_port);
        put(values, "nexthop", &self.nexthop);
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

/// A row of `Load_Balancer`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBalancer {
    pub datapath_group: RowRef,
    pub datapaths: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub lr_datapath_group: RowRef,
    pub ls_datapath_group: RowRef,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub protocol: Option<LoadBalancerProtocol>,
    pub vips: BTreeMap<String, String>,
}

impl LoadBalancer {
    pub const DATAPATH_GROUP: Column<Option<Uuid>> = Column::new("datapath_group");
    pub const DATAPATHS: Column<BTreeSet<Uuid>> = Column::new("datapaths");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const LR_DATAPATH_GROUP: Column<Option<Uuid>> = Column::new("lr_datapath_group");
    pub const LS_DATAPATH_GROUP: Column<Option<Uuid>> = Column::new("ls_datapath_group");
    pub const NAME: Column<String> = Column::new("name");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PROTOCOL: Column<Option<LoadBalancerProtocol>> = Column::new("protocol");
    pub const VIPS: Column<BTreeMap<String, String>> = Column::new("vips");
}

impl Record for LoadBalancer {
    const TABLE: &'static TableDef = &TableDef {
        name: "Load_Balancer",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::optional("datapath_group", BaseDef::Strong("Logical_DP_Group")),
            ColumnDef::set("datapaths", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("lr_datapath_group", BaseDef::Strong("Logical_DP_Group")),
            ColumnDef::optional("ls_datapath_group", BaseDef::Strong("Logical_DP_Group")),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("protocol", BaseDef::OneOf(&["sctp", "tcp", "udp"])),
            ColumnDef::map("vips", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath_group", &self.datapath_group);
        put(values, "datapaths", &self.datapaths);
        put(values, "external_ids", &self.external_ids);
        put(values, "lr_datapath_group", &self.lr_datapath_group);
        put(values, "ls_datapath_group", &self.ls_datapath_group);
        put(values, "name", &self.name);
        put(values, "options", &self.options);
        put(values, "protocol", &self.protocol);
        put(values, "vips", &self.vips);
    }
}

/// A row of `Logical_DP_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalDpGroup {
    pub datapaths: RowRefs,
}

impl LogicalDpGroup {
    pub const DATAPATHS: Column<BTreeSet<Uuid>> = Column::new("datapaths");
}

impl Record for LogicalDpGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_DP_Group",
        is_root: false,
        max_rows: None,
        indexes: &[],
        columns: &[ColumnDef::set("datapaths", BaseDef::Weak("Datapath_Binding"))],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapaths", &self.datapaths);
    }
}

enumeration! {
    /// A value of `pipeline`.
    LogicalFlowPipeline {
        Egress = "egress",
        Ingress = "ingress",
    }
}

/// A row of `Logical_Flow`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalFlow {
    pub actions: String,
    pub controller_meter: Option<String>,
    pub external_ids: BTreeMap<String, String>,
    pub flow_desc: Option<String>,
    pub logical_datapath: RowRef,
    pub logical_dp_group: RowRef,
    pub r#match: String,
    pub pipeline: Option<LogicalFlowPipeline>,
    pub priority: i64,
    pub table_id: i64,
    pub tags: BTreeMap<String, String>,
}

impl LogicalFlow {
    pub const ACTIONS: Column<String> = Column::new("actions");
    pub const CONTROLLER_METER: Column<Option<String>> = Column::new("controller_meter");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const FLOW_DESC: Column<Option<String>> = Column::new("flow_desc");
    pub const LOGICAL_DATAPATH: Column<Option<Uuid>> = Column::new("logical_datapath");
    pub const LOGICAL_DP_GROUP: Column<Option<Uuid>> = Column::new("logical_dp_group");
    pub const MATCH: Column<String> = Column::new("match");
    pub const PIPELINE: Column<LogicalFlowPipeline> = Column::new("pipeline");
    pub const PRIORITY: Column<i64> = Column::new("priority");
    pub const TABLE_ID: Column<i64> = Column::new("table_id");
    pub const TAGS: Column<BTreeMap<String, String>> = Column::new("tags");
}

impl Record for LogicalFlow {
    const TABLE: &'static TableDef = &TableDef {
        name: "Logical_Flow",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("actions", BaseDef::String),
            ColumnDef::optional("controller_meter", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::optional("flow_desc", BaseDef::String),
            ColumnDef::optional("logical_datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::optional("logical_dp_group", BaseDef::Strong("Logical_DP_Group")),
            ColumnDef::scalar("match", BaseDef::String),
            ColumnDef::scalar("pipeline", BaseDef::OneOf(&["egress", "ingress"])),
            ColumnDef::scalar("priority", BaseDef::IntegerIn(0, 65535)),
            ColumnDef::scalar("table_id", BaseDef::IntegerIn(0, 32)),
            ColumnDef::map("tags", BaseDef::String, BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "actions", &self.actions);
        put(values, "controller_meter", &self.controller_meter);
        put(values, "external_ids", &self.external_ids);
        put(values, "flow_desc", &self.flow_desc);
        put(values, "logical_datapath", &self.logical_datapath);
        put(values, "logical_dp_group", &self.logical_dp_group);
        put(values, "match", &self.r#match);
        put(values, "pipeline", &self.pipeline);
        put(values, "priority", &self.priority);
        put(values, "table_id", &self.table_id);
        put(values, "tags", &self.tags);
    }
}

/// A row of `MAC_Binding`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MacBinding {
    pub datapath: RowRef,
    pub ip: String,
    pub logical_port: String,
    pub mac: String,
    pub timestamp: i64,
}

impl MacBinding {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const IP: Column<String> = Column::new("ip");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const MAC: Column<String> = Column::new("mac");
    pub const TIMESTAMP: Column<i64> = Column::new("timestamp");
}

impl Record for MacBinding {
    const TABLE: &'static TableDef = &TableDef {
        name: "MAC_Binding",
        is_root: true,
        max_rows: None,
        indexes: &[&["ip", "logical_port"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::scalar("ip", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("timestamp", BaseDef::Integer),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "ip", &self.ip);
        put(values, "logical_port", &self.logical_port);
        put(values, "mac", &self.mac);
        put(values, "timestamp", &self.timestamp);
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
    pub name: String,
    pub unit: Option<MeterUnit>,
}

impl Meter {
    pub const BANDS: Column<BTreeSet<Uuid>> = Column::new("bands");
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
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::scalar("unit", BaseDef::OneOf(&["kbps", "pktps"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "bands", &self.bands);
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
    pub rate: i64,
}

impl MeterBand {
    pub const ACTION: Column<MeterBandAction> = Column::new("action");
    pub const BURST_SIZE: Column<i64> = Column::new("burst_size");
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
            ColumnDef::scalar("rate", BaseDef::IntegerIn(1, 4294967295)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "action", &self.action);
        put(values, "burst_size", &self.burst_size);
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

/// A row of `Multicast_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MulticastGroup {
    pub datapath: RowRef,
    pub name: String,
    pub ports: RowRefs,
    pub tunnel_key: i64,
}

impl MulticastGroup {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const NAME: Column<String> = Column::new("name");
    pub const PORTS: Column<BTreeSet<Uuid>> = Column::new("ports");
    pub const TUNNEL_KEY: Column<i64> = Column::new("tunnel_key");
}

impl Record for MulticastGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Multicast_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["datapath", "tunnel_key"], &["datapath", "name"]],
        columns: &[
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::set("ports", BaseDef::Weak("Port_Binding")),
            ColumnDef::scalar("tunnel_key", BaseDef::IntegerIn(32768, 65535)),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "name", &self.name);
        put(values, "ports", &self.ports);
        put(values, "tunnel_key", &self.tunnel_key);
    }
}

/// A row of `Port_Binding`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PortBinding {
    pub additional_chassis: RowRefs,
    pub additional_encap: RowRefs,
    pub chassis: RowRef,
    pub datapath: RowRef,
    pub encap: RowRef,
    pub external_ids: BTreeMap<String, String>,
    pub gateway_chassis: RowRefs,
    pub ha_chassis_group: RowRef,
    pub logical_port: String,
    pub mac: BTreeSet<String>,
    pub mirror_rules: RowRefs,
    pub nat_addresses: BTreeSet<String>,
    pub options: BTreeMap<String, String>,
    pub parent_port: Option<String>,
    pub port_security: BTreeSet<String>,
    pub requested_additional_chassis: RowRefs,
    pub requested_chassis: RowRef,
    pub tag: Option<i64>,
    pub tunnel_key: i64,
    pub r#type: String,
    pub up: Option<bool>,
    pub virtual_parent: Option<String>,
}

impl PortBinding {
    pub const ADDITIONAL_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("additional_chassis");
    pub const ADDITIONAL_ENCAP: Column<BTreeSet<Uuid>> = Column::new("additional_encap");
    pub const CHASSIS: Column<Option<Uuid>> = Column::new("chassis");
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
    pub const ENCAP: Column<Option<Uuid>> = Column::new("encap");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const GATEWAY_CHASSIS: Column<BTreeSet<Uuid>> = Column::new("gateway_chassis");
    pub const HA_CHASSIS_GROUP: Column<Option<Uuid>> = Column::new("ha_chassis_group");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const MAC: Column<BTreeSet<String>> = Column::new("mac");
    pub const MIRROR_RULES: Column<BTreeSet<Uuid>> = Column::new("mirror_rules");
    pub const NAT_ADDRESSES: Column<BTreeSet<String>> = Column::new("nat_addresses");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PARENT_PORT: Column<Option<String>> = Column::new("parent_port");
    pub const PORT_SECURITY: Column<BTreeSet<String>> = Column::new("port_security");
    pub const REQUESTED_ADDITIONAL_CHASSIS: Column<BTreeSet<Uuid>> =
        Column::new("requested_additional_chassis");
    pub const REQUESTED_CHASSIS: Column<Option<Uuid>> = Column::new("requested_chassis");
    pub const TAG: Column<Option<i64>> = Column::new("tag");
    pub const TUNNEL_KEY: Column<i64> = Column::new("tunnel_key");
    pub const TYPE: Column<String> = Column::new("type");
    pub const UP: Column<Option<bool>> = Column::new("up");
    pub const VIRTUAL_PARENT: Column<Option<String>> = Column::new("virtual_parent");
}

impl Record for PortBinding {
    const TABLE: &'static TableDef = &TableDef {
        name: "Port_Binding",
        is_root: true,
        max_rows: None,
        indexes: &[&["datapath", "tunnel_key"], &["logical_port"]],
        columns: &[
            ColumnDef::set("additional_chassis", BaseDef::Weak("Chassis")),
            ColumnDef::set("additional_encap", BaseDef::Weak("Encap")),
            ColumnDef::optional("chassis", BaseDef::Weak("Chassis")),
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::optional("encap", BaseDef::Weak("Encap")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::set("gateway_chassis", BaseDef::Strong("Gateway_Chassis")),
            ColumnDef::optional("ha_chassis_group", BaseDef::Strong("HA_Chassis_Group")),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::set("mac", BaseDef::String),
            ColumnDef::set("mirror_rules", BaseDef::Weak("Mirror")),
            ColumnDef::set("nat_addresses", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("parent_port", BaseDef::String),
            ColumnDef::set("port_security", BaseDef::String),
            ColumnDef::set("requested_additional_chassis", BaseDef::Weak("Chassis")),
            ColumnDef::optional("requested_chassis", BaseDef::Weak("Chassis")),
            ColumnDef::optional("tag", BaseDef::IntegerIn(1, 4095)),
            ColumnDef::scalar("tunnel_key", BaseDef::IntegerIn(1, 32767)),
            ColumnDef::scalar("type", BaseDef::String),
            ColumnDef::optional("up", BaseDef::Boolean),
            ColumnDef::optional("virtual_parent", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "additional_chassis", &self.additional_chassis);
        put(values, "additional_encap", &self.additional_encap);
        put(values, "chassis", &self.chassis);
        put(values, "datapath", &self.datapath);
        put(values, "encap", &self.encap);
        put(values, "external_ids", &self.external_ids);
        put(values, "gateway_chassis", &self.gateway_chassis);
        put(values, "ha_chassis_group", &self.ha_chassis_group);
        put(values, "logical_port", &self.logical_port);
        put(values, "mac", &self.mac);
        put(values, "mirror_rules", &self.mirror_rules);
        put(values, "nat_addresses", &self.nat_addresses);
        put(values, "options", &self.options);
        put(values, "parent_port", &self.parent_port);
        put(values, "port_security", &self.port_security);
        put(values, "requested_additional_chassis", &self.requested_additional_chassis);
        put(values, "requested_chassis", &self.requested_chassis);
        put(values, "tag", &self.tag);
        put(values, "tunnel_key", &self.tunnel_key);
        put(values, "type", &self.r#type);
        put(values, "up", &self.up);
        put(values, "virtual_parent", &self.virtual_parent);
    }
}

/// A row of `Port_Group`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PortGroup {
    pub name: String,
    pub ports: BTreeSet<String>,
}

impl PortGroup {
    pub const NAME: Column<String> = Column::new("name");
    pub const PORTS: Column<BTreeSet<String>> = Column::new("ports");
}

impl Record for PortGroup {
    const TABLE: &'static TableDef = &TableDef {
        name: "Port_Group",
        is_root: true,
        max_rows: None,
        indexes: &[&["name"]],
        columns: &[
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::set("ports", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "name", &self.name);
        put(values, "ports", &self.ports);
    }
}

/// A row of `RBAC_Permission`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RbacPermission {
    pub authorization: BTreeSet<String>,
    pub insert_delete: bool,
    pub table: String,
    pub update: BTreeSet<String>,
}

impl RbacPermission {
    pub const AUTHORIZATION: Column<BTreeSet<String>> = Column::new("authorization");
    pub const INSERT_DELETE: Column<bool> = Column::new("insert_delete");
    pub const TABLE: Column<String> = Column::new("table");
    pub const UPDATE: Column<BTreeSet<String>> = Column::new("update");
}

impl Record for RbacPermission {
    const TABLE: &'static TableDef = &TableDef {
        name: "RBAC_Permission",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::set("authorization", BaseDef::String),
            ColumnDef::scalar("insert_delete", BaseDef::Boolean),
            ColumnDef::scalar("table", BaseDef::String),
            ColumnDef::set("update", BaseDef::String),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "authorization", &self.authorization);
        put(values, "insert_delete", &self.insert_delete);
        put(values, "table", &self.table);
        put(values, "update", &self.update);
    }
}

/// A row of `RBAC_Role`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RbacRole {
    pub name: String,
    pub permissions: RowRefMap<String>,
}

impl RbacRole {
    pub const NAME: Column<String> = Column::new("name");
    pub const PERMISSIONS: Column<BTreeMap<String, Uuid>> = Column::new("permissions");
}

impl Record for RbacRole {
    const TABLE: &'static TableDef = &TableDef {
        name: "RBAC_Role",
        is_root: true,
        max_rows: None,
        indexes: &[],
        columns: &[
            ColumnDef::scalar("name", BaseDef::String),
            ColumnDef::map("permissions", BaseDef::String, BaseDef::Weak("RBAC_Permission")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "name", &self.name);
        put(values, "permissions", &self.permissions);
    }
}

/// A row of `SB_Global`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SbGlobal {
    pub connections: RowRefs,
    pub external_ids: BTreeMap<String, String>,
    pub ipsec: bool,
    pub nb_cfg: i64,
    pub options: BTreeMap<String, String>,
    pub ssl: RowRef,
}

impl SbGlobal {
    pub const CONNECTIONS: Column<BTreeSet<Uuid>> = Column::new("connections");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IPSEC: Column<bool> = Column::new("ipsec");
    pub const NB_CFG: Column<i64> = Column::new("nb_cfg");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const SSL: Column<Option<Uuid>> = Column::new("ssl");
}

impl Record for SbGlobal {
    const TABLE: &'static TableDef = &TableDef {
        name: "SB_Global",
        is_root: true,
        max_rows: Some(1),
        indexes: &[],
        columns: &[
            ColumnDef::set("connections", BaseDef::Strong("Connection")),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("ipsec", BaseDef::Boolean),
            ColumnDef::scalar("nb_cfg", BaseDef::Integer),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::optional("ssl", BaseDef::Strong("SSL")),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "connections", &self.connections);
        put(values, "external_ids", &self.external_ids);
        put(values, "ipsec", &self.ipsec);
        put(values, "nb_cfg", &self.nb_cfg);
        put(values, "options", &self.options);
        put(values, "ssl", &self.ssl);
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

enumeration! {
    /// A value of `protocol`.
    ServiceMonitorProtocol {
        Tcp = "tcp",
        Udp = "udp",
    }
}

enumeration! {
    /// A value of `status`.
    ServiceMonitorStatus {
        Error = "error",
        Offline = "offline",
        Online = "online",
    }
}

/// A row of `Service_Monitor`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServiceMonitor {
    pub chassis_name: String,
    pub external_ids: BTreeMap<String, String>,
    pub ip: String,
    pub logical_port: String,
    pub options: BTreeMap<String, String>,
    pub port: i64,
    pub protocol: Option<ServiceMonitorProtocol>,
    pub src_ip: String,
    pub src_mac: String,
    pub status: Option<ServiceMonitorStatus>,
}

impl ServiceMonitor {
    pub const CHASSIS_NAME: Column<String> = Column::new("chassis_name");
    pub const EXTERNAL_IDS: Column<BTreeMap<String, String>> = Column::new("external_ids");
    pub const IP: Column<String> = Column::new("ip");
    pub const LOGICAL_PORT: Column<String> = Column::new("logical_port");
    pub const OPTIONS: Column<BTreeMap<String, String>> = Column::new("options");
    pub const PORT: Column<i64> = Column::new("port");
    pub const PROTOCOL: Column<Option<ServiceMonitorProtocol>> = Column::new("protocol");
    pub const SRC_IP: Column<String> = Column::new("src_ip");
    pub const SRC_MAC: Column<String> = Column::new("src_mac");
    pub const STATUS: Column<Option<ServiceMonitorStatus>> = Column::new("status");
}

impl Record for ServiceMonitor {
    const TABLE: &'static TableDef = &TableDef {
        name: "Service_Monitor",
        is_root: true,
        max_rows: None,
        indexes: &[&["ip", "logical_port", "port", "protocol"]],
        columns: &[
            ColumnDef::scalar("chassis_name", BaseDef::String),
            ColumnDef::map("external_ids", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("ip", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::map("options", BaseDef::String, BaseDef::String),
            ColumnDef::scalar("port", BaseDef::IntegerIn(0, 65535)),
            ColumnDef::optional("protocol", BaseDef::OneOf(&["tcp", "udp"])),
            ColumnDef::scalar("src_ip", BaseDef::String),
            ColumnDef::scalar("src_mac", BaseDef::String),
            ColumnDef::optional("status", BaseDef::OneOf(&["error", "offline", "online"])),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "chassis_name", &self.chassis_name);
        put(values, "external_ids", &self.external_ids);
        put(values, "ip", &self.ip);
        put(values, "logical_port", &self.logical_port);
        put(values, "options", &self.options);
        put(values, "port", &self.port);
        put(values, "protocol", &self.protocol);
        put(values, "src_ip", &self.src_ip);
        put(values, "src_mac", &self.src_mac);
        put(values, "status", &self.status);
    }
}

/// A row of `Static_MAC_Binding`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StaticMacBinding {
    pub datapath: RowRef,
    pub ip: String,
    pub logical_port: String,
    pub mac: String,
    pub override_dynamic_mac: bool,
}

impl StaticMacBinding {
    pub const DATAPATH: Column<Uuid> = Column::new("datapath");
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
            ColumnDef::scalar("datapath", BaseDef::Strong("Datapath_Binding")),
            ColumnDef::scalar("ip", BaseDef::String),
            ColumnDef::scalar("logical_port", BaseDef::String),
            ColumnDef::scalar("mac", BaseDef::String),
            ColumnDef::scalar("override_dynamic_mac", BaseDef::Boolean),
        ],
    };

    fn write(&self, values: &mut Values) {
        put(values, "datapath", &self.datapath);
        put(values, "ip", &self.ip);
        put(values, "logical_port", &self.logical_port);
        put(values, "mac", &self.mac);
        put(values, "override_dynamic_mac", &self.override_dynamic_mac);
    }
}
