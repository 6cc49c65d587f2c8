//! The table of crates: every crate of ours, whether it is pure, and what it may use.
//!
//! Invariant: this table is the only place that states the arrows; ARCHITECTURE.md draws it. A row
//! may stand before its crate does; a crate without a row is refused.

use self::MayUse::{AllBut, Only};

/// One crate of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    /// Values in, values out: no runtime, client, clock, randomness or log.
    pub(crate) is_pure: bool,
    pub(crate) may_use: MayUse,
}

/// Which crates of ours a crate may use in its product code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MayUse {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// The rig that tests of any crate may use.
const LAB: &str = "udn-lab";

/// The API server that tests of any crate may start in their own process.
const SERVER: &str = "kube-embedded";

#[rustfmt::skip]
const CRATES: &[Crate] = &[
    pure("strict-net",    &[]),
    pure("udn-model",     &["strict-net"]),
    pure("udn-ledger",    &["udn-model"]),
    pure("udn-wire",      &["udn-model", "strict-net"]),
    pure("udn-manifest",  &[]),
    pure("udn-cluster",   &["udn-model", "udn-ledger", "udn-wire", "udn-manifest"]),
    pure("udn-blueprint", &["udn-model", "ovn", "ovsdb"]),
    pure("udn-zone",      &["udn-model", "udn-wire", "udn-ledger", "udn-cluster", "udn-blueprint",
                            "ovn", "ovsdb"]),
    pure("udn-host",      &["udn-model", "udn-wire", "udn-blueprint", "ovn", "ovsdb"]),
    pure("kube-schema",   &["strict-net"]),
    pure("ovsdb",         &[]),
    pure("ovn",           &["ovsdb"]),

    shell("ovsdb-net",     Only(&["ovsdb"])),
    shell(SERVER,          Only(&["kube-schema"])),
    shell("udn-control",   Only(&["strict-net", "udn-model", "udn-ledger",
                                  "udn-wire", "udn-manifest", "udn-cluster", "udn-zone", "udn-host",
                                  "udn-blueprint", "kube-schema", "ovsdb", "ovn", "ovsdb-net"])),
    shell("udn-node",      Only(&["udn-host", "udn-model", "udn-wire", "udn-blueprint", "udn-cluster",
                                  "udn-zone", "udn-control", "ovn", "ovsdb", "ovsdb-net", "udn-cni"])),
    shell("udn-cni",       Only(&[])),
    shell(LAB,             Only(&[])),
    shell("udn-sandbox",   AllBut(&["udn", "xtask"])),
    shell("udn",           AllBut(&["xtask"])),

    shell("xtask",         Only(&["ovsdb", "ovn", LAB])),
];

/// The row of this crate.
pub(crate) fn find(name: &str) -> Option<&'static Crate> {
    CRATES.iter().find(|entry| entry.name == name)
}

pub(crate) fn is_pure(name: &str) -> bool {
    find(name).is_some_and(|entry| entry.is_pure)
}

/// Where a crate's manifest lies.
pub(crate) fn manifest(name: &str) -> String {
    match name {
        "xtask" => "xtask/Cargo.toml".to_owned(),
        name => format!("crates/{name}/Cargo.toml"),
    }
}

impl Crate {
    /// Whether the crate's product code may use `other`.
    pub(crate) fn may_use(&self, other: &str) -> bool {
        match self.may_use {
            Only(allowed) => allowed.contains(&other),
            AllBut(refused) => !refused.contains(&other),
        }
    }

    /// Whether the crate's tests may use `other`: the rig, the embedded server and every pure crate,
    /// besides the above.
    pub(crate) fn tests_may_use(&self, other: &str) -> bool {
        self.may_use(other) || [LAB, SERVER].contains(&other) || is_pure(other)
    }
}

const fn pure(name: &'static str, may_use: &'static [&'static str]) -> Crate {
    Crate { name, is_pure: true, may_use: Only(may_use) }
}

const fn shell(name: &'static str, may_use: MayUse) -> Crate {
    Crate { name, is_pure: false, may_use }
}
