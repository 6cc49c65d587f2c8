//! What a UDN or CUDN asks for, kept whole as text.
//!
//! Invariant: two specs that say the same are equal: keys are in order and nothing is between them.
//! Networks are many and their specs are read seldom; a tree of values would take ten times as much.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// A spec that nobody has judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecText(Box<str>);

impl SpecText {
    /// All that it says.
    pub fn value(&self) -> Value {
        // What is in here was written from a value.
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl Default for SpecText {
    fn default() -> Self {
        Self::from(&Value::Null)
    }
}

impl From<&Value> for SpecText {
    fn from(value: &Value) -> Self {
        Self(value.to_string().into_boxed_str())
    }
}

impl<'de> Deserialize<'de> for SpecText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self::from(&value))
    }
}
