//! The command line: flags under the reference's names, read and then understood.
//!
//! `flags` is the one table of all flags; from it come the parser and `--help`. `interpret` turns
//! what was given into a [`Config`], and says everything that is wrong at once.

mod admission;
mod config;
mod controllers;
pub mod duration;
mod exit;
mod feature_gates;
mod flags;
mod identity_flags;
mod interpret;
mod reader;
mod runtime_config;
mod values;

use std::ffi::OsString;

use crate::commands::Subcommand;
use crate::envtest::{Etcd, Persona};

pub use admission::AdmissionPlugins;
pub use config::Config;
pub use controllers::{Controller, Controllers};
pub use exit::Exit;
pub use feature_gates::FeatureGates;
pub use identity_flags::{FrontProxyFlags, IssuerFlags};
pub use runtime_config::RuntimeConfig;

/// This program's own version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the program was asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// To serve.
    Serve(Box<Config>),
    /// Something else.
    Run(Subcommand),
    /// To stand in for etcd.
    StandIn(Etcd),
}

/// Reads the command line; the first argument is the program's name, which decides how it runs.
///
/// # Errors
///
/// [`Exit`] where there is nothing to do but to say something.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Exit> {
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_default();
    let persona = Persona::of(&program);
    if persona == Persona::Etcd {
        return Etcd::parse(arguments).map(Command::StandIn);
    }
    let matches = flags::command()
        .try_get_matches_from(std::iter::once(program).chain(arguments))
        .map_err(|error| Exit::from_parser(&error))?;
    if let Some(subcommand) = Subcommand::from_matches(&matches)? {
        return Ok(Command::Run(subcommand));
    }
    if matches.get_flag("version") {
        return Err(Exit::Success(format!("apiserver {VERSION} (Kubernetes v1.37.2)\n")));
    }
    let config = interpret::interpret(&matches, persona).map_err(Exit::failure)?;
    Ok(Command::Serve(Box::new(config)))
}

#[cfg(test)]
mod tests;
