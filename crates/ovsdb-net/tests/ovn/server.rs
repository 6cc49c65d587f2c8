//! Our server next to a real ovsdb-server: the same programs and the same messages, the same
//! answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ovsdb::DatabaseSchema;
use ovsdb::service::ServiceLimits;
use serde_json::{Value, json};
use udn_lab::ovn_root::{Database, OvnRoot};

mod pair;
mod talk;

use pair::{Pair, finish, sorted_lines, start_ours};
use talk::{SWITCH, Talker, canonical, conversation, fill};

/// A row that is there before anything happens.
const READY: &str = "11111111-0000-4000-8000-000000000009";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ovn_nbctl_cannot_tell_them_apart() {
    let pair = Pair::start();
    let steps = [
        "init",
        "ls-add | sw0",
        "ls-add | sw0",
        "--may-exist | ls-add | sw0",
        "lsp-add | sw0 | p1",
        "lsp-add | sw0 | p2",
        "lsp-set-addresses | p1 | 0a:58:0a:00:00:05 10.0.0.5",
        "lsp-set-port-security | p1 | 0a:58:0a:00:00:05",
        "lsp-get-addresses | p1",
        "acl-add | sw0 | to-lport | 1001 | ip4 | allow-related",
        "acl-add | sw0 | sideways | 1001 | ip4 | allow",
        "acl-list | sw0",
        "lr-add | r0",
        "lrp-add | r0 | rp | 0a:58:0a:00:00:01 | 10.0.0.1/24",
        "lsp-set-type | p2 | router",
        "lsp-set-options | p2 | router-port=rp",
        "lr-route-add | r0 | 0.0.0.0/0 | 10.0.0.254",
        "lr-route-list | r0",
        "lr-nat-add | r0 | snat | 172.16.0.1 | 10.0.0.0/24",
        "lr-nat-list | r0",
        "lb-add | lb0 | 10.96.0.1:80 | 10.0.0.5:8080",
        "ls-lb-add | sw0 | lb0",
        "lb-list",
        "show | r0",
        "list | Logical_Switch",
        "--columns=name,addresses,port_security | find | Logical_Switch_Port | name=p1",
        "set | Logical_Switch | sw0 | other_config:subnet=10.0.0.0/24 | external_ids:a=b",
        "get | Logical_Switch | sw0 | other_config:subnet",
        "remove | Logical_Switch | sw0 | external_ids | a",
        "wait-until | Logical_Switch | sw0 | other_config:subnet=10.0.0.0/24",
        "--timeout=1 | wait-until | Logical_Switch | sw0 | name=other",
        "pg-add | pg0 | p1 | p2",
        "lb-del | lb0",
        "get | Logical_Switch | sw0 | load_balancer",
        "lsp-del | p1",
        "get | Port_Group | pg0 | ports",
        "set | Logical_Switch_Port | p2 | tag=5000",
        "ls-del | sw0",
        "list | Logical_Switch_Port",
        "list | ACL",
    ];
    for step in steps {
        pair.nbctl(step);
    }
    let left = pair.ours.with_service(|service| {
        let engine = service.engine(Database::Northbound.name()).unwrap();
        (engine.count("Logical_Switch"), engine.count("Logical_Router"))
    });
    assert_eq!(left, (0, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ovsdb_client_cannot_tell_them_apart() {
    let pair = Pair::start();
    pair.check("ovsdb-client", &["transact", "REMOTE", &fill()]);
    pair.check("ovsdb-client", &["dump", "REMOTE", "OVN_Northbound"]);
    pair.check("ovsdb-client", &["dump", "REMOTE", "OVN_Northbound", "Logical_Switch", "name"]);
    for args in [
        &["list-tables", "REMOTE", "OVN_Northbound"][..],
        &["list-columns", "REMOTE", "OVN_Northbound", "ACL"],
    ] {
        let [real, ours] = pair.outputs("ovsdb-client", args).map(|text| sorted_lines(&text));
        assert_eq!(ours, real);
    }
    pair.check("ovsdb-client", &["get-schema-version", "REMOTE", "OVN_Northbound"]);
    pair.check("ovsdb-client", &["get-schema-version", "REMOTE", "Nowhere"]);
    pair.check("ovsdb-client", &["transact", "REMOTE", "[\"OVN_Northbound\",{\"op\":\"abort\"}]"]);
    let wait = ["-t", "5", "wait", "REMOTE", "OVN_Northbound", "connected"];
    pair.check("ovsdb-client", &wait);
    let [real, ours] = pair
        .outputs("ovsdb-client", &["get-schema", "REMOTE", "OVN_Northbound"])
        .map(|text| DatabaseSchema::parse(text.trim_end_matches("exit status: 0")).unwrap());
    assert_eq!(ours, real);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ovsdb_client_sees_the_same_changes() {
    let pair = Pair::start();
    let ready = json!(["OVN_Northbound", { "op": "insert", "table": "Logical_Switch",
        "uuid": READY, "row": { "name": "ready" } }]);
    pair.check("ovsdb-client", &["transact", "REMOTE", &ready.to_string()]);
    for method in ["monitor", "monitor-cond", "monitor-cond-since"] {
        let [real, ours] = pair.sockets().map(|socket| watch(&pair, method, &socket));
        assert_eq!(ours, real, "{method}");
        assert!(real.contains("renamed"), "{real}");
    }
}

/// What a monitoring client prints while rows come, change and go.
fn watch(pair: &Pair, method: &str, socket: &Path) -> String {
    let remote = format!("unix:{}", socket.display());
    let client = || pair.root.command_in(pair.folder.path(), "ovsdb-client");
    let mut monitor = client();
    monitor.args(["-f", "csv", method, &remote, "OVN_Northbound"]);
    if method != "monitor" {
        monitor.arg("[[\"name\",\"!=\",\"hidden\"]]");
    }
    monitor.args(["Logical_Switch", "name,external_ids"]);
    let mut monitor =
        monitor.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut lines =
        BufReader::new(monitor.stdout.take().expect("its output was asked for")).lines();
    let this = json!([["_uuid", "==", ["uuid", SWITCH]]]);
    let rename = json!(["OVN_Northbound", { "op": "update", "table": "Logical_Switch",
        "where": this, "row": { "name": "renamed", "external_ids": ["map", [["k", "x"]]] } }]);
    let delete = json!(["OVN_Northbound",
        { "op": "delete", "table": "Logical_Switch", "where": this }]);
    let mut seen = String::new();
    // The first answer shows the row that is there already, and so that the monitor has begun.
    let steps = [
        (None, "ready"),
        (Some(fill()), SWITCH),
        (Some(rename.to_string()), "renamed"),
        (Some(delete.to_string()), "delete"),
    ];
    for (step, marker) in steps {
        if let Some(step) = step {
            finish(client().args(["transact", &remote, &step]));
        }
        while !seen.contains(marker) {
            let line = lines.next().expect("the monitor goes on").expect("it prints text");
            // A standalone ovsdb-server has no transaction ids; ours has.
            if let Some((before, id)) = line.split_once("last_id: ") {
                seen.push_str(before);
                seen.push_str(&id[36..]);
            } else {
                seen.push_str(&line);
            }
            seen.push('\n');
        }
    }
    monitor.kill().expect("the monitor runs until now");
    monitor.wait().expect("the monitor ends");
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_say_the_same_to_two_clients() {
    let pair = Pair::start();
    let [mut real, mut ours] =
        pair.sockets().map(|socket| [Talker::connect(&socket), Talker::connect(&socket)]);
    for (speaker, message) in conversation() {
        let [real, ours] = [&mut real, &mut ours].map(|talkers| {
            talkers[speaker].say(&message);
            let mut heard = [vec![], vec![]];
            heard[speaker] = talkers[speaker].hear();
            let is_timed = message["params"][1]["timeout"] == 300;
            while is_timed && heard[speaker].is_empty() {
                heard[speaker] = talkers[speaker].hear();
            }
            heard[1 - speaker] = talkers[1 - speaker].hear();
            heard.map(|messages| messages.iter().map(canonical).collect::<Vec<_>>())
        });
        assert_eq!(json!(ours), json!(real), "after client {speaker} said {message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_was_away_catches_up() {
    let pair = Pair::start();
    let [_, socket] = pair.sockets();
    let mut talker = Talker::connect(&socket);
    let requests = json!({ "Logical_Switch": [{ "columns": ["name"] }] });
    let mut since = |id: &Value, monitor: &str| {
        talker.say(&json!({ "id": 1, "method": "monitor_cond_since",
                            "params": ["OVN_Northbound", monitor, requests, id] }));
        let heard = talker.hear();
        let answer = heard.iter().find(|message| message["id"] == 1).expect("an answer");
        answer["result"].clone()
    };
    let first = since(&json!("00000000-0000-0000-0000-000000000000"), "a");
    assert_eq!((&first[0], &first[2]), (&json!(false), &json!({})));
    let mut other = Talker::connect(&socket);
    other.say(&json!({ "id": 1, "method": "transact",
                       "params": serde_json::from_str::<Value>(&fill()).unwrap() }));
    other.hear();
    let second = since(&first[1], "b");
    let inserted = json!({ "Logical_Switch": { SWITCH: { "insert": { "name": "s" } } } });
    assert_eq!((&second[0], &second[2]), (&json!(true), &inserted));
    let third = since(&second[1], "c");
    assert_eq!(third, json!([true, second[1], {}]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nonsense_ends_the_connection_and_nothing_else() {
    let pair = Pair::start();
    let [_, socket] = pair.sockets();
    let deep = "[".repeat(100_000);
    let nonsense: [&[u8]; 8] = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"{}",
        b"[1,2,3]",
        b"{\"id\":1,\"method\":5,\"params\":[]}",
        b"{\"id\":1,\"method\":\"echo\",\"params\":5}",
        b"{\"id\":1,\"method\":\"echo\",\"params\":[],\"more\":1}",
        b"{\"id\":1,\"method\":\"ech\xff\",\"params\":[]}",
        deep.as_bytes(),
    ];
    for bytes in nonsense {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout that is not zero");
        // The server may hang up before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"", "{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
    }
    assert_eq!(Talker::connect(&socket).hear(), [] as [Value; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_is_hung_up_on() {
    let root = OvnRoot::find().expect("the OVN root is prepared");
    let folder = tempfile::tempdir().expect("a folder for the socket");
    let limits = ServiceLimits { output: 1 << 20, ..ServiceLimits::default() };
    let _server = start_ours(&root, folder.path(), limits);
    let socket = folder.path().join("ours.sock");
    let mut idle = Talker::connect(&socket);
    idle.say(&json!({ "id": 1, "method": "monitor",
                      "params": ["OVN_Northbound", "m", { "Address_Set": {} }] }));
    idle.hear();
    let mut busy = Talker::connect(&socket);
    for number in 0..100 {
        let name = format!("{number}{}", "x".repeat(50_000));
        busy.say(&json!({ "id": number, "method": "transact", "params": ["OVN_Northbound",
            { "op": "insert", "table": "Address_Set", "row": { "name": name } }] }));
        assert_eq!(busy.hear().len(), 1);
    }
    let heard = idle.messages.by_ref().take_while(Result::is_ok).count();
    assert!(heard < 100, "the idle client was told of everything: {heard}");
}
