//! A mistake as kube-openapi words it, and how apiextensions turns it into a field error.
//!
//! Made at a [`Place`] in the value; returns field errors at paths.
//! Invariant: of mistakes with the same text only the first becomes an error.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::field_error::{ErrorKind, FieldError};
use crate::go_text;
use crate::path::Path;

/// Where in a value the judgement is, linked to where it came from.
#[derive(Debug)]
pub(super) enum Place<'a> {
    Root,
    Property { parent: &'a Place<'a>, name: &'a str },
    Value { parent: &'a Place<'a>, key: &'a str },
    Index { parent: &'a Place<'a>, index: usize },
}

impl Place<'_> {
    /// The place as kube-openapi spells it in messages.
    fn text(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Property { parent: Self::Root, name } => (*name).to_owned(),
            Self::Property { parent, name } => format!("{}.{name}", parent.text()),
            Self::Value { parent, key } => format!("{}.{key}", parent.text()),
            Self::Index { parent, index } => format!("{}[{index}]", parent.text()),
        }
    }

    fn path(&self) -> Path {
        match self {
            Self::Root => Path::root(),
            Self::Property { parent, name } | Self::Value { parent, key: name } => {
                parent.path().field(name)
            }
            Self::Index { parent, index } => parent.path().index(*index),
        }
    }
}

/// One mistake.
#[derive(Debug)]
pub(super) struct Fault {
    /// None for a mistake of branches, which is told of the whole value.
    path: Option<Path>,
    message: String,
    nature: Nature,
}

#[derive(Debug)]
enum Nature {
    Required,
    NotSupported { value: Value, choices: Vec<String> },
    TooLong { limit: i64 },
    TooMany { count: i64, limit: i64 },
    WrongType { value: String },
    Invalid { value: Value },
}

impl Fault {
    fn new(place: &Place<'_>, what: &str, nature: Nature) -> Self {
        let message = format!("{} in body {what}", place.text());
        Self { path: Some(place.path()), message, nature }
    }

    pub(super) fn invalid(place: &Place<'_>, value: Value, what: &str) -> Self {
        Self::new(place, what, Nature::Invalid { value })
    }

    pub(super) fn wrong_type(place: &Place<'_>, want: &str, found: &str) -> Self {
        let what = format!("must be of type {want}: {}", go_text::quoted(found));
        Self::new(place, &what, Nature::WrongType { value: found.to_owned() })
    }

    pub(super) fn required(place: &Place<'_>, name: &str) -> Self {
        let message = format!("{}.{name} in body is required", place.text());
        Self { path: Some(place.path().field(name)), message, nature: Nature::Required }
    }

    pub(super) fn forbidden_property(place: &Place<'_>, name: &str) -> Self {
        let message = format!("{}.{name} in body is a forbidden property", place.text());
        let nature = Nature::Invalid { value: Value::from(name) };
        Self { path: Some(place.path()), message, nature }
    }

    pub(super) fn too_few(place: &Place<'_>, count: i64, limit: i64, unit: &str) -> Self {
        Self::invalid(place, Value::from(count), &format!("should have at least {limit} {unit}"))
    }

    pub(super) fn too_many(place: &Place<'_>, count: i64, limit: i64, unit: &str) -> Self {
        let what = format!("should have at most {limit} {unit}");
        Self::new(place, &what, Nature::TooMany { count, limit })
    }

    pub(super) fn too_long(place: &Place<'_>, limit: i64) -> Self {
        let what = format!("should be at most {limit} chars long");
        Self::new(place, &what, Nature::TooLong { limit })
    }

    pub(super) fn not_supported(place: &Place<'_>, value: &Value, choices: &[Value]) -> Self {
        let texts: Vec<String> = choices.iter().map(go_text::plain).collect();
        let what = format!("should be one of [{}]", texts.join(" "));
        let choices = choices.iter().map(|choice| match choice {
            Value::String(text) => text.clone(),
            _ => go_text::json(choice),
        });
        let nature = Nature::NotSupported { value: value.clone(), choices: choices.collect() };
        Self::new(place, &what, nature)
    }

    pub(super) fn bad_factor(place: &Place<'_>, text: &str, factor: f64) -> Self {
        let place_text = place.text();
        let message =
            format!("factor MultipleOf declared for {place_text} must be positive: {text}");
        let nature = Nature::Invalid { value: Value::from(factor) };
        Self { path: Some(place.path()), message, nature }
    }

    pub(super) fn of_branches(place: &Place<'_>, what: &str) -> Self {
        let message = format!("{} {what}", go_text::quoted(&place.text()));
        Self { path: None, message, nature: Nature::Invalid { value: Value::from("") } }
    }

    fn into_error(self, base: &Path) -> FieldError {
        let path = self.path.map_or_else(|| base.clone(), |path| base.join(&path));
        match self.nature {
            Nature::Required => FieldError::required(path, ""),
            Nature::NotSupported { value, choices } => {
                FieldError::not_supported(path, value, choices)
            }
            Nature::TooLong { limit } => FieldError::too_long(path, limit),
            Nature::TooMany { count, limit } => FieldError::too_many(path, count, limit),
            Nature::WrongType { value } => {
                FieldError::new(ErrorKind::TypeInvalid, path, value.as_str(), self.message)
            }
            Nature::Invalid { value } => FieldError::invalid(path, value, self.message),
        }
    }
}

/// Turns mistakes into errors of the object, each text once.
pub(super) fn to_field_errors(faults: Vec<Fault>, base: &Path) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    faults
        .into_iter()
        .filter(|fault| seen.insert(fault.message.clone()))
        .map(|fault| fault.into_error(base))
        .collect()
}
