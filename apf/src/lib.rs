//! API Priority and Fairness.

pub mod allocation;
pub mod bootstrap;
pub mod borrowing;
pub mod classify;
pub mod config;
pub mod controller;
pub mod digest;
pub mod dump;
pub mod estimate;
pub mod gate;
pub mod integrator;
pub mod max_in_flight;
pub mod metrics;
pub mod object_counts;
pub mod observe;
pub mod queue_wait_limit;
pub mod queueset;
pub mod ratios;
pub mod retry_after;
pub mod seat_seconds;
pub mod shuffle_shard;
pub mod status_writes;
#[cfg(test)]
mod test_support;
pub mod timing_histogram;
pub mod watch_tracker;
