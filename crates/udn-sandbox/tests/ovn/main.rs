//! The ovn shelf of `udn-sandbox`: on real OVN and OVS.
//!
//! Every scene is two tests: `embedded::<module>::<scene>` at the sandbox's own API server, and
//! `real::<module>::<scene>` at a real kube-apiserver. The marks stand on the scenes.

#[path = "../rig/rig.rs"]
#[allow(dead_code, reason = "each test uses a part of the rig")]
mod rig;

mod changing_nodes;
mod changing_tenants;
mod custom_addresses;
mod default_network;
mod first_light;
mod gateway;
mod isolation;
mod kubectl;
mod layer3;
mod leftovers;
mod localnet;
mod port_security;
mod readiness;
mod static_addresses;

/// Makes tests of scenes.
macro_rules! tests_of {
    ($sort:ident: $($module:ident: $($scene:ident),+;)+) => {
        $(mod $module {
            $(#[test]
            fn $scene() {
                crate::rig::site::$sort(crate::$module::$scene);
            })+
        })+
    };
}

/// The same at both sorts of servers.
macro_rules! at_both_servers {
    ($($scenes:tt)+) => {
        mod embedded {
            tests_of! { embedded: $($scenes)+ }
        }

        mod real {
            tests_of! { real: $($scenes)+ }
        }
    };
}

at_both_servers! {
    changing_nodes: networks_follow;
    changing_tenants: hear_nothing_of_another;
    custom_addresses: former_defaults_are_for_pods;
    default_network: a_locked_pod_is_reached_by_its_node_alone,
        no_tenant_reaches_it_through_the_host,
        the_host_reaches_what_its_gateway_router_balances;
    first_light: first_light_is_green_and_stays, a_tenant_comes_and_goes_without_a_trace;
    gateway: every_node_shows_pods_the_same_gateway,
        pods_leave_through_their_own_node_under_its_address, pods_see_each_others_own_addresses;
    layer3: pods_reach_whom_they_must_in_shared_mode, pods_reach_whom_they_must_in_local_mode,
        a_tenant_comes_and_goes_without_a_trace, the_example_is_green;
    localnet: vlans_of_one_physical_network_are_kept_apart,
        without_ipam_a_pod_has_a_mac_and_no_address, a_pods_link_has_the_networks_mtu,
        networks_written_by_hand_work_beside_cluster_networks;
    isolation: a_tenant_hears_nothing_of_another;
    port_security: who_lies_about_itself_is_not_heard_on_any_network,
        the_guard_of_secondary_networks_can_be_switched_off,
        no_lie_is_heard_while_networks_and_pods_come_and_go;
    readiness: a_network_is_ready_once_ovn_has_confirmed_on_every_node;
    static_addresses: are_had_and_seen_on_secondary_networks;
}
