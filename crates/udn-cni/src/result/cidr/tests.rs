use super::*;

fn check(text: &str, is_read: bool) {
    let parsed = Cidr::parse(text);
    assert_eq!(parsed.map(|it| it.to_string()), is_read.then(|| text.to_owned()), "{text}");
}

#[test]
fn addresses_keep_the_bits_behind_the_prefix() {
    for text in ["10.244.1.5/24", "0.0.0.0/0", "1.2.3.4/32", "fd10::3/64", "::/0", "::1/128"] {
        check(text, true);
    }
}

#[test]
fn other_texts_are_no_addresses() {
    for text in
        ["", "/", "10.0.0.1", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/+8", "10.0.0.1/-1", "10.0.1/8"]
    {
        check(text, false);
    }
    for text in ["::1/129", "fe80::1%eth0/64", "010.0.0.1/8", " 10.0.0.1/8", "10.0.0.1/8/8"] {
        check(text, false);
    }
}

#[test]
fn parts_can_be_had() {
    let cidr = Cidr::parse("fd10::3/64").unwrap();
    assert_eq!(Cidr::new(cidr.address(), cidr.prefix_len()), Some(cidr));
    assert_eq!(Cidr::new(cidr.address(), 129), None);
}
