//! One apply: merge, prune, conflicts, and the record of what came of it.
//!
//! Reads the live object, the configuration and the owners so far; returns the new object.
//! Invariant: without force, no field of another owner changes.

use kube_schema::go_text;
use serde_json::Value;

use super::compare::{Changes, gather, is_same};
use super::conflict::{self, Conflict};
use super::fields::Fields;
use super::owners::{self, Operation, Owner};
use super::target::{Manager, NEVER_OWNED, Target};
use super::{check, last_applied, merge, prune, put_entries, take_entries, type_shown};
use crate::refusal::Refusal;

/// One apply, all of whose parts are known to be sound.
pub(super) struct Attempt<'a> {
    pub(super) live: &'a Value,
    pub(super) config: &'a Value,
    pub(super) target: Target<'a>,
    pub(super) manager: Manager<'a>,
    pub(super) owners: Vec<Owner>,
}

impl Attempt<'_> {
    pub(super) fn run(self, is_forced: bool) -> Result<Value, Refusal> {
        let Self { live, config, target, manager, mut owners } = self;
        let ty = target.ty();
        check::check(ty, config).map_err(|why| untypeable(config, &why))?;
        let merged = merge::merge(ty, Some(live), Some(config)).unwrap_or_default();
        let mut applied = gather(ty, config);
        applied.subtract_whole(&target.ignored());

        let me = target.owner(manager.name, Operation::Apply);
        let mine = owners.iter().position(|owner| owner.is(&me)).map(|place| owners.remove(place));
        let last = mine.as_ref().map(|owner| owner.fields().into_owned()).unwrap_or_default();
        let mut owned = applied.clone();
        owners.iter().for_each(|owner| owned.add(owner.fields().into_owned()));
        let mut object = prune::prune(ty, merged, &last, &owned);

        let changes = target.compare(live, &object);
        let allowed = || last_applied::allowed(live, target, manager.name);
        if !is_forced {
            refuse_conflicts(&owners, &changes, allowed)?;
        }
        for owner in &mut owners {
            owner.lose(&changes.set);
            owner.lose(&changes.removed);
        }
        applied.subtract(&NEVER_OWNED);
        let is_unchanged = is_same(live, &object);
        let mut me = me;
        me.time = match is_unchanged {
            true => mine.and_then(|owner| owner.time),
            false => Some(manager.time.to_owned()),
        };
        *me.fields_mut() = applied;
        owners.push(me);
        take_entries(&mut object);
        put_entries(&mut object, owners::write(owners));
        Ok(object)
    }
}

fn refuse_conflicts(
    owners: &[Owner],
    changes: &Changes,
    allowed: impl FnOnce() -> Fields,
) -> Result<(), Refusal> {
    let find = |owner| {
        let fields = Owner::fields(owner).shared(&changes.set);
        (!fields.is_empty()).then_some(Conflict { owner, fields })
    };
    let mut conflicts: Vec<_> = owners.iter().filter_map(find).collect();
    if !conflicts.is_empty() {
        let allowed = allowed();
        conflicts.iter_mut().for_each(|conflict| conflict.fields.subtract(&allowed));
        conflicts.retain(|conflict| !conflict.fields.is_empty());
    }
    if conflicts.is_empty() { Ok(()) } else { Err(conflict::refuse(conflicts)) }
}

fn untypeable(config: &Value, why: &str) -> Refusal {
    let name = |field: &str| config["metadata"].get(field).map(go_text::plain).unwrap_or_default();
    let (namespace, name, ty) = (name("namespace"), name("name"), type_shown(config));
    let message = format!("failed to create typed patch object ({namespace}/{name}; {ty}): {why}");
    Refusal::new(500, "", message)
}
