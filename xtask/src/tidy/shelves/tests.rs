use super::check;

#[test]
fn the_name_of_a_program_is_its_shelf() {
    assert_eq!(check(&[("ovsdb", "property"), ("udn-lab", "api"), ("udn", "api")]), []);
}

#[test]
fn any_other_name_is_a_problem_that_says_what_to_do() {
    for name in ["engine", "property_engine"] {
        assert_eq!(
            check(&[("ovsdb", name)])[0].to_string(),
            format!(
                "crates/ovsdb/tests/{name}.rs: a test program is named after its shelf; make it a \
                 module of tests/<shelf>/main.rs, where shelf is one of \
                 golden, peer, property, fault, api, ovn, node, vm"
            )
        );
    }
}
