//! Lists: sums and extremes, places of items, sorting, slices.
//!
//! Reads lists; returns what Kubernetes' and cel-go's list libraries compute.
//! Invariant: no list is built that costs more than is left to spend.

use std::cmp::Ordering;
use std::sync::Arc;

use super::operators::{is_comparable, unknown};
use super::{Call, Failure, Function, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::{Duration, Key, List, Map, Value, compare, equal};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "isSorted" => is_sorted,
        "sum" => sum,
        "min" => |call| extreme(call, "min", Ordering::Greater),
        "max" => |call| extreme(call, "max", Ordering::Less),
        "slice" => slice,
        "flatten" => flatten,
        "sort" => |call| sorted(call, &call.args[0], &call.args[0]),
        "@sortByAssociatedKeys" => |call| sorted(call, &call.args[0], &call.args[1]),
        "lists.range" => range,
        "reverse" => reverse,
        "distinct" => distinct,
        "cel.@mapInsert" => insert,
        _ => return None,
    })
}

fn list<'a>(call: &'a Call<'_>) -> Result<&'a List, Failure> {
    match call.args.first() {
        Some(Value::List(list)) => {
            call.fuel.burn(list.items().len())?;
            Ok(list)
        }
        _ => Err(Failure::Mismatch),
    }
}

fn no_such_overload() -> Failure {
    Failure::Error(Error::no_such_overload())
}

fn is_sorted(call: &Call<'_>) -> Outcome {
    let items = list(call)?.items();
    if !items.iter().all(is_comparable) {
        return Err(no_such_overload());
    }
    let rises = |pair: &[Value]| compare(&pair[0], &pair[1]) != Ok(Ordering::Greater);
    Ok(Value::Bool(items.windows(2).all(rises)))
}

/// The first item says what is summed; an empty list is summed as its first overload does.
fn sum(call: &Call<'_>) -> Outcome {
    let items = list(call)?.items();
    let zero = match items.first() {
        None | Some(Value::Int(_)) => Value::Int(0),
        Some(Value::Uint(_)) => Value::Uint(0),
        Some(Value::Double(_)) => Value::Double(0.0),
        Some(Value::Duration(_)) => Value::Duration(Duration::from_nanoseconds(0)),
        Some(_) => return Err(Failure::Mismatch),
    };
    let add = Function::find("_+_").expect("addition is declared");
    items.iter().try_fold(zero, |total, item| {
        let args = [total, item.clone()];
        Ok(add.call(&Call { args: &args, ..*call })?)
    })
}

fn extreme(call: &Call<'_>, name: &str, replaces: Ordering) -> Outcome {
    let mut best: Option<&Value> = None;
    for item in list(call)?.items() {
        if !is_comparable(item) {
            return Err(no_such_overload());
        }
        if best.is_none_or(|best| compare(best, item) == Ok(replaces)) {
            best = Some(item);
        }
    }
    best.cloned().ok_or_else(|| Failure::new(format!("{name} called on empty list")))
}

/// Finds the place of an item, from the front or from the back.
pub(super) fn place_of(call: &Call<'_>, is_last: bool) -> Outcome {
    let [Value::List(list), item] = call.args else { return Err(Failure::Mismatch) };
    let mut found = -1;
    for (place, other) in list.items().iter().enumerate() {
        match equal(other, item, call.fuel) {
            Ok(true) => found = place as i64,
            Err(error) if error.is_cost_exceeded() => return Err(error.into()),
            Ok(false) | Err(_) => {}
        }
        if found >= 0 && !is_last {
            break;
        }
    }
    Ok(Value::Int(found))
}

fn slice(call: &Call<'_>) -> Outcome {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = call.args else {
        return Err(Failure::Mismatch);
    };
    let length = list.items().len() as i64;
    let problem = if *start < 0 || *end < 0 {
        "negative indexes not supported".to_owned()
    } else if start > end {
        "start index must be less than or equal to end index".to_owned()
    } else if length < *end {
        format!("list is length {length}")
    } else {
        call.fuel.burn((end - start) as usize)?;
        return Ok(Value::list(list.items()[*start as usize..*end as usize].to_vec()));
    };
    Err(Failure::new(format!("cannot slice({start}, {end}), {problem}")))
}

fn flatten(call: &Call<'_>) -> Outcome {
    let depth = match call.args {
        [Value::List(_)] => 1,
        [Value::List(_), Value::Int(depth)] => *depth,
        _ => return Err(Failure::Mismatch),
    };
    if depth < 0 {
        return Err(Failure::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    push_flat(call, list(call)?.items(), depth, &mut flat)?;
    Ok(Value::list(flat))
}

fn push_flat(
    call: &Call<'_>,
    items: &[Value],
    depth: i64,
    flat: &mut Vec<Value>,
) -> Result<(), Failure> {
    call.fuel.burn(items.len())?;
    for item in items {
        match item {
            Value::List(inner) if depth > 0 => push_flat(call, inner.items(), depth - 1, flat)?,
            other => flat.push(other.clone()),
        }
    }
    Ok(())
}

fn sorted(call: &Call<'_>, items: &Value, keys: &Value) -> Outcome {
    let (Value::List(items), Value::List(keys)) = (items, keys) else {
        return Err(unknown("sort", items));
    };
    call.fuel.burn(keys.items().len())?;
    if items.items().len() != keys.items().len() {
        return Err(Failure::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys \
             list, but got {} and {} elements respectively",
            items.items().len(),
            keys.items().len()
        )));
    }
    let Some(first) = keys.items().first() else { return Ok(Value::List(items.clone())) };
    if !is_comparable(first) {
        return Err(Failure::new("list elements must be comparable"));
    }
    if keys.items().iter().any(|key| key.type_name() != first.type_name()) {
        return Err(Failure::new("list elements must have the same type"));
    }
    let mut pairs: Vec<(&Value, &Value)> = keys.items().iter().zip(items.items()).collect();
    pairs.sort_by(|(left, _), (right, _)| compare(left, right).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item.clone()).collect()))
}

fn range(call: &Call<'_>) -> Outcome {
    let [Value::Int(end)] = call.args else { return Err(Failure::Mismatch) };
    // Each item costs 1; a list that cannot be paid for is not built.
    if *end > 0 && *end as u64 > call.budget {
        return Err(Error::CostExceeded.into());
    }
    Ok(Value::list((0..*end).map(Value::Int).collect()))
}

fn reverse(call: &Call<'_>) -> Outcome {
    Ok(Value::list(list(call)?.items().iter().rev().cloned().collect()))
}

fn distinct(call: &Call<'_>) -> Outcome {
    let mut kept: Vec<Value> = Vec::new();
    for item in list(call)?.items() {
        let mut is_known = false;
        for other in &kept {
            match equal(item, other, call.fuel) {
                Ok(same) => is_known = same,
                Err(error) if error.is_cost_exceeded() => return Err(error.into()),
                Err(_) => {}
            }
            if is_known {
                break;
            }
        }
        if !is_known {
            kept.push(item.clone());
        }
    }
    Ok(Value::list(kept))
}

fn insert(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::Map(map), key, value] => {
            let mut map = Map::clone(map);
            call.fuel.burn(8 * map.len())?;
            insert_entry(&mut map, key, value.clone())?;
            Ok(Value::Map(Arc::new(map)))
        }
        [Value::Map(map), Value::Map(entries)] => {
            let mut map = Map::clone(map);
            call.fuel.burn(8 * (map.len() + entries.len()))?;
            for (key, value) in entries.entries() {
                insert_entry(&mut map, &Value::from(&key), value.clone())?;
            }
            Ok(Value::Map(Arc::new(map)))
        }
        _ => Err(Failure::Mismatch),
    }
}

/// Adds an entry to a map that does not have its key.
pub(in crate::cel) fn insert_entry(map: &mut Map, key: &Value, value: Value) -> Result<(), Error> {
    if map.lookup(key)?.is_some() {
        return Err(Error::new(format!("insert failed: key {key} already exists")));
    }
    let key = Key::of(key).ok_or_else(|| Error::new("unsupported key type"))?;
    map.insert(key, value);
    Ok(())
}
