//! The golden shelf of `udn`: stored cases with known answers.

mod explain;
mod validate;
