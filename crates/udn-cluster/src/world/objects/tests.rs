use super::*;

fn three() -> Objects<&'static str, String> {
    ["b", "a", "c"].into_iter().map(|name| (name, name.to_uppercase())).collect()
}

#[test]
fn objects_stand_in_the_order_of_their_names() {
    let all = three();
    assert_eq!(all.keys().copied().collect::<String>(), "abc");
    assert_eq!(all.values().cloned().collect::<String>(), "ABC");
    assert_eq!(all.range("b"..).map(|(_, it)| it.as_str()).collect::<String>(), "BC");
    assert_eq!((all.len(), all.is_empty(), &all["b"]), (3, false, &"B".to_owned()));
    assert_eq!(all.get_key_value("c"), Some((&"c", &"C".to_owned())));
}

#[test]
fn a_shared_object_is_one_until_somebody_changes_it() {
    let mut all = three();
    let mut view = Objects::default();
    view.share(&all, "a");
    view.share(&all, "nobody");
    assert_eq!((view.len(), Arc::strong_count(&all.0["a"])), (1, 2));
    view.get_mut("a").expect("it is there").push('!');
    assert_eq!((all["a"].as_str(), view["a"].as_str()), ("A", "A!"));
    all.insert("a", "new".to_owned());
    view.share(&all, "a");
    assert_eq!(view["a"], "A!", "who has an object keeps it");
}

#[test]
fn what_is_taken_out_is_whole_though_others_hold_it() {
    let mut all = three();
    let view = all.clone();
    assert_eq!(all.remove("b"), Some("B".to_owned()));
    assert_eq!(all.insert("a", "new".to_owned()), Some("A".to_owned()));
    assert_eq!(all.pop_first(), Some(("a", "new".to_owned())));
    assert_eq!(view, three());
    assert_eq!(view.into_iter().map(|(_, it)| it).collect::<String>(), "ABC");
    all.clear();
    assert!(all.is_empty());
}
