use super::*;
use crate::slab::Slab;

fn pod(name: &str) -> ObjectName {
    ObjectName::new("ns", name)
}

#[test]
fn a_name_has_one_number_wherever_it_is_made() {
    let first = NameHash::of(&pod("a"));
    assert_eq!(first, NameHash::of(&pod("a")));
    assert_ne!(first, NameHash::of(&pod("b")));
    // The border between namespace and name counts.
    assert_ne!(
        NameHash::of(&ObjectName::new("a", "bc")),
        NameHash::of(&ObjectName::new("ab", "c"))
    );
}

#[test]
fn things_are_found_by_their_names() {
    let mut things = ByName::default();
    (0..1_000).for_each(|number| things.insert(&pod(&number.to_string()), number));
    assert_eq!(things.get(&pod("7")), Some(&7));
    *things.get_mut(&pod("7")).expect("it is there") = 8;
    assert_eq!(things.remove(&pod("7")), Some(8));
    assert_eq!((things.get(&pod("7")), things.names().count()), (None, 999));
}

#[test]
fn names_with_the_same_number_stay_apart() {
    let same = |name: &str| (NameHash(1), pod(name));
    let mut things = ByName(BTreeMap::from([(same("a"), 1), (same("b"), 2)]));
    assert_eq!(things.0.remove(&same("a")), Some(1));
    assert_eq!(things.names().collect::<Vec<_>>(), [&pod("b")]);
}

#[test]
fn ids_are_found_by_the_name_they_were_put_under() {
    let mut all = Slab::default();
    let slab: Vec<SlabId> = (0..100).map(|it| all.put(it)).collect();
    let mut by_name = IdsByName::default();
    for (number, id) in slab.iter().enumerate() {
        by_name.insert(&pod(&(number % 10).to_string()), *id);
    }
    let of_seven: Vec<SlabId> = slab.iter().copied().skip(7).step_by(10).collect();
    assert_eq!(by_name.near(&pod("7")).collect::<Vec<_>>(), of_seven);
    by_name.remove(&pod("7"), of_seven[3]);
    by_name.remove(&pod("8"), of_seven[4]);
    assert_eq!(by_name.near(&pod("7")).count(), 9);
    assert_eq!((by_name.near(&pod("x")).count(), by_name.all().count()), (0, 99));
}
