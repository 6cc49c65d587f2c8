//! The rooms of the house: every crate of ours, whether it is pure, and what it may use.
//!
//! Invariant: this table is the only place that states the arrows; ARCHITECTURE.md draws it.

use self::MayUse::{AllBut, Only};

/// One crate of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) name: &'static str,
    /// Values in, values out: no runtime, client, clock, randomness or log.
    pub(crate) is_pure: bool,
    pub(crate) may_use: MayUse,
}

/// Which crates of ours a room may use in its product code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MayUse {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// The rig that tests of any room may use.
const LAB: &str = "udn-lab";

/// The API server that tests of any room may start in their own process.
const SERVER: &str = "kube-embedded";

#[rustfmt::skip]
const ROOMS: &[Room] = &[
    pure("strict-net",    &[]),
    pure("udn-model",     &["strict-net"]),
    pure("udn-ledger",    &["udn-model"]),
    pure("udn-wire",      &["udn-model", "strict-net"]),
    pure("udn-manifest",  &[]),
    pure("udn-cluster",   &["udn-model", "udn-ledger", "udn-wire", "udn-manifest"]),
    pure("udn-blueprint", &["udn-model", "ovn", "ovsdb"]),
    pure("kube-schema",   &["strict-net"]),
    pure("ovsdb",         &[]),
    pure("ovn",           &["ovsdb"]),

    shell("ovsdb-net",     Only(&["ovsdb"])),
    shell(SERVER,          Only(&["kube-schema"])),
    shell("udn-control",   Only(&["strict-net", "udn-model", "udn-ledger", "udn-wire",
                                  "udn-manifest", "udn-cluster",
                                  "udn-blueprint", "kube-schema", "ovsdb", "ovn", "ovsdb-net"])),
    shell("udn-node",      Only(&["udn-model", "udn-wire", "udn-cluster", "udn-blueprint", "ovn", "ovsdb",
                                  "ovsdb-net", "udn-cni"])),
    shell("udn-cni",       Only(&[])),
    shell(LAB,             Only(&[])),
    shell("udn-sandbox",   AllBut(&["udn", "xtask"])),
    shell("udn",           AllBut(&["xtask"])),

    shell("xtask",         Only(&["ovsdb", "ovn", LAB])),
];

/// The room of this name.
pub(crate) fn find(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

pub(crate) fn is_pure(name: &str) -> bool {
    find(name).is_some_and(|room| room.is_pure)
}

/// Where a crate's manifest lies.
pub(crate) fn manifest(name: &str) -> String {
    match name {
        "xtask" => "xtask/Cargo.toml".to_owned(),
        name => format!("crates/{name}/Cargo.toml"),
    }
}

impl Room {
    /// Whether the room's product code may use `other`.
    pub(crate) fn may_use(&self, other: &str) -> bool {
        match self.may_use {
            Only(allowed) => allowed.contains(&other),
            AllBut(refused) => !refused.contains(&other),
        }
    }

    /// Whether the room's tests may use `other`: the rig, the embedded server and every pure room,
    /// besides the above.
    pub(crate) fn tests_may_use(&self, other: &str) -> bool {
        self.may_use(other) || [LAB, SERVER].contains(&other) || is_pure(other)
    }
}

const fn pure(name: &'static str, may_use: &'static [&'static str]) -> Room {
    Room { name, is_pure: true, may_use: Only(may_use) }
}

const fn shell(name: &'static str, may_use: MayUse) -> Room {
    Room { name, is_pure: false, may_use }
}
