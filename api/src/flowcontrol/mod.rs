//! `flowcontrol.apiserver.k8s.io`: which requests there are, and how many may run at a time.

pub mod bootstrap;
pub mod v1;

/// The API group's name.
pub const GROUP: &str = "flowcontrol.apiserver.k8s.io";
