//! The shared northbound cases of layer-3 networks: same rows as OVN-Kubernetes.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use crate::driver::Driver;
use crate::northbound::cases::Case;
use crate::northbound::world::Input;
use crate::northbound::{Folder, LATER_TABLES, is_later, reconcile, restart, start};

const FOLDER: Folder =
    Folder { name: "nb-layer3", take_step, later_tables: LATER_TABLES, is_set_aside: is_later };

#[test]
fn equal_steps_are_equal() {
    FOLDER.check(&|_| true);
}

#[test]
fn pods_are_given_the_same() {
    // Of a pod's two attachments to one network, which comes first is a matter of chance there.
    FOLDER.check_pods(&["observed-layer3-secondary-dualstack-local-gw"]);
}

#[test]
fn the_page_names_every_step_of_every_case_once() {
    FOLDER.check_page();
}

/// Does what happened in the other project's test before the step.
fn take_step(case: &Case, step: &str, input: &mut Input, driver: &mut Driver) {
    match step {
        // The step before the advertisement was withdrawn is left out.
        "initial" | "withdrawn" => {
            input.address_pods(&case.step(step).unwrap()["pod_networks"]);
            start(input, driver);
        }
        "start-up-sync" => restart(input, driver),
        "network-cleanup" => reconcile(driver, input.remove_networks()),
        "end" => {
            input.address_pods_as_drawn(&case.body["expected_nb"]);
            start(input, driver);
            if case.id.contains("cleanup") {
                reconcile(driver, input.remove_networks());
            }
        }
        step => reconcile(driver, input.take_step(case.step(step).unwrap())),
    }
}
