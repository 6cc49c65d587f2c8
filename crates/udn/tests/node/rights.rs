//! Rights: what the controller and the agents ask of a real API server, against what `deploy/rbac`
//! lets them.
//!
//! Reads the server's audit log; compares it with the roles as the server has them.
//! Invariant: what is unused is named here with the reason, or the test fails.

use std::collections::BTreeSet;

use serde_json::Value;
use tempfile::TempDir;

use crate::manifests::{cluster_network, namespace, pod};
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

/// What the scene does not need, and why.
const UNSEEN: [(&str, &str, &str); 8] = [
    ("udn-controller", "virtualmachineinstances.kubevirt.io watch", "KubeVirt is not installed"),
    ("udn-controller", "servicecidrs.networking.k8s.io list", "flags tell where services live"),
    (
        "udn-controller",
        "userdefinednetworks.k8s.ovn.org/finalizers update",
        "only servers with the plugin OwnerReferencesPermissionEnforcement ask for it",
    ),
    (
        "udn-controller",
        "clusteruserdefinednetworks.k8s.ovn.org/finalizers update",
        "only servers with the plugin OwnerReferencesPermissionEnforcement ask for it",
    ),
    ("udn-controller", "events patch", "nothing happens twice"),
    ("udn-node", "events patch", "nothing happens twice"),
    ("udn-node", "servicecidrs.networking.k8s.io list", "flags tell where services live"),
    (
        "udn-node",
        "nodenetworkreports.k8s.ovn.org create",
        "the server asks for it within an apply that makes the report, and does not audit that",
    ),
];

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
    let accounts = ["udn-controller", "udn-node"].map(|it| (it, Asked::read(&folder, it)));
    for (account, asked) in &accounts {
        assert_eq!(asked.refused, BTreeSet::new(), "{account} asked for what it may not do");
        assert!(asked.used.len() > 10, "{account} hardly did anything: {:?}", asked.used);
    }
    let unused = accounts.iter().flat_map(|(account, asked)| {
        let granted = granted(&stand, account);
        let unused = granted.difference(&asked.used);
        unused.map(|what| format!("{account} {what}")).collect::<Vec<_>>()
    });
    let unused: BTreeSet<String> = unused.collect();
    let known = UNSEEN.map(|(account, what, _)| format!("{account} {what}"));
    assert_eq!(unused, known.into(), "some may do what they were not seen to do");
}

/// What an account asked for, as `resource.group/subresource verb`.
struct Asked {
    used: BTreeSet<String>,
    refused: BTreeSet<String>,
}

impl Asked {
    fn read(folder: &TempDir, account: &str) -> Self {
        let log = std::fs::read_to_string(folder.path().join("audit.log"));
        let log = log.expect("the server writes it");
        let lines = log.lines().map(|line| serde_json::from_str(line).expect("well-formed JSON"));
        let name = format!("{ACCOUNTS}{account}");
        let (mut used, mut refused) = (BTreeSet::new(), BTreeSet::new());
        for event in lines.filter(|it: &Value| it["user"]["username"] == *name) {
            let object = &event["objectRef"];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            if text(&object["resource"]).is_empty() {
                // Discovery, which everybody may do.
                continue;
            }
            let resource = resource(&text(&object["resource"]), &text(&object["apiGroup"]));
            let sub = text(&object["subresource"]);
            let what = format!("{} {}", with_subresource(&resource, &sub), text(&event["verb"]));
            // A namespace that is being deleted takes nothing new either, whoever asks.
            match event["annotations"]["authorization.k8s.io/decision"] != "allow" {
                true => refused.insert(format!("{what}: {}", event["responseStatus"]["message"])),
                false => used.insert(what),
            };
        }
        Self { used, refused }
    }
}

fn resource(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

fn with_subresource(resource: &str, subresource: &str) -> String {
    match subresource {
        "" => resource.to_owned(),
        subresource => format!("{resource}/{subresource}"),
    }
}

/// What the roles of an account say, in the same words.
fn granted(stand: &Stand, account: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for kinds in ["clusterroles", "roles"] {
        let roles = stand.objects(&["get", kinds, "--all-namespaces"]);
        let roles = roles["items"].as_array().expect("a list").iter();
        for role in roles.filter(|it| it["metadata"]["name"] == account) {
            all.extend(role["rules"].as_array().expect("rules").iter().flat_map(words_of));
        }
    }
    assert!(!all.is_empty(), "{account} has no role");
    all
}

fn words_of(rule: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.map(|it| it.as_str().unwrap_or_default().to_owned()).collect()
    };
    let mut words = Vec::new();
    for group in texts(&rule["apiGroups"]) {
        for name in texts(&rule["resources"]) {
            let (name, sub) = name.split_once('/').unwrap_or((&name, ""));
            let what = with_subresource(&resource(name, &group), sub);
            words.extend(texts(&rule["verbs"]).iter().map(|verb| format!("{what} {verb}")));
        }
    }
    words
}
