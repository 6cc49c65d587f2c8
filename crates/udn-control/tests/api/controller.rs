//! The cluster controller on a real kube-apiserver with kube-controller-manager, and on the embedded one.
//!
//! Every scene is two tests: `real::<module>::<scene>` and `embedded::<module>::<scene>`. The marks
//! stand on the scenes.
//! Invariant: nothing below `scenes/` knows which server it runs on.

mod scenes;
mod servers;
mod watched_brain;

/// Makes tests of scenes.
macro_rules! tests_of {
    ($servers:ident: $($module:ident: $($scene:ident),+;)+) => {
        $(mod $module {
            use crate::controller::{scenes, servers};

            $(#[test]
            fn $scene() {
                servers::$servers.play(scenes::$module::$scene);
            })+
        })+
    };
}

/// The same on both sorts of servers.
macro_rules! on_both_servers {
    ($($scenes:tt)+) => {
        mod real {
            tests_of! { REAL: $($scenes)+ }
        }
        mod embedded {
            tests_of! { EMBEDDED: $($scenes)+ }
        }
    };
}

on_both_servers! {
    nads: of_every_selector, follow_namespaces, of_a_udn, of_a_cudn, drift_is_repaired,
        one_namespace_in_the_way_costs_no_other, the_default_one_always_exists,
        what_bypassed_admission_is_told;
    numbers: stay_through_restarts_and_other_settings, of_hand_written_nads,
        that_run_out_are_told, transit_subnets_keep_clear, of_nodes;
    readiness: of_localnets, other_writers_conditions_stay;
    agents: that_stop_or_crash_are_named, leases_are_mended, that_work_cost_nothing;
    deletion: in_every_order, waits_for_living_pods;
    isolation: a_broken_network_changes_nothing_of_others, garbage_costs_no_other,
        workloads_that_panic_cost_no_other;
    pods: are_annotated_as_on_the_wire, are_written_once_for_all_their_networks,
        give_their_addresses_back_when_they_end, keep_what_they_carry_over_a_restart,
        that_carry_one_address_are_both_told, of_hand_written_nads, wait_for_their_network,
        wait_quietly_for_a_network_that_is_refused,
        are_served_beside_a_namesake_of_their_network, do_not_come_to_a_network_that_was_spoilt;
    requests: for_ip_and_mac_each_without_the_other,
        in_reserved_ranges_are_honoured_and_nothing_else_is_there, for_what_was_the_gateways,
        cannot_be_changed, switched_off_are_told;
    wrong_requests: for_infrastructure_are_refused, that_do_not_fit_are_refused,
        for_what_others_hold_name_the_holder, for_macs_of_the_system_are_refused,
        for_another_default_network_are_refused;
    secondary: requests_are_honoured, claims_are_honoured;
    claims: keep_addresses_for_the_next_pod, out_of_range_are_mended,
        that_ask_for_something_else_later_are_told, in_conflict_tell_the_claim_and_the_pod,
        of_stopped_machines_stay_theirs_over_a_restart,
        that_are_deleted_give_back_what_nobody_uses, that_do_not_fit_are_told,
        without_free_addresses_wait;
    deprecated: warn_refuse_and_ignore, come_after_the_annotation_of_today;
    machines: migrate_with_their_addresses, that_cannot_be_read_are_known_by_name,
        of_others_are_refused;
}
