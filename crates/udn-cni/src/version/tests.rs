use super::*;

fn check(text: &str, want: Option<Version>) {
    assert_eq!(Version::parse(text), want, "{text}");
}

#[test]
fn four_versions_are_spoken() {
    check("0.3.1", Some(Version::V0_3_1));
    check("0.4.0", Some(Version::V0_4_0));
    check("1.0.0", Some(Version::V1_0_0));
    check("1.1.0", Some(Version::V1_1_0));
}

#[test]
fn other_versions_are_not() {
    for text in ["", "0.1.0", "0.2.0", "0.3.0", "1.0", "1.2.0", "v1.0.0", " 1.0.0", "1.1.0\n"] {
        check(text, None);
    }
}

#[test]
fn every_version_is_written_as_it_is_read() {
    for version in Version::ALL {
        check(version.as_str(), Some(version));
    }
}

#[test]
fn versions_are_ordered_by_age() {
    assert!(Version::ALL.is_sorted());
    assert_eq!(Version::ALL.last(), Some(&Version::NEWEST));
}

#[test]
fn the_answer_names_all_of_them() {
    let want = r#"{"cniVersion":"1.1.0","supportedVersions":["0.3.1","0.4.0","1.0.0","1.1.0"]}"#;
    assert_eq!(Version::answer(), want);
}
