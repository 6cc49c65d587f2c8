//! What a start of the plugin costs: fork, exec, one question to a server that answers at once, exit.
//!
//! `cargo xtask bench shim` starts the plugin and `true` in turn, 300 times each, and prints what the
//! plugin takes more, quantile by quantile: what disturbs the machine disturbs both.
//! On a machine that does much else besides, `chrt -r 10 cargo xtask bench shim` measures all the same.
//! Invariant: both are started in the same way, so that what is left is ours.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use udn_cni::result::{Cidr, Interface, InterfaceAddress};
use udn_cni::{CniResult, Response};

const RUNS: usize = 300;
/// The first starts read the programs from disk.
const WARM_UP: usize = 20;

const CONF: &[u8] =
    br#"{"cniVersion":"1.1.0","name":"ovn-kubernetes","type":"ovn-k8s-cni-overlay"}"#;

fn main() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let socket = folder.path().join("server.sock");
    let listener = UnixListener::bind(&socket).expect("a socket can be made");
    // Ends with the process.
    thread::spawn(move || serve(&listener));
    let plugin = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ovn-k8s-cni-overlay"));
        command.env_clear().env("OVN_CNI_SOCKET", &socket).env("CNI_COMMAND", "ADD");
        command.env("CNI_CONTAINERID", "0a1b").env("CNI_IFNAME", "eth0");
        command.env("CNI_NETNS", "/run/netns/x").env("CNI_PATH", "/opt/cni/bin");
        command.env("CNI_ARGS", "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b");
        start(command, true)
    };
    let bare = || {
        let mut command = Command::new("true");
        command.env_clear();
        start(command, false)
    };
    let (mut shim, mut exec) = (Vec::new(), Vec::new());
    for run in 0..WARM_UP + RUNS {
        let took = (plugin(), bare());
        if run >= WARM_UP {
            shim.push(took.0);
            exec.push(took.1);
        }
    }
    print(&mut shim, &mut exec);
}

fn start(mut command: Command, has_result: bool) -> Duration {
    let begun = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program is there");
    // `true` may be gone before it is told anything.
    let _ = child.stdin.take().expect("it is piped").write_all(CONF);
    let output = child.wait_with_output().expect("it ends");
    let took = begun.elapsed();
    assert!(output.status.success());
    assert_eq!(!output.stdout.is_empty(), has_result);
    took
}

fn print(shim: &mut [Duration], exec: &mut [Duration]) {
    shim.sort();
    exec.sort();
    let quantile = |took: &[Duration], percent: usize| {
        took[(took.len() * percent / 100).min(took.len() - 1)].as_secs_f64() * 1e3
    };
    println!("{:<22} {:>8} {:>8} {:>8}", "milliseconds", "p50", "p90", "p99");
    let row = |name: &str, of: &dyn Fn(usize) -> f64| {
        println!("{name:<22} {:>8.3} {:>8.3} {:>8.3}", of(50), of(90), of(99));
    };
    let own = |percent| quantile(shim, percent) - quantile(exec, percent);
    row("the plugin", &|percent| quantile(shim, percent));
    row("`true`", &|percent| quantile(exec, percent));
    row("the plugin's own", &own);
    println!("figure: shim_start_p50 {:.3} ms", own(50));
    println!("figure: shim_start_p99 {:.3} ms goal <= 2", own(99));
}

/// Answers everybody with a result such as a pod gets.
fn serve(listener: &UnixListener) {
    let interface = Interface {
        name: "eth0".to_owned(),
        mac: Some("0a:58:0a:f4:01:05".to_owned()),
        mtu: Some(1400),
        sandbox: Some("/run/netns/x".to_owned()),
        ..Interface::default()
    };
    let address = InterfaceAddress {
        interface: Some(0),
        address: Cidr::parse("10.244.1.5/24").expect("well formed"),
        gateway: None,
    };
    let result =
        CniResult { interfaces: vec![interface], addresses: vec![address], ..CniResult::default() };
    let body = Response::success(Some(&result)).body;
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for stream in listener.incoming() {
        answer_one(stream.expect("somebody calls"), &answer);
    }
}

fn answer_one(mut stream: UnixStream, answer: &str) {
    let mut reader = BufReader::new(&stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).is_ok_and(|_| !line.trim().is_empty()) {
        if let Some(text) = line.strip_prefix("Content-Length: ") {
            length = text.trim().parse().expect("a number");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the body follows");
    stream.write_all(answer.as_bytes()).expect("the caller listens");
}
