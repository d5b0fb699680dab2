//! A small Kubernetes API server.

pub mod codec;
pub mod options;
pub mod request;
pub mod resources;
pub mod selector;
