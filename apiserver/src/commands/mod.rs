//! What the program does besides serving: `validate`, `convert` and `explain-validation` work without
//! a server, on the same types, defaults and rules; `envtest-assets` lets tests start one.

mod convert;
mod documents;
mod envtest_assets;
mod explain;
mod manifest;
mod report;
#[cfg(test)]
mod tests;
mod validate;

use std::fs::File;
use std::io::{self, Read};

use clap::{Arg, ArgAction, ArgMatches, Command};
use validation::text::go_quote;

use crate::options::Exit;

/// What standard input is called.
const STDIN: &str = "-";

/// A subcommand that was asked for, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subcommand {
    /// `validate`: are these manifests right?
    Validate(validate::Arguments),
    /// `convert`: what are these manifests in another version?
    Convert(convert::Arguments),
    /// `explain-validation`: which rules does this kind have?
    ExplainValidation(explain::Arguments),
    /// `envtest-assets`: make a folder from which envtest starts this server.
    EnvtestAssets(envtest_assets::Arguments),
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
pub(crate) fn parsers() -> [Command; 4] {
    let parsers =
        [validate::parser(), convert::parser(), explain::parser(), envtest_assets::parser()];
    parsers.map(|parser| {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
        parser.arg(help.help("Print this and exit"))
    })
}

/// `-f`: the files that a subcommand reads.
fn files_option() -> Arg {
    Arg::new("filename")
        .long("filename")
        .short('f')
        .action(ArgAction::Append)
        .value_name("FILE")
        .num_args(1..)
        .help("The files to read; - is standard input")
}

/// The files that were named; at least one.
fn files(matches: &ArgMatches) -> Result<Vec<String>, Exit> {
    let files: Vec<String> = matches.get_many("filename").into_iter().flatten().cloned().collect();
    if files.is_empty() {
        return Err(Exit::failure(["which files? name them with -f".to_owned()]));
    }
    Ok(files)
}

/// `-o`: the last of two forms that was asked for; the first if none was.
fn output<T: Copy>(matches: &ArgMatches, forms: [(&str, T); 2]) -> Result<T, Exit> {
    let Some(asked) = matches.get_many::<String>("output").into_iter().flatten().last() else {
        return Ok(forms[0].1);
    };
    let found = forms.iter().find(|(name, _)| name == asked);
    found.map(|(_, form)| *form).ok_or_else(|| {
        Exit::failure([format!(
            "invalid argument {} for \"-o, --output\" flag: must be {} or {}",
            go_quote(asked),
            forms[0].0,
            forms[1].0
        )])
    })
}

/// What a file holds.
fn content(file: &str, stdin: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file {
        STDIN => stdin.read_to_end(&mut bytes)?,
        path => File::open(path)?.read_to_end(&mut bytes)?,
    };
    Ok(bytes)
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
            Some((envtest_assets::NAME, matches)) => {
                Self::EnvtestAssets(envtest_assets::Arguments::read(matches)?)
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
            Self::EnvtestAssets(arguments) => envtest_assets::run(arguments),
        }
    }
}
