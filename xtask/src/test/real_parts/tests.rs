use super::{begin, read};

#[test]
fn servers_are_known_by_the_crate_that_started_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = begin(folder.path(), "ovn").unwrap();
    assert!(read(&path).unwrap().is_empty());
    let line = "ovsdb-server\tudn-lab\t/target/ovn-1\n";
    let other = "ovn-northd\tudn\t/target/debug/udn\nunreadable\n";
    std::fs::write(&path, [line, line, other].concat()).unwrap();
    let servers = read(&path).unwrap();
    assert_eq!(servers["udn-lab"], ["ovsdb-server".to_owned()].into());
    assert_eq!(servers["udn"], ["ovn-northd".to_owned()].into());
    assert_eq!(servers.len(), 2);
    begin(folder.path(), "ovn").unwrap();
    assert!(read(&path).unwrap().is_empty());
}
