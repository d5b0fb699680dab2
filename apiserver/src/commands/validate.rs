//! `apiserver validate`: are these manifests right?

use std::io::Read;

use clap::{Arg, ArgAction, ArgMatches, Command};
use validation::flowcontrol::Gates;

use super::manifest::{Judge, Problem, Verdict};
use super::report::{Entry, Report};
use super::{Findings, content, documents, files, files_option, output};
use crate::options::{Exit, FeatureGates, RuntimeConfig};
use crate::resources::Resources;

pub(super) const NAME: &str = "validate";

/// What is to be validated, and how it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    files: Vec<String>,
    output: Output,
    gates: Gates,
}

/// For whom the findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Text,
    Json,
}

pub(super) fn parser() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
    Command::new(NAME)
        .about("Say what the server would say of manifests, without a server")
        .long_about(
            "Say what the server would say if these objects were created, without a server. A file \
             may hold several documents, YAML or JSON, and Lists. Exits with 1 if anything is wrong.",
        )
        .arg(files_option())
        .arg(option("output").short('o').value_name("text|json").help("How to say it [text]"))
        .arg(option("feature-gates").value_name("strings").help(
            "Feature gates, as name=true|false; DeclarativeValidationBeta says which rules hold",
        ))
}

impl Arguments {
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, Exit> {
        let given = |name| matches.get_many::<String>(name).into_iter().flatten();
        let files = files(matches)?;
        let output = output(matches, [("text", Output::Text), ("json", Output::Json)])?;
        let gates = FeatureGates::parse(given("feature-gates").map(String::as_str));
        let gates = gates.map_err(|error| Exit::failure([error]))?;
        let gates = Gates { declarative_beta: gates.enabled("DeclarativeValidationBeta") };
        Ok(Self { files, output, gates })
    }
}

/// Reads and judges all files. A file that cannot be read is an error like others.
pub(super) fn run(arguments: &Arguments, stdin: &mut dyn Read) -> Findings {
    let judge =
        Judge { resources: Resources::built_in(&RuntimeConfig::default()), gates: arguments.gates };
    let mut report = Report::default();
    for file in &arguments.files {
        match content(file, stdin) {
            Ok(bytes) => report.objects.extend(entries(&judge, file, &bytes)),
            Err(error) => report.objects.push(Entry {
                file: file.clone(),
                line: None,
                verdict: Verdict::unreadable(error.to_string()),
            }),
        }
    }
    let text = match arguments.output {
        Output::Text => report.text(),
        Output::Json => report.json(),
    };
    Findings { text, ok: report.is_ok() }
}

fn entries(judge: &Judge, file: &str, bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for document in documents::split(bytes) {
        let mut verdicts = match document.content {
            Ok(tree) => judge.judge(tree),
            Err(why) => vec![Verdict::unreadable(why)],
        };
        if let Some(first) = verdicts.first_mut() {
            let repeated = document.repeated_keys.into_iter().map(Problem::whole);
            first.errors.splice(0..0, repeated);
        }
        entries.extend(verdicts.into_iter().map(|verdict| Entry {
            file: file.to_owned(),
            line: Some(document.line),
            verdict,
        }));
    }
    entries
}
