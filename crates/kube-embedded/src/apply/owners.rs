//! Who owns which fields: `metadata.managedFields`, read and written.
//!
//! Reads the entries of an object; returns them as they are to be stored.
//! Invariant: an entry that owns nothing is not stored, and no two entries are of one owner.

use std::borrow::Cow;

use kube_schema::quoted;
use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::reconcile;
use super::shape::Type;

/// An object keeps this many entries of updates.
const MOST_UPDATES: usize = 10;

/// Whom the oldest entries are given to when there are too many.
const ANCIENT: &str = "ancient-changes";

/// How an owner came by its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Apply,
    Update,
}

/// One entry.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub(super) manager: String,
    pub(super) operation: Operation,
    pub(super) api_version: String,
    pub(super) subresource: String,
    /// RFC 3339; none where a manager shares fields it never set.
    pub(super) time: Option<String>,
    /// The fields as they were read; most entries are stored again as they are.
    wire: Value,
    /// The fields as they are now, once someone had to look at them.
    fields: Option<Fields>,
}

impl Owner {
    pub(super) fn new(
        manager: &str,
        operation: Operation,
        api_version: &str,
        subresource: &str,
    ) -> Self {
        // An empty name is nobody's.
        let manager = if manager.is_empty() { "unknown" } else { manager };
        Self {
            manager: manager.to_owned(),
            operation,
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
            time: None,
            wire: Value::Null,
            fields: Some(Fields::default()),
        }
    }

    fn read(entry: &Value) -> Option<Self> {
        let text = |name: &str| match entry.get(name) {
            None | Some(Value::Null) => Some(String::new()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => None,
        };
        let operation = match entry.get("operation")?.as_str()? {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return None,
        };
        if text("fieldsType")? != "FieldsV1" {
            return None;
        }
        let wire = entry.get("fieldsV1").cloned().unwrap_or_else(|| json!({}));
        Some(Self {
            manager: text("manager")?,
            operation,
            api_version: text("apiVersion").filter(|version| !version.is_empty())?,
            subresource: text("subresource")?,
            time: text("time").filter(|time| !time.is_empty()),
            wire,
            fields: None,
        })
    }

    fn write(self) -> Value {
        let operation = match self.operation {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        };
        let fields = self.fields.map_or(self.wire, |fields| fields.write());
        let mut entry = Map::new();
        entry.insert("apiVersion".to_owned(), self.api_version.into());
        entry.insert("fieldsType".to_owned(), "FieldsV1".into());
        entry.insert("fieldsV1".to_owned(), fields);
        entry.insert("manager".to_owned(), self.manager.into());
        entry.insert("operation".to_owned(), operation.into());
        if !self.subresource.is_empty() {
            entry.insert("subresource".to_owned(), self.subresource.into());
        }
        if let Some(time) = self.time {
            entry.insert("time".to_owned(), time.into());
        }
        Value::Object(entry)
    }

    /// Whether two entries are of one owner: one that applies owns through all versions.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// The server sorts owners by this text where it names several.
    pub(super) fn identity(&self) -> String {
        let mut text = format!("{{\"manager\":{}", quoted(&self.manager));
        match self.operation {
            Operation::Apply => text.push_str(",\"operation\":\"Apply\""),
            Operation::Update => {
                let version = quoted(&self.api_version);
                text.push_str(&format!(",\"operation\":\"Update\",\"apiVersion\":{version}"));
            }
        }
        if !self.subresource.is_empty() {
            text.push_str(&format!(",\"subresource\":{}", quoted(&self.subresource)));
        }
        text + "}"
    }

    pub(super) fn fields(&self) -> Cow<'_, Fields> {
        match &self.fields {
            Some(fields) => Cow::Borrowed(fields),
            None => Cow::Owned(Fields::read(&self.wire).unwrap_or_default()),
        }
    }

    pub(super) fn fields_mut(&mut self) -> &mut Fields {
        self.fields.get_or_insert_with(|| Fields::read(&self.wire).unwrap_or_default())
    }

    /// Takes fields away, looking closely only if it has one of them.
    pub(super) fn lose(&mut self, gone: &Fields) {
        if self.fields.is_some() || gone.touches(&self.wire) {
            self.fields_mut().subtract(gone);
        }
    }

    /// Brings the fields up to the type of the object.
    pub(super) fn reconcile(&mut self, ty: Type<'_>) {
        if self.fields.is_some() || !reconcile::is_current(ty, &self.wire) {
            let fields = std::mem::take(self.fields_mut());
            self.fields = Some(reconcile::reconciled(ty, fields));
        }
    }

    pub(super) fn owns_nothing(&self) -> bool {
        match &self.fields {
            Some(fields) => fields.is_empty(),
            None => self.wire.as_object().is_none_or(Map::is_empty),
        }
    }
}

/// Reads all entries; none if one of them is broken.
pub(super) fn read(entries: Option<&Value>) -> Option<Vec<Owner>> {
    let entries = match entries {
        None | Some(Value::Null) => return Some(Vec::new()),
        Some(entries) => entries.as_array()?,
    };
    entries.iter().map(Owner::read).collect()
}

/// Reads entries that a client sent, which may be written in ways of their own.
pub(super) fn read_sent(entries: &Value) -> Option<Vec<Owner>> {
    let mut owners: Vec<Owner> = Vec::new();
    for mut owner in read(Some(entries))? {
        owner.fields = Some(Fields::read(&owner.wire)?);
        owners.retain(|known| !known.is(&owner));
        owners.push(owner);
    }
    Some(owners)
}

/// Writes entries in their order; none if there are none.
pub(super) fn write(mut owners: Vec<Owner>) -> Option<Value> {
    owners.retain(|owner| !owner.owns_nothing());
    owners.sort_by(|left, right| order(left).cmp(&order(right)));
    (!owners.is_empty()).then(|| owners.into_iter().map(Owner::write).collect())
}

fn order(owner: &Owner) -> (Operation, &str, &str, &str, &str) {
    let time = owner.time.as_deref().unwrap_or_default();
    (owner.operation, time, &owner.manager, &owner.api_version, &owner.subresource)
}

/// Gives fields to an owner, at a time; what it owned it keeps.
pub(super) fn give(owners: &mut Vec<Owner>, mut owner: Owner, fields: Fields, time: &str) {
    owner.time = Some(time.to_owned());
    match owners.iter_mut().find(|known| known.is(&owner)) {
        Some(known) => {
            known.fields_mut().add(fields);
            known.time = owner.time;
        }
        None => {
            owner.fields = Some(fields);
            owners.push(owner);
        }
    }
}

/// Puts the oldest updates of a version together when there are too many.
pub(super) fn cap(owners: &mut Vec<Owner>) {
    let mut updates: Vec<_> =
        owners.iter().filter(|owner| owner.operation == Operation::Update).cloned().collect();
    let Some(mut extra) = updates.len().checked_sub(MOST_UPDATES).filter(|extra| *extra > 0) else {
        return;
    };
    updates.sort_by_cached_key(|owner| (owner.time.clone().unwrap_or_default(), owner.identity()));
    let mut first_of_version: Vec<Owner> = Vec::new();
    for owner in updates {
        if extra == 0 {
            break;
        }
        let bucket = Owner::new(ANCIENT, Operation::Update, &owner.api_version, "");
        let first = first_of_version.iter().find(|it| it.api_version == owner.api_version);
        let Some(first) = first else {
            first_of_version.push(owner);
            continue;
        };
        if !owners.iter().any(|known| known.is(&bucket)) {
            owners.retain(|known| !known.is(first));
            give(owners, bucket.clone(), first.fields().into_owned(), "");
        }
        owners.retain(|known| !known.is(&owner));
        let time = owner.time.clone().unwrap_or_default();
        give(owners, bucket, owner.fields().into_owned(), &time);
        extra -= 1;
    }
}
