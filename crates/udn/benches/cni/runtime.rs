//! A container runtime's part, played on the node: namespaces, and the plugin that is started for them.
//!
//! It is this bench once more, as a program on the node; it takes an order on each line and answers on
//! one line with what it saw.
//! Invariant: it knows the plugin by its command line, its input and its output alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use udn_lab::real_cluster::RealNode;
use udn_lab::run::run;

use crate::Outcome;
use crate::stand::METRICS;

/// The word that makes this bench a runtime.
pub(crate) const WORK: &str = "--work-as-runtime";

const PLUGIN: &str = "/opt/cni/bin/ovn-k8s-cni-overlay";
const CONF: &str = r#"{"cniVersion":"1.1.0","name":"ovn-kubernetes","type":"ovn-k8s-cni-overlay"}"#;

/// What a runtime is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    /// ADD or DEL.
    pub(crate) command: String,
    pub(crate) namespace: String,
    pub(crate) pod: String,
    pub(crate) uid: String,
    pub(crate) sandbox: String,
}

/// What came of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Seconds from the plugin's start to its end.
    pub(crate) total: f64,
    /// The names of the links in the pod.
    pub(crate) interfaces: Vec<String>,
    pub(crate) counts: Counts,
}

/// The steps of wiring a pod, as the server names them.
pub(crate) const STEPS: [&str; 5] = ["enter", "lay", "guard", "plug", "settle"];

/// What the server has counted so far.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) adds: f64,
    /// Seconds altogether.
    pub(crate) share: f64,
    pub(crate) for_pod: f64,
    pub(crate) for_flows: f64,
    pub(crate) steps: [f64; STEPS.len()],
}

/// Works until it is told no more.
pub(crate) fn work() -> Outcome<()> {
    for line in std::io::stdin().lines() {
        let order: Order = serde_json::from_str(&line?)?;
        println!("{}", serde_json::to_string(&follow(&order)?)?);
    }
    Ok(())
}

fn follow(order: &Order) -> Outcome<Answer> {
    let netns = |verb: &str| run(Command::new("ip").args(["netns", verb, &order.sandbox]));
    if order.command == "ADD" {
        netns("add")?;
    }
    let began = Instant::now();
    let result = start_plugin(order)?;
    let total = began.elapsed().as_secs_f64();
    if order.command == "DEL" {
        netns("del")?;
        return Ok(Answer { total, ..Answer::default() });
    }
    let result: Value = serde_json::from_str(&result)?;
    let inside = result["interfaces"].as_array().into_iter().flatten();
    let inside = inside.filter(|it| it["sandbox"].as_str().is_some_and(|it| !it.is_empty()));
    let interfaces = inside.filter_map(|it| Some(it["name"].as_str()?.to_owned())).collect();
    Ok(Answer { total, interfaces, counts: counts()? })
}

/// What the plugin prints.
fn start_plugin(order: &Order) -> Outcome<String> {
    let Order { command, namespace, pod, uid, sandbox } = order;
    let arguments = format!(
        "IgnoreUnknown=1;K8S_POD_NAMESPACE={namespace};K8S_POD_NAME={pod};\
         K8S_POD_INFRA_CONTAINER_ID={sandbox};K8S_POD_UID={uid}"
    );
    let mut plugin = Command::new(PLUGIN);
    plugin.env("CNI_COMMAND", command).env("CNI_CONTAINERID", sandbox).env("CNI_IFNAME", "eth0");
    plugin.env("CNI_NETNS", format!("/run/netns/{sandbox}")).env("CNI_PATH", "/opt/cni/bin");
    plugin.env("CNI_ARGS", arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = plugin.stderr(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no way to tell")?.write_all(CONF.as_bytes())?;
    let output = child.wait_with_output()?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let complaint = said(&output.stderr);
    // A DEL always succeeds; only its complaint tells whether it did something.
    if !output.status.success() || !complaint.is_empty() {
        return Err(format!("{command} of {namespace}/{pod}: {complaint}").into());
    }
    Ok(said(&output.stdout))
}

fn counts() -> Outcome<Counts> {
    let mut stream = TcpStream::connect(METRICS)?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let number = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
        lines.find_map(|rest| rest.trim().parse::<f64>().ok()).unwrap_or_default()
    };
    Ok(Counts {
        adds: number("udn_cni_add_share_seconds_count "),
        share: number("udn_cni_add_share_seconds_sum "),
        for_pod: number("udn_cni_add_wait_seconds_sum{for=\"pod\"} "),
        for_flows: number("udn_cni_add_wait_seconds_sum{for=\"flows\"} "),
        steps: STEPS
            .map(|step| number(&format!("udn_cni_wiring_step_seconds_sum{{step=\"{step}\"}} "))),
    })
}

/// The runtime that runs on the node.
pub(crate) struct Runtime {
    child: Child,
    tell: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Runtime {
    /// Starts this bench on the node.
    pub(crate) fn start(node: &RealNode) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(WORK);
        let mut command = node.enter(&command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let tell = child.stdin.take().ok_or("no way to tell")?;
        let told = BufReader::new(child.stdout.take().ok_or("no way to be told")?);
        Ok(Self { child, tell, told })
    }

    /// Has it follow an order.
    pub(crate) fn follow(&mut self, order: &Order) -> Outcome<Answer> {
        writeln!(self.tell, "{}", serde_json::to_string(order)?)?;
        let mut line = String::new();
        tokio::task::block_in_place(|| self.told.read_line(&mut line))?;
        if line.is_empty() {
            return Err("the runtime ended; it said why on standard error".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // It ends by itself at the end of its input, or has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
