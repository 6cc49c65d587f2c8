//! Starts the programs of a control plane, each with the flags a test needs.
//!
//! Reads a prepared [`Site`]; returns programs that are ready.
//! Invariant: every program writes into the site's folder only and listens on the loopback address
//! only, except for an API server that has nodes.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use crate::daemon::Daemon;
use crate::kubernetes::programs::{NodePrograms, ProgramsError, etcd};
use crate::kubernetes::{ClusterError, Home, Site};

pub(super) fn start_etcd(site: &Site, waits_for_disk: bool) -> Result<Daemon, ClusterError> {
    let mut command = etcd().ok_or(ProgramsError::NoEtcd)?;
    let client = format!("http://{}", site.etcd_port.address());
    let peer = format!("http://{}", site.etcd_peer_port.address());
    command.arg("--name=lab").arg("--data-dir").arg(site.folder.join("etcd"));
    command.arg(format!("--listen-client-urls={client}"));
    command.arg(format!("--advertise-client-urls={client}"));
    command.arg(format!("--listen-peer-urls={peer}"));
    command.arg(format!("--initial-advertise-peer-urls={peer}"));
    command.arg(format!("--initial-cluster=lab={peer}"));
    command.arg("--log-level=warn");
    if !waits_for_disk {
        // The content never outlives the test, so waiting for the disk would be time lost.
        command.arg("--unsafe-no-fsync");
    }
    let mut daemon = site.start("etcd", &command)?;
    let address = site.etcd_port.address();
    daemon.wait_ready(|| match &site.home {
        Some(home) => home.entrance.inside(|| is_healthy(address)).ok()?.then_some(()),
        None => is_healthy(address).then_some(()),
    })?;
    Ok(daemon)
}

pub(super) fn start_api_server(
    site: &Site,
    with_controllers: bool,
    flags: &[String],
) -> Result<Daemon, ClusterError> {
    let mut command = site.programs.command("kube-apiserver");
    command.arg(format!("--etcd-servers=http://{}", site.etcd_port.address()));
    command.arg(format!("--secure-port={}", site.api_port.number()));
    match &site.home {
        Some(home) => expose_api_server(&mut command, home),
        None => hide_api_server(&mut command),
    }
    command.arg("--allow-privileged=true");
    let certificates = &site.certificates;
    command.arg("--tls-cert-file").arg(certificates.server().certificate());
    command.arg("--tls-private-key-file").arg(certificates.server().key());
    command.arg("--client-ca-file").arg(certificates.authority());
    command.arg("--token-auth-file").arg(site.folder.join("tokens.csv"));
    // A certificate serves where a public key is asked for, so one key pair does for both.
    command.arg("--service-account-issuer=https://kubernetes.default.svc");
    command.arg("--service-account-key-file").arg(certificates.server().certificate());
    command.arg("--service-account-signing-key-file").arg(certificates.server().key());
    if !with_controllers {
        // Nobody would create the service account that every pod must have.
        command.arg("--disable-admission-plugins=ServiceAccount");
    }
    command.args(flags);
    let mut daemon = site.start("kube-apiserver", &command)?;
    daemon.wait_ready(|| {
        // Cheaper than kubectl, and enough to know that it is too early for it.
        TcpStream::connect(site.api_port.address()).ok()?;
        site.succeeds(&["get", "--raw", "/readyz"]).then_some(())
    })?;
    Ok(daemon)
}

fn hide_api_server(command: &mut Command) {
    command.args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"]);
    // Nothing reaches the API through its service here, and a loopback endpoint is refused.
    command.arg("--endpoint-reconciler-type=none");
    command.args(["--service-cluster-ip-range=10.96.0.0/16", "--authorization-mode=RBAC"]);
}

fn expose_api_server(command: &mut Command, home: &Home) {
    command.arg("--bind-address=::");
    command.arg(format!("--advertise-address={}", home.addresses.v4));
    command.arg(format!("--service-cluster-ip-range={}", home.service_ranges));
    command.arg("--authorization-mode=Node,RBAC");
    // There is no name service for the names of nodes.
    command.arg("--kubelet-preferred-address-types=InternalIP");
}

pub(super) fn start_controllers(site: &Site) -> Result<Daemon, ClusterError> {
    let mut command = site.programs.command("kube-controller-manager");
    command.arg("--kubeconfig").arg(&site.kubeconfig);
    command.arg("--service-account-private-key-file").arg(site.certificates.server().key());
    command.arg("--root-ca-file").arg(site.certificates.authority());
    command.args(["--leader-elect=false", "--secure-port=0"]);
    if site.home.is_none() {
        // No kubelet runs here, and this one would delete pods whose node is not there.
        command.arg("--controllers=*,-pod-garbage-collector-controller");
    }
    // The default of 20 requests a second makes a namespace's end a matter of many seconds.
    command.args(["--kube-api-qps=300", "--kube-api-burst=600"]);
    let mut daemon = site.start("kube-controller-manager", &command)?;
    let account = ["get", "serviceaccount", "default", "--namespace=default"];
    daemon.wait_ready(|| site.succeeds(&account).then_some(()))?;
    Ok(daemon)
}

pub(super) fn start_scheduler(site: &Site) -> Result<Daemon, ClusterError> {
    let mut command = NodePrograms::find()?.command("kube-scheduler");
    command.arg("--kubeconfig").arg(&site.kubeconfig);
    command.args(["--leader-elect=false", "--secure-port=0"]);
    command.args(["--kube-api-qps=300", "--kube-api-burst=600"]);
    // It is ready when it binds the first pod, for which whoever makes a pod waits anyway.
    site.start("kube-scheduler", &command)
}

/// Whether etcd says so itself.
fn is_healthy(address: SocketAddr) -> bool {
    let ask = || -> io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.contains(r#""health":"true""#))
}
