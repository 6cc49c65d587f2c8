//! A real cluster of one node: its network is the reference bridge's at first, and then ours.
//!
//! Reads how many networks are wanted; returns when all of them are Ready.
//! Invariant: networks are only added, so that a larger size differs from a smaller one by them alone.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use udn_lab::daemon::Daemon;
use udn_lab::real_cluster::{RealCluster, RealNode};
use udn_lab::run::run;

use crate::Outcome;
use crate::api::{Api, is_true, until};
use crate::programs;

/// Where the agent tells what it counts, on the node.
pub(crate) const METRICS: &str = "127.0.0.1:9411";

const NETWORKS: &str = "/apis/k8s.ovn.org/v1/userdefinednetworks";
const NAMESPACES: &str = "/api/v1/namespaces";

/// The node's CNI configuration, of the newest version that Debian's containerd reads.
const CONF: &str = r#"{"cniVersion":"1.0.0","name":"ovn-kubernetes","type":"ovn-k8s-cni-overlay"}"#;

/// The cluster; its fields are dropped from top to bottom.
pub(crate) struct Stand {
    agent: Option<Daemon>,
    controller: Option<Daemon>,
    networks: usize,
    pub(crate) cluster: RealCluster,
}

/// The namespace of a network.
pub(crate) fn tenant(number: usize) -> String {
    format!("tenant-{number}")
}

impl Stand {
    /// Starts a node without any network for pods.
    pub(crate) fn start() -> Outcome<Self> {
        let cluster = RealCluster::builder().nodes(1).start()?;
        Ok(Self { agent: None, controller: None, networks: 0, cluster })
    }

    pub(crate) fn node(&self) -> &RealNode {
        &self.cluster.nodes()[0]
    }

    pub(crate) async fn api(&self) -> Outcome<Api> {
        Api::connect(self.cluster.kubeconfig()).await
    }

    /// Makes the reference bridge plugin the node's only one.
    pub(crate) fn use_bridge(&self) -> Outcome<()> {
        self.node().install_bridge("10.200.1.0/24")?;
        Ok(self.cluster.wait_ready()?)
    }

    /// Makes our plugin the node's first.
    pub(crate) fn install(&mut self) -> Outcome<()> {
        install_kinds(&self.cluster)?;
        self.controller = Some(start_controller(&self.cluster)?);
        self.agent = Some(start_agent(self.node())?);
        self.node().install_plugin("ovn-k8s-cni-overlay", &programs::plugin())?;
        self.node().write_cni_conf("10-ovn-kubernetes.conf", CONF)?;
        Ok(self.cluster.wait_ready()?)
    }

    /// What the agent said last, for whoever wants to know why nothing comes of it.
    pub(crate) fn said(&self) -> String {
        self.agent.as_ref().map(Daemon::log_tail).unwrap_or_default()
    }

    pub(crate) fn stop_kubelet(&mut self) {
        self.cluster.nodes_mut()[0].stop_kubelet();
    }

    /// Adds networks until there are so many; returns how long it took until all were Ready.
    pub(crate) async fn grow(&mut self, networks: usize) -> Outcome<Duration> {
        let (api, began) = (self.api().await?, Instant::now());
        for number in self.networks..networks {
            let (name, label) = (tenant(number), "k8s.ovn.org/primary-user-defined-network");
            let metadata = json!({ "name": name, "labels": { label: "" } });
            let namespace =
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
            api.create(NAMESPACES, &namespace).await?;
            let layer2 = json!({ "role": "Primary", "subnets": ["10.20.0.0/16", "fd20::/64"] });
            let path = format!("/apis/k8s.ovn.org/v1/namespaces/{name}/userdefinednetworks");
            let network = json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
                "metadata": { "namespace": name, "name": "net" },
                "spec": { "topology": "Layer2", "layer2": layer2 } });
            api.create(&path, &network).await?;
        }
        self.networks = self.networks.max(networks);
        let wanted = self.networks;
        let (accounts, account) = ("/api/v1/serviceaccounts", "default");
        until("all networks to be Ready", || async {
            let ready = api.list(NETWORKS).await?;
            // Without an account no pod is accepted.
            let made = api.list(accounts).await?.into_iter();
            let is_tenants = |name: &str| name.starts_with("tenant-");
            let made = made.filter(|it| {
                let text = |key: &str| it["metadata"][key].as_str().unwrap_or_default();
                text("name") == account && is_tenants(text("namespace"))
            });
            let ready = ready.iter().filter(|it| is_true(it, "Ready")).count();
            Ok(ready == wanted && made.count() == wanted)
        })
        .await?;
        Ok(began.elapsed())
    }

    /// The number of the agent's own process, below those that lead onto the node.
    pub(crate) fn agent(&self) -> Outcome<u32> {
        let mut program = self.agent.as_ref().ok_or("there is no agent")?.pid();
        loop {
            let children = format!("/proc/{program}/task/{program}/children");
            match fs::read_to_string(children)?.split_whitespace().next() {
                Some(child) if !is_udn(program)? => program = child.parse()?,
                Some(_) | None => return Ok(program),
            }
        }
    }

    /// The memory that the agent holds now, and the most that it held, in MB.
    pub(crate) fn memory(&self) -> Outcome<(f64, f64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.agent()?))?;
        let of = |key: &str| -> Outcome<f64> {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let kibibytes: f64 = line.ok_or("it ended")?.trim().trim_end_matches(" kB").parse()?;
            Ok(kibibytes * 1.024 / 1000.0)
        };
        Ok((of("VmRSS:")?, of("VmHWM:")?))
    }
}

fn is_udn(program: u32) -> Outcome<bool> {
    Ok(fs::read_to_string(format!("/proc/{program}/comm"))?.trim() == "udn")
}

/// Makes the kinds of objects known, as the README says.
fn install_kinds(cluster: &RealCluster) -> Outcome<()> {
    run(cluster.kubectl().args(["create", "namespace", "ovn-kubernetes"]))?;
    for part in ["crds", "policies", "default-network"] {
        let manifests = run(programs::udn().args(["crds", "--only", part]))?;
        let file = cluster.nodes()[0].folder().join(format!("{part}.yaml"));
        fs::write(&file, manifests)?;
        run(cluster.kubectl().args(["apply", "--server-side", "-f"]).arg(&file))?;
        if part == "crds" {
            let wait = ["wait", "--for=condition=Established", "--timeout=90s", "crd", "--all"];
            run(cluster.kubectl().args(wait))?;
        }
    }
    Ok(())
}

fn start_controller(cluster: &RealCluster) -> Outcome<Daemon> {
    let node = &cluster.nodes()[0];
    let (command, log) = (programs::controller(cluster), node.folder().join("controller.log"));
    Ok(Daemon::start(node.janitor(), "udn controller", &command, &log)?)
}

fn start_agent(node: &RealNode) -> Outcome<Daemon> {
    let (mut command, log) = (programs::agent(node), node.folder().join("udn-node.log"));
    command.args(["--listen-metrics", METRICS]);
    Ok(Daemon::start(node.janitor(), "udn node", &node.enter(&command), &log)?)
}
