//! The rules of a type as a list, for people.

use std::collections::BTreeSet;

use api::schema::tag::Tag;
use api::schema::{Shape, TypeDef};

use crate::field::Trail;

/// A tag and the path of what it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedRule {
    /// The path; items of a list are `[*]`, values of a map `[*]` too. `<nil>` is the type itself.
    pub path: String,
    /// The tag.
    pub tag: Tag,
}

impl DescribedRule {
    /// What the tag and those inside it ask for, in the words of the table of tags.
    pub fn meanings(&self) -> impl Iterator<Item = &'static str> {
        self.tag.chain().filter_map(|tag| validation_tags::info(&tag.name)).map(|info| info.meaning)
    }
}

/// All tags of a type and of what it is made of, in the order of the fields. Types that contain
/// themselves are listed once on each way into them.
#[must_use]
pub fn describe(type_def: &TypeDef) -> Vec<DescribedRule> {
    let mut rules = Vec::new();
    Walk { rules: &mut rules, inside: BTreeSet::new() }.type_def(type_def, &Trail::nil());
    rules
}

struct Walk<'a> {
    rules: &'a mut Vec<DescribedRule>,
    inside: BTreeSet<String>,
}

impl Walk<'_> {
    fn type_def(&mut self, type_def: &TypeDef, path: &Trail<'_>) {
        if !self.inside.insert(type_def.openapi_name.clone()) {
            return;
        }
        self.push(path, &type_def.rules);
        for field in &type_def.fields {
            let path = path.child(&field.name);
            self.push(&path, &field.rules);
            if let Some(value_type) = &field.value_type {
                self.push(&path, &value_type.rules);
            }
            self.shape(&field.shape, &path);
        }
        self.inside.remove(&type_def.openapi_name);
    }

    fn shape(&mut self, shape: &Shape, path: &Trail<'_>) {
        match shape {
            Shape::Struct(type_def) => self.type_def(type_def, path),
            Shape::List(list) => self.shape(&list.item, &path.key("*")),
            Shape::Map(value) => self.shape(value, &path.key("*")),
            Shape::String(_)
            | Shape::Bool
            | Shape::Int32
            | Shape::Int64
            | Shape::Double
            | Shape::Bytes
            | Shape::Time
            | Shape::MicroTime
            | Shape::Quantity
            | Shape::IntOrString
            | Shape::Json(_) => {}
        }
    }

    fn push(&mut self, path: &Trail<'_>, tags: &[Tag]) {
        let rule = |tag: &Tag| DescribedRule { path: path.to_string(), tag: tag.clone() };
        self.rules.extend(tags.iter().map(rule));
    }
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::PriorityLevelConfiguration;
    use api::schema::Described;

    use super::*;

    #[test]
    fn the_rules_of_a_kind_are_listed_by_path() {
        let rules = describe(PriorityLevelConfiguration::type_def().unwrap());
        let lines: Vec<String> =
            rules.iter().map(|rule| format!("{} {}", rule.path, rule.tag)).collect();
        for line in [
            "<nil> +k8s:supportsSubresource=\"/status\"",
            "metadata.ownerReferences[*].uid +k8s:alpha(since: \"1.37\")=+k8s:required",
            "metadata.managedFields[*].operation +k8s:alpha(since: \"1.37\")=+k8s:enum",
            "spec.limited +k8s:beta(since: \"1.37\")=+k8s:ifMode(\"Limited\")=+k8s:required",
            "spec.limited.limitResponse.type +k8s:beta(since: \"1.37\")=+k8s:modeDiscriminator",
        ] {
            assert!(lines.iter().any(|found| found == line), "{line} is not in {lines:#?}");
        }
        let limited = rules.iter().rfind(|rule| rule.path == "spec.limited").unwrap();
        assert_eq!(limited.meanings().count(), 3);
        assert_eq!(limited.meanings().last(), Some("Must be set."));
    }
}
