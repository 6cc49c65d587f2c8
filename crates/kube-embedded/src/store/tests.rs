//! What the store promises its readers.

use serde_json::{Value, json};

use super::{Body, Expect, Facts, History, Key, Stale, Store, Write, types};

fn object(name: &str, text: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"),
            "labels": {"text": text}},
        "data": {"text": text},
    })
}

fn write(name: &str, text: &str, expect: Expect) -> Write {
    let object = object(name, text);
    Write {
        key: Key::new("configmaps", "default", name),
        expect,
        body: Body::new(&object, &types("v1", "ConfigMap")).expect("the object has a name"),
        facts: Facts::of(&object),
        is_delete: false,
    }
}

async fn put(store: &Store, name: &str, text: &str) -> u64 {
    let key = Key::new("configmaps", "default", name);
    let expect = store.find(&key).map_or(Expect::Absent, |it| Expect::Revision(it.revision));
    store.commit(write(name, text, expect)).await.expect("nobody else writes").revision
}

async fn delete(store: &Store, name: &str) {
    let found = store.find(&Key::new("configmaps", "default", name)).expect("it is stored");
    let mut write = write(name, "gone", Expect::Revision(found.revision));
    write.is_delete = true;
    store.commit(write).await.expect("nobody else writes");
}

fn texts(objects: &super::Snapshot) -> Vec<String> {
    let text = |it: &Value| it["data"]["text"].as_str().unwrap_or("").to_owned();
    objects.objects.iter().map(|it| text(&it.object())).collect()
}

#[tokio::test]
async fn a_stored_object_reads_as_written() {
    let store = Store::in_memory(History::default());
    let revision = put(&store, "a", "one").await;
    let stored = store.find(&Key::new("configmaps", "default", "a")).expect("it was written");
    let mut want = object("a", "one");
    want["metadata"]["resourceVersion"] = Value::from(revision.to_string());
    assert_eq!(stored.object(), want);
    assert_eq!(stored.facts.label("text"), Some("one"));
}

#[tokio::test]
async fn a_guard_that_does_not_fit_changes_nothing() {
    let store = Store::in_memory(History::default());
    let first = put(&store, "a", "one").await;
    put(&store, "a", "two").await;
    for expect in [Expect::Absent, Expect::Revision(first)] {
        let result = store.commit(write("a", "three", expect)).await;
        assert!(matches!(result, Err(Stale::Changed)), "{expect:?}");
    }
    assert_eq!(texts(&store.list("configmaps", None)), ["two"]);
}

#[tokio::test]
async fn the_past_is_listed_as_it_was() {
    let store = Store::in_memory(History::default());
    put(&store, "a", "one").await;
    let then = put(&store, "b", "two").await;
    put(&store, "a", "three").await;
    delete(&store, "b").await;
    put(&store, "c", "four").await;
    let past = store.list_at("configmaps", Some("default"), then).expect("it is known");
    assert_eq!(texts(&past), ["one", "two"]);
    assert_eq!(texts(&store.list("configmaps", None)), ["three", "four"]);
    assert!(texts(&store.list_at("configmaps", Some("other"), then).expect("known")).is_empty());
}

#[tokio::test]
async fn changes_come_once_and_in_order_in_any_portion() {
    let store = Store::in_memory(History::default());
    let start = store.revision();
    for turn in 0..10 {
        put(&store, &format!("n{}", turn % 3), "text").await;
    }
    for limit in [1, 3, 100] {
        let (mut seen, mut reached) = (Vec::new(), start);
        while seen.len() < 10 {
            let (changes, next) = store.changes("configmaps", reached, limit).expect("known");
            seen.extend(changes.iter().map(|change| change.revision));
            reached = next;
        }
        let want: Vec<u64> = (start + 1..=start + 10).collect();
        assert_eq!(seen, want, "in portions of {limit}");
    }
}

#[tokio::test]
async fn a_full_history_forgets_the_oldest() {
    let store = Store::in_memory(History { changes: 3, bytes: 1 << 20 });
    let first = put(&store, "a", "one").await;
    for _ in 0..3 {
        put(&store, "a", "more").await;
    }
    assert!(store.changes("configmaps", first - 1, 10).is_err());
    assert_eq!(store.changes("configmaps", first, 10).expect("still known").0.len(), 3);
}

#[tokio::test]
async fn replaced_bytes_are_bounded() {
    let store = Store::in_memory(History { changes: 1000, bytes: 2048 });
    for _ in 0..100 {
        put(&store, "a", &"x".repeat(200)).await;
    }
    let newest = store.revision();
    assert!(store.changes("configmaps", newest - 90, 1000).is_err());
    assert!(store.changes("configmaps", newest - 2, 1000).is_ok());
}

#[tokio::test]
async fn dependents_follow_their_owner_references() {
    let store = Store::in_memory(History::default());
    let mut owned = write("child", "x", Expect::Absent);
    owned.facts.owners = ["uid-parent".into()].into();
    let stored = store.commit(owned).await.expect("nobody else writes");
    assert_eq!(store.dependents("uid-parent"), [Key::new("configmaps", "default", "child")]);
    store.commit(write("child", "x", Expect::Revision(stored.revision))).await.expect("fits");
    assert!(store.dependents("uid-parent").is_empty());
}

#[tokio::test]
async fn a_file_gives_back_what_was_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("store");
    let revision = {
        let store = Store::in_file(&path, History::default()).expect("a new file");
        put(&store, "a", "one").await;
        put(&store, "b", "two").await;
        delete(&store, "a").await;
        store.revision()
    };
    let store = reopened(&path);
    assert_eq!(store.revision(), revision);
    assert_eq!(texts(&store.list("configmaps", None)), ["two"]);
    assert!(store.changes("configmaps", revision - 1, 10).is_err(), "the past is not kept");
    assert!(store.changes("configmaps", revision, 10).expect("now is known").0.is_empty());
    assert!(put(&store, "c", "three").await > revision);
}

/// Opens a file that the writer of a dropped store may still hold for a moment.
fn reopened(path: &std::path::Path) -> Store {
    for _ in 0..1000 {
        match Store::in_file(path, History::default()) {
            Ok(store) => return store,
            // waits: the writer's thread closes the file once it sees its queue closed
            Err(super::FileError::Open { .. }) => std::thread::yield_now(),
            Err(why) => panic!("{why}"),
        }
    }
    panic!("the file stays locked");
}

#[test]
fn a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("store");
    drop(Store::in_file(&path, History::default()).expect("a new file"));
    let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_file_of_something_else_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("store");
    std::fs::write(&path, "this is no database").expect("a writable folder");
    assert!(matches!(
        Store::in_file(&path, History::default()),
        Err(super::FileError::Open { .. })
    ));
}
