//! Finds the standing counterpart of every drawn or mentioned row.
//!
//! Invariant: a row counts as new only if everything it needs stands or is new as well; new rows
//! are numbered in the order of their keys.

use std::collections::BTreeSet;

use ovsdb::cache::{Cache, RowView, Table};
use ovsdb::value::{Atom, Datum, Uuid};

use super::DrawnRow;
use crate::key::{IDENTITY_INDEX, Identity, Key};
use crate::plan::{Conflict, Target};
use crate::rules::{Owner, Rules, belongs_to_parent};
use crate::sheet::{Drawn, Sheet};

/// What is known of a drawn row's counterpart.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Standing {
        uuid: Uuid,
        duplicates: Vec<Uuid>,
    },
    /// Its position among the plan's inserts.
    New(usize),
    Missing {
        needs: Key,
    },
    Taken(Conflict),
}

/// Resolved keys, and access to the standing rows.
pub(super) struct Lookup<'a> {
    drawn: Vec<DrawnRow<'a>>,
    /// One per drawn row, in the same order.
    answers: Vec<Option<Answer>>,
    pub(super) rows: &'a Cache,
    pub(super) rules: &'a Rules,
    /// Who is being compared: what they own and do not draw is about to go.
    owners: BTreeSet<&'a Owner>,
}

impl<'a> Lookup<'a> {
    /// Finds the counterpart of every drawn row; these must be ascending by key.
    pub(super) fn new(
        sheets: &[&'a Sheet],
        drawn: Vec<DrawnRow<'a>>,
        rows: &'a Cache,
        rules: &'a Rules,
    ) -> Self {
        let owners = sheets.iter().map(|sheet| &sheet.owner).collect();
        let answers = vec![None; drawn.len()];
        let mut lookup = Self { drawn, answers, rows, rules, owners };
        for at in 0..lookup.drawn.len() {
            lookup.resolve(at);
        }
        while lookup.mark_missing() {}
        lookup.number_inserts();
        lookup
    }

    /// Every drawn row with what is known of its counterpart, ascending by key.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&DrawnRow<'a>, &Answer)> {
        let answers = self.answers.iter().map(|answer| answer.as_ref().expect("all are resolved"));
        self.drawn.iter().zip(answers)
    }

    fn position(&self, key: &Key) -> Option<usize> {
        self.drawn.binary_search_by(|drawn| drawn.key.cmp(key)).ok()
    }

    /// Resolves a row after the parent that scopes it.
    fn resolve(&mut self, at: usize) {
        if self.answers[at].is_some() {
            return;
        }
        let DrawnRow { key, row, owner } = self.drawn[at];
        if let Some(parent) = key.parent().and_then(|parent| self.position(parent)) {
            self.resolve(parent);
        }
        let counterparts = self.counterparts(key, row);
        let answer = self.choose(key, owner, &counterparts).unwrap_or(Answer::New(0));
        self.answers[at] = Some(answer);
    }

    /// Marks rows that cannot stand because of a row that is not there; tells whether any was found.
    fn mark_missing(&mut self) -> bool {
        let missing: Vec<(usize, Key)> = self
            .answers()
            .enumerate()
            .filter_map(|(at, (drawn, answer))| Some((at, self.needs(drawn, answer)?.clone())))
            .collect();
        let found = !missing.is_empty();
        for (at, needs) in missing {
            self.answers[at] = Some(Answer::Missing { needs });
        }
        found
    }

    /// The row without which this one cannot stand. A new row waits for all that it mentions, so
    /// that a port never lives without its groups; a standing row needs one place to live in.
    fn needs(&self, drawn: &DrawnRow<'a>, answer: &Answer) -> Option<&'a Key> {
        let DrawnRow { key, row, .. } = drawn;
        let is_absent = |key: &&Key| self.target(key).is_none();
        match answer {
            Answer::New(_) => row.mentions().find(is_absent),
            Answer::Standing { .. } => {
                let is_root = self.rules.database.table(key.table()).is_some_and(|t| t.is_root);
                let mut parents = row.places.iter().map(|place| &place.parent);
                let homeless = !is_root && parents.clone().all(|parent| is_absent(&parent));
                if homeless { parents.next() } else { None }
            }
            Answer::Missing { .. } | Answer::Taken(_) => None,
        }
    }

    fn number_inserts(&mut self) {
        let new = self.answers.iter_mut().flatten().filter_map(|answer| match answer {
            Answer::New(position) => Some(position),
            Answer::Standing { .. } | Answer::Missing { .. } | Answer::Taken(_) => None,
        });
        for (number, position) in new.enumerate() {
            *position = number;
        }
    }

    /// Standing rows with the key's identity, within its parent where the key is scoped.
    fn counterparts(&self, key: &Key, drawn: &Drawn) -> Vec<Uuid> {
        let Some(table) = self.rows.table(key.table()) else { return Vec::new() };
        let found = table.find(IDENTITY_INDEX, key.atoms());
        let Some(parent) = key.parent() else { return found.to_vec() };
        let Some(Target::Standing(parent_uuid)) = self.target(parent) else { return Vec::new() };
        let place = drawn.places.iter().find(|place| place.parent == *parent);
        let list = place.and_then(|place| self.list(parent, parent_uuid, place.column));
        list.map_or_else(Vec::new, |list| listed(found, list))
    }

    /// What a list of a standing row holds.
    fn list(&self, key: &Key, uuid: Uuid, column: &str) -> Option<&'a Datum> {
        self.rows.table(key.table())?.row(uuid)?.get(column)
    }

    /// Which counterpart is the row itself, if any may be taken.
    fn choose(&self, key: &Key, owner: &Owner, counterparts: &[Uuid]) -> Option<Answer> {
        let first = *counterparts.first()?;
        let table = self.rows.table(key.table())?;
        let ours: Vec<Uuid> = counterparts
            .iter()
            .copied()
            .filter(|uuid| table.row(*uuid).is_some_and(|row| self.may_take(key, owner, row)))
            .collect();
        match ours.split_first() {
            Some((uuid, rest)) => Some(Answer::Standing { uuid: *uuid, duplicates: rest.to_vec() }),
            None => {
                let taken_by = table.row(first).and_then(|row| self.rules.owner(row));
                Some(Answer::Taken(Conflict { row: key.clone(), taken_by, uuid: first }))
            }
        }
    }

    fn may_take(&self, key: &Key, owner: &Owner, row: RowView<'_>) -> bool {
        let table = self.rules.database.table(key.table());
        let is_single = table.and_then(Identity::of) == Some(Identity::Single);
        is_single || belongs_to_parent(key.table()) || self.rules.owner(row).as_ref() == Some(owner)
    }

    /// How the transaction can name a row: drawn here, or standing under any owner.
    pub(super) fn target(&self, key: &Key) -> Option<Target> {
        match self.position(key).and_then(|at| self.answers[at].as_ref()) {
            Some(Answer::Standing { uuid, .. }) => Some(Target::Standing(*uuid)),
            Some(Answer::New(position)) => Some(Target::New(*position)),
            Some(Answer::Missing { .. } | Answer::Taken(_)) => None,
            None => self.standing(key).map(Target::Standing),
        }
    }

    /// A row that is mentioned but not drawn here, and is not about to go.
    fn standing(&self, key: &Key) -> Option<Uuid> {
        let table = self.rows.table(key.table())?;
        let stays = |uuid: &Uuid| {
            let owner = table.row(*uuid).and_then(|row| self.rules.owner(row));
            owner.is_none_or(|owner| !self.owners.contains(&owner))
        };
        let found = table.find(IDENTITY_INDEX, key.atoms());
        let Some(parent) = key.parent() else { return found.iter().copied().find(stays) };
        let Some(Target::Standing(parent_uuid)) = self.target(parent) else { return None };
        let lists = self.rules.lists_of(key.table()).into_iter();
        let own = lists.filter(|(table, _)| table.name == parent.table());
        let held = own.filter_map(|(_, column)| self.list(parent, parent_uuid, column.name));
        held.flat_map(|list| listed(found, list)).find(stays)
    }

    pub(super) fn table(&self, name: &str) -> Option<&'a Table> {
        self.rows.table(name)
    }
}

/// The rows among `found`, which is ascending, that a list holds.
///
/// Equal rows of many parents have one identity, so `found` may be long; the work grows with the
/// shorter of the two.
fn listed(found: &[Uuid], list: &Datum) -> Vec<Uuid> {
    if found.len() <= list.len() {
        return found.iter().copied().filter(|uuid| list.contains(&Atom::Uuid(*uuid))).collect();
    }
    let members = list.atoms().iter().filter_map(Atom::as_uuid);
    members.filter(|uuid| found.binary_search(uuid).is_ok()).collect()
}
