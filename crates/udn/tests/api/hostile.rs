//! Requests that no good client sends: `udn apiserver` answers them as kube-apiserver does.
//!
//! Raw bytes go to both over TLS; the codes of the answers are compared.
//! Invariant: where ours differs on purpose, the difference is listed with its reason.

use std::time::Instant;

use tempfile::tempdir;
use udn_lab::kubernetes::Cluster;

mod cases;

use crate::program::Program;
use crate::wire::Listener;

const HYPER: &str = "hyper decides before our code sees the request, and errs on the safe side";
const SAFE: &str = "a limit of ours, far above what clients send";
const SLIP: &str = "the real server trips over itself; ours says what is wrong";
const LENIENT: &str = "Go repairs what it reads; nobody sends this but to see what happens";

/// Where ours differs and is to differ: the case, what ours says, and why.
const DIFFERENCES: [(&str, &[u16], &str); 21] = [
    ("9,000 lists deep", &[400], SAFE),
    ("200 lists deep", &[400], SAFE),
    ("the number -0", &[400], LENIENT),
    ("GET /api/v1/namespaces/%2e%2e/configmaps", &[200], SLIP),
    ("GET /healthz/", &[200], LENIENT),
    ("GET /api/v1/namespaces#a", &[200], HYPER),
    ("GET /api/v1/watch/", &[404], SLIP),
    ("GET /api/v1/watch", &[404], SLIP),
    ("5,000 headers", &[431], SAFE),
    ("query of 500 kB", &[414], HYPER),
    ("20,000 parameters", &[414], HYPER),
    ("header with a blank name", &[400], HYPER),
    ("folded header", &[400], HYPER),
    ("the line \"GET /version HTTP/1.2\"", &[400], HYPER),
    ("the line \"GET /version HTTP/2.0\"", &[400], HYPER),
    ("the line \"GET /version HTTP/3.7\"", &[400], HYPER),
    ("the line \"PRI * HTTP/2.0\"", &[400], HYPER),
    ("blank lines first", &[200], HYPER),
    ("gzip", &[400], HYPER),
    ("identity", &[400], HYPER),
    ("GET maps?labelSelector=%00", &[400], LENIENT),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_requests_get_the_codes_of_the_real_server() {
    let folder = tempdir().expect("a folder");
    let mut program = Program::start(folder.path(), &[]);
    let cluster = Cluster::builder().without_controllers().start().expect("it starts");
    let ours = Listener::ours(&program).await;
    let real = Listener::real(&cluster).await;
    let mut wrong = Vec::new();
    for case in cases::all() {
        let started = Instant::now();
        let (mine, theirs) = tokio::join!(ours.ask(&case.request), real.ask(&case.request));
        println!("{:60} {mine:?} {theirs:?} {:?}", case.name, started.elapsed());
        let listed = DIFFERENCES.iter().find(|(name, ..)| *name == case.name);
        let want = listed.map_or(theirs.as_slice(), |(_, want, _)| want);
        if mine != want || listed.is_some_and(|(_, want, _)| *want == theirs) {
            wrong.push(format!("{}: ours {mine:?}, real {theirs:?}", case.name));
        }
        assert!(program.is_running(), "{} ended the server", case.name);
    }
    for start in
        ["GET / HTTP/1.1", "POST / HTTP/1.1", "\u{16}\u{3}\u{1}", "\0\0\0\0\0\0\0\0", "hello"]
    {
        let request = format!("{start}\r\nHost: x\r\n\r\n");
        let (mine, theirs) = tokio::join!(ours.shout(&request), real.shout(&request));
        if mine != theirs {
            wrong.push(format!("without TLS, {start:?}: ours {mine:?}, real {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
