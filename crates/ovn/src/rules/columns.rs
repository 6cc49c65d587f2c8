//! How each column is treated.
//!
//! Invariant: every column not named here is owned by whoever draws the row.

/// How compare treats a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Drawn and compared as a whole.
    Owned,
    /// Filled by the rows that are placed in it, never written as a whole.
    List,
    /// Written by OVN or Open vSwitch themselves; never drawn or compared.
    Foreign,
    /// A map in which only the drawn entries are ours.
    Shared,
}

impl Treatment {
    /// The treatment of a column, by the table's and the column's name.
    pub fn of(table: &str, column: &str) -> Self {
        if LISTS.contains(&(table, column)) {
            Self::List
        } else if is_foreign(table, column) {
            Self::Foreign
        } else if is_shared(table, column) {
            Self::Shared
        } else {
            Self::Owned
        }
    }
}

const LISTS: &[(&str, &str)] = &[
    ("Bridge", "controller"),
    ("Bridge", "mirrors"),
    ("Bridge", "ports"),
    ("Chassis", "encaps"),
    ("HA_Chassis_Group", "ha_chassis"),
    ("Load_Balancer", "health_check"),
    ("Load_Balancer_Group", "load_balancer"),
    ("Logical_Router", "load_balancer"),
    ("Logical_Router", "nat"),
    ("Logical_Router", "policies"),
    ("Logical_Router", "ports"),
    ("Logical_Router", "static_routes"),
    ("Logical_Router_Port", "gateway_chassis"),
    ("Logical_Switch", "acls"),
    ("Logical_Switch", "dns_records"),
    ("Logical_Switch", "forwarding_groups"),
    ("Logical_Switch", "load_balancer"),
    ("Logical_Switch", "ports"),
    ("Logical_Switch", "qos_rules"),
    ("Meter", "bands"),
    ("Open_vSwitch", "bridges"),
    ("Port", "interfaces"),
    ("Port_Group", "acls"),
    ("Port_Group", "ports"),
];

fn is_foreign(table: &str, column: &str) -> bool {
    match table {
        "BFD" => column == "status",
        "Bridge" => {
            matches!(column, "datapath_id" | "datapath_version" | "rstp_status" | "status")
        }
        "Chassis" => matches!(column, "nb_cfg" | "vtep_logical_switches"),
        "Connection" | "Manager" => matches!(column, "is_connected" | "status"),
        "Controller" => matches!(column, "is_connected" | "role" | "status"),
        "Interface" => is_interface_state(column),
        "Logical_Router_Port" => matches!(column, "ipv6_prefix" | "status"),
        "Logical_Switch_Port" => matches!(column, "dynamic_addresses" | "tag" | "up"),
        "NB_Global" | "SB_Global" => {
            matches!(column, "connections" | "ssl")
                || column.ends_with("_cfg")
                || column.ends_with("_timestamp")
        }
        "Open_vSwitch" => !matches!(column, "bridges" | "external_ids" | "other_config"),
        "Port" => matches!(
            column,
            "bond_active_slave" | "rstp_statistics" | "rstp_status" | "statistics" | "status"
        ),
        _ => false,
    }
}

fn is_interface_state(column: &str) -> bool {
    let state = [
        "admin_state",
        "bfd_status",
        "cfm_fault",
        "cfm_fault_status",
        "cfm_flap_count",
        "cfm_health",
        "cfm_remote_mpids",
        "cfm_remote_opstate",
        "duplex",
        "error",
        "ifindex",
        "lacp_current",
        "link_resets",
        "link_speed",
        "link_state",
        "mac_in_use",
        "mtu",
        "ofport",
        "statistics",
        "status",
    ];
    state.contains(&column)
}

fn is_shared(table: &str, column: &str) -> bool {
    match table {
        "Bridge" | "Interface" | "Open_vSwitch" | "Port" => {
            matches!(column, "external_ids" | "other_config")
        }
        "Chassis" => column == "external_ids",
        "NB_Global" | "SB_Global" => matches!(column, "external_ids" | "options"),
        _ => false,
    }
}
