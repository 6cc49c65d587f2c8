//! The property shelf of `ovn`: laws that hold for random input.

mod compare;
