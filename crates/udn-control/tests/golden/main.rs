//! The golden shelf of `udn-control`: stored cases with known answers.

mod cases;
