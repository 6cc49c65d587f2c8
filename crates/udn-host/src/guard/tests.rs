use super::*;

const STANDING: &str = " cookie=0x75646e00000001, priority=65000,icmp6,dl_src=0a:58:0a:0a:00:03,icmp_type=134 actions=drop\n";

fn plan(macs: &[&str]) -> GuardPlan {
    let macs = macs.iter().map(|mac| mac.parse().unwrap()).collect();
    GuardPlan { bridge: "br-int".to_owned(), macs }
}

#[test]
fn only_what_differs_changes() {
    let both = plan(&["0a:58:0a:0a:00:03", "0a:58:0a:0a:00:04"]);
    let come = "add cookie=0x75646e00000001,table=0,priority=65000,icmp6,icmp_type=134,dl_src=0a:58:0a:0a:00:04 actions=drop\n";
    assert_eq!(both.missing(STANDING), GuardChange { bundle: come.to_owned(), count: 1 });
    assert_eq!(both.surplus(STANDING), GuardChange::default());
    let go = "delete_strict table=0,priority=65000,icmp6,icmp_type=134,dl_src=0a:58:0a:0a:00:03\n";
    let other = plan(&[]);
    assert_eq!(other.surplus(STANDING), GuardChange { bundle: go.to_owned(), count: 1 });
    assert_eq!(other.missing(STANDING), GuardChange::default());
}
