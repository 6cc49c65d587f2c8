//! A node's kubelet: how it is set up and started.
//!
//! Reads a node's [`Ground`]; returns a kubelet that is up.
//! Invariant: it changes nothing outside of its node: no packet filter, no kernel parameter, and
//! control groups only below the one it was given. It runs in one of its own, as a service of systemd does.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use crate::cgroup;
use crate::daemon::Daemon;
use crate::real_cluster::RealClusterError;
use crate::real_cluster::containerd::SOCKET;
use crate::real_cluster::ground::{Ground, write};

/// Where it says that it is healthy, on the node.
const HEALTH: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 10248);

/// The name of its kubeconfig in the node's folder.
pub(super) const KUBECONFIG: &str = "kubelet.kubeconfig";

/// What differs between nodes is said as flags. cgroup version 1 is refused unless told otherwise;
/// quality-of-service groups and limits would need controllers that not every machine has.
const SETTINGS: &str = "\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupsPerQOS: true
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
localStorageCapacityIsolation: false
clusterDomain: cluster.local
maxPods: 250
kubeAPIQPS: 200
kubeAPIBurst: 400
nodeStatusUpdateFrequency: 1s
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 0%, nodefs.available: 0%, nodefs.inodesFree: 0%, imagefs.available: 0%}
";

/// The control group that kubelet runs in, from the root of the hierarchy on.
pub(super) fn group(ground: &Ground) -> String {
    format!("{}-kubelet", ground.cgroup)
}

/// Starts kubelet and waits until it says that it is up.
pub(super) fn start(ground: &Ground) -> Result<Daemon, RealClusterError> {
    let names = ground.folder.join("resolv.conf");
    write(&names, "nameserver 127.0.0.1\n")?;
    let mut settings = SETTINGS.to_owned();
    writeln!(settings, "containerRuntimeEndpoint: unix://{SOCKET}").expect("a string takes all");
    writeln!(settings, "cgroupRoot: {}", ground.cgroup).expect("a string takes all");
    writeln!(settings, "resolvConf: {}", names.display()).expect("a string takes all");
    let path = ground.folder.join("kubelet.yaml");
    write(&path, &settings)?;

    let mut command = ground.parts.programs.command("kubelet");
    command.arg("--config").arg(&path);
    command.arg("--kubeconfig").arg(ground.folder.join(KUBECONFIG));
    command.arg(format!("--hostname-override={}", ground.name));
    let addresses: Vec<String> = ground.addresses.iter().map(|ip| ip.to_string()).collect();
    command.arg(format!("--node-ip={}", addresses.join(",")));
    let command = match cgroup::renew(&group(ground))? {
        Some(folder) => cgroup::begun_in(&folder, &command, &[]),
        None => command,
    };
    let mut daemon = ground.start("kubelet", &command)?;
    daemon.wait_ready(|| ground.network.inside(|| TcpStream::connect(HEALTH).ok()).ok()?)?;
    Ok(daemon)
}
