//! What the reference's generator accepts and refuses, and with which texts.

use serde_json::Value;

use crate::model::{Definition, Field, Model, NamedType, Type, TypeId};
use crate::{PackageLevel, Tag, check, lint};

const RECORDED: &str = include_str!("../../tests/data/tags-generator.json");

/// Reads the few forms of Go source that the cases use.
fn model(source: &str) -> Model<Tag> {
    let names: Vec<&str> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("type "))
        .filter_map(|line| line.split(' ').next())
        .collect();
    let named = |name: &str| names.iter().position(|known| *known == name).map(TypeId);
    let mut types: Vec<NamedType<Tag>> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(tag) = line.strip_prefix("// ") {
            tags.push(tag.parse().unwrap());
            continue;
        }
        let mut rest = line;
        if let Some(declaration) = line.strip_prefix("type ") {
            let (name, definition) = declaration.split_once(' ').unwrap();
            let (definition, body) = match definition.strip_prefix("struct {") {
                Some(body) => (Definition::Struct(Vec::new()), body),
                None => (Definition::Alias(Type::from_notation(definition, &named).unwrap()), ""),
            };
            types.push(NamedType {
                name: format!("PKG.{name}"),
                rules: std::mem::take(&mut tags),
                definition,
                constants: Vec::new(),
            });
            rest = body.trim();
        }
        let mut parts = rest.split('`');
        let (Some(declared), Some(json)) = (parts.next(), parts.next()) else { continue };
        let (_, notation) = declared.trim().split_once(' ').unwrap();
        let Definition::Struct(fields) = &mut types.last_mut().unwrap().definition else {
            panic!("a field outside of a struct")
        };
        fields.push(Field {
            name: json.trim_start_matches("json:\"").trim_end_matches('"').to_owned(),
            value_type: Type::from_notation(notation, &named).unwrap(),
            rules: std::mem::take(&mut tags),
            default: None,
            omitted_when_unset: false,
        });
    }
    Model { types }
}

fn findings(model: &Model<Tag>, package: &str) -> Vec<String> {
    let found = lint(model, PackageLevel::of(package));
    let Some(first) = found.first() else { return Vec::new() };
    let mut lines = vec!["lint failed:".to_owned(), format!("  type {}:", first.type_name)];
    lines.extend(found.iter().map(|finding| {
        let name = finding.field.as_deref().unwrap_or_default().to_uppercase();
        format!("    field {name}: {}", finding.text)
    }));
    lines
}

#[test]
fn tags_are_accepted_and_refused_as_recorded() {
    let document: Value = serde_json::from_str(RECORDED).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 87);
    for case in cases {
        let model = model(case["goSource"].as_str().unwrap());
        let errors: Vec<String> = match check(&model, &|_| false) {
            Err(error) => vec![format!("failed to generate validations: {error}")],
            Ok(_) if case["lint"] == true => findings(&model, case["package"].as_str().unwrap()),
            Ok(_) => Vec::new(),
        };
        let expected: Vec<&str> =
            case["errors"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        assert_eq!(errors, expected, "{} {}", case["id"], case["description"]);
    }
}
