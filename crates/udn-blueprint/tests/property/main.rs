//! The property shelf of `udn-blueprint`: laws that hold for random input.

#[path = "../rows"]
mod rows {
    pub(crate) mod content;
}

mod blueprint;
