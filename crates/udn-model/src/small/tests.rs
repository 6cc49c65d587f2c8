use super::*;

/// A few steps of a walk through small numbers; the same every time.
fn walk(steps: usize, below: u32) -> impl Iterator<Item = u32> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(7_u32), next).map(move |it| (it >> 8) % below).take(steps)
}

#[test]
fn a_map_of_few_or_many_does_what_a_tree_does() {
    for below in [3, 40, 400] {
        let (mut ours, mut tree) = (SmallMap::default(), BTreeMap::new());
        for (step, key) in walk(4_000, below).enumerate() {
            // It grows, shrinks until nothing is left, and grows again.
            let is_growing = (step / 1_000) % 2 == 0;
            if is_growing || step % 4 == 0 {
                assert_eq!(ours.insert(key, step), tree.insert(key, step));
            } else {
                assert_eq!(ours.remove(&key), tree.remove(&key));
            }
            if step % 7 == 0 {
                let (one, other) = (ours.or_insert_with(key + 1, || step), tree.entry(key + 1));
                assert_eq!(one, other.or_insert(step));
            }
            assert_eq!(ours.len(), tree.len());
            assert_eq!(ours.get(&key), tree.get(&key));
            assert_eq!(ours.get_mut(&key), tree.get_mut(&key));
            assert_eq!(ours.last_up_to(&key), tree.range(..=key).next_back());
            assert!(ours.from(key).eq(tree.range(key..)));
        }
        assert!(ours.iter().eq(tree.iter()));
        let mut rest: Vec<u32> = tree.keys().copied().collect();
        rest.iter().for_each(|key| assert!(ours.remove(key).is_some()));
        assert!(ours.is_empty());
        rest.truncate(1);
        rest.into_iter().for_each(|key| assert_eq!(ours.insert(key, 1), None));
    }
}

#[test]
fn few_and_many_with_the_same_entries_are_equal() {
    let few: SmallMap<u32, ()> = (0..5).fold(SmallMap::default(), |mut all, key| {
        all.insert(key, ());
        all
    });
    let mut many = (0..=u32::try_from(LONGEST_LIST).expect("it fits")).fold(
        SmallMap::default(),
        |mut all, key| {
            all.insert(key, ());
            all
        },
    );
    assert_ne!(few, many);
    assert!(few.tree.is_none() && many.tree.is_some());
    (5..=u32::try_from(LONGEST_LIST).expect("it fits"))
        .for_each(|key| assert!(many.remove(&key).is_some()));
    assert_eq!(few, many);
}

#[test]
fn one_entry_takes_room_for_one() {
    let mut map = SmallMap::default();
    map.insert("key", 7);
    assert_eq!(map.list.capacity(), 1);
}

#[test]
fn a_set_knows_what_was_put_in() {
    let mut set = SmallSet::default();
    assert!(
        set.insert("b".to_owned()) && set.insert("a".to_owned()) && !set.insert("b".to_owned())
    );
    assert!(set.contains("a") && !set.contains("c"));
    assert_eq!(set.first().map(String::as_str), Some("a"));
    assert!(set.remove("a") && !set.remove("a"));
    assert_eq!((set.len(), set.is_empty()), (1, false));
    assert!(set.iter().eq(["b"].iter()));
    assert!(set.from("b".to_owned()).eq(["b"].iter()));
    assert_eq!(set.from("c".to_owned()).next(), None);
}
