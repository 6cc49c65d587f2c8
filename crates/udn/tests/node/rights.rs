//! Rights: what the controller and the agents ask of a real API server, against the list of what they
//! need. The api shelf compares the same list with what their tokens may do.
//!
//! Reads the server's audit log.
//! Invariant: what no scene shows stands in the list with the reason, or the test fails.

use std::collections::BTreeSet;

use serde_json::Value;
use tempfile::TempDir;

use crate::manifests::{cluster_network, namespace, pod};
use crate::needs::{Asked, Need, resource};
use crate::pods;
use crate::stand::Stand;

const ACCOUNTS: &str = "system:serviceaccount:udn-system:";

const AUDIT: &str = "
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ['system:serviceaccount:udn-system:udn-controller', 'system:serviceaccount:udn-system:udn-node']
- level: None
";

const PERSISTENT: &str = "{topology: Layer2, layer2: {role: Secondary, subnets: [10.40.0.0/16], \
                          ipam: {lifecycle: Persistent}}}";

const CLAIM: &str = "
apiVersion: k8s.cni.cncf.io/v1alpha1
kind: IPAMClaim
metadata: {namespace: plain, name: kept}
spec: {network: cluster_udn_machines, interface: net1}
---
";

const NEEDS_CLAIM: &str =
    r#"k8s.v1.cni.cncf.io/networks: '[{"name": "machines", "ipam-claim-reference": "kept"}]'"#;

/// A scene in which everything is done that controllers and agents do.
fn play(stand: &Stand) {
    // Made again by the controller, with its namespace.
    stand.kubectl(&["delete", "namespace", "ovn-kubernetes"]);
    pods::play(stand, 1);
    stand.apply(&(cluster_network("machines", "plain", PERSISTENT) + CLAIM));
    stand.wait("condition=NetworkCreated", &["cudn/machines"]);
    let asks = |text: String, annotation: &str| {
        text.replace("metadata: {", &format!("metadata: {{annotations: {{{annotation}}}, "))
    };
    stand.apply(&asks(pod("plain", "machine", "node1"), NEEDS_CLAIM));
    stand.wait("condition=Ready", &["pod/machine", "-n", "plain"]);
    let nobody = "k8s.v1.cni.cncf.io/networks: nobody";
    stand.apply(&asks(pod("plain", "lost", "node1"), nobody));
    stand.eventually("an event about a NAD that is not there", || {
        let events = stand.kubectl(&["get", "events", "-n", "plain"]);
        events.contains("nobody").then_some(())
    });
    let bogus = "k8s.ovn.org/open-default-ports: '- {protocol: bogus}'";
    stand.apply(&asks(pod("blue", "open", "node1"), bogus));
    stand.eventually("an event about ports that cannot be opened", || {
        let events = stand.kubectl(&["get", "events", "-n", "blue"]);
        events.contains("bogus").then_some(())
    });
    stand.eventually("the namespace of the default NAD", || {
        let namespaces = stand.kubectl(&["get", "namespaces"]);
        namespaces.contains("ovn-kubernetes").then_some(())
    });
    // What somebody changes in a NAD is put right.
    let bare = r#"{"spec": {"config": "{\"cniVersion\": \"1.1.0\", \"type\": \"none\", \"name\": \"none\"}"}}"#;
    let vlan = ["net-attach-def/vlan", "-n", "plain"];
    stand.kubectl(&[&["patch", "--type=merge", "-p", bare][..], &vlan].concat());
    stand.eventually("a NAD that is put right", || {
        let config =
            stand.kubectl(&[&["get", "-o", "jsonpath={.spec.config}"][..], &vlan].concat());
        config.contains("localnet").then_some(())
    });
    // The network moves to another namespace: its NAD goes with it.
    stand.apply(
        &(namespace("elsewhere", false) + &cluster_network("vlan", "elsewhere", pods::VLAN)),
    );
    stand.kubectl(&[
        "wait",
        "--for=create",
        "--timeout=60s",
        "-n",
        "elsewhere",
        "net-attach-def/vlan",
    ]);
    stand.kubectl(&["delete", "namespace", "blue", "green", "plain", "--timeout=90s"]);
    stand.kubectl(&["delete", "cudn", "--all", "--timeout=90s"]);
}

#[test]
fn agents_use_all_of_their_rights_and_need_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let (policy, log) = (folder.path().join("policy.yaml"), folder.path().join("audit.log"));
    std::fs::write(&policy, AUDIT).expect("it can be written");
    let flags = [
        format!("--audit-policy-file={}", policy.display()),
        format!("--audit-log-path={}", log.display()),
    ];
    let stand = Stand::with_flags(1, &flags);
    play(&stand);
    for account in ["udn-controller", "udn-node"] {
        let asked = Requests::read(&folder, account);
        assert_eq!(asked.refused, BTreeSet::new(), "{account} asked for what it may not do");
        assert!(asked.let_pass.len() > 10, "{account} hardly did anything: {:?}", asked.let_pass);
        compare(account, &asked.let_pass);
    }
}

/// The list says what was seen, and what was not.
fn compare(account: &str, seen: &BTreeSet<Asked>) {
    let needs = Need::of(account);
    let unlisted: Vec<_> = seen.iter().filter(|it| !needs.iter().any(|n| n.covers(it))).collect();
    assert!(unlisted.is_empty(), "{account} asks for more than is listed: {unlisted:#?}");
    let is_seen = |need: &&Need| seen.iter().any(|it| need.covers(it));
    let (seen, unseen): (Vec<_>, Vec<_>) = needs.iter().partition(is_seen);
    let unused: Vec<_> = unseen.iter().filter(|it| it.unseen.is_none()).collect();
    assert!(unused.is_empty(), "{account} needs less than is listed: {unused:#?}");
    let excused: Vec<_> = seen.iter().filter(|it| it.unseen.is_some()).collect();
    assert!(excused.is_empty(), "{account} does what is listed as unseen: {excused:#?}");
}

/// What an account asked for.
struct Requests {
    let_pass: BTreeSet<Asked>,
    refused: BTreeSet<String>,
}

impl Requests {
    fn read(folder: &TempDir, account: &str) -> Self {
        let log = std::fs::read_to_string(folder.path().join("audit.log"));
        let log = log.expect("the server writes it");
        let lines = log.lines().map(|line| serde_json::from_str(line).expect("well-formed JSON"));
        let name = format!("{ACCOUNTS}{account}");
        let (mut let_pass, mut refused) = (BTreeSet::new(), BTreeSet::new());
        for event in lines.filter(|it: &Value| it["user"]["username"] == *name) {
            // The rest is discovery, which everybody may do.
            let Some(asked) = asked(&event) else { continue };
            // A namespace that is being deleted takes nothing new either, whoever asks.
            match event["annotations"]["authorization.k8s.io/decision"] != "allow" {
                true => {
                    refused.insert(format!("{asked:?}: {}", event["responseStatus"]["message"]))
                }
                false => let_pass.insert(asked),
            };
        }
        Self { let_pass, refused }
    }
}

fn asked(event: &Value) -> Option<Asked> {
    let object = &event["objectRef"];
    let text = |key: &str| object[key].as_str().unwrap_or_default();
    let resource = resource(text("resource"), text("apiGroup"), text("subresource"));
    let is_about_objects = !text("resource").is_empty();
    is_about_objects.then(|| Asked {
        resource,
        verb: event["verb"].as_str().unwrap_or_default().to_owned(),
        namespace: text("namespace").to_owned(),
        name: text("name").to_owned(),
    })
}
