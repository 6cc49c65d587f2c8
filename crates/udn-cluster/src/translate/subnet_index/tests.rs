//! Subnets, and those that overlap them.

use udn_model::Subnet;

use super::SubnetIndex;

#[test]
fn larger_equal_and_smaller_ones_are_found() {
    let texts = [
        "0.0.0.0/0",
        "10.0.0.0/8",
        "10.0.0.0/16",
        "10.0.0.0/24",
        "10.0.255.0/24",
        "10.1.0.0/16",
        "9.255.255.255/32",
        "fd00::/8",
        "fd00::/64",
        "::/0",
    ];
    let mut index = SubnetIndex::default();
    texts.iter().for_each(|text| index.put(Subnet::parse(text).unwrap(), *text));
    for asked in texts.iter().chain(&["10.0.0.128/25", "fd00::1/128", "192.168.0.0/16"]) {
        let subnet = Subnet::parse(asked).unwrap();
        let is_met = |text: &&&str| Subnet::parse(text).unwrap().overlaps(subnet);
        let mut want: Vec<&str> = texts.iter().filter(is_met).copied().collect();
        let mut found: Vec<&str> = index.overlapping(subnet).map(|(_, text)| *text).collect();
        let says_which = |(it, text): (Subnet, &&str)| it == Subnet::parse(text).unwrap();
        assert!(index.overlapping(subnet).all(says_which), "{asked}");
        want.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, want, "{asked}");
    }
}
