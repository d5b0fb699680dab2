//! API Priority and Fairness.

pub mod bootstrap;
pub mod classify;
pub mod config;
pub mod digest;
pub mod seat_seconds;
pub mod shuffle_shard;
#[cfg(test)]
mod test_support;
