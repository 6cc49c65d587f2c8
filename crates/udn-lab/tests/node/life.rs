//! Parts of a node that end and come back, and what lives on meanwhile.

use std::process::Command;
use std::time::Instant;

use udn_lab::real_cluster::RealCluster;
use udn_lab::run::run;

use crate::scene::{apply, deployment, kubectl, start, wait_pods_ready, wait_until};

/// Which container a pod runs, and how often it was started again.
fn container(cluster: &RealCluster) -> String {
    let path = "jsonpath={.items[*].status.containerStatuses[*].containerID} \
                {.items[*].status.containerStatuses[*].restartCount}";
    kubectl(cluster, &["get", "pods", "-l", "app=web", "-o", path])
}

#[test]
fn pods_outlive_kubelet_and_containerd_but_not_a_reboot() {
    let mut cluster = start(1);
    apply(&cluster, &deployment("web", 1));
    wait_pods_ready(&cluster, "app=web", 1);
    let before = container(&cluster);

    let node = &mut cluster.nodes_mut()[0];
    node.stop_kubelet();
    node.restart_containerd().expect("containerd comes back");
    node.start_kubelet().expect("kubelet comes back");
    cluster.wait_ready().expect("the node is Ready");
    wait_pods_ready(&cluster, "app=web", 1);
    let ask = ["exec", "deployment/web", "--", "wget", "-qO-", "http://127.0.0.1:8080/"];
    wait_until(&cluster, "the pod's answer", &ask, |text| text.starts_with("web-"));
    assert_eq!(container(&cluster), before, "the same container runs on");

    let begun = Instant::now();
    let node = &mut cluster.nodes_mut()[0];
    let mut mark = Command::new("sh");
    mark.args([
        "-c",
        "echo kept > /etc/kept && echo lost > /run/lost && ip link add lost type bridge",
    ]);
    run(&mut node.enter(&mark)).expect("files can be made");
    let northbound = run(node.lab_node().nbctl().args(["ls-add", "kept"]));
    northbound.expect("the database takes a switch");
    node.reboot().expect("the node comes back");
    println!("the node is back after {:?}", begun.elapsed());
    let look = |path: &str| run(&mut node.enter(Command::new("cat").arg(path)));
    assert_eq!(look("/etc/kept").expect("the disk stays"), "kept");
    assert!(look("/run/lost").is_err(), "memory is lost");
    assert!(node.namespace().ip(&["link", "show", "lost"]).is_err(), "links are lost");
    let switches = run(node.lab_node().nbctl().args(["--wait=hv", "ls-list"]));
    assert!(switches.expect("OVN follows again").contains("kept"));

    wait_until(&cluster, "another container", &["get", "pods", "-o", "name"], |_| {
        container(&cluster) != before
    });
    wait_pods_ready(&cluster, "app=web", 1);
    println!("the pod is Ready again {:?} after the node lost its power", begun.elapsed());
}

#[test]
fn a_node_has_files_processes_and_a_name_of_its_own() {
    let cluster = RealCluster::builder().nodes(2).start().expect("the cluster starts");
    let on = |place: usize, script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(&mut cluster.nodes()[place].enter(&command)).expect("the script runs")
    };
    assert_eq!(on(0, "cat /proc/sys/kernel/hostname"), "node1");
    assert_eq!(on(1, "cat /proc/sys/kernel/hostname"), "node2");
    on(0, "echo first > /etc/udn-lab-test; echo first > /var/lib/udn-lab-test");
    assert_eq!(on(1, "ls /etc /var/lib | grep -c udn-lab-test || true"), "0");
    assert!(!std::path::Path::new("/etc/udn-lab-test").exists(), "the host's files are untouched");
    assert_eq!(on(0, "cat /proc/1/comm"), "sh");
    assert!(on(0, "ls /sys/class/net").lines().any(|link| link == "br-ex"));
    // What kubelet asks for on every start must reach neither the host nor the other node.
    let panic = "/proc/sys/kernel/panic";
    assert_eq!(on(0, &format!("cat {panic}")), "10", "kubelet set it on its node");
    let host = std::fs::read_to_string(panic).expect("the kernel tells");
    assert_ne!(host.trim(), "10", "the host's is as it was");
    for tool in ["nft --version", "ethtool --version", "ovs-vsctl --version", "ctr --version"] {
        on(0, tool);
    }
    let path = cluster.nodes()[0].kubeconfig();
    let kubectl = cluster.kubectl();
    let mut command = Command::new(kubectl.get_program());
    command.arg("--kubeconfig").arg(path).args([
        "--cache-dir=/run/kubectl",
        "get",
        "nodes",
        "-o",
        "name",
    ]);
    let nodes = run(&mut cluster.nodes()[0].enter(&command)).expect("the API is reached");
    assert_eq!(nodes, "node/node1\nnode/node2");
}
