//! A node's container runtime: how containerd is set up, started and given images.
//!
//! Reads a machine; returns a containerd that answers.
//! Invariant: sandboxes and containers outlive their containerd, whose shims are no part of its
//! group.

use std::path::Path;
use std::process::Command;

use crate::container_runtime::{ContainerRuntime, PAUSE_IMAGE};
use crate::daemon::Daemon;
use crate::real_cluster::RealClusterError;
use crate::real_cluster::ground::{Ground, write};
use crate::run::run;

/// Where it listens, on the node.
pub(super) const SOCKET: &str = "/run/containerd/containerd.sock";

/// Starts containerd and waits until it answers.
pub(super) fn start(ground: &Ground) -> Result<Daemon, RealClusterError> {
    let path = ground.folder.join("containerd.toml");
    write(&path, &settings(&ground.parts.runtime))?;
    let mut command = ground.parts.runtime.command("containerd");
    command.arg("--config").arg(&path);
    let mut daemon = ground.start("containerd", &command)?;
    daemon.wait_ready(|| serves_kubelets(ground).then_some(()))?;
    Ok(daemon)
}

/// Whether the part is loaded that kubelets ask; without it containerd answers all others.
fn serves_kubelets(ground: &Ground) -> bool {
    let said = run(&mut ctr(ground, &["plugins", "ls", "id==cri"]));
    let is_loaded = |line: &str| line.split_whitespace().last() == Some("ok");
    said.is_ok_and(|text| text.lines().any(is_loaded))
}

/// Brings an image in, from a file such as [`crate::image::Image::pack`] makes.
pub(super) fn import(ground: &Ground, image: &Path) -> Result<(), RealClusterError> {
    let image = image.to_string_lossy();
    run(&mut ctr(ground, &["--namespace=k8s.io", "images", "import", &image]))?;
    Ok(())
}

fn ctr(ground: &Ground, arguments: &[&str]) -> Command {
    let mut command = ground.parts.runtime.command("ctr");
    command.arg(format!("--address={SOCKET}")).args(arguments);
    ground.enter(&command)
}

fn settings(runtime: &ContainerRuntime) -> String {
    let runc = runtime.runc();
    let runc = runc.display();
    format!(
        r#"version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
  address = "{SOCKET}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  # A machine that may not lower a score would otherwise start no container.
  restrict_oom_score_adj = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/opt/cni/bin"
  conf_dir = "/etc/cni/net.d"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  BinaryName = "{runc}"
  SystemdCgroup = false
"#
    )
}
