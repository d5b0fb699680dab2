//! A small Kubernetes API server. Start reading at [`serve`].

pub mod access;
pub mod authentication;
mod authorization_config;
pub mod catalog;
pub mod codec;
pub mod commands;
mod config_file;
pub mod connection;
mod controllers;
pub mod dynamic;
pub mod envtest;
pub mod flow_control;
mod handlers;
pub mod logging;
pub mod metrics;
pub mod nonresource;
pub mod object_counts;
pub mod objects;
pub mod options;
pub mod pki;
pub mod reply;
pub mod request;
pub mod resources;
pub mod selector;
pub mod serve;
pub mod server;
pub mod webhook;
