//! The annotation of nodes' subnets by example.

use udn_model::{PerFamily, Subnet};

use super::NodeSubnets;

fn subnets(texts: &[&str]) -> PerFamily<Subnet> {
    let mut all = PerFamily::default();
    for text in texts {
        let subnet = Subnet::parse(text).unwrap();
        all.put(subnet.family(), subnet);
    }
    all
}

fn entry(text: &str, network: &str) -> Option<PerFamily<Subnet>> {
    NodeSubnets::decode(text).unwrap().entry(network).unwrap()
}

fn complaint(text: &str, network: &str) -> String {
    let decoded = NodeSubnets::decode(text);
    decoded.and_then(|it| it.entry(network)).unwrap_err().to_string()
}

#[test]
fn the_lists_of_the_wire_are_read_and_written() {
    let text = r#"{"default":["10.128.0.0/23"],"isolatednet":["10.77.1.0/24","fd10:0:0:1::/64"]}"#;
    assert_eq!(entry(text, "default"), Some(subnets(&["10.128.0.0/23"])));
    assert_eq!(entry(text, "isolatednet"), Some(subnets(&["10.77.1.0/24", "fd10:0:0:1::/64"])));
    assert_eq!(entry(text, "elsewhere"), None);
    let mut written = NodeSubnets::default();
    written.put("isolatednet", &subnets(&["fd10:0:0:1::/64", "10.77.1.0/24"]));
    written.put("default", &subnets(&["10.128.0.0/23"]));
    assert_eq!(written.encode().as_deref(), Some(text), "IPv4 comes first");
    assert_eq!(written.networks().collect::<Vec<_>>(), ["default", "isolatednet"]);
}

#[test]
fn texts_of_old_are_read_where_all_are_so_and_written_as_lists() {
    let old = r#"{"default":"10.128.0.0/23","blue":"10.0.0.0/24"}"#;
    assert_eq!(entry(old, "default"), Some(subnets(&["10.128.0.0/23"])));
    let written = NodeSubnets::decode(old).unwrap().encode();
    assert_eq!(written.as_deref(), Some(r#"{"blue":["10.0.0.0/24"],"default":["10.128.0.0/23"]}"#));
    let mixed = r#"{"default":"10.128.0.0/23","blue":["10.0.0.0/24"]}"#;
    assert_eq!(entry(mixed, "blue"), Some(subnets(&["10.0.0.0/24"])));
    assert_eq!(
        complaint(mixed, "default"),
        "k8s.ovn.org/node-subnets: default: invalid type: string \"10.128.0.0/23\", expected a \
         sequence at line 1 column 15; remove the annotation and the cluster controller writes it \
         again"
    );
}

#[test]
fn entries_that_nobody_asks_about_keep_their_bytes() {
    let text = r#"{"strange": [ "what" , 7 ],"blue":["10.0.0.0/24"]}"#;
    let mut read = NodeSubnets::decode(text).unwrap();
    read.put("blue", &subnets(&["10.0.1.0/24"]));
    assert_eq!(
        read.encode().as_deref(),
        Some(r#"{"blue":["10.0.1.0/24"],"strange":[ "what" , 7 ]}"#)
    );
    read.remove("strange");
    read.put("blue", &PerFamily::default());
    assert_eq!(read.encode(), None, "the last entry takes the annotation along");
}

#[test]
fn of_two_subnets_of_a_family_the_first_counts() {
    let text = r#"{"blue":["10.0.1.7/24","10.0.2.0/24","fd00::/64"]}"#;
    assert_eq!(entry(text, "blue"), Some(subnets(&["10.0.1.0/24", "fd00::/64"])));
    assert_eq!(entry(r#"{"blue":[]}"#, "blue"), Some(PerFamily::default()));
}

#[test]
fn what_cannot_be_read_is_told() {
    for text in ["", "[]", "null", "7", r#"{"blue":}"#, r#"{"blue":["10.0.0.0/24"]"#] {
        let message = complaint(text, "blue");
        assert!(message.starts_with("k8s.ovn.org/node-subnets: cannot be read as JSON"), "{text}");
    }
    for entry in ["7", "null", "{}", r#"["10.0.0.0"]"#, r#"["10.0.0.0/33"]"#, "[null]"] {
        let message = complaint(&format!(r#"{{"blue":{entry}}}"#), "blue");
        assert!(message.starts_with("k8s.ovn.org/node-subnets: blue: "), "{entry}: {message}");
        assert!(message.ends_with("the cluster controller writes it again"), "{message}");
    }
    assert!(NodeSubnets::decode("{}").unwrap().encode().is_none());
}
