//! The shared northbound cases of layer-2 networks and localnets: same rows as OVN-Kubernetes.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use std::collections::BTreeSet;

use ovn::Owner;
use ovsdb::cache::RowView;
use udn_blueprint::names::ids;
use udn_blueprint::{owners, parts};

use crate::driver::Driver;
use crate::northbound::cases::Case;
use crate::northbound::world::Input;
use crate::northbound::{Folder, is_guard, reconcile, start};

const FOLDER: Folder = Folder { name: "nb-topology", take_step, later_tables: &[], is_set_aside };

#[test]
fn equal_steps_are_equal() {
    FOLDER.check(&|_| true);
}

// proves: T-03
#[test]
fn switches_and_routers_and_their_links_are_equal() {
    FOLDER.check_tables(&[
        "Logical_Router",
        "Logical_Router_Port",
        "Logical_Switch",
        "Logical_Switch_Port",
    ]);
}

// proves: T-05, T-06
#[test]
fn ports_of_routers_are_equal() {
    FOLDER.check_tables(&["Logical_Router_Port"]);
}

// proves: T-07
#[test]
fn the_chassis_of_gateway_ports_are_equal() {
    FOLDER.check_tables(&["Gateway_Chassis"]);
}

// proves: T-10
#[test]
fn translations_of_addresses_are_equal() {
    FOLDER.check_tables(&["NAT"]);
}

// proves: T-11, T-13
#[test]
fn routes_are_equal() {
    FOLDER.check_tables(&["Logical_Router_Static_Route"]);
}

// proves: T-12 half: the EgressIP rules
#[test]
fn policies_are_equal() {
    FOLDER.check_tables(&["Logical_Router_Policy"]);
}

#[test]
fn the_page_names_every_step_of_every_case_once() {
    FOLDER.check_page();
}

/// Does what happened in the other project's test before the step.
fn take_step(case: &Case, step: &str, input: &mut Input, driver: &mut Driver) {
    match (case.id.as_str(), step) {
        (_, "initial") => start(input, driver),
        (_, "remote-node-deleted") => reconcile(driver, input.remove_node("test-node2")),
        (_, "network-cleanup") => reconcile(driver, input.remove_networks()),
        // The steps before it, from an older topology, are left out.
        (_, "all-remotes-upgraded") => {
            input.upgrade_nodes();
            start(input, driver);
        }
        // Only what is left of nodes that are gone is removed; nothing else is looked at.
        ("asserted-controller-should-cleanup-stale-nodes-on-startup", "end")
        | (
            "asserted-subset-default-network-controller-syncpods-should-not-delete-dhcp-options-owned-by-udn-controllers",
            "end",
        ) => sweep(input, driver),
        (id, "end") if id.starts_with("asserted-cleanup-") || id.ends_with("-removes-them") => {
            start(input, driver);
            reconcile(driver, input.remove_networks());
        }
        // The other node has no pod of the network, and dynamic allocation leaves such nodes out.
        ("asserted-with-dynamic-udn-allocation-a-remote-node-with-no-nad-is-ignored", "end") => {
            input.remove_node("test-node2");
            start(input, driver);
        }
        (
            "asserted-subset-activates-a-remote-node-when-a-nad-becomes-active-and-cleans-it-up-when-inactive",
            "end",
        ) => {
            input.remove_node("remoteNode");
            start(input, driver);
        }
        (_, "end") => start(input, driver),
        (id, step) => panic!("no way to take step {step} of {id}"),
    }
}

/// Removes what belongs to no part, and draws nothing.
fn sweep(input: &Input, driver: &mut Driver) {
    driver.hear(input.listed());
    let parts = parts(&driver.zone.input());
    let drawn: BTreeSet<Owner> = parts.iter().map(owners::owner).collect();
    for (item, extent) in driver.everything().0 {
        let rows = driver.northbound.rows();
        let mut sheets = driver.zone.draw(&item, &extent, rows).sheets;
        sheets.retain(|sheet| !drawn.contains(&sheet.owner) && sheet.is_empty());
        let plan = driver.northbound.plan(&sheets).expect("comparable");
        driver.northbound.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    }
}

/// The router guard is ours alone. The other project's older tests do not run what makes the rows
/// that let pods reach themselves through services.
fn is_set_aside(_: &Case, row: RowView<'_>) -> bool {
    is_guard(row) || row.entry("external_ids", ids::OWNER_TYPE) == Some(ids::ALWAYS)
}
