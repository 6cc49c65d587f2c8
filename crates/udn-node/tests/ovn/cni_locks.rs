//! Pods whose ports on the default network are locked, as a runtime asks for them.

use udn_cni::Code;
use udn_host::isolation::Kubelet;
use udn_lab::run::run;
use udn_node::host::KubeletPlace;

use crate::pods::{On, PodNumber};
use crate::runtime::{DEFAULT, Runtime};

/// A chain of somebody's that holds on to a set with one of our names, which is of another kind.
const RIVAL: &str = "add table inet ovn-kubernetes; \
    add set inet ovn-kubernetes udn-pod-default-ips-v4 { type mark; }; \
    add chain inet ovn-kubernetes theirs { type filter hook input priority 0; }; \
    add rule inet ovn-kubernetes theirs meta mark @udn-pod-default-ips-v4";

fn nft(runtime: &Runtime, words: &str) -> String {
    let mut command = runtime.node.workplace().root.command("nft");
    command.arg(words);
    run(&mut runtime.node.namespace().enter(&command)).expect("nft answers")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_cannot_be_locked_is_not_plugged_in() {
    let runtime = Runtime::start().await;
    let place = KubeletPlace {
        kubelet: Kubelet::Away,
        control_groups: None,
        remedy: "none is needed".to_owned(),
    };
    runtime.host.isolation().place_kubelet(place);
    let pod = PodNumber(1);
    runtime.introduce(&[pod], &[On::Default, On::Red]);
    let (sandbox, before) = (runtime.sandbox(pod), runtime.traces());
    nft(&runtime, RIVAL);
    let refused = runtime.ask("ADD", &sandbox, ("eth0", DEFAULT)).await;
    let error = refused.expect_err("the kernel refuses");
    assert_eq!(error.code, Code::TryAgainLater, "{error}");
    let want = "could not lock the pod's addresses on the default network";
    assert!(error.message.contains(want), "no {want} in {error}");
    assert_eq!(runtime.traces(), before);

    nft(&runtime, "delete table inet ovn-kubernetes");
    runtime.ask("ADD", &sandbox, ("eth0", DEFAULT)).await.expect("the pod is wired");
    let table = nft(&runtime, "list table inet ovn-kubernetes");
    for ip in pod.ips(On::Default) {
        assert!(table.contains(&format!("{ip} }}")), "no {ip} in\n{table}");
    }
}
