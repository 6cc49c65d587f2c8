//! The property shelf of `udn-manifest`: laws that hold for random input.

mod manifest;
