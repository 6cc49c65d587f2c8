//! A sandbox for one test: opened in a folder of its own, with a few shorthands.
//!
//! Reads manifests; returns a [`Stand`] to look at.
//! Invariant: nothing is tried again until it looks good; a wait ends in an answer or a failure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use udn_lab::capture::{Capture, Mac, Wire};
use udn_lab::namespaces::Namespace;
use udn_lab::node::Node;
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_model::{
    AttachmentGrant, ClusterSettings, Family, InterfaceAddress, NetworkName, NodeName, ObjectName,
};
use udn_sandbox::{Applied, Matrix, Sandbox, SandboxSettings, Stage, Watch};

pub(crate) mod manifests;
pub(crate) mod neighbours;
pub(crate) mod site;
pub(crate) mod snapshot;
pub(crate) mod talk;

use site::Site;

/// How long anything may take before it counts as not happening.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);
/// The link of a pod into its main network.
pub(crate) const PRIMARY: &str = "ovn-udn1";
/// The link of a pod into the first of its other networks.
pub(crate) const SECONDARY: &str = "net1";

/// A sandbox with what was applied last. The fields are dropped from top to bottom.
pub(crate) struct Stand {
    pub(crate) sandbox: Sandbox,
    pub(crate) applied: Applied,
    folder: TempDir,
}

/// Prints how long each stage took; nobody judges it.
pub(crate) struct Print;

impl Watch for Print {
    fn begun(&mut self, _: Stage) {}

    fn done(&mut self, stage: Stage, took: Duration) {
        println!("{:6.2} s  {}", took.as_secs_f32(), stage.title());
    }
}

impl Stand {
    /// Opens a sandbox and applies manifests, about which nothing may be found.
    pub(crate) async fn new(site: &Site, manifests: &Path) -> Self {
        Self::with_settings(site, ClusterSettings::default(), manifests).await
    }

    /// The same in a cluster of other settings.
    pub(crate) async fn with_settings(
        site: &Site,
        cluster: ClusterSettings,
        manifests: &Path,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder_of = folder.path().join("sandbox");
        let settings = SandboxSettings { folder: folder_of, cluster, api: site.api() };
        let mut sandbox = Sandbox::open(settings).await.expect("a sandbox opens");
        let applied = apply(&mut sandbox, manifests).await;
        Self { sandbox, applied, folder }
    }

    /// The same with one file of manifests.
    pub(crate) async fn of_text(site: &Site, text: &str) -> Self {
        Self::new(site, manifests::folder_of(text).path()).await
    }

    /// Applies other manifests to the same sandbox.
    pub(crate) async fn apply(&mut self, manifests: &Path) {
        self.applied = apply(&mut self.sandbox, manifests).await;
    }

    /// Pings everybody; every cell must be as it must be.
    pub(crate) async fn green_matrix(&self) -> Matrix {
        let matrix = self.sandbox.probe(&self.applied, &mut Print).await.expect("pings can be run");
        let failures: Vec<_> = matrix.failures().collect();
        assert!(matrix.is_green(), "{matrix}\n{failures:#?}");
        matrix
    }

    /// Where the sandbox keeps its state.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("sandbox")
    }

    pub(crate) fn node(&self, name: &str) -> &Node {
        self.sandbox.node(&NodeName::new(name)).expect("the node is in the manifests")
    }

    /// The names of all nodes.
    pub(crate) fn nodes(&self) -> Vec<String> {
        self.applied.intent.nodes.keys().map(ToString::to_string).collect()
    }

    /// A pod by `namespace/name`.
    pub(crate) fn pod(&self, pod: &str) -> &Namespace {
        let name = ObjectName::parse(pod).expect("namespace and name");
        self.sandbox.pod(&name).unwrap_or_else(|| panic!("there is no pod {pod}"))
    }

    pub(crate) fn host(&self, name: &str) -> &Namespace {
        self.sandbox.host(name).unwrap_or_else(|| panic!("there is no host {name}"))
    }

    /// What a pod was granted on its only network.
    pub(crate) fn grant(&self, pod: &str) -> &AttachmentGrant {
        let all = self.applied.grants.attachments.values().flatten();
        let mut of_pod = all.filter(|(key, _)| key.pod.to_string() == pod);
        let (_, grant) = of_pod.next().unwrap_or_else(|| panic!("{pod} has no grant"));
        assert!(of_pod.next().is_none(), "{pod} is on several networks");
        grant
    }

    /// A pod's address in a family, on one of its networks.
    pub(crate) fn address_on(&self, network: &str, pod: &str, family: Family) -> IpAddr {
        let of_network = self.applied.grants.attachments.get(&NetworkName::new(network));
        let mut of_pod =
            of_network.into_iter().flatten().filter(|(key, _)| key.pod.to_string() == pod);
        let (_, grant) = of_pod.next().unwrap_or_else(|| panic!("{pod} is not on {network}"));
        let mut all = grant.addresses.iter().map(InterfaceAddress::addr);
        let found = all.find(|ip| Family::of(*ip) == family);
        found.unwrap_or_else(|| panic!("{pod} has no {family} address on {network}"))
    }

    /// A node's own address in a family.
    pub(crate) fn node_address(&self, node: &str, family: Family) -> IpAddr {
        let mut all = self.node(node).settings().addresses.iter();
        all.find(|ip| Family::of(*ip) == family).expect("nodes speak both families")
    }

    pub(crate) fn mac(&self, pod: &str) -> Mac {
        self.grant(pod).mac.to_string().parse().expect("a MAC is a MAC")
    }

    /// A pod's address in a family, on its only network.
    pub(crate) fn address(&self, pod: &str, family: Family) -> IpAddr {
        let mut all = self.grant(pod).addresses.iter().map(InterfaceAddress::addr);
        let found = all.find(|ip| Family::of(*ip) == family);
        found.unwrap_or_else(|| panic!("{pod} has no {family} address"))
    }

    pub(crate) fn v4(&self, pod: &str) -> Ipv4Addr {
        match self.address(pod, Family::V4) {
            IpAddr::V4(ip) => ip,
            IpAddr::V6(ip) => panic!("{ip} is of the wrong family"),
        }
    }

    pub(crate) fn v6(&self, pod: &str) -> Ipv6Addr {
        match self.address(pod, Family::V6) {
            IpAddr::V4(ip) => panic!("{ip} is of the wrong family"),
            IpAddr::V6(ip) => ip,
        }
    }

    pub(crate) fn capture(&self, pod: &str, link: &str) -> Capture {
        Capture::start(self.pod(pod), link).expect("a capture starts")
    }

    pub(crate) fn wire(&self, pod: &str, link: &str) -> Wire {
        Wire::open(self.pod(pod), link).expect("a link can be opened")
    }
}

/// Whether one ping is answered.
pub(crate) fn pings(from: &Namespace, to: impl Into<IpAddr>) -> bool {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let mut ping = root.command("ping");
    ping.args(["-n", "-q", "-c", "1", "-W", "5", &to.into().to_string()]);
    from.enter(&ping).output().expect("ping can be run").status.success()
}

/// Runs a program of a node that must succeed.
pub(crate) fn told(mut command: Command, arguments: &[&str]) -> String {
    run(command.args(arguments)).expect("the program answers")
}

async fn apply(sandbox: &mut Sandbox, manifests: &Path) -> Applied {
    let applied = sandbox.apply(manifests, &mut Print).await.expect("the manifests are applied");
    assert!(applied.problems.is_empty(), "{:#?}", applied.problems);
    assert!(applied.findings.is_empty(), "{:#?}", applied.findings);
    assert!(applied.warnings.is_empty(), "{:#?}", applied.warnings);
    applied
}
