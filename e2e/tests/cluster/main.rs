//! What makes an API server a cluster, seen from outside: controllers, admission, addresses of services.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

mod admission;
mod controllers;
mod parts;
mod services;
mod support;
