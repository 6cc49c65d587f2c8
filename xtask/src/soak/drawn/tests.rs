use super::Drawn;

#[test]
fn what_tests_print_is_added_up_by_kind() {
    let mut drawn = Drawn::default();
    for line in
        ["drew: 40 histories", "test a ... drew: 2 histories", "drew: 7 inputs", "drew: x y"]
    {
        drawn.line(line);
    }
    assert_eq!(drawn.text(), "42 histories, 7 inputs");
    let mut all = Drawn::default();
    all.merge(&drawn);
    all.merge(&drawn);
    assert_eq!(all.total(), "84 histories, 14 inputs");
}

#[test]
fn the_total_names_both_kinds_even_without_any() {
    assert_eq!(Drawn::default().text(), "");
    assert_eq!(Drawn::default().total(), "0 histories, 0 inputs");
}
