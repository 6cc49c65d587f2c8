//! Rows of the switch's database as anybody may write them: whatever they say, they are read.

use ovn::SimulatedDatabase;
use ovn::open_vswitch::{OpenVSwitch, Port};
use ovsdb::{Datum, Operation, Uuid};
use udn_host::chassis::{ChassisSettings, KernelSeen, OwnFacts};
use udn_host::ports::{INTERFACE, MAC, NAD, NAMESPACE, OWNER, rules};
use udn_model::ChassisName;

use super::super::{pods, seen};
use super::*;
use crate::mutations::Dice;

/// How many switches are made up.
const SWITCHES: usize = 1500;

/// Entries that are read, each with something sound.
const ENTRIES: [(&str, &str); 13] = [
    (SANDBOX, "5a001"),
    (LOGICAL_PORT, "a.red_a_p"),
    (NETWORK, "cluster_udn_red"),
    (NAD, "a/red/1"),
    (ADDRESSES, "10.10.0.5/16,fd10::5/64"),
    (MAC, "0a:58:0a:0a:00:05"),
    (NAMESPACE, "/run/netns/p"),
    (INTERFACE, "net1"),
    (OWNER, "pod a/p on a/red/1"),
    ("ct-zone-a.red_a_p", "7"),
    ("hostname", "n1"),
    ("ovn-bridge-mappings", "physnet:br-ex,wire:br-wire,x"),
    ("ovn-encap-ip", "172.18.0.3,fd18::3"),
];

/// Some of the entries, most of them spoilt.
fn entries(dice: &mut Dice) -> Datum {
    let mut entry = |(key, text): &(&'static str, &str)| {
        let spoilt = dice.mutate(text.as_bytes());
        (dice.roll(0..5) > 0).then(|| (*key, String::from_utf8_lossy(&spoilt).into_owned()))
    };
    let all: Vec<(&str, String)> = ENTRIES.iter().filter_map(&mut entry).collect();
    Datum::map(all.iter().map(|(key, text)| (*key, text.as_str())))
}

fn insert(table: &'static str, number: u128, row: Vec<(&'static str, Datum)>) -> Operation {
    let row = row.into_iter().map(|(column, value)| (column.into(), value)).collect();
    let uuid = Some(Uuid::from_u128(number));
    Operation::Insert { table: table.into(), row, uuid_name: None, uuid }
}

/// A switch with a bridge, a port and an interface, whose entries are anything.
fn switch(dice: &mut Dice) -> SimulatedDatabase {
    let mut switch = SimulatedDatabase::new(rules());
    let link = |number: u128| Datum::set([Uuid::from_u128(number)]);
    let tag = i64::try_from(dice.roll(0..5000)).expect("it is small");
    let mtu = [-1, 0, 67, 1500, i64::MAX][dice.roll(0..5)];
    let name = ["", "br-ex", "5a001_1"][dice.roll(0..3)];
    let bridge = ["", "br-int", "br-ex"][dice.roll(0..3)];
    let operations = [
        insert(
            OpenVSwitch::TABLE.name,
            1,
            vec![("bridges", link(2)), ("external_ids", entries(dice))],
        ),
        insert(
            Bridge::TABLE.name,
            2,
            vec![("name", bridge.into()), ("ports", link(3)), ("external_ids", entries(dice))],
        ),
        insert(
            Port::TABLE.name,
            3,
            vec![
                ("name", name.into()),
                ("interfaces", link(4)),
                ("trunks", Datum::set([tag.min(4095)])),
                ("external_ids", entries(dice)),
            ],
        ),
        insert(
            Interface::TABLE.name,
            4,
            vec![("name", name.into()), ("mtu", mtu.into()), ("external_ids", entries(dice))],
        ),
    ];
    switch.transact(&operations).expect("the database takes any text");
    switch
}

fn settings() -> ChassisSettings {
    ChassisSettings {
        node: NodeName::new("n1"),
        identity: ChassisName::new("never-used"),
        southbound: "unix:/run/ovn/ovnsb_db.sock".to_owned(),
        integration_bridge: "br-int".to_owned(),
        external_bridge: "br-ex".to_owned(),
        uplink: None,
        physical_network: "physnet".to_owned(),
        tunnel_addresses: Vec::new(),
        masquerade: udn_model::ClusterSettings::default().masquerade,
    }
}

// soak: draws from UDN_SEED
#[test]
fn rows_that_say_anything_are_read_without_a_panic() {
    let (mut dice, mut read) = (Dice::new(37), 0);
    for _ in 0..SWITCHES {
        let switch = switch(&mut dice);
        let rows = switch.rows();
        for row in rows.table(Interface::TABLE.name).into_iter().flat_map(Table::rows) {
            read += usize::from(port(row).is_some());
            let _ = pods::read(rows, row);
        }
        let seen = seen::seen_in(rows, "br-int");
        let facts = OwnFacts::of(&settings(), &seen, &KernelSeen::default(), None);
        let mut told: Vec<&str> = facts.physical_networks.iter().map(|it| &*it.name).collect();
        told.extend(facts.unusable_networks.iter().map(|it| &*it.name));
        let count = told.len();
        told.sort_unstable();
        told.dedup();
        assert_eq!(told.len(), count, "each physical network is told once");
    }
    assert!(read > SWITCHES / 4, "hardly any row is a pod's: {read}");
    println!("drew: {SWITCHES} inputs");
}
