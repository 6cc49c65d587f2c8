//! `deploy/manifests`, and what Helm makes of the chart, as people apply them, on nodes that have Open vSwitch and nothing of ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use udn_lab::image_base::ImageBase;
use udn_lab::node::{Installed, UPLINK};
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_lab::shipped_image::{Compression, ShippedImage};
use udn_lab::wait::wait_for;

use crate::manifests::pod;
use crate::pods::{deployments, networks, play, settle};
use crate::restarts::{Traffic, has_confirmed, two_pods};
use crate::stand::{LIMIT, Pod, Stand, turn};

mod chart;
mod cleanup;

use cleanup::{Host, clean_host, clean_up};

/// The image as the manifests name it.
const IMAGE: &str = concat!("udn.local/udn:", env!("CARGO_PKG_VERSION"));
/// What is rolled out and waited for.
const WORKLOADS: [&str; 2] = ["deployment/udn-controller", "daemonset/udn-node"];
/// How long images, probes and elections may take, as kubectl is told.
const PATIENCE: &str = "--timeout=120s";
/// Programs of ours and of OVN, by the first 15 letters of their names, which is all that the kernel keeps.
const PROGRAMS: [&str; 5] = ["udn", "ovsdb-server", "ovn-northd", "ovn-controller", "ovs-vswitchd"];

#[test]
fn manifests_make_a_network_for_pods_of_every_kind_and_leave_clean_hosts() {
    let stand = bare_cluster(2, Installed::Switch);
    let nodes: Vec<&str> = stand.cluster.nodes().iter().map(RealNode::name).collect();
    map_another_bridge(&stand, nodes[0]);
    let before: Vec<Host> = nodes.iter().map(|node| Host::look(&stand, node)).collect();
    let manifests = manifests(&stand, "");
    install(&stand, &manifests);
    println!("{}", memory(&stand));
    play(&stand, 2);
    let filter = stand.on_node(nodes[0], "nft", &["list", "table", "inet", "ovn-kubernetes"]);
    assert!(filter.contains("socket cgroupv2"), "the kubelet alone reaches locked pods: {filter}");
    stand.delete(&deployments(2));
    stand.delete(&networks());
    let late = pod("default", "late", nodes[0]);
    stand.apply(&late);
    stand.wait("condition=Ready", &["pod/late"]);
    refuses(&stand, nodes[0], "the agent of this node runs");
    remove(&stand, &manifests);

    // As of an agent that was killed while a pod was locked.
    stand.on_node(nodes[0], "nft", &["add", "table", "inet", "ovn-kubernetes"]);
    refuses(&stand, nodes[0], "default/late");
    let forced = clean_host(&stand, nodes[0], &["--force", "--dry-run"]).expect("it would work");
    assert_eq!(forced.matches("would take link").count(), 2, "the host's and the pod's: {forced}");
    stand.delete(&late);
    let mut said = String::new();
    let rehearsed = wait_for("the pod's sandbox to go", LIMIT, || {
        let rehearsed = clean_host(&stand, nodes[0], &["--dry-run"]);
        rehearsed.map_err(|why| said = why).ok()
    });
    let rehearsed = rehearsed.unwrap_or_else(|late| panic!("{late}: {said}"));
    assert!(rehearsed.contains("would take bridge br-int"), "{rehearsed}");
    let told = clean_up(&stand);
    println!("{told}");
    assert!(told.contains("took bridge br-int"), "{told}");
    for (node, before) in nodes.iter().zip(&before) {
        remove_multus(&stand, node);
        let left = before.difference(&Host::look(&stand, node));
        assert_eq!(left, "", "{node} is not as it was before");
        let again = clean_host(&stand, node, &[]).expect("it may be run again");
        assert_eq!(again, "nothing of udn is on this node");
    }
}

/// Somebody else's mapping, which must outlive us.
fn map_another_bridge(stand: &Stand, node: &str) {
    let mut command = stand.node(node).lab_node().vsctl();
    command.args(["set", "Open_vSwitch", ".", "external_ids:ovn-bridge-mappings=lab:br-lab"]);
    udn_lab::run::run(&mut command).expect("the switch is told");
}

/// Whether a clean-up says why it cannot be now.
#[track_caller]
fn refuses(stand: &Stand, node: &str, why: &str) {
    let refusal = clean_host(stand, node, &[]).expect_err("it must refuse");
    assert!(refusal.contains(why), "{refusal}");
}

/// Takes away what the stand put before our configuration.
fn remove_multus(stand: &Stand, node: &str) {
    let path = stand.node(node).cni_conf_folder().join("00-multus.conf");
    fs::remove_file(path).expect("the stand has put it there");
}

#[test]
fn nodes_without_open_vswitch_get_one_and_have_their_addresses_back() {
    let stand = bare_cluster(2, Installed::Nothing);
    let node = stand.cluster.nodes()[0].name().to_owned();
    let (before, links_before) = (ways_out(&stand, &node), links(&stand, &node));
    let manifests = manifests(&stand, UPLINK);
    install(&stand, &manifests);
    assert!(!ways_out(&stand, &node).contains(UPLINK), "the bridge has the addresses");
    play(&stand, 2);

    // A switch that begins anew must not lock its node out, which nobody could reach then.
    let on_node = format!("--field-selector=spec.nodeName={node}");
    let switch = ["-n", "udn-system", "-l", "app.kubernetes.io/name=udn-openvswitch", &on_node];
    stand.kubectl(&[&["delete", "pods", PATIENCE], &switch[..]].concat());
    stand.eventually("another switch", || {
        let text = stand.kubectl(&[&["get", "pods", "-o", "name"], &switch[..]].concat());
        (!text.is_empty()).then_some(())
    });
    stand.wait("condition=Ready", &[&["pods"], &switch[..]].concat());
    let [one, other] = <[Pod; 2]>::try_from(stand.pods("blue")).expect("two pods");
    for address in one.on("blue/net") {
        let words = ["ping", "-c", "1", "-W", "2", &address.to_string()];
        stand.eventually("pods to meet again", || stand.exec(&other.path(), &words).ok());
    }

    stand.delete(&deployments(2));
    stand.delete(&networks());
    remove(&stand, &manifests);
    assert_eq!(ways_out(&stand, &node), before, "as the host had it");
    assert!(cleanup::paths(&stand, &node).contains("conf.db"), "the switch's database stays");
    println!("{}", links(&stand, &node));
    println!("{}", clean_up(&stand));
    assert_eq!(links(&stand, &node), links_before, "as the host had them");
    assert_eq!(ways_out(&stand, &node), before, "still as the host had it");
    for node in stand.cluster.nodes() {
        assert_eq!(cleanup::paths(&stand, node.name()), "", "{}: paths are left", node.name());
        let ours = "ip route show table all proto 85; ip -6 route show table all proto 85; \
                    ip rule; ip -6 rule; nft list ruleset";
        let left = stand.on_node(node.name(), "sh", &["-c", ours]);
        let is_ours = |line: &&str| line.contains("proto 85") || line.contains("2000:");
        assert_eq!(left.lines().find(is_ours), None, "{left}");
        assert!(!left.contains("ovn-kubernetes") && !left.contains("udn-uplink"), "{left}");
    }
}

#[test]
fn roll_outs_and_removal_of_the_chart_leave_traffic_alone() {
    let stand = bare_cluster(2, Installed::Switch);
    let manifests = chart::rendered(&stand);
    install(&stand, &manifests);
    let [from, to] = two_pods(&stand);
    let traffic = Traffic::start(&stand, &from, &to);

    for roll in ["restart", "undo"] {
        let before = programs(&stand);
        for workload in WORKLOADS {
            stand.kubectl(&["-n", "udn-system", "rollout", roll, workload]);
            rolled_out(&stand, workload);
        }
        let after = programs(&stand);
        let stayed = before.intersection(&after).count();
        assert_eq!(stayed, 2, "{roll}: only the switches' pods stayed: {after:?}");
        has_confirmed(&stand);
        traffic.flows(&stand);
    }

    // Without agents, and later with others.
    stand.kubectl(&["-n", "udn-system", "delete", PATIENCE, "daemonset/udn-node"]);
    let agents = ["-n", "udn-system", "-l", "app.kubernetes.io/name=udn-node"];
    stand.wait("delete", &[&["pods"], &agents[..]].concat());
    traffic.flows(&stand);
    stand.kubectl(&["apply", "-f", text(&manifests)]);
    rolled_out(&stand, "daemonset/udn-node");
    has_confirmed(&stand);
    traffic.flows(&stand);
    assert_eq!(traffic.lost(&stand), 0, "packets were lost though the switch never stopped");
    for pod in stand.pods("blue") {
        assert_eq!(pod.restarts, 0, "{} was restarted", pod.path());
    }
}

/// A cluster whose nodes have Open vSwitch, the reference plugins and our image, and nothing else.
fn bare_cluster(nodes: usize, installed: Installed) -> Stand {
    let turn = turn();
    let cluster = RealCluster::builder().nodes(nodes).installed(installed).start();
    let cluster = cluster.unwrap_or_else(|error| panic!("no cluster: {error:?}"));
    for node in cluster.nodes() {
        node.install_plugins().expect("the reference plugins are installed");
    }
    let base = ImageBase::find().unwrap_or_else(|error| panic!("{error}"));
    let udn = Path::new(env!("CARGO_BIN_EXE_udn"));
    let plugin = udn.with_file_name("ovn-k8s-cni-overlay");
    let image = ShippedImage { name: IMAGE, udn, plugin: &plugin, compression: Compression::Fast };
    let folder = cluster.control_plane().folder().join("image");
    let built = image.build(&base, &folder).expect("the image is built");
    cluster.import_image(&built.archive).expect("the nodes take the image");
    Stand::around(cluster, turn)
}

/// The manifests with the settings that the cluster needs, as their comments tell people to: nobody
/// serves Services here, so that they name the API server; and an uplink, where the host has no switch.
fn manifests(stand: &Stand, uplink: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/manifests");
    let folder = stand.cluster.control_plane().folder().join("manifests");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let (host, port) = api_server(stand);
    let node = &stand.cluster.nodes()[0];
    let kubelet = node.kubelet_group().replace(node.name(), "$(K8S_NODE_NAME)");
    for entry in fs::read_dir(&source).expect("the manifests are there") {
        let path = entry.expect("the folder can be read").path();
        let mut content = fs::read_to_string(&path).expect("it can be read");
        for (name, value) in [("HOST", &host), ("PORT", &port)] {
            let comment = format!("  # KUBERNETES_SERVICE_{name}: ");
            let lines = content.lines().map(|line| match line.starts_with(&comment) {
                true => format!("  KUBERNETES_SERVICE_{name}: {value:?}\n"),
                false => format!("{line}\n"),
            });
            content = lines.collect();
        }
        let line = "  UDN_UPLINK: \"\"\n";
        content = content.replace(line, &format!("  UDN_UPLINK: {uplink:?}\n"));
        // Here all nodes are one machine, whose kubelets have control groups of different names.
        content = content.replace("    --kubelet-cgroup=/system.slice/kubelet.service\n", "");
        let argument = "        - --host-cgroup-namespace=/run/host-namespaces/cgroup\n";
        let more = format!("{argument}        - --kubelet-cgroup={kubelet}\n");
        content = content.replace(argument, &more);
        fs::write(folder.join(path.file_name().expect("a file")), content).expect("a file");
    }
    folder
}

/// Where every node reaches the API server: host and port.
fn api_server(stand: &Stand) -> (String, String) {
    let kubeconfig = fs::read_to_string(stand.cluster.nodes()[0].kubeconfig());
    let kubeconfig = kubeconfig.expect("nodes have a kubeconfig");
    let server = kubeconfig.split("https://").nth(1).and_then(|it| it.lines().next());
    let (host, port) = server.and_then(|it| it.rsplit_once(':')).expect("it names a server");
    (host.to_owned(), port.to_owned())
}

/// Applies the manifests once, and returns once all is ready; nothing is done by hand meanwhile.
fn install(stand: &Stand, manifests: &Path) {
    stand.kubectl(&["apply", "-f", text(manifests)]);
    for workload in WORKLOADS {
        rolled_out(stand, workload);
    }
    stand.wait("condition=Ready", &["pods", "--all", "-n", "udn-system"]);
    stand.wait("condition=Ready", &["nodes", "--all"]);
    // Multus puts itself before whatever configuration it finds, as its own installation does.
    for node in stand.cluster.nodes() {
        let path = node.cni_conf_folder().join("10-ovn-kubernetes.conf");
        let conf = stand.eventually("the node's configuration", || fs::read_to_string(&path).ok());
        node.install_multus(&conf).expect("Multus is set up");
    }
    settle(stand);
}

fn rolled_out(stand: &Stand, workload: &str) {
    stand.kubectl(&["-n", "udn-system", "rollout", "status", PATIENCE, workload]);
}

/// Deletes the manifests; no program of ours stays, and no socket of one.
fn remove(stand: &Stand, manifests: &Path) {
    stand.kubectl(&["delete", PATIENCE, "-f", text(manifests)]);
    for node in stand.cluster.nodes() {
        stand.eventually("the node's programs to end", || {
            let running = stand.on_node(node.name(), "sh", &["-c", "cat /proc/[0-9]*/comm"]);
            let is_ours = |name: &str| PROGRAMS.contains(&name);
            (!running.lines().any(is_ours)).then_some(())
        });
        let sockets = "find /run/ovn /run/ovn-kubernetes -type s";
        let left = stand.on_node(node.name(), "sh", &["-c", sockets]);
        assert_eq!(left, "", "{}: sockets are left", node.name());
    }
}

/// The node's addresses and its ways to the outside, of both families.
fn ways_out(stand: &Stand, node: &str) -> String {
    let ask = "ip -o address show scope global; ip route show default; ip -6 route show default";
    let said = stand.on_node(node, "sh", &["-c", ask]);
    let ours = |line: &&str| line.contains(" eth0") || line.contains(" br-ex");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    // A link that was made anew has another number.
    let unnumbered = |line: &str| line.split_once(": ").map_or(line, |(_, it)| it).to_owned();
    said.lines().filter(ours).map(|line| unnumbered(&words(line)) + "\n").collect()
}

/// The names of a node's links.
fn links(stand: &Stand, node: &str) -> String {
    stand.on_node(node, "sh", &["-c", "ip -o link | cut -d: -f2 | cut -d@ -f1 | sort"])
}

/// The pods of our own programs.
fn programs(stand: &Stand) -> BTreeSet<String> {
    stand.pods("udn-system").into_iter().map(|pod| pod.name).collect()
}

/// What each program of ours takes on the first node.
fn memory(stand: &Stand) -> String {
    let ask = "for it in /proc/[0-9]*; do echo $(cat $it/comm) $(grep VmRSS $it/status); done";
    let said = stand.on_node(stand.cluster.nodes()[0].name(), "sh", &["-c", ask]);
    let is_ours = |line: &&str| PROGRAMS.iter().any(|it| line.starts_with(&format!("{it} ")));
    said.lines().filter(is_ours).collect::<Vec<_>>().join("\n")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the lab's paths are text")
}
