//! Tests of this module.

use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use super::*;
use crate::schema::DatabaseSchema;

const ONE: &str = "00000000-0000-4000-8000-000000000001";
const TWO: &str = "00000000-0000-4000-8000-000000000002";

fn schema(extra: Value) -> Arc<DatabaseSchema> {
    let mut schema = json!({ "name": "d", "version": "1.0.0", "tables": {
        "Switch": { "isRoot": true, "columns": {
            "name": { "type": "string" },
            "ports": { "type": { "key": "string", "min": 0, "max": "unlimited" } },
            "ids": { "type": { "key": "string", "value": "string", "min": 0, "max": "unlimited" } },
            "tag": { "type": { "key": "integer", "min": 0, "max": 1 } } } },
        "Other": { "isRoot": true, "columns": { "name": { "type": "string" } } } } });
    if let Value::Object(columns) = extra {
        for (name, column) in columns {
            schema["tables"]["Switch"]["columns"][name] = column;
        }
    }
    Arc::new(DatabaseSchema::from_json(&schema).unwrap())
}

fn indexes() -> Vec<Arc<Index>> {
    let indexes = [
        Index::by_columns("name", "Switch", &["name"]),
        Index::by_columns("pair", "Switch", &["name", "tag"]),
        Index::by_member("port", "Switch", "ports"),
        Index::by_entry("owner", "Switch", "ids", "owner"),
    ];
    indexes.into_iter().map(Arc::new).collect()
}

fn cache() -> Cache {
    Cache::new(schema(Value::Null), &indexes())
}

fn updates(cache: &Cache, json: &Value) -> TableUpdates {
    let seed = UpdatesSeed { schema: cache.schema(), format: UpdateFormat::Differences };
    seed.deserialize(json).unwrap()
}

fn apply(cache: &mut Cache, json: &Value) -> Result<Vec<Change>, CacheError> {
    let updates = updates(cache, &json!({ "Switch": json }));
    cache.apply(updates)
}

fn replace(cache: &mut Cache, json: &Value) -> Vec<Change> {
    let updates = updates(cache, json);
    cache.replace(updates).unwrap()
}

fn uuid(text: &str) -> Uuid {
    text.parse().unwrap()
}

fn found(cache: &Cache, index: &str, key: &[Atom]) -> Vec<Uuid> {
    cache.table("Switch").unwrap().find(index, key).to_vec()
}

fn switch(cache: &Cache) -> RowView<'_> {
    cache.table("Switch").unwrap().row(uuid(ONE)).unwrap()
}

/// A cache with one switch in it.
fn filled() -> Cache {
    let mut cache = cache();
    let row = json!({ "name": "a", "ports": ["set", ["p", "q"]], "tag": 7,
        "ids": ["map", [["owner", "x"], ["more", "y"]]] });
    let changes = apply(&mut cache, &json!({ ONE: { "insert": row } })).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].kind, ChangeKind::Inserted);
    cache
}

#[test]
fn a_row_is_found_by_every_index() {
    let cache = filled();
    let one = [uuid(ONE)];
    assert_eq!(found(&cache, "name", &["a".into()]), one);
    assert_eq!(found(&cache, "pair", &["a".into(), 7.into()]), one);
    assert_eq!(found(&cache, "port", &["p".into()]), one);
    assert_eq!(found(&cache, "port", &["q".into()]), one);
    assert_eq!(found(&cache, "owner", &["x".into()]), one);
    assert!(found(&cache, "name", &["b".into()]).is_empty());
    assert!(found(&cache, "nonsense", &["a".into()]).is_empty());
}

#[test]
fn indexes_follow_changes_and_deletions() {
    let mut cache = filled();
    // A member of both goes, a member of only the difference comes.
    let modify = json!({ "name": "b", "ports": ["set", ["p", "r"]], "tag": ["set", []],
        "ids": ["map", [["owner", "z"], ["more", "y"]]] });
    apply(&mut cache, &json!({ ONE: { "modify": modify } })).unwrap();
    let one = [uuid(ONE)];
    assert_eq!(found(&cache, "name", &["b".into()]), one);
    assert_eq!(found(&cache, "port", &["q".into()]), one);
    assert_eq!(found(&cache, "port", &["r".into()]), one);
    assert_eq!(found(&cache, "owner", &["z".into()]), one);
    for (index, key) in [("name", "a"), ("port", "p"), ("owner", "x")] {
        assert!(found(&cache, index, &[key.into()]).is_empty(), "{index} {key}");
    }
    assert!(found(&cache, "pair", &["a".into(), 7.into()]).is_empty());
    apply(&mut cache, &json!({ ONE: { "delete": null } })).unwrap();
    for (index, key) in [("name", "b"), ("port", "q"), ("port", "r"), ("owner", "z")] {
        assert!(found(&cache, index, &[key.into()]).is_empty(), "{index} {key}");
    }
}

#[test]
fn rows_under_one_key_are_all_found() {
    let mut cache = filled();
    apply(&mut cache, &json!({ TWO: { "insert": { "name": "a" } } })).unwrap();
    assert_eq!(found(&cache, "name", &["a".into()]), [uuid(ONE), uuid(TWO)]);
    apply(&mut cache, &json!({ ONE: { "delete": null } })).unwrap();
    assert_eq!(found(&cache, "name", &["a".into()]), [uuid(TWO)]);
}

#[test]
fn a_difference_tells_what_takes_it_back() {
    let mut cache = filled();
    let modify = json!({ "ports": ["set", ["p"]], "ids": ["map", [["more", "y"], ["new", "n"]]] });
    let changes = apply(&mut cache, &json!({ ONE: { "modify": modify } })).unwrap();
    let view = switch(&cache);
    assert_eq!(view.get("ports"), Some(&Datum::set(["q"])));
    assert_eq!(view.get("ids"), Some(&Datum::map([("new", "n"), ("owner", "x")])));
    assert_eq!(view.text("name"), Some("a"), "the rest stays");
    let ChangeKind::Modified { undo } = &changes[0].kind else { panic!("{changes:?}") };
    let table = &changes[0].table;
    let undo_of = |name| undo.stored(table.column_id(name).unwrap());
    assert_eq!(undo_of("ports"), Some(&Datum::set(["p"])));
    assert_eq!(undo_of("ids"), Some(&Datum::map([("more", "y"), ("new", "n")])));
    assert_eq!(undo_of("name"), None);
    assert!(changes[0].touches("ids") && !changes[0].touches("name"));
}

#[test]
fn an_optional_value_is_replaced_not_toggled() {
    let mut cache = filled();
    apply(&mut cache, &json!({ ONE: { "modify": { "tag": 7 } } })).unwrap();
    assert_eq!(switch(&cache).get("tag"), Some(&Datum::from(7)), "not a set of many");
    apply(&mut cache, &json!({ ONE: { "modify": { "tag": ["set", []] } } })).unwrap();
    assert!(switch(&cache).get("tag").unwrap().is_empty());
}

#[test]
fn an_index_of_members_follows_an_optional_value() {
    let by_tag = [Arc::new(Index::by_member("tag", "Switch", "tag"))];
    let mut cache = Cache::new(schema(Value::Null), &by_tag);
    apply(&mut cache, &json!({ ONE: { "insert": { "tag": 7 } } })).unwrap();
    apply(&mut cache, &json!({ ONE: { "modify": { "tag": 8 } } })).unwrap();
    assert_eq!(found(&cache, "tag", &[8.into()]), [uuid(ONE)]);
    assert!(found(&cache, "tag", &[7.into()]).is_empty());
}

#[test]
fn the_keys_of_an_index_are_listed_from_one_on() {
    let mut cache = filled();
    apply(&mut cache, &json!({ ONE: { "modify": { "ports": ["set", ["a", "q", "z"]] } } }))
        .unwrap();
    let from = |index: &str, first: &str| {
        let keys = cache.table("Switch").unwrap().keys_from(index, &first.into());
        keys.map(|key| key.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(from("port", ""), ["a", "p", "z"], "a member that went is no key any more");
    assert_eq!(from("port", "b"), ["p", "z"]);
    assert_eq!(from("port", "p"), ["p", "z"]);
    assert!(from("unknown", "").is_empty());
}

#[test]
fn combined_keys_are_found_and_not_listed() {
    let mut cache = cache();
    apply(&mut cache, &json!({ ONE: { "insert": { "name": "a", "tag": 7 } } })).unwrap();
    assert_eq!(found(&cache, "pair", &["a".into(), 7.into()]), [uuid(ONE)]);
    assert_eq!(cache.table("Switch").unwrap().keys_from("pair", &"".into()).next(), None);
    apply(&mut cache, &json!({ ONE: { "modify": { "tag": 8 } } })).unwrap();
    assert!(found(&cache, "pair", &["a".into(), 7.into()]).is_empty());
    assert_eq!(found(&cache, "pair", &["a".into(), 8.into()]), [uuid(ONE)]);
}

#[test]
fn what_rows_of_an_update_have_in_common_is_kept_once() {
    const LONG: &str = "a text that is too long to be kept in place";
    let row = |name: &str, other: &str| {
        let ids = json!(["map", [["owner", LONG], [other, "x"]]]);
        json!({ "insert": { "name": name, "ports": LONG, "ids": ids } })
    };
    let ids = |cache: &Cache, uuid: Uuid| {
        let row = cache.table("Switch").unwrap().row(uuid).unwrap();
        (row.get("ids").unwrap().clone(), row.text("ports").unwrap().as_ptr())
    };
    let check = |cache: &Cache, is_one_map: bool| {
        let ((one, text), (two, other)) = (ids(cache, uuid(ONE)), ids(cache, uuid(TWO)));
        let is_same = one.entries().as_ptr() == two.entries().as_ptr();
        assert_eq!((is_same, is_same), (is_one_map, one == two));
        assert_eq!(text, other, "a column's text");
        let texts = [&one, &two].map(|it| it.text("owner").unwrap().as_ptr());
        assert_eq!(texts, [text; 2], "texts in maps too, also where maps differ");
    };
    let mut cache = cache();
    apply(&mut cache, &json!({ ONE: row("a", "b"), TWO: row("b", "b") })).unwrap();
    check(&cache, true);
    replace(&mut cache, &json!({ "Switch": { ONE: row("c", "b"), TWO: row("d", "c") } }));
    assert_eq!(found(&cache, "name", &["d".into()]), [uuid(TWO)]);
    apply(&mut cache, &json!({ ONE: { "delete": null }, TWO: { "delete": null } })).unwrap();
    apply(&mut cache, &json!({ ONE: row("a", "b"), TWO: row("b", "c") })).unwrap();
    check(&cache, false);
}

#[test]
fn a_change_of_a_row_changes_no_other_that_said_the_same() {
    let mut cache = cache();
    let row = json!({ "insert": { "ids": ["map", [["owner", "me"]]] } });
    apply(&mut cache, &json!({ ONE: row, TWO: row })).unwrap();
    apply(&mut cache, &json!({ ONE: { "modify": { "ids": ["map", [["owner", "you"]]] } } }))
        .unwrap();
    let owners = [ONE, TWO].map(|it| {
        let row = cache.table("Switch").unwrap().row(uuid(it)).unwrap();
        row.entry("ids", "owner").unwrap().to_owned()
    });
    assert_eq!(owners, ["you", "me"]);
}

#[test]
fn what_stays_the_same_is_no_change() {
    let mut cache = filled();
    let same = json!({ ONE: { "modify": { "name": "a", "ports": ["set", []] } } });
    assert_eq!(apply(&mut cache, &same).unwrap(), []);
}

#[test]
fn replacing_tells_only_the_difference() {
    let mut cache = filled();
    apply(&mut cache, &json!({ TWO: { "insert": { "name": "gone" } } })).unwrap();
    let kept = json!({ "name": "a", "ports": ["set", ["p", "q"]],
        "ids": ["map", [["owner", "x"], ["more", "y"]]] });
    let three = "00000000-0000-4000-8000-000000000003";
    let state = json!({
        "Switch": { ONE: { "initial": kept }, three: { "initial": { "name": "new" } } } });
    let changes = replace(&mut cache, &state);
    let kinds: Vec<(Uuid, &ChangeKind)> =
        changes.iter().map(|change| (change.uuid, &change.kind)).collect();
    assert!(matches!(kinds[0], (gone, ChangeKind::Deleted { .. }) if gone == uuid(TWO)));
    assert!(matches!(kinds[1], (changed, ChangeKind::Modified { .. }) if changed == uuid(ONE)));
    assert_eq!(changes[1].columns().len(), 1, "only the tag went");
    assert_eq!(kinds[2], (uuid(three), &ChangeKind::Inserted));
    assert_eq!(kinds.len(), 3);
    assert_eq!(replace(&mut cache, &state), [], "the same again is no change");
    assert_eq!(replace(&mut cache, &json!({})).len(), 2, "a table left out is empty");
    assert!(found(&cache, "name", &["a".into()]).is_empty());
}

#[test]
fn updates_that_do_not_fit_are_told() {
    let check = |json: Value, want: &str| {
        let mut cache = filled();
        let error = apply(&mut cache, &json).unwrap_err().to_string();
        assert!(error.contains(want), "{json}: {error}");
    };
    check(json!({ ONE: { "insert": {} } }), "was inserted twice");
    check(json!({ TWO: { "modify": {} } }), "before it was inserted");
    check(json!({ TWO: { "delete": null } }), "before it was inserted");
    let mut cache = filled();
    let unknown = TableUpdates(vec![("Nowhere".into(), vec![])]);
    assert_eq!(
        cache.apply(unknown).unwrap_err(),
        CacheError::UnknownTable { table: "Nowhere".into() }
    );
}

#[test]
fn what_was_done_before_an_update_failed_is_told() {
    let mut cache = filled();
    let json = json!({ "Switch": { ONE: { "delete": null }, TWO: { "delete": null } } });
    let updates = updates(&cache, &json);
    let mut changes = Vec::new();
    assert!(cache.apply_into(updates, &mut changes).is_err());
    assert_eq!(changes.len(), 1);
    assert!(found(&cache, "name", &["a".into()]).is_empty(), "indexes agree with the rows");
}

#[test]
fn old_style_updates_carry_whole_rows() {
    let mut cache = filled();
    let seed = UpdatesSeed { schema: cache.schema(), format: UpdateFormat::Rows };
    let rows = json!({ "Switch": {
        ONE: { "old": { "name": "a" }, "new": { "name": "b", "tag": 7 } },
        TWO: { "new": { "name": "c" } } } });
    let updates = seed.deserialize(&rows).unwrap();
    let changes = cache.apply(updates).unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!(switch(&cache).text("name"), Some("b"));
    assert!(switch(&cache).get("ports").unwrap().is_empty(), "the new row is the whole row");
    let seed = UpdatesSeed { schema: cache.schema(), format: UpdateFormat::Rows };
    let updates = seed.deserialize(&json!({ "Switch": { ONE: { "old": {} } } })).unwrap();
    cache.apply(updates).unwrap();
    assert!(cache.table("Switch").unwrap().row(uuid(ONE)).is_none());
}

#[test]
fn rows_are_carried_over_to_a_new_schema() {
    let mut cache = filled();
    let added = json!({ "added": { "type": "integer" }, "tag": { "type": "string" } });
    assert_eq!(cache.convert(schema(added), &indexes()), []);
    let view = switch(&cache);
    assert_eq!(view.text("name"), Some("a"));
    assert_eq!(view.get("ports"), Some(&Datum::set(["p", "q"])));
    assert_eq!(view.text("tag"), Some(""), "a column of another type begins anew");
    assert_eq!(found(&cache, "port", &["p".into()]), [uuid(ONE)]);
}

#[test]
fn rows_of_a_table_that_went_are_told() {
    let mut cache = filled();
    let json = json!({ "name": "d", "tables": { "Other": { "columns": { "name": { "type": "string" } } } } });
    let changes = cache.convert(Arc::new(DatabaseSchema::from_json(&json).unwrap()), &indexes());
    assert_eq!(changes.len(), 1);
    assert!(matches!(changes[0].kind, ChangeKind::Deleted { .. }));
    assert!(cache.table("Switch").is_none());
}
