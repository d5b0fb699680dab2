//! Whether somebody already has the rights that a role gives (spec: apimachinery 5.3).

use std::collections::BTreeMap;

use validation::text::go_quote;

use super::rule::PolicyRule;
use crate::authorize::UserRules;

/// One right: a verb on one resource, one object or one path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Right<'a> {
    Resource { group: &'a str, resource: &'a str, name: Option<&'a str>, verb: &'a str },
    Path { path: &'a str, verb: &'a str },
}

/// What rules give that none of somebody's own rules gives, a line for each resource, as the
/// reference writes it. Nothing if all is theirs.
#[must_use]
pub fn uncovered(own: &UserRules, rules: &[PolicyRule]) -> Vec<String> {
    let rights = rules.iter().flat_map(rights);
    describe(rights.filter(|right| !has(own, right)))
}

fn rights(rule: &PolicyRule) -> Vec<Right<'_>> {
    let names: Vec<Option<&str>> = match rule.resource_names.as_slice() {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    let mut rights = Vec::new();
    for verb in &rule.verbs {
        for group in &rule.api_groups {
            for resource in &rule.resources {
                let named =
                    names.iter().map(|&name| Right::Resource { group, resource, name, verb });
                rights.extend(named);
            }
        }
        rights.extend(rule.non_resource_urls.iter().map(|path| Right::Path { path, verb }));
    }
    rights
}

fn has(own: &UserRules, right: &Right<'_>) -> bool {
    let contains = |list: &[String], wanted: &str| list.iter().any(|v| v == "*" || v == wanted);
    match *right {
        Right::Resource { group, resource, name, verb } => own.resource_rules.iter().any(|rule| {
            contains(&rule.verbs, verb)
                && contains(&rule.api_groups, group)
                && (contains(&rule.resources, resource) || has_any(&rule.resources, resource))
                && (rule.resource_names.is_empty()
                    || name.is_some_and(|name| rule.resource_names.iter().any(|own| own == name)))
        }),
        Right::Path { path, verb } => own.non_resource_rules.iter().any(|rule| {
            contains(&rule.verbs, verb)
                && rule.non_resource_urls.iter().any(|own| {
                    own == path
                        || own.strip_suffix('*').is_some_and(|start| path.starts_with(start))
                })
        }),
    }
}

/// `*/scale` is the subresource of every resource.
fn has_any(resources: &[String], wanted: &str) -> bool {
    wanted.split_once('/').is_some_and(|(_, subresource)| {
        resources.iter().any(|own| own.strip_prefix("*/") == Some(subresource))
    })
}

/// Rights to the same thing in one line, with their verbs.
fn describe<'a>(rights: impl Iterator<Item = Right<'a>>) -> Vec<String> {
    let mut verbs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for right in rights {
        let (place, verb) = match right {
            Right::Resource { group, resource, name, verb } => {
                let name = name.map(|name| format!(", ResourceNames:[{}]", go_quote(name)));
                let place = format!(
                    "APIGroups:[{}], Resources:[{}]{}",
                    go_quote(group),
                    go_quote(resource),
                    name.unwrap_or_default()
                );
                (place, verb)
            }
            Right::Path { path, verb } => (format!("NonResourceURLs:[{}]", go_quote(path)), verb),
        };
        let known = verbs.entry(place).or_default();
        let verb = go_quote(verb);
        if !known.contains(&verb) {
            known.push(verb);
        }
    }
    let line =
        |(place, verbs): (String, Vec<String>)| format!("{{{place}, Verbs:[{}]}}", verbs.join(" "));
    verbs.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::authorize::ResourceRule;

    fn own(verbs: &[&str], resources: &[&str]) -> UserRules {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let rule = ResourceRule {
            verbs: texts(verbs),
            api_groups: vec![String::new()],
            resources: texts(resources),
            resource_names: Vec::new(),
        };
        UserRules { resource_rules: vec![rule], ..UserRules::default() }
    }

    fn rules(value: serde_json::Value) -> Vec<PolicyRule> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn rights_that_somebody_has_can_be_given() {
        let wanted = rules(json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }]));
        assert!(uncovered(&own(&["*"], &["pods"]), &wanted).is_empty());
        assert!(uncovered(&own(&["get"], &["*"]), &wanted).is_empty());
        assert!(uncovered(&UserRules::all(), &wanted).is_empty());
    }

    #[test]
    fn rights_that_somebody_lacks_are_told_by_resource() {
        let wanted = rules(json!([
            { "verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "secrets"] },
            { "verbs": ["get"], "nonResourceURLs": ["/x"] },
        ]));
        assert_eq!(
            uncovered(&own(&["get"], &["pods"]), &wanted),
            [
                r#"{APIGroups:[""], Resources:["pods"], Verbs:["list"]}"#,
                r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}"#,
                r#"{NonResourceURLs:["/x"], Verbs:["get"]}"#,
            ]
        );
    }

    #[test]
    fn a_right_to_all_is_more_than_rights_to_some() {
        let all = rules(json!([{ "verbs": ["*"], "apiGroups": [""], "resources": ["pods"] }]));
        assert_eq!(uncovered(&own(&["get", "list"], &["pods"]), &all).len(), 1);
    }
}
