//! Texts and their one reading.

use super::{parse_cidr, parse_ip};

fn check_cidr(text: &str, want: Result<&str, &str>) {
    let got = parse_cidr(text).map(|net| net.to_string()).map_err(|problem| problem.to_string());
    assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned), "{text}");
}

#[test]
fn cidrs_are_read_as_go_reads_them() {
    check_cidr("10.0.0.0/16", Ok("10.0.0.0/16"));
    check_cidr("10.0.0.7/16", Ok("10.0.0.7/16"));
    check_cidr("0.0.0.0/0", Ok("0.0.0.0/0"));
    check_cidr("FD00::/64", Ok("fd00::/64"));
    check_cidr("::ffff:1.2.3.4/120", Ok("::ffff:1.2.3.4/120"));
    check_cidr("10.0.0.0", Err("\"10.0.0.0\" has no prefix length; write 10.0.0.0/32"));
    check_cidr("fd00::", Err("\"fd00::\" has no prefix length; write fd00::/128"));
}

#[test]
fn loose_texts_are_refused() {
    let not_a_cidr =
        |text: &str| format!("\"{text}\" is not a CIDR such as 10.0.0.0/16 or fd00::/64");
    for text in
        ["", "/", "10.0.0/8", "010.0.0.0/8", "10.0.0.0.0/8", "fe80::1%eth0/64", " 10.0.0.0/8"]
    {
        check_cidr(text, Err(&not_a_cidr(text)));
    }
    for text in
        ["10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8 ", "10.0.0.0/-1"]
    {
        let want =
            format!("\"{text}\" has a prefix length that is not a plain number from 0 to 32");
        check_cidr(text, Err(&want));
    }
    let want = "\"fd00::/129\" has a prefix length that is not a plain number from 0 to 128";
    check_cidr("fd00::/129", Err(want));
}

#[test]
fn addresses_have_no_zone_and_no_leading_zeros() {
    for text in ["1.2.3.04", "fe80::1%eth0", "1.2.3", ""] {
        let want = format!("\"{text}\" is not an IP address");
        assert_eq!(parse_ip(text).map_err(|problem| problem.to_string()), Err(want));
    }
    assert!(parse_ip("::1").is_ok_and(|ip| ip.is_ipv6()));
}
