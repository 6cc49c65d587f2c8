//! The golden shelf of `udn-wire`: stored cases with known answers.

mod api_types;
mod deploy;
