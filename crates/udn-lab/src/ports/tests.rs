//! A port belongs to one holder at a time.

use std::collections::BTreeSet;

use super::*;

#[test]
fn ports_held_at_once_differ_and_can_be_listened_on() {
    let ports: Vec<Port> = (0..50).map(|_| Port::lease().expect("there are free ports")).collect();
    let numbers: BTreeSet<u16> = ports.iter().map(Port::number).collect();
    assert_eq!(numbers.len(), ports.len());
    TcpListener::bind(ports[0].address()).expect("the lease itself does not listen");
}

#[test]
fn a_port_is_free_again_when_its_holder_is_gone() {
    let port = Port::lease().expect("there are free ports");
    let number = port.number();
    assert!(Port::try_lease(number).is_err());
    drop(port);
    Port::try_lease(number).expect("the port is free again");
}

#[test]
fn a_port_of_a_stranger_is_not_leased() {
    let port = Port::lease().expect("there are free ports");
    let number = port.number();
    let _stranger = TcpListener::bind(port.address()).expect("the lease itself does not listen");
    drop(port);
    assert!(Port::try_lease(number).is_err());
}
