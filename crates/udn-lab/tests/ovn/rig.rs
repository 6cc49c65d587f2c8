//! The database rigs against real `ovsdb-server`s: rows survive, leaders are elected.

use std::process::Command;

use udn_lab::certificates::Certificates;
use udn_lab::janitor::Janitor;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::{OvsdbServer, Schema};
use udn_lab::raft::RaftCluster;
use udn_lab::run::run;

fn root() -> OvnRoot {
    OvnRoot::find().expect("the OVN root is set up")
}

/// Runs `ovn-nbctl` against a database and returns what it printed.
fn nbctl(remote: &str, arguments: &[&str]) -> String {
    let mut command = root().command("ovn-nbctl");
    command.arg(format!("--db={remote}")).arg("--timeout=30").args(arguments);
    run(&mut command).expect("ovn-nbctl succeeds")
}

#[test]
fn rows_survive_a_kill_and_a_stop() {
    let mut server = OvsdbServer::start(&root(), Database::Northbound).expect("the server starts");
    let remote = server.remote();
    nbctl(&remote, &["ls-add", "red"]);
    let first = server.pid();
    server.kill();
    assert!(!server.is_running());
    server.restart().expect("the server starts again");
    assert_ne!(server.pid(), first);
    assert_eq!(nbctl(&remote, &["--bare", "--columns=name", "list", "Logical_Switch"]), "red");
    server.stop();
    assert!(!server.is_running());
    server.restart().expect("the server starts again");
    assert_eq!(nbctl(&remote, &["--bare", "--columns=name", "list", "Logical_Switch"]), "red");
}

#[test]
fn tcp_and_tls_serve_the_same_rows_before_and_after_a_restart() {
    let root = root();
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    let certificates = Certificates::make(&folder).expect("certificates can be made");
    let server = OvsdbServer::builder(&root, Database::Northbound).tcp().tls(&certificates);
    let mut server = server.janitor(&janitor).start().expect("the server starts");
    nbctl(&server.remote(), &["ls-add", "blue"]);
    for _ in 0..2 {
        let tcp = server.tcp_address().expect("tcp was asked for");
        assert!(nbctl(&format!("tcp:{tcp}"), &["ls-list"]).contains("blue"));
        let tls = server.tls_address().expect("tls was asked for");
        assert!(over_tls(&root, &format!("ssl:{tls}"), &certificates).contains("blue"));
        server.restart().expect("the server starts again");
    }
}

fn over_tls(root: &OvnRoot, remote: &str, certificates: &Certificates) -> String {
    let mut command = root.command("ovn-nbctl");
    command.arg(format!("--db={remote}")).arg("--timeout=30");
    command.arg("--certificate").arg(certificates.client().certificate());
    command.arg("--private-key").arg(certificates.client().key());
    command.arg("--ca-cert").arg(certificates.authority());
    run(command.arg("ls-list")).expect("ovn-nbctl succeeds")
}

#[test]
fn a_schema_can_be_given_as_text() {
    let text =
        r#"{"name":"Tiny","version":"1.0.0","tables":{"T":{"columns":{"n":{"type":"integer"}}}}}"#;
    let schema = Schema::Text(text.to_owned());
    let server = OvsdbServer::builder(&root(), schema).start().expect("the server starts");
    let mut client = root().command("ovsdb-client");
    let databases = run(client.arg("list-dbs").arg(server.remote())).expect("the server answers");
    assert!(databases.lines().any(|line| line == "Tiny"), "{databases}");
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let schema = Schema::Text("not a schema".to_owned());
    let refused = OvsdbServer::builder(&root(), schema).start().expect_err("no schema, no server");
    let source = std::error::Error::source(&refused).expect("the cause is named").to_string();
    assert!(source.contains("ovsdb-tool") && source.contains("invalid keyword"), "{source}");
}

#[test]
fn three_members_elect_a_new_leader_when_theirs_is_killed() {
    let mut cluster =
        RaftCluster::start(&root(), Database::Northbound, 3).expect("the cluster starts");
    let remotes = cluster.addresses().iter().map(|a| format!("tcp:{a}")).collect::<Vec<_>>();
    let remotes = remotes.join(",");
    nbctl(&remotes, &["ls-add", "before"]);
    let first = cluster.leader().expect("a member leads");
    cluster.kill(first);
    let second = cluster.leader().expect("another member leads");
    assert_ne!(first, second);
    nbctl(&remotes, &["ls-add", "after"]);
    cluster.restart(first).expect("the killed member joins again");
    let rows = nbctl(&remotes, &["--bare", "--columns=name", "list", "Logical_Switch"]);
    assert!(rows.contains("before") && rows.contains("after"), "{rows}");
}

#[test]
fn several_servers_run_at_once() {
    let root = root();
    let start = || OvsdbServer::builder(&root, Database::Southbound).tcp().start();
    let servers: Vec<OvsdbServer> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..6).map(|_| scope.spawn(start)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
        starts.into_iter().map(|thread| join(thread).expect("the server starts")).collect()
    });
    let ports: std::collections::BTreeSet<_> =
        servers.iter().filter_map(OvsdbServer::tcp_address).collect();
    assert_eq!(ports.len(), servers.len());
    let folders: Vec<_> = servers.iter().map(|server| server.folder().to_owned()).collect();
    drop(servers);
    assert!(folders.iter().all(|folder| !folder.exists()));
}

#[test]
fn programs_of_the_root_run_beside_those_of_the_host() {
    let root = root();
    for program in ["ovn-northd", "ovs-vswitchd", "ovn-controller", "ovsdb-server", "etcd"] {
        assert!(root.holds(program), "{program}");
        run(root.command(program).arg("--version")).expect("the program runs");
    }
    // The host's own loader still finds the host's own libraries.
    run(Command::new("ip").arg("-Version")).expect("the host's ip runs");
}
