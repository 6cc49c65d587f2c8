//! Real kubectl at a running sandbox: it shows what the manifests became, and what it makes is
//! plugged like everything else.

use std::io::Write;
use std::process::Stdio;

use udn_lab::kubernetes::programs::Programs;
use udn_model::ObjectName;

use crate::rig::manifests::{first_light, pod};
use crate::rig::site::Site;
use crate::rig::{Print, Stand};

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_shows_networks_that_are_ready() {
    let stand = Stand::new(&Site::default(), &first_light()).await;
    let ready = "{range .items[*]}{.metadata.name} \
                 {.status.conditions[?(@.type==\"NetworkCreated\")].status} \
                 {.status.conditions[?(@.type==\"Ready\")].status}{\"\\n\"}{end}";
    let networks = kubectl(&stand, &["get", "cudn", "-o", &format!("jsonpath={ready}")], "");
    assert_eq!(networks, "red True True\nvlan42 True True\n");
    let nads = kubectl(&stand, &["get", "net-attach-def", "-A", "-o", "name"], "");
    let name = |it: &str| format!("networkattachmentdefinition.k8s.cni.cncf.io/{it}\n");
    // The controller makes `default`, which annotations of pods name.
    assert_eq!(nads, ["blue", "default", "red", "vlan42"].map(name).concat());
    let phases = ["get", "pods", "-A", "-o", "jsonpath={.items[*].status.phase}"];
    assert_eq!(kubectl(&stand, &phases, ""), ["Running"; 8].join(" "));
    let nodes = kubectl(&stand, &["get", "nodenetworkreports", "-o", "name"], "");
    assert_eq!(nodes.lines().count(), 3, "{nodes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kubectl_makes_stays_and_is_plugged() {
    let mut stand = Stand::new(&Site::default(), &first_light()).await;
    let red = ObjectName::new("red", "red-9");
    let said = kubectl(&stand, &["apply", "-f", "-"], &pod("red/red-9", "node-3", None));
    assert_eq!(said, "pod/red-9 created\n");
    stand.apply(&first_light()).await;
    assert!(stand.sandbox.pod(&red).is_some(), "the pod has no place");
    stand.green_matrix().await;
    kubectl(&stand, &["delete", "pod", "red-9", "-n", "red", "--wait=false"], "");
    stand.apply(&first_light()).await;
    assert!(stand.sandbox.pod(&red).is_none(), "a deleted pod has a place");
    let again = stand.sandbox.apply(&first_light(), &mut Print).await.expect("it applies again");
    assert!(again.is_empty(), "{again:#?}");
}

/// What kubectl says; it must succeed.
fn kubectl(stand: &Stand, words: &[&str], input: &str) -> String {
    let mut kubectl = Programs::find().expect("kubectl is prepared").command("kubectl");
    kubectl.arg("--kubeconfig").arg(stand.sandbox.kubeconfig()).args(words);
    kubectl.env("HOME", stand.folder());
    kubectl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = kubectl.spawn().expect("kubectl starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input.as_bytes()).expect("kubectl reads");
    drop(stdin);
    // The server is in this process, and must have a thread to answer with.
    let output = tokio::task::block_in_place(|| child.wait_with_output()).expect("kubectl ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}
