//! The chain that keeps the host's programs from locked pods: what real nft prints of it, and whom it lets
//! through.

use std::fs::{self, File};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;

use udn_host::isolation::{Knowledge, Kubelet, KubeletGroup, LockedPod};
use udn_lab::janitor::Janitor;
use udn_lab::namespaces::{End, Namespace, connect};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_model::OpenPort;
use udn_node::kernel::{IsolationFacts, Kernel};

const ADDRESSES: [&str; 2] = ["10.244.0.5", "fd00::5"];
const HOST: [&str; 2] = ["10.244.0.2", "fd00::2"];
const CLOSED: u16 = 8080;
const OPEN: u16 = 8081;

/// A host with a cable to a pod, which listens on its addresses.
struct Site {
    kernel: Kernel,
    root: OvnRoot,
    groups: Groups,
    _listeners: Vec<TcpListener>,
    host: Namespace,
    _pod: Namespace,
}

/// Control groups of the test's own: one as a kubelet's, and one beside it.
struct Groups(PathBuf);

impl Groups {
    fn make() -> Self {
        let roots = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].map(Path::new);
        let root = roots.into_iter().find(|it| it.join("cgroup.subtree_control").exists());
        let root = root.expect("this machine has version 2 of control groups");
        let own = root.join(format!("udn-isolation-{}-{:?}", std::process::id(), thread()));
        let groups = Self(own);
        fs::create_dir(&groups.0).expect("a group can be made");
        groups.add("kubelet");
        groups.add("other");
        groups
    }

    fn add(&self, name: &str) {
        fs::create_dir(self.path(name)).expect("a group can be made");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn kubelet(&self, level: u32) -> Kubelet {
        let id = fs::metadata(self.path("kubelet")).expect("it is there").ino();
        Kubelet::In(KubeletGroup { level, id })
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for name in ["kubelet", "other", ""] {
            // One that is not there need not go.
            let _ = fs::remove_dir(self.path(name));
        }
    }
}

fn thread() -> u64 {
    let id = format!("{:?}", std::thread::current().id());
    id.chars().filter(char::is_ascii_digit).collect::<String>().parse().expect("a number")
}

impl Site {
    async fn make() -> Self {
        let janitor = Janitor::hire().expect("a janitor");
        let host = Namespace::create(&janitor, "host").expect("a namespace");
        let pod = Namespace::create(&janitor, "pod").expect("a namespace");
        let end = |namespace| End { namespace, link: "cable" };
        connect(end(&host), end(&pod), 1400).expect("a cable");
        for (namespace, addresses) in [(&host, HOST), (&pod, ADDRESSES)] {
            for (ip, length) in addresses.iter().zip([24, 64]) {
                let address = format!("{ip}/{length}");
                namespace.add_address("cable", &address).expect("an address");
            }
        }
        let places = ADDRESSES.iter().flat_map(|ip| [(ip, CLOSED), (ip, OPEN)]);
        let listen = |(ip, port): (&&str, u16)| {
            let place = SocketAddr::new(ip.parse::<IpAddr>().expect("an address"), port);
            pod.inside(|| TcpListener::bind(place)).expect("inside").expect("it listens")
        };
        let listeners = places.map(listen).collect();
        let kernel = Kernel::enter(host.path()).await.expect("the namespace can be entered");
        let root = OvnRoot::find().expect("the OVN root");
        Self { kernel, root, groups: Groups::make(), _listeners: listeners, host, _pod: pod }
    }

    async fn isolate(&self, pods: &[LockedPod], kubelet: Kubelet) -> usize {
        self.apply(facts(pods, kubelet)).await
    }

    async fn apply(&self, facts: IsolationFacts) -> usize {
        self.kernel.isolate(facts).await.expect("the kernel takes it").changes
    }

    fn nft(&self, arguments: &[&str]) -> String {
        let mut command = self.root.command("nft");
        command.args(arguments);
        run(&mut self.host.enter(&command)).expect("nft answers")
    }

    /// Whether a program of a control group gets an answer.
    fn reaches(&self, group: &str, ip: &str, what: &str) -> bool {
        let mut command = Command::new("sh");
        let words =
            format!("echo $$ > {}/cgroup.procs; exec \"$@\"", self.groups.path(group).display());
        command.args(["-c", &words, "sh"]);
        match what {
            "ping" => {
                let ping = self.root.command("ping");
                command.arg(ping.get_program()).args(ping.get_args());
                command.args(["-n", "-c", "1", "-W", "1", ip]);
            }
            port => {
                let connect = format!("exec 3<>/dev/tcp/{ip}/{port}");
                command.args(["timeout", "1", "bash", "-c", &connect]);
            }
        }
        run(&mut self.host.enter(&command)).is_ok()
    }

    /// Checks who gets through, over both families: to the closed port, the open one, and by ping.
    #[track_caller]
    fn check(&self, group: &str, want: [bool; 3]) {
        for ip in ADDRESSES {
            let found = [CLOSED.to_string(), OPEN.to_string(), "ping".to_owned()]
                .map(|what| self.reaches(group, ip, &what));
            assert_eq!(found, want, "{group} to {ip}\n{}", self.nft(&["list", "ruleset"]));
        }
    }
}

fn facts(pods: &[LockedPod], kubelet: Kubelet) -> IsolationFacts {
    let knowledge = Knowledge::Whole;
    IsolationFacts { pods: pods.to_vec(), kubelet, knowledge, control_groups: None }
}

fn pod(addresses: &[&str], open_ports: &[OpenPort]) -> LockedPod {
    LockedPod {
        addresses: addresses.iter().map(|it| it.parse().expect("an address")).collect(),
        open_ports: open_ports.iter().copied().collect(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kubelet_alone_gets_through_and_open_ports_are_open() {
    let site = Site::make().await;
    let locked = [pod(&ADDRESSES, &[OpenPort::Tcp(OPEN)])];
    site.check("other", [true; 3]);
    site.isolate(&locked, site.groups.kubelet(2)).await;
    site.check("other", [false, true, false]);
    site.check("kubelet", [true, true, true]);

    site.isolate(&[pod(&ADDRESSES, &[OpenPort::Icmp])], site.groups.kubelet(2)).await;
    site.check("other", [false, false, true]);

    // A kubelet that starts again has a group of the same name and another number.
    fs::remove_dir(site.groups.path("kubelet")).expect("nobody is in it");
    site.groups.add("kubelet");
    site.check("kubelet", [false, false, true]);
    assert_eq!(
        site.isolate(&[pod(&ADDRESSES, &[OpenPort::Icmp])], site.groups.kubelet(2)).await,
        1
    );
    site.check("kubelet", [true; 3]);
    site.isolate(&locked, Kubelet::Away).await;
    site.check("kubelet", [false, true, false]);
    site.isolate(&locked, Kubelet::Unknowable).await;
    site.check("other", [true; 3]);
    assert_eq!(site.nft(&["list", "ruleset"]), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn nft_prints_what_was_meant() {
    let site = Site::make().await;
    let ports = [OpenPort::Tcp(80), OpenPort::Udp(53), OpenPort::Sctp(9), OpenPort::Icmp];
    let pods = [pod(&ADDRESSES, &ports), pod(&["10.244.0.6"], &[])];
    let kubelet = Kubelet::In(KubeletGroup { level: 2, id: 0x7766_5544_3322_1100 });
    assert_eq!(site.isolate(&pods, kubelet).await, 1);
    let printed = site.nft(&["list", "table", "inet", "ovn-kubernetes"]);
    for words in [
        "type filter hook output priority filter; policy accept;",
        "type ipv4_addr . inet_proto . inet_service",
        "10.244.0.5 . udp . 53",
        "10.244.0.5 . sctp . 9",
        "fd00::5 . tcp . 80",
        "elements = { 10.244.0.5, 10.244.0.6 }",
        "ip daddr . meta l4proto . th dport @udn-open-ports-v4 accept",
        "ip daddr @udn-open-ports-icmp-v4 meta l4proto icmp accept",
        "ip daddr @udn-pod-default-ips-v4 socket cgroupv2 level 2",
        "ip daddr @udn-pod-default-ips-v4 drop",
        "ip6 daddr . meta l4proto . th dport @udn-open-ports-v6 accept",
        "icmpv6 type nd-neighbor-solicit accept",
        "icmpv6 type nd-neighbor-advert accept",
        "ip6 daddr @udn-open-ports-icmp-v6 meta l4proto ipv6-icmp accept",
        "ip6 daddr @udn-pod-default-ips-v6 drop",
    ] {
        assert!(printed.contains(words), "no {words} in\n{printed}");
    }
    assert_eq!(site.isolate(&pods, kubelet).await, 0, "it stands:\n{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_somebody_does_to_it_is_mended() {
    let site = Site::make().await;
    let locked = [pod(&ADDRESSES, &[OpenPort::Tcp(OPEN)])];
    let kubelet = site.groups.kubelet(2);
    let table = "inet ovn-kubernetes";
    site.isolate(&locked, kubelet).await;
    let want = site.nft(&["list", "ruleset"]);
    for damage in [
        format!("delete table {table}"),
        format!("flush chain {table} udn-isolation"),
        format!("insert rule {table} udn-isolation accept"),
        format!("flush set {table} udn-pod-default-ips-v6"),
        format!("add element {table} udn-open-ports-v4 {{ 10.244.0.5 . tcp . 1 }}"),
        format!("delete chain {table} udn-isolation"),
        format!("flush chain {table} udn-isolation-forward"),
        format!("add table {table} {{ flags dormant; }}"),
        format!("chain {table} udn-isolation {{ policy drop; }}"),
        format!(
            "flush chain {table} udn-isolation; delete chain {table} udn-isolation; \
             add chain {table} udn-isolation {{ type filter hook input priority 0; }}"
        ),
        format!(
            "flush chain {table} udn-isolation; flush chain {table} udn-isolation-forward; \
             delete set {table} udn-open-ports-icmp-v4; \
             add set {table} udn-open-ports-icmp-v4 {{ type mark; }}"
        ),
    ] {
        site.nft(&[&damage]);
        assert_ne!(site.nft(&["list", "ruleset"]), want, "{damage}");
        assert!(site.isolate(&locked, kubelet).await > 0, "{damage}");
        assert_eq!(site.nft(&["list", "ruleset"]), want, "{damage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_have_in_the_table_stays() {
    let site = Site::make().await;
    site.nft(&["add table inet ovn-kubernetes"]);
    site.nft(&["add chain inet ovn-kubernetes theirs { type filter hook input priority 0; }"]);
    let before = site.nft(&["list", "ruleset"]);
    site.isolate(&[pod(&ADDRESSES, &[])], site.groups.kubelet(2)).await;
    assert_eq!(site.isolate(&[], site.groups.kubelet(2)).await, 1);
    assert_eq!(site.nft(&["list", "ruleset"]), before);
    assert_eq!(site.isolate(&[], site.groups.kubelet(2)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_pods_with_many_ports_fit() {
    let site = Site::make().await;
    let ports: Vec<OpenPort> = (1..=60).map(OpenPort::Tcp).collect();
    let address = |number: u16| {
        let [high, low] = number.to_be_bytes();
        [format!("10.244.{high}.{low}"), format!("fd00::{number:x}")]
    };
    let pods: Vec<LockedPod> = (1..=250)
        .map(|number| pod(&address(number).each_ref().map(String::as_str), &ports))
        .collect();
    let kubelet = site.groups.kubelet(2);
    assert_eq!(site.isolate(&pods, kubelet).await, 1);
    assert_eq!(site.isolate(&pods, kubelet).await, 0);
    assert_eq!(site.isolate(&pods[..249], kubelet).await, 4, "one pod's elements in each set");
}

/// A program that stays in a namespace of control groups, whose root is a group.
struct Resident(Child);

impl Resident {
    fn begin(group: &Path) -> Self {
        let words =
            format!("echo $$ > {}/cgroup.procs; exec unshare --cgroup sleep 600", group.display());
        let child = Command::new("sh").args(["-c", &words]).spawn().expect("a shell");
        let resident = Self(child);
        let own = fs::read_link("/proc/self/ns/cgroup").expect("a namespace");
        let moved = || fs::read_link(resident.place()).ok().filter(|it| *it != own);
        udn_lab::wait::wait_for("the namespace", std::time::Duration::from_secs(20), moved)
            .expect("it begins");
        resident
    }

    fn place(&self) -> PathBuf {
        format!("/proc/{}/ns/cgroup", self.0.id()).into()
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        // Either way it is gone then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn levels_are_counted_from_the_namespace_that_is_told() {
    let site = Site::make().await;
    // Its root is one level down, so that the kubelet's group is on the first level of it.
    let resident = Resident::begin(&site.groups.0);
    let locked = [pod(&ADDRESSES, &[])];
    let namespace = File::open(resident.place()).expect("it can be opened");
    let of_level = |level| facts(&locked, site.groups.kubelet(level));
    site.apply(of_level(1)).await;
    site.check("kubelet", [false; 3]);
    let told = Some(Arc::new(namespace));
    site.isolate(&[], Kubelet::Away).await;
    site.apply(IsolationFacts { control_groups: told, ..of_level(1) }).await;
    site.check("kubelet", [true; 3]);
    site.check("other", [false; 3]);
}
