//! Pods on primary networks are closed on the default one to everybody but their kubelet, save for what
//! they open: packets are the judge.

use std::net::IpAddr;
use std::process::Command;
use std::thread;
use std::time::Instant;

use udn_lab::real_cluster::RealNode;
use udn_lab::run::run;

use crate::manifests::{PORT, layer2, namespace, pod};
use crate::stand::{Pod, Stand};

/// By which a pod opens ports of its own.
const OPEN: &str = "k8s.ovn.org/open-default-ports";

/// Somebody who might reach a pod.
#[derive(Debug, Clone)]
enum Source {
    Pod(Pod),
    /// A program of a node that is not its kubelet.
    Node(String),
    Outside,
}

/// Whether a pod is reached by TCP, and by ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reached {
    tcp: bool,
    ping: bool,
}

const NEITHER: Reached = Reached { tcp: false, ping: false };
const TCP_ALONE: Reached = Reached { tcp: true, ping: false };
const BOTH: Reached = Reached { tcp: true, ping: true };

impl Source {
    /// Everybody there is: pods of an ordinary namespace and programs on each node, and a host outside.
    fn all(stand: &Stand) -> Vec<Self> {
        let pods = stand.pods("plain").into_iter().map(Self::Pod);
        let nodes = stand.cluster.nodes().iter().map(|it| Self::Node(it.name().to_owned()));
        pods.chain(nodes).chain([Self::Outside]).collect()
    }

    fn reaches(&self, stand: &Stand, ip: IpAddr) -> Reached {
        let (address, port) = (ip.to_string(), PORT.to_string());
        let ask = "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 \"$0\" \"$1\" | grep -q .";
        let ping = ["ping", "-c", "1", "-W", "2", &address];
        let mut connect = Command::new("timeout");
        connect.args(["2", "bash", "-c", &format!("exec 3<>/dev/tcp/{address}/{port}")]);
        match self {
            Self::Pod(pod) => Reached {
                tcp: stand.exec(&pod.path(), &["sh", "-c", ask, &address, &port]).is_ok(),
                ping: stand.exec(&pod.path(), &ping).is_ok(),
            },
            Self::Node(name) => {
                let node = stand.node(name);
                let mut echo = Command::new(ping[0]);
                echo.args(&ping[1..]);
                Reached {
                    tcp: run(&mut node.enter(&connect)).is_ok(),
                    ping: run(&mut node.enter(&echo)).is_ok(),
                }
            }
            Self::Outside => {
                let outside = stand.cluster.outside();
                Reached {
                    tcp: run(&mut outside.namespace().enter(&connect)).is_ok(),
                    ping: run(&mut outside.ping(ip)).is_ok(),
                }
            }
        }
    }
}

/// Checks how others reach a pod at its default addresses, over both families.
#[track_caller]
fn check(stand: &Stand, sources: &[Source], to: &Pod, want: Reached) {
    let addresses = to.on("default");
    assert_eq!(addresses.len(), 2, "both families: {to:?}");
    let ask = |source: &Source| {
        let answers = addresses.iter().map(|ip| (*ip, source.reaches(stand, *ip)));
        answers.filter(|(_, reached)| *reached != want).collect::<Vec<_>>()
    };
    let wrong: Vec<_> = thread::scope(|scope| {
        let asking: Vec<_> = sources.iter().map(|it| (it, scope.spawn(move || ask(it)))).collect();
        let told = asking.into_iter().map(|(source, it)| (source, it.join().expect("it asks")));
        told.filter(|(_, wrong)| !wrong.is_empty()).collect()
    });
    assert!(wrong.is_empty(), "{} is not reached as {want:?}: {wrong:#?}", to.path());
}

/// A pod that opens ports.
fn opening(namespace: &str, name: &str, node: &str, ports: &str) -> String {
    let named = format!("name: {name}}}");
    let annotated = format!("name: {name}, annotations: {{{OPEN}: '{ports}'}}}}");
    pod(namespace, name, node).replace(&named, &annotated)
}

/// The same pod, which is not ended because it is not ready.
fn silent(pod: &str) -> String {
    let page = format!("livenessProbe: {{httpGet: {{port: {PORT}, path: /}}");
    pod.replace(&page, &format!("livenessProbe: {{tcpSocket: {{port: {PORT}}}"))
}

fn set_open(stand: &Stand, name: &str, ports: &str) {
    stand.kubectl(&[
        "-n",
        "blue",
        "annotate",
        "pod",
        name,
        "--overwrite",
        &format!("{OPEN}={ports}"),
    ]);
}

/// What nft prints of the table; nothing where there is none.
fn filter(stand: &Stand, node: &str) -> String {
    stand.on_node(node, "sh", &["-c", "nft list table inet ovn-kubernetes 2>/dev/null || true"])
}

/// The words of it, whose order within sets is the kernel's.
fn words(filter: &str) -> Vec<&str> {
    let mut words: Vec<&str> = filter.split([' ', ',', '\t', '\n']).collect();
    words.sort_unstable();
    words
}

/// A node that forwards to pods in its own name, as kube-proxy has it do for services.
const FORWARDER: &str = "add table inet forwarder; \
    add chain inet forwarder out { type nat hook postrouting priority srcnat; }; \
    add rule inet forwarder out oifname ovn-k8s-mp0 masquerade";

/// Leads the host outside to pods through their nodes.
fn lead_outside_to(stand: &Stand, pods: &[&Pod]) {
    for node in stand.cluster.nodes() {
        for family in ["ipv4", "ipv6"] {
            let parameter = format!("net/{family}/conf/all/forwarding");
            node.namespace().set_parameter(&parameter, "1").expect("it can be set");
        }
        stand.on_node(node.name(), "nft", &[FORWARDER]);
    }
    for pod in pods {
        let node: Vec<IpAddr> = stand.node(&pod.node).addresses().collect();
        for (ip, via) in pod.on("default").iter().zip(node) {
            let words = ["route", "replace", &ip.to_string(), "via", &via.to_string()];
            stand.cluster.outside().namespace().ip(&words).expect("ip obeys");
        }
    }
}

/// When each pod of a namespace became ready last.
fn ready_since(stand: &Stand) -> Vec<String> {
    let path = "-o=jsonpath={range .items[*]}{.metadata.name} \
                {.status.conditions[?(@.type==\"Ready\")]['status','lastTransitionTime']}{\"\\n\"}{end}";
    let said = stand.kubectl(&["-n", "blue", "get", "pods", path]);
    said.lines().map(str::to_owned).collect()
}

/// Has a pod fail its readiness probe, and pass again: the kubelet still reaches it.
fn is_probed(stand: &Stand, name: &str) {
    let run = |words: &str| stand.exec(&format!("blue/{name}"), &["sh", "-c", words]);
    run("mkdir -p /away && mv /www/index.html /away/").expect("a file is moved");
    let pod = format!("pod/{name}");
    stand.wait("condition=Ready=false", &[&pod, "-n", "blue"]);
    run("mv /away/index.html /www/").expect("a file is moved");
    stand.wait("condition=Ready", &[&pod, "-n", "blue"]);
}

/// Two pods of a primary network, one of which opens its port, and ordinary ones on both nodes.
fn play(stand: &Stand) -> [Pod; 2] {
    let nodes: Vec<&str> = stand.cluster.nodes().iter().map(RealNode::name).collect();
    stand.apply(
        &(namespace("blue", true)
            + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")
            + &namespace("plain", false)
            + &pod("plain", "one", nodes[0])
            + &pod("plain", "two", nodes[1])
            + &silent(&pod("blue", "closed", nodes[0]))
            + &opening("blue", "open", nodes[0], &format!("[{{protocol: tcp, port: {PORT}}}]"))),
    );
    for home in ["blue", "plain"] {
        stand.wait("condition=Ready", &["pods", "--all", "-n", home]);
    }
    <[Pod; 2]>::try_from(stand.pods("blue")).expect("two pods")
}

#[test]
fn locked_pods_are_open_to_their_kubelet_alone() {
    let mut stand = Stand::start(2);
    let [closed, open] = play(&stand);
    let everybody = Source::all(&stand);
    let plain = stand.pods("plain");
    lead_outside_to(&stand, &[&closed, &open, &plain[0], &plain[1]]);
    let since = ready_since(&stand);

    check(&stand, &everybody, &closed, NEITHER);
    check(&stand, &everybody, &open, TCP_ALONE);
    // So that it is the lock that keeps them out.
    check(&stand, &everybody, &plain[0], BOTH);

    // What a pod opens may change while it runs.
    set_open(&stand, "open", "[{protocol: icmp}]");
    let here = [Source::Node("node1".to_owned())];
    let reaches = |want: Reached| {
        let address = open.on("default")[0];
        stand.eventually("the pod's own word to count", || {
            (here[0].reaches(&stand, address) == want).then_some(())
        });
    };
    reaches(Reached { tcp: false, ping: true });
    set_open(&stand, "open", &format!("[{{protocol: tcp, port: {PORT}}}]"));
    reaches(TCP_ALONE);
    check(&stand, &everybody, &open, TCP_ALONE);
    assert_eq!(ready_since(&stand), since, "the kubelet's probes passed all the time");

    repairs(&mut stand, (&closed, &open));
    without_a_kubelet_to_be_seen(&mut stand, (&closed, &closed.node));

    for pod in stand.pods("blue") {
        assert_eq!(pod.restarts, 0, "{} was restarted", pod.path());
    }
    stand.kubectl(&["-n", "blue", "delete", "pods", "--all"]);
    stand.eventually("the end of the table", || filter(&stand, "node1").is_empty().then_some(()));
}

/// Whatever ends or is taken away, everything is as it was soon.
fn repairs(stand: &mut Stand, (closed, open): (&Pod, &Pod)) {
    let node = closed.node.clone();
    let whole = filter(stand, &node);
    assert!(whole.contains("socket cgroupv2"), "the kubelet is let in:\n{whole}");
    let here = [Source::Node(node.clone())];

    let began = Instant::now();
    stand.on_node(&node, "nft", &["delete", "table", "inet", "ovn-kubernetes"]);
    stand.eventually("the table to be back", || {
        (words(&filter(stand, &node)) == words(&whole)).then_some(())
    });
    println!("a table deleted by hand was back after {:?}", began.elapsed());

    stand.kill_agent(&node);
    check(stand, &here, closed, NEITHER);
    stand.on_node(&node, "nft", &["delete", "table", "inet", "ovn-kubernetes"]);
    check(stand, &here, closed, BOTH);
    let began = Instant::now();
    stand.start_agent(&node);
    stand.eventually("the table to be back", || {
        (words(&filter(stand, &node)) == words(&whole)).then_some(())
    });
    println!("an agent that started had the table back after {:?}", began.elapsed());
    is_probed(stand, "closed");

    restart_kubelet(stand, &node, &whole);
    check(stand, &here, closed, NEITHER);
    check(stand, &here, open, TCP_ALONE);
    is_probed(stand, "closed");

    // An agent that was away while the kubelet was exchanged.
    stand.kill_agent(&node);
    restart_kubelet_alone(stand, &node);
    let stale = filter(stand, &node);
    assert_ne!(words(&stale), words(&whole), "the rules name a group that is gone");
    // This one counts levels from its own namespace, unless it enters the node's.
    stand.start_contained_agent(&node);
    stand.eventually("the other kubelet in the rules", || {
        (words(&filter(stand, &node)) == words(&whole)).then_some(())
    });
    check(stand, &here, closed, NEITHER);
    is_probed(stand, "closed");
}

/// Nobody is closed out where the kubelet cannot be told from others, and people hear why.
fn without_a_kubelet_to_be_seen(stand: &mut Stand, (closed, node): (&Pod, &str)) {
    let here = [Source::Node(node.to_owned())];
    let place = stand.cluster.nodes().iter().position(|it| it.name() == node).expect("a node");
    stand.kill_agent(node);
    stand.on_node(node, "nft", &["delete", "table", "inet", "ovn-kubernetes"]);
    stand.cluster.nodes_mut()[place].stop_kubelet();
    stand.start_agent(node);
    let message = stand.eventually("an event of the node", || {
        let selector = "--field-selector=reason=HostIsolationNotSupported,involvedObject.kind=Node";
        let path = "-o=jsonpath={.items[*].message}";
        Some(stand.kubectl(&["get", "events", selector, path])).filter(|it| !it.is_empty())
    });
    assert!(message.contains("name it by --kubelet-cgroup"), "{message}");
    check(stand, &here, closed, BOTH);
    stand.cluster.nodes_mut()[place].start_kubelet().expect("kubelet starts again");
    stand.eventually("the lock to be back", || {
        filter(stand, node).contains("cgroupv2").then_some(())
    });
    check(stand, &here, closed, NEITHER);
    is_probed(stand, &closed.name);
}

/// The kubelet ends, and another one starts in a control group of its own.
fn restart_kubelet(stand: &mut Stand, node: &str, whole: &str) {
    let place = stand.cluster.nodes().iter().position(|it| it.name() == node).expect("a node");
    stand.cluster.nodes_mut()[place].stop_kubelet();
    stand.eventually("rules without a kubelet", || {
        let rules = filter(stand, node);
        (!rules.contains("cgroupv2") && rules.contains(" drop")).then_some(())
    });
    let began = Instant::now();
    stand.cluster.nodes_mut()[place].start_kubelet().expect("kubelet starts again");
    stand.eventually("the kubelet to be let in", || {
        let rules = filter(stand, node);
        (rules.lines().count() == whole.lines().count()).then_some(())
    });
    println!("a kubelet that started was let in {:?} after its start began", began.elapsed());
}

fn restart_kubelet_alone(stand: &mut Stand, node: &str) {
    let place = stand.cluster.nodes().iter().position(|it| it.name() == node).expect("a node");
    stand.cluster.nodes_mut()[place].stop_kubelet();
    stand.cluster.nodes_mut()[place].start_kubelet().expect("kubelet starts again");
}
