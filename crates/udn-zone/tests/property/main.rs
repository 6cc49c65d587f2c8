//! The property shelf of `udn-zone`: laws that hold for any history.

#[path = "../kit/driver.rs"]
mod driver;
#[path = "../kit/objects.rs"]
mod objects;
#[path = "../kit/patch.rs"]
mod patch;
#[path = "../../../udn-blueprint/tests/rows"]
mod rows {
    pub(crate) mod content;
}

mod cost;
mod histories;
mod writers;
