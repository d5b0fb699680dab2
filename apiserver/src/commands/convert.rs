//! `apiserver convert`: the same objects in another version of their kind.

use std::io::Read;

use api::decode::{Decoded, Tree, decode};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::{Findings, content, documents, files, files_option, output};
use crate::codec::body::set_type_meta;
use crate::codec::{json, yaml};
use crate::options::{Exit, RuntimeConfig};
use crate::resources::{Resource, Resources};

pub(super) const NAME: &str = "convert";

/// What is to be converted, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    files: Vec<String>,
    /// Group and version, as in `apiVersion`.
    version: String,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Yaml,
    Json,
}

pub(super) fn parser() -> Command {
    let option = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
    Command::new(NAME)
        .about("Write objects in another version of their kind, without a server")
        .long_about(
            "Read manifests and write the same objects in another version of their kind, with its \
             defaults, without a server. Exits with 1 if one has no such version; nothing is \
             written then.",
        )
        .arg(files_option())
        .arg(
            option("output-version")
                .value_name("GROUP/VERSION")
                .help("The version to write, such as flowcontrol.apiserver.k8s.io/v1"),
        )
        .arg(option("output").short('o').value_name("yaml|json").help("How to write it [yaml]"))
}

impl Arguments {
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, Exit> {
        let given = |name| matches.get_many::<String>(name).into_iter().flatten();
        let Some(version) = given("output-version").last().cloned() else {
            return Err(Exit::failure(["which version? name it with --output-version".to_owned()]));
        };
        let form = output(matches, [("yaml", Form::Yaml), ("json", Form::Json)])?;
        Ok(Self { files: files(matches)?, version, form })
    }
}

/// Converts all files.
///
/// # Errors
///
/// [`Exit`] with a line for each document that cannot be converted.
pub(super) fn run(arguments: &Arguments, stdin: &mut dyn Read) -> Result<Findings, Exit> {
    let every = RuntimeConfig::parse(["api/all=true"]).unwrap_or_default();
    let resources = Resources::built_in(&every);
    let (mut converted, mut errors) = (Vec::new(), Vec::new());
    for file in &arguments.files {
        let bytes = match content(file, stdin) {
            Ok(bytes) => bytes,
            Err(error) => {
                errors.push(format!("{file}: {error}"));
                continue;
            }
        };
        for document in documents::split(&bytes) {
            let object =
                document.content.and_then(|tree| convert(&resources, tree, &arguments.version));
            match object {
                Ok(object) => converted.push(object),
                Err(why) => errors.push(format!("{file}:{}: {why}", document.line)),
            }
        }
    }
    if !errors.is_empty() {
        return Err(Exit::failure(errors));
    }
    Ok(Findings { text: text(&converted, arguments.form), ok: true })
}

/// An object in another version.
fn convert(resources: &Resources, tree: Tree, version: &str) -> Result<Value, String> {
    let text = |name: &str| tree.text_member(name).unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let named = |resource: &&Resource, version: &str| {
        resource.kind.kind == kind && resource.kind.group_version() == version
    };
    let mut known = resources.iter().map(AsRef::as_ref);
    let from: &Resource = known
        .find(|resource| named(resource, &api_version))
        .ok_or_else(|| format!("no matches for kind \"{kind}\" in version \"{api_version}\""))?;
    let mut versions = resources.versions_of(from).map(AsRef::as_ref);
    let to: &Resource = versions
        .find(|resource| named(resource, version))
        .ok_or_else(|| format!("{kind} of {api_version} has no version \"{version}\""))?;
    let Decoded { value: mut object, problems } =
        decode(from.type_def(), tree).map_err(|mismatch| mismatch.to_string())?;
    if !problems.is_empty() {
        return Err(problems.join(", "));
    }
    set_type_meta(&mut object, &from.kind);
    from.apply_defaults(&mut object);
    let mut object = to.to_served(from.to_stored(object));
    to.type_def().prune(&mut object);
    set_type_meta(&mut object, &to.kind);
    Ok(object)
}

fn text(objects: &[Value], form: Form) -> String {
    let texts = objects.iter().map(|object| match form {
        Form::Yaml => String::from_utf8_lossy(&yaml::to_vec(object)).into_owned(),
        Form::Json => String::from_utf8_lossy(&json::to_vec_pretty(object)).into_owned() + "\n",
    });
    let separator = if form == Form::Yaml { "---\n" } else { "" };
    texts.collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: \
                       PriorityLevelConfiguration\nmetadata: {name: a}\nspec: {type: Limited, \
                       limited: {assuredConcurrencyShares: 7, limitResponse: {type: Reject}}}\n";

    fn run_on(text: &str, version: &str) -> Result<String, Exit> {
        let arguments = Arguments {
            files: vec!["-".to_owned()],
            version: version.to_owned(),
            form: Form::Yaml,
        };
        run(&arguments, &mut text.as_bytes()).map(|done| done.text)
    }

    #[test]
    fn old_manifests_are_written_in_the_new_version() {
        let text = run_on(OLD, "flowcontrol.apiserver.k8s.io/v1").unwrap();
        assert!(text.contains("apiVersion: flowcontrol.apiserver.k8s.io/v1\n"), "{text}");
        assert!(text.contains("nominalConcurrencyShares: 7\n"), "{text}");
    }

    #[test]
    fn several_documents_stay_several() {
        let both = format!("{OLD}---\n{OLD}");
        let text = run_on(&both, "flowcontrol.apiserver.k8s.io/v1beta3").unwrap();
        assert_eq!(text.matches("\n---\n").count(), 1, "{text}");
    }

    #[test]
    fn a_version_that_the_kind_does_not_have_is_an_error_with_its_line() {
        let errors = run_on(&format!("# a comment\n{OLD}"), "apps/v1").unwrap_err();
        assert_eq!(
            errors,
            Exit::Failure(
                "Error: -:2: PriorityLevelConfiguration of flowcontrol.apiserver.k8s.io/v1beta2 \
                 has no version \"apps/v1\"\n"
                    .to_owned()
            )
        );
    }
}
