use super::*;

#[test]
fn every_server_is_a_line_with_the_crate_and_the_program() {
    let janitor = crate::janitor::Janitor::hire().expect("a janitor can be hired");
    let path = janitor.folder().expect("a folder can be made").join("real-parts");
    let program = Path::new("/target/debug/deps/ovn-1");
    append(&path, "ovsdb-server northbound", "udn-lab", program).expect("it can be written");
    append(&path, "kube-apiserver", "udn", program).expect("it can be written");
    assert_eq!(
        std::fs::read_to_string(&path).expect("it was written"),
        "ovsdb-server\tudn-lab\t/target/debug/deps/ovn-1\n\
         kube-apiserver\tudn\t/target/debug/deps/ovn-1\n"
    );
}
