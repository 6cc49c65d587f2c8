//! The property shelf of `ovsdb`: laws that hold for random input.

mod engine;
mod malformed;
