//! Writes to objects from outside: those that the reference was recorded at, and random ones.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests and their helpers")]

mod properties;
mod recorded;
mod server;
