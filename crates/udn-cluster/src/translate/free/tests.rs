//! Ranges, and the first address that they leave.

use udn_model::Subnet;

use super::first_free;

fn check(subnet: &str, taken: &[&str], want: Option<&str>) {
    let taken: Vec<Subnet> = taken.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    let free = first_free(Subnet::parse(subnet).unwrap(), &taken).map(|ip| ip.to_string());
    assert_eq!(free.as_deref(), want, "{subnet} without {taken:?}");
}

#[test]
fn the_first_gap_is_found() {
    check("10.0.0.0/24", &[], Some("10.0.0.0"));
    check("10.0.0.0/24", &["10.0.0.0/25", "10.0.0.192/26"], Some("10.0.0.128"));
    check("10.0.0.0/24", &["10.0.0.128/25", "10.0.0.0/25"], None);
    check("10.0.0.0/24", &["10.0.0.0/25", "10.0.0.0/32", "10.0.0.128/26"], Some("10.0.0.192"));
    check("10.0.0.0/24", &["10.0.0.0/8"], None);
    check("10.0.0.0/24", &["10.0.1.0/24", "fd00::/8", "0.0.0.0/32"], Some("10.0.0.0"));
    check("fd00::/64", &["fd00::/65"], Some("fd00::8000:0:0:0"));
    check("fd00::/64", &["fd00::/65", "fd00::8000:0:0:0/65"], None);
}

#[test]
fn the_end_of_all_addresses_is_no_way_round() {
    check("255.255.255.254/31", &["255.255.255.254/31"], None);
    check("::/0", &["::/0"], None);
    check("0.0.0.0/0", &["0.0.0.0/1"], Some("128.0.0.0"));
}
