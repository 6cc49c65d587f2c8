//! The golden shelf of `udn`: stored cases with known answers.

mod closed_pipe;
mod explain;
mod validate;
