//! The client against a real ovsdb-server: every kind of remote, many transactions at once,
//! limits, locks, and a schema that changes under way.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ovsdb::cache::{ChangeKind, Index};
use ovsdb::op::{Condition, Function, OpResult, Until};
use ovsdb::session::{Outcome, Place, TransactError, Wanted, WantedTable};
use ovsdb::{Datum, Fault, Operation};
use ovsdb_net::client::{ChangesError, State, Status};
use ovsdb_net::remote::Address;
use ovsdb_net::tls::{Identity, Names, TlsSettings};
use ovsdb_net::{Client, ClientSettings, Remote};
use tokio::net::{TcpListener, TcpStream};
use udn_lab::certificates::Certificates;
use udn_lab::ovn_root::Database;
use udn_lab::ovsdb_server::OvsdbServer;

use crate::rig::*;

fn server() -> OvsdbServer {
    OvsdbServer::start(&ovn_root(), Database::Northbound).unwrap()
}

async fn client_of(server: &OvsdbServer) -> Client {
    synced_client(settings(vec![unix_remote(server.socket())])).await
}

async fn wait_status(client: &Client, what: &str, is_so: impl Fn(&Status) -> bool) -> Status {
    let mut status = client.status();
    let waited = tokio::time::timeout(LIMIT, status.wait_for(|status| is_so(status))).await;
    let last = client.status().borrow().clone();
    waited.unwrap_or_else(|_| panic!("waited in vain for {what}: {last:?}")).unwrap().clone()
}

fn committed(outcome: Outcome) -> Vec<OpResult> {
    match outcome {
        Outcome::Committed(results) => results,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_committed_transaction_is_in_the_replica() {
    let server = server();
    let client = client_of(&server).await;
    committed(client.transact(&add_counter()).await.unwrap());
    for n in 0..200 {
        let name = format!("switch{n}");
        let results = committed(client.transact(&add_switch(&name)).await.unwrap());
        let OpResult::Inserted(uuid) = results[0] else { panic!("{results:?}") };
        assert_eq!(results[1], OpResult::Count(1));
        client.with_cache(|cache| {
            let row = cache.table("Logical_Switch").unwrap().row(uuid).unwrap();
            assert_eq!(row.text("name"), Some(&*name));
            assert_eq!(counter(cache), n + 1);
        });
    }
    let mut onlooker = Onlooker::connect(server.socket());
    assert_eq!(client.with_cache(|cache| onlooker.difference(cache)), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_made_by_others_arrive() {
    let server = server();
    let index = Arc::new(Index::by_columns("name", "Logical_Switch", &["name"]));
    let mut settings = settings(vec![unix_remote(server.socket())]);
    settings.session.indexes = vec![index];
    let (one, other) = (synced_client(settings).await, client_of(&server).await);
    let mut changes = one.changes();
    other.transact(&add_switch("theirs")).await.unwrap();
    let first = within(changes.next()).await.unwrap();
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(first[0].kind, ChangeKind::Inserted);
    one.with_cache(|cache| {
        let table = cache.table("Logical_Switch").unwrap();
        assert_eq!(table.find("name", &["theirs".into()]), [first[0].uuid]);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn tcp_works() {
    let server = OvsdbServer::builder(&ovn_root(), Database::Northbound).tcp().start().unwrap();
    let address = server.tcp_address().unwrap();
    let remote = Remote::Tcp(Address { host: address.ip().to_string(), port: address.port() });
    let client = synced_client(settings(vec![remote])).await;
    committed(client.transact(&add_switch("a")).await.unwrap());
    assert_eq!(client.with_cache(switch_names), ["a"]);
}

fn tls_settings(certificates: &Certificates) -> TlsSettings {
    let read = |path: &std::path::Path| std::fs::read(path).unwrap();
    let identity = certificates.client();
    let identity =
        Identity { certificates: read(identity.certificate()), key: read(identity.key()) };
    TlsSettings::new(read(certificates.authority()), identity)
}

fn tls_client(server: &OvsdbServer, host: &str, tls: TlsSettings) -> ClientSettings {
    let port = server.tls_address().unwrap().port();
    let remote = Remote::Tls(Address { host: host.to_owned(), port });
    ClientSettings { tls: Some(tls), ..settings(vec![remote]) }
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_works_with_certificates_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path()).unwrap();
    let server = OvsdbServer::builder(&ovn_root(), Database::Northbound);
    let server = server.tls(&certificates).start().unwrap();
    for names in [Names::Ignored, Names::Checked] {
        let tls = TlsSettings { names, ..tls_settings(&certificates) };
        let client = synced_client(tls_client(&server, "127.0.0.1", tls)).await;
        committed(client.transact(&add_switch("a")).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_names_are_checked_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::make(folder.path()).unwrap();
    let server = OvsdbServer::builder(&ovn_root(), Database::Northbound);
    let server = server.tls(&certificates).start().unwrap();
    let port = nameless_door(server.tls_address().unwrap()).await;
    let at_door = |names| {
        let remote = Remote::Tls(Address { host: NAMELESS.to_owned(), port });
        let tls = TlsSettings { names, ..tls_settings(&certificates) };
        ClientSettings { tls: Some(tls), ..settings(vec![remote]) }
    };
    synced_client(at_door(Names::Ignored)).await;
    let client = Client::connect(at_door(Names::Checked)).unwrap();
    let status = wait_status(&client, "a refusal", |status| status.problem.is_some()).await;
    let problem = status.problem.unwrap();
    assert!(problem.contains("not valid for name"), "{problem}");
}

/// An address of this host that the rig's certificates do not name.
const NAMELESS: &str = "127.0.0.2";

/// Leads from there to a server.
async fn nameless_door(server: SocketAddr) -> u16 {
    let door = TcpListener::bind((NAMELESS, 0)).await.unwrap();
    let port = door.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = door.accept().await {
            let mut far = TcpStream::connect(server).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut near, &mut far).await });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_another_authority_is_refused() {
    let (own, foreign) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let certificates = Certificates::make(own.path()).unwrap();
    let server = OvsdbServer::builder(&ovn_root(), Database::Northbound);
    let server = server.tls(&certificates).start().unwrap();
    let mut tls = tls_settings(&certificates);
    let foreign = Certificates::make(foreign.path()).unwrap();
    tls.authorities = std::fs::read(foreign.authority()).unwrap();
    let client = Client::connect(tls_client(&server, "127.0.0.1", tls)).unwrap();
    let status = wait_status(&client, "a refusal", |status| status.problem.is_some()).await;
    let problem = status.problem.unwrap();
    assert!(problem.contains("could not agree on TLS: invalid peer certificate"), "{problem}");
    assert_ne!(status.state, State::Synced);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_transactions_are_under_way_at_once() {
    let server = server();
    let client = client_of(&server).await;
    committed(client.transact(&add_counter()).await.unwrap());
    let pending: Vec<_> =
        (0..500).map(|n| client.submit(&add_switch(&format!("switch{n}"))).unwrap()).collect();
    for pending in pending {
        committed(within(pending).await);
    }
    assert_eq!(client.with_cache(counter), 500);
    assert_eq!(client.with_cache(switch_names).len(), 500);
}

/// Never finishes: no switch has that name.
fn wait_for_ever() -> Vec<Operation> {
    vec![Operation::Wait {
        table: "Logical_Switch".into(),
        conditions: vec![Condition::new("name", Function::Equal, "nobody")],
        columns: Some(vec!["name".into()]),
        until: Until::Equal,
        rows: vec![[("name".into(), Datum::from("nobody"))].into()],
        timeout: None,
    }]
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_transactions_are_refused_and_a_lost_connection_tells_them_apart() {
    let mut server = server();
    let mut settings = settings(vec![unix_remote(server.socket())]);
    settings.session.limits.in_flight = 1;
    settings.session.limits.queued = 2;
    let client = synced_client(settings).await;
    let sent = client.submit(&wait_for_ever()).unwrap();
    let waiting = [client.submit(&add_counter()).unwrap(), client.submit(&add_counter()).unwrap()];
    let refused = client.submit(&add_counter()).unwrap_err();
    assert!(matches!(refused, TransactError::Full { queued: 2, .. }), "{refused:?}");
    server.kill();
    assert_eq!(within(sent).await, Outcome::Unknown);
    for waiting in waiting {
        assert_eq!(within(waiting).await, Outcome::NotSent);
    }
    wait_status(&client, "the loss", |status| status.state == State::Disconnected).await;
    assert_eq!(client.submit(&add_counter()).unwrap_err(), TransactError::NotSynced);
    server.restart().unwrap();
    within(client.wait_synced()).await.unwrap();
    assert_eq!(client.with_cache(|cache| cache.table("NB_Global").unwrap().len()), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_say_where() {
    let server = server();
    let client = client_of(&server).await;
    let abort = [add_counter().remove(0), Operation::Abort {}, add_counter().remove(0)];
    let Outcome::Failed { at, fault, results } = client.transact(&abort).await.unwrap() else {
        panic!("an aborted transaction must fail");
    };
    assert_eq!((at, &*fault.tag), (Place::Operation(1), Fault::ABORTED));
    assert!(matches!(
        results[..],
        [OpResult::Inserted(_), OpResult::Failed(_), OpResult::NotReached]
    ));
    let dangling = Operation::Insert {
        table: "Logical_Switch".into(),
        row: [("ports".into(), Datum::from(ovsdb::Uuid::max()))].into(),
        uuid_name: None,
        uuid: None,
    };
    let Outcome::Failed { at, fault, .. } = client.transact(&[dangling]).await.unwrap() else {
        panic!("a dangling reference must fail");
    };
    assert_eq!((at, &*fault.tag), (Place::Commit, Fault::REFERENTIAL_INTEGRITY));
}

#[tokio::test(flavor = "multi_thread")]
async fn selected_rows_are_typed() {
    let server = server();
    let client = client_of(&server).await;
    client.transact(&add_switch("a")).await.unwrap();
    let table = "Logical_Switch".into();
    let select = Operation::Select { table, conditions: vec![], columns: None };
    let results = committed(client.transact(&[select]).await.unwrap());
    let [OpResult::Rows(rows)] = &results[..] else { panic!("{results:?}") };
    client.with_cache(|cache| {
        let cached = cache.table("Logical_Switch").unwrap().rows().next().unwrap();
        assert_eq!(rows[0].uuid, Some(cached.uuid));
        assert_eq!(rows[0].row, *cached.row);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_wanted_is_replicated() {
    let server = server();
    let mut settings = settings(vec![unix_remote(server.socket())]);
    let mut switches = WantedTable::columns("Logical_Switch", ["name", "from_the_future"]);
    switches.conditions = vec![Condition::new("name", Function::Equal, "wanted")];
    settings.session.tables = Wanted::Tables(vec![switches, WantedTable::whole("Tomorrow")]);
    let client = synced_client(settings).await;
    client.transact(&add_switch("wanted")).await.unwrap();
    client.transact(&add_switch("other")).await.unwrap();
    assert_eq!(client.with_cache(switch_names), ["wanted"]);
    let missing = client.status().borrow().missing.clone();
    assert_eq!(missing.tables, ["Tomorrow"]);
    assert_eq!(missing.columns, [("Logical_Switch".into(), "from_the_future".into())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_has_one_holder() {
    let server = server();
    let (one, two) = (client_of(&server).await, client_of(&server).await);
    let holds = |status: &Status| status.locks.contains("northd");
    one.lock("northd");
    wait_status(&one, "the lock", holds).await;
    two.lock("northd");
    let guarded = [Operation::Assert { lock: "northd".into() }, add_counter().remove(0)];
    committed(one.transact(&guarded).await.unwrap());
    let Outcome::Failed { fault, .. } = two.transact(&guarded).await.unwrap() else {
        panic!("only the holder may");
    };
    assert_eq!(fault.tag, Fault::NOT_OWNER);
    one.unlock("northd");
    wait_status(&two, "the lock", holds).await;
    one.steal("northd");
    wait_status(&one, "the stolen lock", holds).await;
    wait_status(&two, "the loss of the lock", |status| !holds(status)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_subscriber_is_told_to_read_anew() {
    let server = server();
    let client = synced_client(ClientSettings {
        changes: 4,
        ..settings(vec![unix_remote(server.socket())])
    })
    .await;
    let mut changes = client.changes();
    for n in 0..10 {
        client.transact(&add_switch(&format!("switch{n}"))).await.unwrap();
    }
    assert_eq!(within(changes.next()).await, Err(ChangesError::Lagged));
    assert!(within(changes.next()).await.is_ok(), "then it goes on");
    client.close().await;
    while let Ok(more) = within(changes.next()).await {
        assert!(!more.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_converted_schema_is_followed_without_reconnecting() {
    let server = server();
    let mut settings = settings(vec![unix_remote(server.socket())]);
    settings.session.probe_interval = Some(Duration::from_secs(60));
    let client = synced_client(settings).await;
    client.transact(&add_switch("kept")).await.unwrap();
    let mut onlooker = Onlooker::connect(server.socket());
    let mut schema = onlooker.ask("get_schema", &serde_json::json!([NORTHBOUND]));
    schema["tables"]["Logical_Switch"]["columns"]["added"] = serde_json::json!({"type": "string"});
    schema["version"] = "99.0.0".into();
    onlooker.ask("convert", &serde_json::json!([NORTHBOUND, schema]));
    wait_status(&client, "another sync", |status| {
        status.state == State::Synced && status.replaced + status.resumed == 2
    })
    .await;
    assert_eq!(client.status().borrow().attempts, 1);
    client.with_cache(|cache| {
        assert_eq!(cache.schema().version, "99.0.0");
        assert_eq!(switch_names(cache), ["kept"]);
        assert!(cache.table("Logical_Switch").unwrap().schema().find("added").is_some());
    });
    // The server hung up on the first one, which had not said that it can bear a conversion.
    let mut onlooker = Onlooker::connect(server.socket());
    assert_eq!(client.with_cache(|cache| onlooker.difference(cache)), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_last_handle_closes_the_connection() {
    let server = server();
    let (client, task) = Client::start(settings(vec![unix_remote(server.socket())])).unwrap();
    within(client.wait_synced()).await.unwrap();
    let pending = client.submit(&wait_for_ever()).unwrap();
    drop(client);
    within(task).await.unwrap();
    assert_eq!(within(pending).await, Outcome::Unknown);
}
