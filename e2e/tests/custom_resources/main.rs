//! Custom resources over their whole life, webhooks and admission policies, against the server as a
//! process.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

mod admission;
mod conversion;
mod definitions;
mod documents;
mod policies;
mod support;
mod versions;
mod webhook;
