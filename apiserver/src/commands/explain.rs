//! `apiserver explain-validation`: which rules does a kind have?

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command};
use validation::rules::{DescribedRule, describe};

use super::Findings;
use crate::options::{Exit, RuntimeConfig};
use crate::resources::{Resource, Resources};

pub(super) const NAME: &str = "explain-validation";

/// Which kind is to be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    kind: String,
}

pub(super) fn parser() -> Command {
    Command::new(NAME)
        .about("List the rules that are declared on a kind, field by field")
        .arg(Arg::new("kind").value_name("KIND").help("A kind or resource, such as FlowSchema"))
}

impl Arguments {
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, Exit> {
        let kind = matches.get_one::<String>("kind").cloned();
        let missing = || Exit::failure(["which kind? name one, such as FlowSchema".to_owned()]);
        kind.map(|kind| Self { kind }).ok_or_else(missing)
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Findings, Exit> {
    let resources = Resources::built_in(&RuntimeConfig::default());
    let wanted = arguments.kind.to_lowercase();
    let found: Vec<String> = resources
        .iter()
        .filter(|resource| is_named(resource, &wanted))
        .map(|resource| explained(resource))
        .collect();
    if found.is_empty() {
        let error = format!("the server doesn't have a resource type \"{}\"", arguments.kind);
        return Err(Exit::failure([error]));
    }
    Ok(Findings { text: found.join("\n"), ok: true })
}

/// Whether it is called so, in lower case: by its kind, plural, singular or a short name, and
/// perhaps the group behind a dot.
fn is_named(resource: &Resource, wanted: &str) -> bool {
    let described = &resource.described;
    let named = |name: &str| {
        name == described.plural
            || name == described.singular
            || name == resource.kind.kind.to_lowercase()
            || described.short_names.iter().any(|short| *short == name)
    };
    match wanted.split_once('.') {
        Some((name, group)) => named(name) && group == resource.kind.group,
        None => named(wanted),
    }
}

fn explained(resource: &Resource) -> String {
    let kind = &resource.kind;
    let mut text = format!("KIND:     {}\nVERSION:  {}\n", kind.kind, kind.group_version());
    let rules = describe(resource.type_def());
    if rules.is_empty() {
        text.push_str("\nNo rules are declared on its type.\n");
    }
    for of_field in rules.chunk_by(|a, b| a.path == b.path) {
        let path = of_field.first().map_or("", |rule| rule.path.as_str());
        // Writing into a String cannot fail.
        let _written =
            writeln!(text, "\n{}", if path == "<nil>" { "(the object itself)" } else { path });
        for rule in of_field {
            let _written = writeln!(text, "  {}\n      {}", rule.tag, meaning(rule));
        }
    }
    text.push_str("\nWhat no tag can say is checked by code, and not listed here.\n");
    text
}

fn meaning(rule: &DescribedRule) -> String {
    rule.meanings().collect::<Vec<_>>().join(" ")
}
