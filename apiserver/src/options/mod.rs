//! The command line: flags under the reference's names, read and then understood.

mod config;
pub mod duration;
mod feature_gates;
mod flags;

use std::ffi::OsString;

use clap::error::ErrorKind;

pub use config::{AuthorizationMode, Config, StorageBackend};
pub use feature_gates::FeatureGates;

/// This program's own version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the program was asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// To serve.
    Serve(Box<Config>),
}

/// How the program ends without serving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It says something, and all is well.
    Success(String),
    /// It says what is wrong.
    Failure(String),
}

/// Reads the command line; the first argument is the program's name.
///
/// # Errors
///
/// [`Exit`] where there is nothing to do but to say something.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Exit> {
    let matches = flags::command().try_get_matches_from(arguments).map_err(|error| exit(&error))?;
    if matches.get_flag("version") {
        return Err(Exit::Success(format!("apiserver {VERSION} (Kubernetes v1.37.2)\n")));
    }
    match Config::read(&matches) {
        Ok(config) => Ok(Command::Serve(Box::new(config))),
        Err(errors) => {
            let lines = errors.into_iter().map(|error| format!("Error: {error}\n"));
            Err(Exit::Failure(lines.collect()))
        }
    }
}

fn exit(error: &clap::Error) -> Exit {
    use clap::error::{ContextKind, ContextValue};

    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    match error.kind() {
        ErrorKind::DisplayHelp => Exit::Success(error.to_string()),
        ErrorKind::UnknownArgument => {
            let flag = context(ContextKind::InvalidArg);
            let flag = flag.split('=').next().unwrap_or_default();
            if flag.starts_with('-') {
                Exit::Failure(format!("Error: unknown flag: {flag}\n"))
            } else {
                Exit::Failure(format!("Error: unknown argument: {flag}\n"))
            }
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Exit::Failure(format!("Error: {}\n", first.trim_start_matches("error: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(arguments: &[&str]) -> Result<Config, Exit> {
        let arguments = std::iter::once("apiserver").chain(arguments.iter().copied());
        let Command::Serve(config) = parse(arguments.map(OsString::from))?;
        Ok(*config)
    }

    fn failure(arguments: &[&str]) -> String {
        match read(arguments) {
            Err(Exit::Failure(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_flags_everything_has_a_default() {
        let config = read(&[]).unwrap();
        assert_eq!(config.secure_port, 6443);
        assert_eq!(config.server_concurrency(), 600);
        assert_eq!(config.request_timeout, Duration::from_secs(60));
        assert_eq!(config.authorization_modes, [AuthorizationMode::Rbac]);
        assert!(config.priority_and_fairness && config.anonymous_auth);
    }

    #[test]
    fn values_follow_a_space_or_an_equals_sign_and_lists_add_up() {
        let config = read(&[
            "--secure-port",
            "0",
            "--authorization-mode=Node,RBAC",
            "--enable-priority-and-fairness=false",
            "--service-account-key-file=a",
            "--service-account-key-file=b",
            "-v",
            "4",
        ])
        .unwrap();
        assert_eq!(config.secure_port, 0);
        assert!(!config.priority_and_fairness);
        assert_eq!(config.service_account_key_files.len(), 2);
        assert_eq!(config.authorization_modes.len(), 2);
        assert_eq!(config.verbosity, 4);
    }

    #[test]
    fn the_references_flags_are_taken_even_without_effect() {
        let config =
            read(&["--etcd-servers=http://127.0.0.1:2379", "--allow-privileged", "--event-ttl=1h"]);
        assert_eq!(config.unwrap().without_effect.len(), 3);
    }

    #[test]
    fn an_unknown_flag_is_named() {
        assert_eq!(failure(&["--bogus=1"]), "Error: unknown flag: --bogus\n");
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let text = failure(&[
            "--max-requests-inflight=-1",
            "--request-timeout=abc",
            "--authorization-mode=Nope",
            "--secure-port=99999",
        ]);
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("--max-requests-inflight can not be negative value"), "{text}");
    }

    #[test]
    fn seats_must_add_up_to_something() {
        let text = failure(&["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"]);
        assert!(text.contains("they must add up to something positive"), "{text}");
    }

    #[test]
    fn help_and_version_are_no_failures() {
        assert!(
            matches!(read(&["--help"]), Err(Exit::Success(text)) if text.contains("--data-dir"))
        );
        assert!(
            matches!(read(&["--version"]), Err(Exit::Success(text)) if text.contains("v1.37.2"))
        );
    }
}
