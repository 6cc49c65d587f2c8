//! What the tool prints of ports, by example.

use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

use super::*;

const PORTS: &str = "OFPST_PORT_DESC reply (xid=0x2):
 1(eth0): addr:7e:49:b9:53:95:86
     config:     0
     state:      0
     current:    10GB-FD COPPER
     speed: 10000 Mbps now, 0 Mbps max
 2(patch-br-ex_clu): addr:d2:a2:f2:81:c6:88
     config:     NO_FLOOD
     state:      0
     speed: 0 Mbps now, 0 Mbps max
 3(patch-br-ex_clu): addr:6a:47:9e:65:d0:0b
     config:     PORT_DOWN
     state:      LINK_DOWN
 LOCAL(br-ex): addr:02:42:ac:12:00:0b
     config:     0
     state:      0
";

#[test]
fn loud_ports_are_those_without_the_setting() {
    let loud: Vec<String> = loud_ports(PORTS).iter().map(ToString::to_string).collect();
    assert_eq!(loud, ["1", "3"]);
}

const BARRIER: [u8; 8] = [6, 20, 0, 8, 0, 0, 0, 0];
const DONE: [u8; 8] = [6, 21, 0, 8, 0, 0, 0, 0];

fn openflow(folder: &Path) -> Openflow {
    let mut ofctl = std::process::Command::new("no-such-ovs-ofctl");
    ofctl.env("OVS_RUNDIR", folder);
    Openflow::new(Program::from(&ofctl))
}

/// Takes what is asked next, up to the barrier, and says that it is done.
async fn answer(stream: &mut UnixStream) -> usize {
    let mut asked = Vec::new();
    while !asked.ends_with(&BARRIER) {
        assert!(stream.read_buf(&mut asked).await.unwrap() > 0, "it hung up");
    }
    stream.write_all(&DONE).await.unwrap();
    asked.len()
}

async fn exchange(openflow: &Openflow) {
    let come = ["0a:58:0a:0a:00:03".parse().unwrap()].into();
    let changed = openflow.exchange_guards("br-int", &come, &BTreeSet::new()).await;
    assert_eq!(changed.unwrap(), 1);
}

#[test]
fn a_bridge_is_looked_for_where_the_tool_would_look() {
    let told = openflow(Path::new("/somewhere"));
    assert_eq!(told.socket("br-int"), Path::new("/somewhere/br-int.mgmt"));
    // What the tool inherits counts as what it is told.
    let inherits = Program::new("ovs-ofctl");
    assert_eq!(inherits.variable("PATH"), std::env::var_os("PATH"));
    assert!(inherits.variable("PATH").is_some());
}

#[tokio::test]
async fn one_connection_serves_until_the_switch_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join("br-int.mgmt")).unwrap();
    let openflow = openflow(folder.path());
    let switch = async {
        let (mut first, _) = listener.accept().await.unwrap();
        // The greeting comes once.
        let greeted = answer(&mut first).await;
        assert_eq!(answer(&mut first).await, greeted - 8);
        drop(first);
        let (mut second, _) = listener.accept().await.unwrap();
        assert_eq!(answer(&mut second).await, greeted);
    };
    let asks = async {
        for _ in 0..3 {
            exchange(&openflow).await;
        }
    };
    tokio::join!(asks, switch);
}

#[tokio::test]
async fn nobody_is_answered_what_another_asked_who_gave_up() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(folder.path().join("br-int.mgmt")).unwrap();
    let openflow = openflow(folder.path());
    let first = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        answer(&mut stream).await;
        // The second question is read and never answered.
        assert!(stream.read_buf(&mut Vec::new()).await.unwrap() > 0);
        stream
    };
    let asks = async {
        exchange(&openflow).await;
        exchange(&openflow).await;
    };
    let stream = tokio::select! {
        stream = first => stream,
        () = asks => panic!("nobody has answered"),
    };
    let next = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        answer(&mut stream).await
    };
    tokio::join!(exchange(&openflow), next);
    drop(stream);
}
