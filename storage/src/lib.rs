//! Keys, bytes, revisions and caches. Knows no kinds, no JSON and no HTTP.
//!
//! [`Backend`] is what a store must do; [`memory::Memory`] and [`sled::Sled`] do it over the same
//! pure index ([`mvcc::Index`]), and pass the same suite (`conformance`). [`cache::Cache`] is the
//! watch cache above a backend: decoded objects of one prefix, their recent history, watchers.

pub mod backend;
pub mod cache;
mod compaction;
#[cfg(test)]
mod conformance;
mod engine;
pub mod memory;
pub mod mvcc;
mod registry;
pub mod sled;

pub use backend::{
    At, Backend, Change, Committed, Error, Event, EventKind, Key, KeyValue, Page, Revision,
    Snapshot, Status, Watch, WatchEnd,
};
pub use compaction::{COMPACTION_INTERVAL, compact_each};
pub use registry::{BackendKind, Options, open};
