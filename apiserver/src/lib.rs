//! A small Kubernetes API server.

pub mod authn;
pub mod authz;
pub mod codec;
pub mod connection;
pub mod flow_control;
pub mod objects;
pub mod options;
pub mod pki;
pub mod reply;
pub mod request;
pub mod resources;
pub mod selector;
