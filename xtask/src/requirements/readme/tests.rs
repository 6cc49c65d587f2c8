use super::{renew, told};

#[test]
fn only_the_text_between_the_markers_changes() {
    let readme = "# udn\nProven: <!-- requirements -->0/0<!-- /requirements --> of them.\n";
    assert_eq!(told(readme).unwrap(), "0/0");
    assert_eq!(
        renew(readme, "7/133").unwrap(),
        "# udn\nProven: <!-- requirements -->7/133<!-- /requirements --> of them.\n"
    );
}

#[test]
fn a_readme_without_its_markers_is_an_error_that_names_them() {
    for readme in ["# udn\n", "<!-- requirements -->1/2", "<!-- /requirements -->"] {
        let error = renew(readme, "7/133").unwrap_err().to_string();
        assert!(error.contains("requirements -->"), "{error}");
    }
    let marker = "<!-- requirements --><!-- /requirements -->";
    assert!(renew(&format!("{marker}{marker}"), "7/133").is_err());
}
