//! What the tool prints of ports, by example.

use super::loud_ports;

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
