//! The shared northbound cases of the default network: same rows as OVN-Kubernetes.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use ovsdb::cache::RowView;

use crate::driver::Driver;
use crate::northbound::cases::{self, Case};
use crate::northbound::world::Input;
use crate::northbound::{Folder, LATER_TABLES, database, is_later, reconcile, start};
use crate::rows::content::content_of;

const FOLDER: Folder =
    Folder { name: "nb-default", take_step, later_tables: LATER_TABLES, is_set_aside: is_later };

#[test]
fn equal_steps_are_equal() {
    FOLDER.check(&|_| true);
}

#[test]
fn pods_are_given_the_same() {
    // The attachment that claims the default route names a NAD that the case does not have.
    FOLDER.check_pods(&["observed-default-pod-with-other-default-route"]);
}

#[test]
fn the_page_names_every_step_of_every_case_once() {
    FOLDER.check_page();
}

/// Does what happened in the other project's test before the step.
fn take_step(case: &Case, step: &str, input: &mut Input, driver: &mut Driver) {
    match step {
        "initial" => {
            input.address_pods(&case.step(step).unwrap()["pod_networks"]);
            start(input, driver);
        }
        step => reconcile(driver, input.take_step(case.step(step).unwrap())),
    }
}

/// The own chassis is its own controller's alone.
#[test]
fn the_chassis_of_other_nodes_are_equal() {
    let Some(cases) = cases::all(FOLDER.name) else { return };
    for case in &cases {
        let mut input = Input::of(case);
        let mut driver = Driver::new(&input.zone, &input.settings);
        for (step, _) in case.steps() {
            take_step(case, &step, &mut input, &mut driver);
            let want = &case.step(&step).unwrap()["sb"];
            let want = database::load(driver.southbound.rules().clone(), want);
            let own = driver.zone.intent().nodes[&input.zone].chassis.clone().unwrap();
            let others = |row: RowView<'_>| {
                ["name", "chassis_name"].iter().all(|it| row.text(it) != Some(own.as_str()))
            };
            let rows = |of| content_of(of, &others);
            assert_eq!(rows(&driver.southbound), rows(&want), "{} at {step}", case.id);
        }
    }
}
