//! The MAC comes first, then the status; what stands is kept.

use serde_json::{Value, json};
use udn_model::{
    AttachmentKey, Claim, ClaimGrant, Finding, Grants, Intent, InterfaceAddress, MacAddress,
    NetworkName, ObjectName, Reason, Subject,
};
use udn_wire::object::IpamClaim;

use crate::decision::Decision;
use crate::reconciler::writes;
use crate::status_update::Outcome;
use crate::view::View;
use crate::work_item::WorkItem;
use crate::write::{Act, Event, EventType};

const MAC: &str = "0a:58:0a:0a:00:05";
const NOW: &str = "2026-11-16T07:00:00Z";
const BEFORE: &str = "2026-11-15T07:00:00Z";

/// A claim, who uses it, what it was granted and what was found.
#[derive(Default)]
struct Case {
    status: Value,
    has_mac: bool,
    users: Option<Vec<&'static str>>,
    is_granted: bool,
    findings: Vec<(Reason, &'static str)>,
    failures: Vec<&'static str>,
}

fn own() -> ObjectName {
    ObjectName::new("a", "c")
}

impl Case {
    fn view(&self) -> View {
        let mut metadata =
            json!({"name": "c", "namespace": "a", "uid": "u1", "resourceVersion": "7"});
        if self.has_mac {
            metadata["annotations"] = json!({"k8s.ovn.org/ipamclaim-mac": MAC});
        }
        let claim = json!({"metadata": metadata, "spec": {"network": "red"},
            "status": self.status});
        let (world, nad_states, cluster_nodes) = Default::default();
        let mut view = View {
            item: WorkItem::Claim(own()),
            world,
            nad_states,
            cluster_nodes,
            layer3: Default::default(),
        };
        view.world.claims.insert(own(), serde_json::from_value::<IpamClaim>(claim).unwrap());
        view
    }

    fn intent(&self) -> Intent {
        let mut intent = Intent::default();
        let users = self.users.iter().flatten().map(|pod| AttachmentKey {
            pod: ObjectName::new("a", pod),
            nad: ObjectName::new("a", "red"),
            index: 0,
        });
        let claim = Claim {
            name: own(),
            network: NetworkName::new("red"),
            created: String::new(),
            request: Vec::new(),
            users: users.collect(),
            machine: None,
            failure: None,
        };
        intent.claims.extend(self.users.is_some().then(|| (own(), claim)));
        intent
    }

    /// What is written before the status, the status, and what is told.
    fn run(&self) -> (Vec<Act>, Option<Value>, Vec<Event>) {
        let (view, intent) = (self.view(), self.intent());
        let ip: InterfaceAddress = "10.10.0.5/16".parse().unwrap();
        let grant = ClaimGrant { addresses: vec![ip], mac: MAC.parse::<MacAddress>().unwrap() };
        let mut grants = Grants::default();
        grants.claims.extend(self.is_granted.then(|| (own(), grant)));
        let subject = Subject::Claim(own());
        let finding = |it: &(Reason, &str)| Finding::new(subject.clone(), it.0, it.1);
        let findings = self.findings.iter().map(finding).collect();
        let decision = Decision { intent, grants, findings, ..Decision::default() };
        let failures = self.failures.iter().map(ToString::to_string).collect();
        let outcome = Outcome { failures, now: NOW.to_owned() };
        let acts = writes(&view, &decision).into_iter().flatten().map(|it| it.act).collect();
        let status_update = super::status_update(&view, &decision, &own(), &outcome);
        let write = status_update.write.map(|it| match it.act {
            Act::PatchStatus(patch) => patch,
            other => panic!("{other:?}"),
        });
        (acts, write, status_update.events)
    }

    /// The changes of the status, which are guarded.
    fn status(&self) -> Option<Value> {
        self.run().1.map(|patch| {
            assert_eq!(patch["metadata"], json!({"uid": "u1", "resourceVersion": "7"}));
            patch["status"].clone()
        })
    }
}

fn condition(status: &str, reason: &str, message: &str, since: &str) -> Value {
    json!({"type": "IPsAllocated", "status": status, "reason": reason, "message": message,
        "lastTransitionTime": since})
}

fn success(since: &str) -> Value {
    condition("True", "SuccessfulAllocation", "IP addresses successfully allocated", since)
}

fn granted() -> Case {
    Case { has_mac: true, is_granted: true, users: Some(vec!["p", "q"]), ..Case::default() }
}

fn failed(reason: Reason, message: &'static str) -> Case {
    let findings = vec![(reason, message)];
    Case { users: Some(vec!["p"]), findings, ..Case::default() }
}

#[test]
fn the_mac_is_there_before_the_addresses() {
    let case = Case { has_mac: false, ..granted() };
    let (acts, status, _) = case.run();
    let metadata = json!({"uid": "u1", "resourceVersion": "7",
        "annotations": {"k8s.ovn.org/ipamclaim-mac": MAC}});
    assert_eq!(acts, [Act::Patch(json!({ "metadata": metadata }))]);
    // As long as the MAC does not stand, nobody may use the addresses.
    assert_eq!(status.unwrap()["status"], json!({"ownerPod": {"name": "p"}}));
    let (acts, _, events) = granted().run();
    assert_eq!((acts, events), (Vec::new(), Vec::new()));
    let want = json!({"ips": ["10.10.0.5/16"], "ownerPod": {"name": "p"},
        "conditions": [success(NOW)]});
    assert_eq!(granted().status(), Some(want));
}

#[test]
fn a_status_that_says_it_all_is_not_written() {
    let mut all = json!({"ips": ["10.10.0.5/16"], "ownerPod": {"name": "p"},
        "conditions": [success(BEFORE)]});
    assert_eq!(Case { status: all.clone(), ..granted() }.status(), None);
    all["ownerPod"]["name"] = "old".into();
    let want = json!({"ownerPod": {"name": "p"}});
    assert_eq!(Case { status: all.clone(), ..granted() }.status(), Some(want));
    let nobody = Case { users: Some(Vec::new()), status: all.clone(), ..granted() };
    assert_eq!(nobody.status(), Some(json!({ "ownerPod": null })));
    let unknown = Case { users: None, is_granted: false, status: all.clone(), ..granted() };
    assert_eq!(unknown.status(), None, "a network that is not known yet changes nothing");
    // Addresses that another controller gave stay as they are.
    all["ips"] = json!(["10.10.0.99/24"]);
    all["ownerPod"]["name"] = "p".into();
    assert_eq!(Case { status: all, ..granted() }.status(), None);
    assert_eq!(Case { users: Some(Vec::new()), ..Case::default() }.status(), None);
    assert_eq!(Case::default().status(), None);
}

#[test]
fn failures_have_the_wires_names() {
    for (reason, name) in [
        (Reason::PoolExhausted, "SubnetExhausted"),
        (Reason::AddressTaken, "IPAddressConflict"),
        (Reason::MacTaken, "MACAddressConflict"),
        (Reason::OutOfRange, "IPAddressOutOfRange"),
        (Reason::FamilyMismatch, "IPAddressOutOfRange"),
        (Reason::ClaimMismatch, "ClaimMismatch"),
        (Reason::InvalidSpec, "InternalError"),
    ] {
        let case = failed(reason, "it is so");
        let want = json!({"ips": [], "ownerPod": {"name": "p"},
            "conditions": [condition("False", name, "it is so", NOW)]});
        assert_eq!(case.status(), Some(want));
        let events = case.run().2;
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].kind, &*events[0].reason), (EventType::Warning, name));
        assert_eq!(events[0].message, "it is so");
    }
    let waiting = failed(Reason::Waiting, "later");
    assert_eq!(waiting.status(), Some(json!({"ownerPod": {"name": "p"}})));
    let refused = Case { failures: vec!["the server says no"], ..granted() };
    let want = condition("False", "InternalError", "the server says no", NOW);
    assert_eq!(refused.status().unwrap()["conditions"], json!([want]));
    assert_eq!(refused.status().unwrap()["ips"], json!([]));
}

#[test]
fn a_failure_of_ours_is_over_when_a_reconcile_ends_well() {
    let standing = |reason| {
        let bad = condition("False", reason, "it is so", BEFORE);
        json!({"ips": [], "ownerPod": {"name": "p"}, "conditions": [bad]})
    };
    let stumbled = Case { failures: vec!["the controller stumbled"], ..Case::default() };
    let want = condition("False", "InternalError", "the controller stumbled", NOW);
    assert_eq!(stumbled.status(), Some(json!({"ips": [], "conditions": [want]})));
    assert_eq!(stumbled.run().2[0].reason, "InternalError");
    let unknown = Case { status: standing("InternalError"), ..Case::default() };
    assert_eq!(unknown.status(), Some(json!({"conditions": []})));
    let full = Case { status: standing("SubnetExhausted"), ..Case::default() };
    assert_eq!(full.status(), None);
}

#[test]
fn a_condition_keeps_its_time_and_its_neighbours() {
    let other = json!({"type": "Other", "status": "True", "reason": "R", "message": "",
        "lastTransitionTime": BEFORE});
    let bad = condition("False", "SubnetExhausted", "all are in use", BEFORE);
    let status = json!({"ips": [], "ownerPod": {"name": "p"}, "conditions": [bad, other]});
    let same = Case { status: status.clone(), ..failed(Reason::PoolExhausted, "all are in use") };
    assert_eq!((same.status(), same.run().2.len()), (None, 0));
    let worse = Case { status: status.clone(), ..failed(Reason::AddressTaken, "taken") };
    let want = condition("False", "IPAddressConflict", "taken", BEFORE);
    assert_eq!(worse.status(), Some(json!({"conditions": [want, other]})));
    assert_eq!(worse.run().2.len(), 1);
    let well = Case { status: status.clone(), ..granted() };
    let want = json!({"ips": ["10.10.0.5/16"], "conditions": [success(NOW), other]});
    assert_eq!(well.status(), Some(want));
    let events = well.run().2;
    assert_eq!((events.len(), events[0].kind), (1, EventType::Normal));
    assert_eq!(events[0].reason, "SuccessfulAllocation");
    // Who used it is gone, and with it what was wrong.
    let unused = Case { users: Some(Vec::new()), status, ..Case::default() };
    assert_eq!(unused.status(), Some(json!({"ownerPod": null, "conditions": [other]})));
    assert!(unused.run().2.is_empty());
    let kept = json!({"ips": ["10.10.0.5/16"], "conditions": [success(BEFORE)]});
    let idle = Case { users: Some(Vec::new()), status: kept, ..Case::default() };
    assert_eq!(idle.status(), None, "what it holds is not over");
}

#[test]
fn addresses_that_stand_outlive_a_conflict() {
    let status = json!({"ips": ["10.10.0.5/16"], "ownerPod": {"name": "p"},
        "conditions": [success(BEFORE)]});
    let lost = Case { status: status.clone(), ..failed(Reason::AddressTaken, "pod a/q has it") };
    let want = condition("False", "IPAddressConflict", "pod a/q has it", NOW);
    assert_eq!(lost.status(), Some(json!({ "conditions": [want] })));
    // Who keeps the address is told too.
    let findings = vec![(Reason::AddressTaken, "pod a/q carries it too")];
    let kept = Case { status, findings, ..granted() };
    let (_, write, events) = kept.run();
    assert_eq!((write, events.len()), (None, 1));
    assert_eq!(events[0].reason, "IPAddressConflict");
}

#[test]
fn a_request_that_comes_too_late_is_told_and_the_claim_stays_well() {
    let status = json!({"ips": ["10.10.0.5/16"], "ownerPod": {"name": "p"},
        "conditions": [success(BEFORE)]});
    let findings = vec![(Reason::RequestIgnored, "asks for another")];
    let (_, write, events) = Case { status, findings: findings.clone(), ..granted() }.run();
    assert_eq!((write, events.len()), (None, 1));
    assert_eq!((events[0].kind, &*events[0].reason), (EventType::Warning, "RequestIgnored"));
    assert_eq!(events[0].message, "asks for another");
    let unknown = Case { findings, users: Some(vec!["p"]), ..Case::default() };
    assert_eq!(unknown.status(), Some(json!({"ownerPod": {"name": "p"}})));
    assert!(unknown.run().2.is_empty());
}

#[test]
fn a_status_is_read_as_far_as_it_makes_sense() {
    let status = json!({"ips": ["10.10.0.99/24"], "conditions": [{"type": "Odd"}]});
    let case = Case { status, ..granted() };
    let want = json!({"ownerPod": {"name": "p"}, "conditions": [success(NOW)]});
    assert_eq!(case.status(), Some(want));
}
