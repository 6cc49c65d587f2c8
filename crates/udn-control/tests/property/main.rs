//! The property shelf of `udn-control`: laws that hold for random input.

mod lease;
