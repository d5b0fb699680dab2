//! API Priority and Fairness.

pub mod allocation;
pub mod bootstrap;
pub mod borrowing;
pub mod classify;
pub mod config;
pub mod digest;
pub mod estimate;
pub mod integrator;
pub mod object_counts;
pub mod queue_wait_limit;
pub mod queueset;
pub mod retry_after;
pub mod seat_seconds;
pub mod shuffle_shard;
pub mod status_writes;
#[cfg(test)]
mod test_support;
pub mod timing_histogram;
pub mod watch_tracker;
