//! What a UDN or CUDN asks for, kept whole as text, with what was read from it.
//!
//! Invariant: two specs that say the same are equal: keys are in order and nothing is between them.
//! Networks are many and their specs are read seldom; a tree of values would take ten times as much.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// A spec, read once for all who share it.
#[derive(Clone)]
pub struct SpecText {
    text: Box<str>,
    read: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl SpecText {
    /// All that it says.
    pub fn value(&self) -> Value {
        // What is in here was written from a value.
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// What `read` makes of it: made by the first who asks, and kept for all others.
    ///
    /// There is one reader for specs of one kind, so that what is kept is of its type.
    pub fn read_once<T: Send + Sync + 'static>(&self, read: fn(&Value) -> T) -> Arc<T> {
        let kept = self.read.get_or_init(|| Arc::new(read(&self.value())));
        let kept = Arc::clone(kept).downcast::<T>();
        kept.unwrap_or_else(|_| Arc::new(read(&self.value())))
    }
}

impl Default for SpecText {
    fn default() -> Self {
        Self::from(&Value::Null)
    }
}

impl From<&Value> for SpecText {
    fn from(value: &Value) -> Self {
        Self { text: value.to_string().into_boxed_str(), read: OnceLock::new() }
    }
}

impl PartialEq for SpecText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for SpecText {}

impl fmt::Debug for SpecText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpecText").field(&self.text).finish()
    }
}

impl<'de> Deserialize<'de> for SpecText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self::from(&value))
    }
}
