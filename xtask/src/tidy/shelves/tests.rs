use super::check;

#[test]
fn a_prefix_tells_the_shelf() {
    assert_eq!(check(&[("ovsdb", "property_engine"), ("udn-lab", "api")]), []);
}

#[test]
fn an_unknown_prefix_is_a_problem_that_lists_the_known_ones() {
    let problems = check(&[("ovsdb", "engine_property")]);
    assert_eq!(
        problems[0].to_string(),
        "crates/ovsdb/tests/engine_property.rs: its name tells no shelf; \
         begin it with one of golden, peer, property, fault, api, ovn, node, vm"
    );
}
