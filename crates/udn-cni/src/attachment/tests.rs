use super::*;

fn check_id(text: &str, want: Result<(), &str>) {
    check(ContainerId::parse(text).map(|it| assert_eq!(it.as_str(), text)), want);
}

fn check_interface(text: &str, want: Result<(), &str>) {
    check(InterfaceName::parse(text).map(|it| assert_eq!(it.as_str(), text)), want);
}

fn check(parsed: Result<(), CniError>, want: Result<(), &str>) {
    match (parsed, want) {
        (Ok(()), Ok(())) => {}
        (Err(error), Err(reason)) => {
            assert_eq!(error.code, Code::InvalidEnvironment);
            assert!(error.message.ends_with(reason), "{error}");
        }
        (parsed, want) => panic!("{parsed:?}, wanted {want:?}"),
    }
}

#[test]
fn ids_are_words() {
    check_id("a", Ok(()));
    check_id("0Az_.-", Ok(()));
    check_id(&"f".repeat(255), Ok(()));
}

#[test]
fn what_could_not_stand_in_a_path_is_no_id() {
    let characters = "has other characters than letters, digits, `_`, `.` and `-`";
    check_id("", Err("is empty"));
    check_id(&"f".repeat(256), Err("is longer than 255 bytes"));
    for text in ["-a", ".", "..", "_a", "a/b", "a b", "a\0", "ä", "a;b"] {
        check_id(text, Err(characters));
    }
}

#[test]
fn interfaces_have_up_to_15_bytes() {
    check_interface("e", Ok(()));
    check_interface("eth0", Ok(()));
    check_interface("ovn-udn1", Ok(()));
    check_interface("...", Ok(()));
    check_interface("abcdefghijklmno", Ok(()));
    let too_long = "is longer than 15 bytes, which is the most that Linux takes";
    check_interface("abcdefghijklmnop", Err(too_long));
    check_interface("äääääääi", Ok(()));
    check_interface("ääääääää", Err(too_long));
}

#[test]
fn what_the_kernel_would_not_take_is_no_interface() {
    check_interface("", Err("is empty"));
    check_interface(".", Err("means a folder"));
    check_interface("..", Err("means a folder"));
    let characters = "has a `/`, `:`, `%`, white space or a control character";
    for text in ["a/b", "/", "a:1", "eth%d", "a b", "a\t", "a\u{a0}b", "a\0b", "a\u{7f}"] {
        check_interface(text, Err(characters));
    }
}

#[test]
fn long_names_are_cut_in_messages() {
    let error = InterfaceName::parse(&"x".repeat(100_000)).unwrap_err();
    assert!(error.message.len() < 250, "{}", error.message.len());
}

#[test]
fn an_attachment_names_both() {
    let attachment = Attachment::parse("0a1b", "net1").unwrap();
    assert_eq!(attachment.to_string(), "net1 of 0a1b");
    assert!(Attachment::parse("0a1b", "").is_err());
    assert!(Attachment::parse("", "net1").is_err());
}
