//! `udn sandbox --kubernetes`: a real cluster for people, until Ctrl-C.
//!
//! Invariant: the cluster is gone when the function returns, whatever happened in between; whoever
//! waits sees for what.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use udn_cluster::Problem;
use udn_lab::progress::Progress;
use udn_lab::setup::Part;
use udn_sandbox::Matrix;
use udn_sandbox::kubernetes::{
    KubernetesSandbox, KubernetesSettings, ProgramFiles, cluster_settings,
};

use super::ended::{Ended, INTERRUPTED};
use super::prepare::prepare;
use super::room::Room;
use super::steps::Steps;
use super::up::sum_up_pings;
use super::{absolute, example, folder};
use crate::args::{KubernetesRequest, UpRequest};
use crate::output;

mod plugin;

/// What a real cluster needs.
const PARTS: &[Part] = &[
    Part::HostPackages,
    Part::OvnRoot,
    Part::Kubernetes,
    Part::ContainerRuntime,
    Part::NodePrograms,
    Part::CniPlugins,
];

/// How long networks and pods may take: images are there, so that only probes and queues take time.
const PATIENCE: Duration = Duration::from_secs(120);

/// What pings are called while they last.
const PING: &str = "ping";

/// Runs the command.
pub(super) fn run(request: &UpRequest) -> Result<ExitCode> {
    prepare(PARTS)?;
    let nodes = u64::from(request.kubernetes.nodes);
    if let Some(lack) = Room::here().lack(nodes) {
        bail!("{nodes} nodes need {lack}; make room, or take fewer with --nodes");
    }
    let files = plugin::find()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(stay(request, files))
}

async fn stay(request: &UpRequest, files: ProgramFiles) -> Result<ExitCode> {
    let mut ended = Ended::watch()?;
    let steps = Arc::new(Steps::new());
    output::print_line(headline(&request.kubernetes))?;
    let settings = settings(&request.kubernetes, files);
    let mut sandbox = tokio::select! {
        opened = KubernetesSandbox::open(settings, steps.clone()) => opened?,
        () = ended.wait() => return leave(&steps),
    };
    let shown = tokio::select! {
        shown = show(&mut sandbox, request, &steps) => shown?,
        () = ended.wait() => return leave(&steps),
    };
    let code = if shown.is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if request.once {
        return Ok(code);
    }
    output::print_line(suggestions(&sandbox, &shown))?;
    output::print_line("\nCtrl-C ends it and removes everything.")?;
    ended.wait().await;
    output::print_line("\nremoving everything …")?;
    tokio::task::block_in_place(|| drop(sandbox));
    Ok(code)
}

/// Somebody does not want to wait until it stands; what stands goes as this program ends.
fn leave(steps: &Steps) -> Result<ExitCode> {
    steps.clear();
    output::print_line("\nremoving everything …")?;
    Ok(ExitCode::from(INTERRUPTED))
}

fn headline(request: &KubernetesRequest) -> String {
    let nodes = match request.nodes {
        1 => "1 node".to_owned(),
        several => format!("{several} nodes"),
    };
    format!("starting a real Kubernetes with {nodes}")
}

fn settings(request: &KubernetesRequest, files: ProgramFiles) -> KubernetesSettings {
    KubernetesSettings {
        folder: folder(),
        nodes: request.nodes.into(),
        cluster: cluster_settings(request.ip_family.families(), request.gateway_mode.mode()),
        files,
    }
}

/// What came of a start.
struct Shown {
    is_good: bool,
    /// A pod in which one may look around, as kubectl names it.
    pod: String,
}

/// Applies the manifests and prints everything there is to see.
async fn show(
    sandbox: &mut KubernetesSandbox,
    request: &UpRequest,
    steps: &Steps,
) -> Result<Shown> {
    let manifests = match &request.manifests {
        Some(manifests) => absolute(manifests)?,
        None => {
            let families = request.kubernetes.ip_family.families();
            let written = example::KUBERNETES.write_for(families, &folder());
            written.context("could not write the example")?
        }
    };
    output::print_line(format_args!("applying {}", manifests.display()))?;
    let problems = sandbox.apply(&manifests).await?;
    print_all(problems.iter().map(Problem::to_string))?;
    let readiness = sandbox.wait_ready(PATIENCE, steps).await?;
    steps.clear();
    if !readiness.is_whole() {
        let seconds = PATIENCE.as_secs();
        output::print_line(format_args!("after {seconds} s, {readiness} are Ready:"))?;
        print_all(readiness.waiting.iter().chain(&sandbox.complaints().await?).cloned())?;
    }
    let (drawing, matrix) = survey(sandbox, steps).await?;
    output::print_line(format_args!("\n{drawing}\n{matrix}"))?;
    output::print_line(sum_up_pings(&matrix))?;
    let seconds = steps.total().as_secs_f32();
    output::print_line(format_args!("{seconds:.1} s from set-up to here; {readiness} Ready"))?;
    let pod = matrix.cells.first().map(|(probe, _)| &probe.from.pod);
    let pod = pod.map(|it| format!("-n {} {}", it.namespace, it.name));
    Ok(Shown {
        is_good: matrix.is_green() && readiness.is_whole() && problems.is_empty(),
        pod: pod.unwrap_or_else(|| "-n NAMESPACE POD".to_owned()),
    })
}

/// Pings everybody from everybody; returns a drawing of what stands beside it.
async fn survey(sandbox: &KubernetesSandbox, steps: &Steps) -> Result<(String, Matrix)> {
    steps.begun(PING);
    let begun = Instant::now();
    let surveyed = sandbox.survey().await?;
    steps.done(PING, begun.elapsed());
    Ok(surveyed)
}

fn print_all(lines: impl Iterator<Item = String>) -> Result<()> {
    output::print(lines.map(|line| format!("  ! {line}\n")).collect::<String>())
}

fn suggestions(sandbox: &KubernetesSandbox, Shown { pod, .. }: &Shown) -> String {
    let (kubeconfig, own) = (sandbox.kubeconfig(), sandbox.kubectl());
    let kubeconfig = kubeconfig.display();
    let (node, udn) = (sandbox.nodes().next().unwrap_or_default(), super::own_name());
    let logs = sandbox.logs().map(|(name, log)| format!("  {name:<12} {}\n", log.display()));
    let logs: String = logs.collect();
    format!(
        "\nIn another terminal:\n  \
         export KUBECONFIG={kubeconfig}\n  \
         kubectl get pods -A -o wide\n  \
         kubectl get udn,cudn -A\n  \
         kubectl exec {pod} -- ip address\n  \
         kubectl apply -f DIR                          pods take the image udn.local/busybox:1\n  \
         {udn} sandbox exec {node} -- ovs-vsctl show   on a node: nft, ip, ovs-*, ovn-*, ctr\n\
         No kubectl here? {} is one.\n\n\
         What our programs tell:\n{}",
        own.display(),
        logs.trim_end()
    )
}
