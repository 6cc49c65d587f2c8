//! What networks cost a node: memory of its programs, rows and flows. Figures to print and publish;
//! nobody judges them here.
//!
//! Invariant: shared pages are counted once, in proportion, so that sums are true.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use udn_lab::node::Node;
use udn_lab::run::run;

/// The programs of a node, as their commands tell.
const PROGRAMS: [&str; 4] = ["ovsdb-server", "ovn-northd", "ovn-controller", "ovs-vswitchd"];

/// How long each step of a test took.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    begun: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now() }
    }

    /// Prints how long the last step took, and begins the next one.
    pub(crate) fn lap(&mut self, step: &str) {
        println!("{:7.2} s  {step}", self.next().as_secs_f32());
    }

    fn next(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.begun, now)
    }
}

/// What stands on a node, and what it costs.
#[derive(Debug)]
pub(crate) struct Load {
    /// MiB of memory and seconds of the processor, by program.
    programs: Vec<(String, u64, f32)>,
    rows: Vec<(&'static str, usize)>,
    flows: Vec<(&'static str, String)>,
}

impl Load {
    pub(crate) fn of(node: &Node) -> Self {
        let count = |mut command: std::process::Command, table| {
            command.args(["--format=csv", "--no-headings", "--columns=_uuid", "find", table]);
            run(&mut command).expect("the database answers").lines().count()
        };
        let northbound = ["Logical_Switch_Port", "Logical_Router_Port", "NAT"];
        let northbound = northbound.map(|table| (table, count(node.nbctl(), table)));
        let southbound = ["Port_Binding", "Datapath_Binding", "Logical_Flow"];
        let southbound = southbound.map(|table| (table, count(node.sbctl(), table)));
        let flows = |bridge| {
            let mut ask = node.ofctl();
            let told = run(ask.args(["dump-aggregate", bridge])).expect("the switch answers");
            let count = told.rsplit("flow_count=").next().unwrap_or_default();
            (bridge, count.trim().to_owned())
        };
        Self {
            programs: programs(node),
            rows: [northbound, southbound].concat(),
            flows: ["br-int", "br-ex"].map(flows).into(),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, memory, seconds) in &self.programs {
            writeln!(f, "{memory:7} MiB {seconds:7.2} CPU s  {name}")?;
        }
        for (table, count) in &self.rows {
            writeln!(f, "{count:7} rows  {table}")?;
        }
        for (bridge, count) in &self.flows {
            writeln!(f, "{count:>7} flows {bridge}")?;
        }
        Ok(())
    }
}

fn programs(node: &Node) -> Vec<(String, u64, f32)> {
    let pids = node.namespace().pids().expect("the namespace can be asked");
    let program = |pid: u32| {
        let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).ok();
        // They run by the loader of their own root, so the kernel calls them all the same.
        let command = read("cmdline")?;
        let name = PROGRAMS.into_iter().find(|it| command.contains(&format!("/{it}\0")))?;
        let memory = read("smaps_rollup")?;
        let memory = memory.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        let memory: u64 = memory.split_whitespace().next()?.parse().ok()?;
        let times = read("stat")?;
        let (_, times) = times.rsplit_once(')')?;
        // Behind the name: state, eleven more fields, then time of its own and of the kernel for it.
        let times =
            times.split_whitespace().skip(11).take(2).filter_map(|it| it.parse::<u32>().ok());
        let seconds = times.sum::<u32>() as f32 / 100.0;
        // Of the three databases the command tells which is which.
        let database = ["OVN_Northbound", "OVN_Southbound", "Open_vSwitch"];
        let database = database.into_iter().find(|it| command.contains(*it)).unwrap_or_default();
        Some((format!("{name} {database}"), memory / 1024, seconds))
    };
    pids.into_iter().filter_map(program).collect()
}
