//! Programs of a node end and start again under traffic, and nobody in a pod notices.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use udn_lab::namespaces::Entrance;
use udn_lab::run::run;

use crate::manifests::{deployment, layer2, namespace};
use crate::stand::{LIMIT, Pod, Stand};

/// Two pods of a primary network, on two nodes if there are as many.
pub(crate) fn two_pods(stand: &Stand) -> [Pod; 2] {
    stand.apply(
        &(namespace("blue", true)
            + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")
            + &deployment("blue", "web", 2, "")),
    );
    stand.wait("condition=Available", &["deployment/web", "-n", "blue"]);
    <[Pod; 2]>::try_from(stand.pods("blue")).expect("two pods")
}

/// How nice a node's agent is to other programs.
fn agents_niceness(stand: &Stand, node: &str) -> String {
    let ask =
        "for it in $(grep -lx udn /proc/[0-9]*/comm); do cut -d ' ' -f 19 ${it%comm}stat; done";
    stand.on_node(node, "sh", &["-c", ask]).trim().to_owned()
}

#[test]
fn restarts_lose_no_packet() {
    let mut stand = Stand::start(2);
    let [from, to] = two_pods(&stand);
    assert_ne!(from.node, to.node, "they are on different nodes");
    let traffic = Traffic::start(&stand, &from, &to);
    assert_eq!(agents_niceness(&stand, &from.node), "-10", "pods wait for no other program");

    for node in [from.node.as_str(), to.node.as_str()] {
        stand.kill_agent(node);
        traffic.flows(&stand);
        stand.start_agent(node);
        has_confirmed(&stand);
        traffic.flows(&stand);
    }
    for node in stand.cluster.nodes_mut() {
        node.lab_node_mut().restart_controller().expect("ovn-controller starts again");
        node.lab_node_mut().restart_northd().expect("northd starts again");
        node.restart_containerd().expect("containerd starts again");
    }
    has_confirmed(&stand);
    traffic.flows(&stand);
    let lost = traffic.lost(&stand);
    assert_eq!(lost, 0, "packets were lost though the switch never stopped");

    let traffic = Traffic::start(&stand, &from, &to);
    let place =
        stand.cluster.nodes().iter().position(|it| it.name() == to.node).expect("it is there");
    stand.cluster.nodes_mut()[place]
        .lab_node_mut()
        .restart_vswitchd()
        .expect("the switch starts again");
    traffic.flows(&stand);
    println!("the switch ended and started again: {} packets of 10 ms lost", traffic.lost(&stand));
    for pod in stand.pods("blue") {
        assert_eq!(pod.restarts, 0, "{} was restarted", pod.path());
    }
}

#[test]
fn a_node_that_is_rebooted_comes_back_with_its_pods() {
    let mut stand = Stand::start(2);
    stand.apply(
        &(namespace("blue", true)
            + &layer2("blue", "10.20.0.0/16, \"fd20::/64\"")
            + &deployment("blue", "web", 2, "")),
    );
    stand.wait("condition=Available", &["deployment/web", "-n", "blue"]);
    let before = stand.pods("blue");
    let place = stand.cluster.nodes().iter().position(|it| it.name() == before[0].node);
    let place = place.expect("it is there");
    stand.cluster.nodes_mut()[place].reboot().expect("the node starts again");
    stand.start_agent(&before[0].node);
    let after = stand.eventually("the pods of the node to run again", || {
        let pods = stand.pods("blue");
        let has_restarted = |pod: &&Pod| pod.node == before[0].node && pod.restarts > 0;
        pods.iter().any(|pod| has_restarted(&pod)).then_some(pods)
    });
    stand.wait("condition=Ready", &["pods", "--all", "-n", "blue"]);
    assert_eq!(names(&after), names(&before), "no pod was replaced");
    for (now, then) in after.iter().zip(&before) {
        assert_eq!(now.networks, then.networks, "{} kept its addresses", now.path());
    }
    let [one, other] = <[Pod; 2]>::try_from(after).expect("two pods");
    for address in one.on("blue/net") {
        let words = ["ping", "-c", "1", "-W", "2", &address.to_string()];
        stand.eventually("the other node to reach it", || stand.exec(&other.path(), &words).ok());
    }
}

fn names(pods: &[Pod]) -> Vec<&str> {
    pods.iter().map(|pod| pod.name.as_str()).collect()
}

/// A ping and a stream between two pods, until they are asked.
pub(crate) struct Traffic {
    from: String,
    stream: Stream,
}

impl Traffic {
    pub(crate) fn start(stand: &Stand, from: &Pod, to: &Pod) -> Self {
        Self::start_on("blue/net", stand, [from, to])
    }

    /// The same on the network of a NAD key.
    pub(crate) fn start_on(key: &str, stand: &Stand, [from, to]: [&Pod; 2]) -> Self {
        let address: IpAddr = to.on(key)[0];
        let stream = Stream::start(&entrance(stand, from), &entrance(stand, to), address);
        let traffic = Self { from: from.path(), stream };
        let ping = format!("killall ping; (ping -i 0.01 {address} > /tmp/ping) > /dev/null 2>&1 &");
        traffic.run(stand, &ping);
        traffic.flows(stand);
        traffic
    }

    /// Waits until both have got further.
    pub(crate) fn flows(&self, stand: &Stand) {
        let answers = || -> Option<u64> {
            stand.exec(&self.from, &["sh", "-c", "wc -l < /tmp/ping"]).ok()?.trim().parse().ok()
        };
        let received = || Some(self.stream.received());
        let counts: [(&str, &dyn Fn() -> Option<u64>); 2] =
            [("the ping", &answers), ("the stream", &received)];
        for (what, count) in counts {
            let before = stand.eventually(what, count);
            stand.eventually(what, || count().filter(|now| *now > before + 20));
        }
    }

    /// Ends the ping; how many packets were not answered.
    pub(crate) fn lost(&self, stand: &Stand) -> u64 {
        self.run(stand, "killall -INT ping");
        let summary = stand.eventually("the ping's summary", || {
            let text = stand.exec(&self.from, &["tail", "-n", "3", "/tmp/ping"]).ok()?;
            text.lines().find(|line| line.contains("packets transmitted")).map(str::to_owned)
        });
        let words = summary.split(|it: char| !it.is_ascii_digit());
        let numbers: Vec<u64> = words.filter_map(|it| it.parse().ok()).collect();
        // One may be on its way when the ping is ended.
        (numbers[0] - numbers[1]).saturating_sub(1)
    }

    fn run(&self, stand: &Stand, script: &str) {
        let done = stand.exec(&self.from, &["sh", "-c", script]);
        done.unwrap_or_else(|error| panic!("{}: {error}", self.from));
    }
}

/// One TCP connection between two pods, over which a byte passes every few milliseconds.
struct Stream {
    received: Arc<AtomicU64>,
    is_done: Arc<AtomicBool>,
    sender: Option<JoinHandle<()>>,
}

impl Stream {
    fn start(from: &Entrance, to: &Entrance, address: IpAddr) -> Self {
        let listen = || TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0));
        let listener = to.inside(listen).expect("the pod is there").expect("it listens");
        let port = listener.local_addr().expect("it is bound").port();
        let connect = || TcpStream::connect_timeout(&SocketAddr::new(address, port), LIMIT);
        let mut near = from.inside(connect).expect("the pod is there").expect("it connects");
        let (mut far, _) = listener.accept().expect("the connection arrives");
        let (received, is_done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, done) = (Arc::clone(&received), Arc::clone(&is_done));
        thread::spawn(move || {
            let mut bytes = [0; 64];
            while let Ok(some @ 1..) = far.read(&mut bytes) {
                count.fetch_add(some as u64, Ordering::Relaxed);
            }
        });
        let sender = thread::spawn(move || {
            while !done.load(Ordering::Relaxed) && near.write_all(b".").is_ok() {
                // waits: the pace of the stream
                thread::sleep(Duration::from_millis(5));
            }
        });
        Self { received, is_done, sender: Some(sender) }
    }

    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        // The receiver ends with the connection.
        let _ = self.sender.take().map(JoinHandle::join);
    }
}

/// The way into a pod's network namespace, which only its node has a name for.
fn entrance(stand: &Stand, pod: &Pod) -> Entrance {
    let node = stand.node(&pod.node);
    let mut command = node.lab_node().vsctl();
    command.args(["--bare", "--columns=external_ids", "list", "Interface"]);
    let ids = run(&mut command).expect("the switch answers");
    // On a network that is not the default one, its name comes first.
    let name = format!("{}_{}", pod.namespace, pod.name);
    let is_of_pod = |word: &str| word.starts_with("iface-id=") && word.ends_with(&name);
    let port = ids.lines().find(|line| line.split_whitespace().any(is_of_pod));
    let words = port.into_iter().flat_map(str::split_whitespace);
    let place = words.into_iter().find_map(|word| word.strip_prefix("udn-netns="));
    let place = place.unwrap_or_else(|| panic!("no namespace of {}: {ids}", pod.path()));
    // `/var/run` is a link, which would lead out of the node's root.
    Entrance::at(&node.root().join(place.trim_start_matches("/var/").trim_start_matches('/')))
}

/// Waits until every node has programmed everything anew.
pub(crate) fn has_confirmed(stand: &Stand) {
    stand.wait("condition=Ready", &["udn/net", "-n", "blue"]);
}
