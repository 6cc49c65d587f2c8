//! Connections reach the server of another namespace; here our own stands in for it.

use std::net::Ipv4Addr;
use std::path::Path;

use super::*;

const FIRST: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1)), 0);

#[test]
fn a_port_is_free_again_after_the_drop() {
    let free = TcpListener::bind(FIRST).and_then(|listener| listener.local_addr());
    let address = free.expect("there is a free port");
    let entrance = Entrance::at(Path::new("/proc/self/ns/net"));
    let forward = Forward::start(address, entrance).expect("the port is free");
    drop(forward);
    TcpListener::bind(address).expect("the port is free again");
}

#[test]
fn both_directions_pass_and_end_apart() {
    let server = TcpListener::bind(FIRST).expect("there is a free port");
    let middle = TcpListener::bind(FIRST).expect("there is a free port");
    let addresses = [&server, &middle].map(|listener| listener.local_addr().expect("it listens"));
    let mut client = TcpStream::connect(addresses[1]).expect("it listens");
    let (caller, _) = middle.accept().expect("the client called");
    // Only root may enter even its own namespace, so the way on is taken by hand here.
    let onward = TcpStream::connect(addresses[0]).expect("it listens");
    let (mut served, _) = server.accept().expect("it was called");
    let passing = thread::spawn(move || {
        thread::scope(|scope| {
            scope.spawn(|| stream_on(&caller, &onward));
            stream_on(&onward, &caller);
        });
    });
    client.write_all(b"question").expect("somebody reads");
    client.shutdown(Shutdown::Write).expect("it is open");
    let mut text = String::new();
    served.read_to_string(&mut text).expect("the question ends");
    assert_eq!(text, "question");
    served.write_all(b"answer").expect("somebody reads");
    drop(served);
    let mut text = String::new();
    client.read_to_string(&mut text).expect("the answer ends");
    assert_eq!(text, "answer");
    passing.join().expect("no panic");
}
