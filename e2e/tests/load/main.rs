//! Load over real sockets: what API Priority and Fairness promises holds while it is hard.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built, and gets less to do.
//! `$LOAD_TEST_SECONDS` says how long the configuration is edited at random; 10 if it is not set.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

mod edits;
mod fairness;
mod hangups;
mod rejections;
mod support;
mod watches;
