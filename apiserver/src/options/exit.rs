//! What the program says when it does not serve.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use validation::text::go_quote;

/// How the program ends without serving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It says something on standard output, and all is well: code 0.
    Success(String),
    /// It says what is wrong on standard error, a line each: code 1.
    Failure(String),
}

impl Exit {
    /// Says each of several things that are wrong.
    pub(crate) fn failure(errors: impl IntoIterator<Item = String>) -> Self {
        Self::Failure(errors.into_iter().map(|error| format!("Error: {error}\n")).collect())
    }

    /// What the parser found, in the reference's words.
    pub(super) fn from_parser(error: &clap::Error) -> Self {
        let argument = argument(error);
        match error.kind() {
            ErrorKind::DisplayHelp => Self::Success(without_trailing_blanks(&error.to_string())),
            ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => {
                Self::failure([unknown(argument)])
            }
            ErrorKind::InvalidValue => {
                Self::failure([format!("flag needs an argument: {argument}")])
            }
            _ => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                Self::failure([first.trim_start_matches("error: ").to_owned()])
            }
        }
    }
}

/// The parser pads flags that have no description.
fn without_trailing_blanks(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The argument at fault, without its value.
fn argument(error: &clap::Error) -> &str {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let Some(ContextValue::String(text)) = kinds.into_iter().find_map(|kind| error.get(kind))
    else {
        return "";
    };
    text.split(' ').next().unwrap_or_default()
}

fn unknown(argument: &str) -> String {
    match argument.strip_prefix('-') {
        Some(rest) if rest.starts_with('-') => {
            let name = argument.split('=').next().unwrap_or_default();
            format!("unknown flag: {name}")
        }
        Some(rest) if !rest.is_empty() => {
            let letter = rest.chars().take(1).collect::<String>();
            format!("unknown shorthand flag: '{letter}' in -{rest}")
        }
        _ => format!("\"apiserver\" does not take any arguments, got [{}]", go_quote(argument)),
    }
}
