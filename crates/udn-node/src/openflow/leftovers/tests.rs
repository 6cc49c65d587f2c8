//! Which flows go, from what the tool prints.

use super::*;

/// As `ovs-ofctl --no-stats dump-flows` prints them.
const OURS: &str = " cookie=0xdeff105, priority=205,udp,in_port=eth0 actions=LOCAL\n \
    cookie=0xdeff105, table=2, priority=0 actions=drop\n";
const REST: &str = " cookie=0xdeff105, priority=0 actions=NORMAL\n";
const MEMORY: &str = " cookie=0xdeff10500000000, table=20, hard_timeout=300, priority=10,arp \
    actions=load:0x1->NXM_NX_REG1[]\n";
const OTHERS: &str = " cookie=0x77, priority=50,ip actions=drop\n";
const DELETIONS: &str = "delete cookie=0xdeff105/-1\ndelete cookie=0xdeff10500000000/-1\n";

fn check(printed: &[&str], count: usize, bundle: &str) {
    let printed = printed.concat();
    assert_eq!((own(&printed).len(), removal(&printed).as_str()), (count, bundle), "{printed}");
}

#[test]
fn flows_of_others_stay() {
    check(&[OTHERS], 0, "");
    check(&[OTHERS, OURS], 2, DELETIONS);
}

#[test]
fn what_the_switch_remembers_goes_too() {
    check(&[MEMORY], 1, DELETIONS);
}

#[test]
fn the_flow_for_the_rest_comes_back_where_ours_took_its_place() {
    check(&[OURS, REST, OTHERS], 3, &format!("{DELETIONS}add priority=0,actions=NORMAL\n"));
}
