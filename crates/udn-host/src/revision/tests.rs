//! Differences as the tool prints them, and what comes of them.

use super::Revision;

fn check(difference: &str, want: &[&str]) {
    let revision = Revision::of(difference);
    assert_eq!(revision.bundle.lines().collect::<Vec<_>>(), want, "{difference}");
    assert_eq!(revision.added + revision.removed, want.len());
}

#[test]
fn no_difference_means_nothing_to_do() {
    check("", &[]);
}

#[test]
fn old_flows_go_before_new_ones_come() {
    check(
        "+table=2 priority=100,ip cookie=0xdeff105 actions=drop\n\
         -priority=9,in_port=7 cookie=0xdeff105 actions=drop\n",
        &[
            "delete_strict table=0,priority=9,in_port=7",
            "add table=2 priority=100,ip cookie=0xdeff105 actions=drop",
        ],
    );
}

#[test]
fn flows_of_others_stay() {
    check("-priority=0 actions=NORMAL\n", &[]);
    check("-table=7 priority=5,ip cookie=0x77 actions=drop\n", &[]);
}

#[test]
fn what_the_switch_remembers_stays() {
    check(
        "-table=20 priority=10,arp,arp_tpa=172.18.0.1,arp_op=1 cookie=0xdeff10500000000 \
         hard_timeout=300 actions=set_field:8e:17:18:5d:2a:12->eth_src,set_field:0x1->reg1\n",
        &[],
    );
}
