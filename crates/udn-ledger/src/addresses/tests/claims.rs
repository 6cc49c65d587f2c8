//! Claims and their pods.

use udn_model::{NetworkName, PublishedClaim, Subject};

use super::{Attachment, Controller, Waiter, attachment, claim, localnet, network, object};

const FIRST: &str = "10.0.0.2/24 fd00::2/64 0a:58:0a:00:00:02";

fn user(pod: &str, asks: &str) -> Attachment {
    Attachment { claim: Some(object("claim")), ..attachment(pod, asks) }
}

fn controller(claim_asks: &str) -> Controller {
    let mut controller = Controller::new(network(localnet(), &["10.0.0.0/24", "fd00::/64"]));
    controller.add_claim(claim("claim", claim_asks));
    controller
}

#[test]
fn a_claim_without_users_holds_nothing() {
    assert_eq!(controller("").claim_line("claim"), "");
}

#[test]
fn the_pod_is_served_when_the_claim_is_durable() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    assert_eq!(controller.line("a"), "", "the claim has nothing yet");
    assert_eq!(controller.claim_line("claim"), FIRST);
    assert_eq!(controller.line("a"), "", "the claim's status is not written yet");
    controller.publish_claim("claim");
    assert_eq!(controller.line("a"), FIRST);
}

#[test]
fn the_next_pod_gets_the_same_addresses_even_after_a_restart() {
    let mut controller = controller("10.0.0.7 fd00::7");
    controller.add(user("a", "02:00:00:00:00:07"));
    controller.publish_claim("claim");
    controller.publish("a");
    controller.remove("a");
    controller.restart();
    assert_eq!(
        controller.ask("thief", "02:00:00:00:00:07"),
        "pod ns/thief: MacTaken: MAC address already in use: 02:00:00:00:00:07 is held by IPAMClaim \
         ns/claim; ask for another MAC, or delete IPAMClaim ns/claim first"
    );
    controller.add(user("b", ""));
    assert_eq!(controller.claim_line("claim"), "10.0.0.7/24 fd00::7/64 02:00:00:00:00:07");
    assert_eq!(controller.line("b"), "10.0.0.7/24 fd00::7/64 02:00:00:00:00:07");
}

#[test]
fn a_claim_that_is_deleted_leaves_its_addresses_to_the_running_pod() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    controller.publish("a");
    controller.remove_claim("claim");
    assert_eq!(controller.line("a"), FIRST);
    assert!(controller.ask("thief", "10.0.0.2 fd00::2").contains("held by pod ns/a"));
    let mut again = claim("claim", "");
    again.users.push(user("a", "").key);
    controller.add_claim(again);
    assert_eq!(
        controller.claim_line("claim"),
        FIRST,
        "a new claim takes over what its pod carries"
    );
    controller.remove("a");
    assert!(controller.line("thief").contains("held by IPAMClaim ns/claim;"));
    assert_eq!(controller.remove_claim("claim"), [Waiter::Pod(object("thief"))]);
    assert_eq!(controller.line("thief"), FIRST);
}

#[test]
fn a_claim_takes_over_what_its_pod_carried_before() {
    let mut controller = controller("");
    let mut early = user("a", "");
    early.claim = None;
    controller.add(early);
    controller.publish("a");
    controller.add(user("a", ""));
    controller.restart();
    assert_eq!(controller.claim_line("claim"), FIRST);
    assert_eq!(controller.line("a"), FIRST);
    assert_eq!(controller.ledger.tally(&NetworkName::new("red")).allocations, 1);
}

#[test]
fn a_claim_written_by_others_gets_the_mac_of_its_pod_else_of_its_address() {
    for is_used in [true, false] {
        let mut controller = controller("");
        controller.add(user("a", "02:00:00:00:00:07"));
        controller.publish_claim("claim");
        controller.publish("a");
        let addresses = controller.settle_claim("claim").value.unwrap().addresses;
        let known = PublishedClaim { addresses, mac: None };
        controller.intent.published.claims.insert(object("claim"), known);
        if !is_used {
            controller.remove("a");
        }
        controller.restart();
        let mac = if is_used { "02:00:00:00:00:07" } else { "0a:58:0a:00:00:02" };
        assert_eq!(controller.claim_line("claim"), format!("10.0.0.2/24 fd00::2/64 {mac}"));
    }
}

#[test]
fn a_conflict_is_told_on_the_claim_and_waited_for() {
    let mut controller = controller("10.0.0.7 fd00::7");
    controller.ask("holder", "10.0.0.7 fd00::8");
    controller.add(user("a", ""));
    let told = "provided IP is already allocated: 10.0.0.7 is held by pod ns/holder; ask for another \
                address, or delete pod ns/holder first";
    assert_eq!(controller.claim_line("claim"), format!("IPAMClaim ns/claim: AddressTaken: {told}"));
    controller.intent.claims.get_mut(&object("claim")).unwrap().failure = Some(told.to_owned());
    assert_eq!(
        controller.line("a"),
        format!("pod ns/a: Waiting: {told}"),
        "in the claim's own words"
    );
    let waits_for = controller.settle("a").findings.remove(0).waits_for;
    assert_eq!(waits_for, Some(Box::new(Subject::Claim(object("claim")))));
    assert_eq!(controller.remove("holder"), [Waiter::Claim(object("claim"))]);
    assert_eq!(controller.claim_line("claim"), "10.0.0.7/24 fd00::7/64 0a:58:0a:00:00:07");
}

#[test]
fn a_pod_must_ask_for_what_its_claim_holds() {
    let mut controller = controller("10.0.0.7 fd00::7");
    controller.add(user("a", "10.0.0.8 fd00::8"));
    assert_eq!(
        controller.claim_line("claim"),
        "IPAMClaim ns/claim: ClaimMismatch: IPAMClaim ns/claim asks for 10.0.0.7, fd00::7, but pod \
         ns/a asks for 10.0.0.8, fd00::8; let both ask for the same, or one of them for nothing"
    );
    controller.remove("a");
    controller.add(user("b", "10.0.0.7 fd00::7"));
    controller.publish_claim("claim");
    controller.publish("b");
    controller.add(user("c", "10.0.0.8 fd00::8"));
    assert_eq!(
        controller.line("c"),
        "pod ns/c: ClaimMismatch: 10.0.0.8, fd00::8 is asked for, but IPAMClaim ns/claim (pod ns/b) \
         holds 10.0.0.7, fd00::7 and 0a:58:0a:00:00:07; ask for what it holds, or for nothing, or \
         delete it first"
    );
}

#[test]
fn the_mac_changes_only_while_nobody_uses_the_claim() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    controller.publish("a");
    controller.remove("a");
    controller.add(user("b", "02:00:00:00:00:07"));
    controller.publish_claim("claim");
    assert_eq!(controller.line("b"), "10.0.0.2/24 fd00::2/64 02:00:00:00:00:07");
    controller.publish("b");
    controller.add(user("c", "02:00:00:00:00:08"));
    assert!(controller.line("c").starts_with("pod ns/c: ClaimMismatch: MAC 02:00:00:00:00:08 is"));
    controller.intent.claims.get_mut(&object("claim")).unwrap().users.reverse();
    let told = controller.claim_line("claim");
    assert!(told.contains("02:00:00:00:00:07; IPAMClaim ns/claim: ClaimMismatch"), "{told}");
    assert_eq!(controller.remove("b"), [Waiter::Claim(object("claim"))], "the MAC may change now");
    controller.publish_claim("claim");
    assert_eq!(controller.line("c"), "10.0.0.2/24 fd00::2/64 02:00:00:00:00:08");
}

#[test]
fn an_earlier_mac_stays_with_the_claim_until_the_new_one_is_durable() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    controller.remove("a");
    controller.add(user("b", "02:00:00:00:00:07"));
    assert_eq!(controller.claim_line("claim"), "10.0.0.2/24 fd00::2/64 02:00:00:00:00:07");
    let thief = controller.ask("thief", "0a:58:0a:00:00:02");
    assert!(thief.contains("held by IPAMClaim ns/claim"), "{thief}");
    controller.publish_claim("claim");
    assert_eq!(controller.settle_claim("claim").woken, [Waiter::Pod(object("thief"))]);
    assert_eq!(controller.line("thief"), "10.0.0.3/24 fd00::3/64 0a:58:0a:00:00:02");
}

#[test]
fn what_was_kept_for_a_pod_and_never_written_waits_for_a_claim_that_came_anew() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    assert_eq!(controller.line("a"), FIRST, "and the write is lost");
    controller.remove_claim("claim");
    let mut again = claim("claim", "");
    again.users.push(user("a", "").key);
    controller.add_claim(again);
    assert_eq!(controller.line("a"), "", "the new claim has nothing yet");
    assert_eq!(controller.claim_line("claim"), FIRST, "it takes over what was kept for its pod");
    controller.publish_claim("claim");
    assert_eq!(controller.line("a"), FIRST);
}

#[test]
fn a_claim_that_is_deleted_leaves_to_its_pod_what_was_kept_and_never_written() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    assert_eq!(controller.line("a"), FIRST, "and the write is lost");
    controller.remove_claim("claim");
    assert_eq!(controller.line("a"), FIRST);
    assert!(controller.ask("thief", "10.0.0.2 fd00::2").contains("held by pod ns/a"));
}

#[test]
fn a_pod_with_kept_addresses_is_told_why_its_new_claim_failed() {
    let mut controller = controller("");
    controller.add(user("a", ""));
    controller.publish_claim("claim");
    assert_eq!(controller.line("a"), FIRST, "and the write is lost");
    controller.remove_claim("claim");
    let mut again = claim("claim", "10.9.9.9");
    again.failure = Some("10.9.9.9 is not in the network".to_owned());
    controller.add_claim(again);
    assert_eq!(controller.line("a"), "pod ns/a: Waiting: 10.9.9.9 is not in the network");
}
