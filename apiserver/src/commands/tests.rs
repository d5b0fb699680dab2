//! The subcommands from the command line to what they print.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::options;

fn run(arguments: &[&str], stdin: &str) -> Result<Findings, Exit> {
    let arguments = ["apiserver"].into_iter().chain(arguments.iter().copied());
    let options::Command::Run(subcommand) = options::parse(arguments.map(OsString::from))? else {
        panic!("no subcommand")
    };
    subcommand.run(&mut stdin.as_bytes())
}

fn failure(arguments: &[&str]) -> String {
    match run(arguments, "") {
        Err(Exit::Failure(text)) => text,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

const MANIFESTS: &str = "\
# A level that is right, and a schema that is not.
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: right}
spec: {type: Limited, limited: {limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {generateName: Wrong-}
spec:
  matchingPrecedence: -1
  priorityLevelConfiguration: {name: right}
  colour: red
";

#[test]
fn errors_are_said_with_file_line_and_object() {
    let findings = run(&["validate", "-f", "-"], MANIFESTS).unwrap();
    let lines: Vec<&str> = findings.text.lines().collect();
    assert_eq!(lines.len(), 5, "{lines:#?}");
    let place = "-:7: FlowSchema \"Wrong-xxxxx\": ";
    assert_eq!(lines[0], format!("{place}unknown field \"spec.colour\""));
    assert!(lines[1].starts_with(&format!("{place}metadata.generateName: Invalid value:")));
    assert!(lines[2].starts_with(&format!("{place}metadata.name: Invalid value: \"Wrong-xxxxx\"")));
    let positive = "spec.matchingPrecedence: Invalid value: -1: must be a positive value";
    assert_eq!(lines[3], format!("{place}{positive}"));
    assert_eq!(lines[4], "2 objects, 4 errors");
    assert!(!findings.ok);
}

#[test]
fn without_errors_only_the_number_of_objects_is_said() {
    let (right, _) = MANIFESTS.split_once("---").unwrap();
    let findings = run(&["validate", "--filename=-"], right).unwrap();
    assert_eq!(findings, Findings { text: "1 object, 0 errors\n".to_owned(), ok: true });
}

#[test]
fn programs_read_the_same_as_json() {
    let findings = run(&["validate", "-f", "-", "--output", "json"], MANIFESTS).unwrap();
    let report: Value = serde_json::from_str(&findings.text).unwrap();
    assert_eq!(
        report["objects"][0],
        json!({
            "file": "-", "line": 2, "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "kind": "PriorityLevelConfiguration", "name": "right", "errors": [],
        })
    );
    let errors = report["objects"][1]["errors"].as_array().unwrap();
    assert_eq!(errors[0], json!({"message": "unknown field \"spec.colour\""}));
    assert_eq!(
        errors[3],
        json!({
            "reason": "FieldValueInvalid", "field": "spec.matchingPrecedence",
            "message": "Invalid value: -1: must be a positive value",
        })
    );
}

#[test]
fn lists_are_taken_apart() {
    let list = json!({
        "apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema"},
            {"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchemaList", "items": [
                {"metadata": {"name": "a"}},
            ]},
            {"kind": "FlowSchema"}, {"apiVersion": "v1"}, "text",
        ],
    });
    let findings = run(&["validate", "-f", "-"], &list.to_string()).unwrap();
    for line in [
        "-:1: item 0: FlowSchema: metadata.name: Required value: name or generateName is required",
        "-:1: item 0: FlowSchema \"a\": spec.priorityLevelConfiguration.name: Required value: must \
         reference a priority level",
        "-:1: item 2: FlowSchema: apiVersion is missing",
        "-:1: item 3: kind is missing",
        "-:1: item 4: an object is needed, not a value of type string",
    ] {
        assert!(
            findings.text.lines().any(|found| found == line),
            "{line} is not in\n{}",
            findings.text
        );
    }
}

#[test]
fn keys_that_stand_twice_are_told_with_their_lines() {
    let text = "a: 1\n---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\n\
                metadata:\n  name: a\n  name: b\nzoo: 1\n";
    let findings = run(&["validate", "-f", "-"], text).unwrap();
    let lines: Vec<&str> = findings.text.lines().collect();
    assert_eq!(lines[1], "-:3: FlowSchema \"b\": line 7: key \"name\" already set in map");
    assert_eq!(lines[2], "-:3: FlowSchema \"b\": unknown field \"zoo\"");
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let text = "apiVersion: example.com/v1\nkind: Thing\n---\na: [\n---\n- 1\n---\n\
                apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nspec: 3\n";
    let findings = run(&["validate", "-f", "-"], text).unwrap();
    let lines: Vec<&str> = findings.text.lines().collect();
    assert_eq!(lines[0], "-:1: Thing: no matches for kind \"Thing\" in version \"example.com/v1\"");
    assert!(lines[1].starts_with("-:4: yaml: "), "{lines:#?}");
    assert_eq!(lines[2], "-:6: an object is needed, not a value of type array");
    assert!(lines[3].starts_with("-:8: FlowSchema: json: cannot unmarshal number"), "{lines:#?}");
    let findings = run(&["validate", "-f", "does/not/exist.yaml"], "").unwrap();
    assert!(findings.text.starts_with("does/not/exist.yaml: "), "{}", findings.text);
    assert!(!findings.ok);
}

#[test]
fn the_gate_decides_which_rules_are_enforced() {
    let text = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\n\
                metadata: {name: a}\nspec: {type: Limited}\n";
    let with = run(&["validate", "-f", "-"], text).unwrap().text;
    assert!(with.contains("spec.limited: Required value\n"), "{with}");
    let gate = "--feature-gates=DeclarativeValidationBeta=false";
    let without = run(&["validate", "-f", "-", gate], text).unwrap().text;
    assert!(
        without.contains("spec.limited: Required value: must not be empty when type is Limited\n"),
        "{without}"
    );
}

#[test]
fn the_examples_of_this_repository_are_right() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../manifests");
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    assert!(files.len() >= 5, "{files:?}");
    let arguments = ["validate", "-f"].into_iter().chain(files.iter().map(String::as_str));
    let findings = run(&arguments.collect::<Vec<_>>(), "").unwrap();
    assert!(findings.ok, "{}", findings.text);
}

#[test]
fn rules_are_explained_field_by_field_by_any_name_of_the_kind() {
    let findings = run(&["explain-validation", "PriorityLevelConfiguration"], "").unwrap();
    for lines in [
        "KIND:     PriorityLevelConfiguration\nVERSION:  flowcontrol.apiserver.k8s.io/v1\n",
        "\n(the object itself)\n  +k8s:supportsSubresource=\"/status\"\n",
        "\nspec.type\n  +k8s:beta(since: \"1.37\")=+k8s:required\n      Enforces the payload only if \
         `DeclarativeValidationBeta` is on. Must be set.\n",
        "\nspec.limited.limitResponse.queuing\n",
    ] {
        assert!(findings.text.contains(lines), "{lines} is not in\n{}", findings.text);
    }
    for name in
        ["prioritylevelconfigurations", "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io"]
    {
        assert_eq!(run(&["explain-validation", name], "").unwrap(), findings, "{name}");
    }
}

#[test]
fn arguments_that_cannot_be_understood_are_named() {
    for (arguments, error) in [
        (&["validate"][..], "which files? name them with -f"),
        (&["validate", "-f"], "flag needs an argument: --filename"),
        (
            &["validate", "-f", "-", "-o", "xml"],
            "invalid argument \"xml\" for \"-o, --output\" flag: must be text or json",
        ),
        (
            &["validate", "-f", "-", "--feature-gates", "Bogus=true"],
            "unrecognized feature gate: Bogus",
        ),
        (&["validate", "--bogus"], "unknown flag: --bogus"),
        (&["explain-validation"], "which kind? name one, such as FlowSchema"),
        (&["explain-validation", "thing"], "the server doesn't have a resource type \"thing\""),
    ] {
        assert_eq!(failure(arguments), format!("Error: {error}\n"));
    }
    for command in ["validate", "explain-validation"] {
        assert!(matches!(run(&[command, "--help"], ""), Err(Exit::Success(_))), "{command}");
    }
}
