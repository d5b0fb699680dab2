//! What the program does besides serving: `validate`, `convert` and `explain-validation`. They work
//! without a server, on the same types, defaults and rules.

mod convert;
mod documents;
mod explain;
mod manifest;
mod report;
#[cfg(test)]
mod tests;
mod validate;

use std::io::Read;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::options::Exit;

/// A subcommand that was asked for, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subcommand {
    /// `validate`: are these manifests right?
    Validate(validate::Arguments),
    /// `convert`: what are these manifests in another version?
    Convert(convert::Arguments),
    /// `explain-validation`: which rules does this kind have?
    ExplainValidation(explain::Arguments),
}

/// What a subcommand found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// For standard output.
    pub text: String,
    /// Whether nothing is wrong; else the exit code is 1.
    pub ok: bool,
}

/// What the parser needs to know.
pub(crate) fn parsers() -> [Command; 3] {
    [validate::parser(), convert::parser(), explain::parser()].map(|parser| {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
        parser.arg(help.help("Print this and exit"))
    })
}

impl Subcommand {
    /// The subcommand that was given, if one was.
    ///
    /// # Errors
    ///
    /// [`Exit`] where its arguments cannot be understood.
    pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Option<Self>, Exit> {
        let subcommand = match matches.subcommand() {
            Some((validate::NAME, matches)) => Self::Validate(validate::Arguments::read(matches)?),
            Some((convert::NAME, matches)) => Self::Convert(convert::Arguments::read(matches)?),
            Some((explain::NAME, matches)) => {
                Self::ExplainValidation(explain::Arguments::read(matches)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(subcommand))
    }

    /// Does what was asked for. `stdin` is read where the arguments say so.
    ///
    /// # Errors
    ///
    /// [`Exit`] where it cannot be done.
    pub fn run(&self, stdin: &mut dyn Read) -> Result<Findings, Exit> {
        match self {
            Self::Validate(arguments) => Ok(validate::run(arguments, stdin)),
            Self::Convert(arguments) => convert::run(arguments, stdin),
            Self::ExplainValidation(arguments) => explain::run(arguments),
        }
    }
}
