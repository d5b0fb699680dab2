//! Custom resources over their whole life, against the server as a process.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

mod conversion;
mod definitions;
mod documents;
mod support;
mod versions;
