//! Which requests webhooks and policies are asked about: operations, groups, versions, resources and
//! scope (spec: apimachinery 2.15).

use serde_json::Value;

/// What a request is about, as rules see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`
    pub(crate) operation: &'static str,
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    /// The plural.
    pub(crate) resource: &'a str,
    /// Empty for objects themselves.
    pub(crate) subresource: &'a str,
    /// Empty for what belongs to the whole cluster; a namespace's own is its name.
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl Target<'_> {
    fn is_of_cluster(&self) -> bool {
        self.namespace.is_empty() || self.is_namespace()
    }

    /// Whether it is about a namespace itself.
    pub(crate) fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.resource == "namespaces"
    }
}

/// One rule of a webhook or policy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    /// Resources and subresources; `*` stands for all of either.
    resources: Vec<(String, String)>,
    /// Empty for all names.
    names: Vec<String>,
    scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    Cluster,
    Namespaced,
}

impl Rule {
    /// The rules of a list, which may be absent.
    pub(crate) fn list(rules: &Value) -> Vec<Self> {
        rules.as_array().into_iter().flatten().map(Self::of).collect()
    }

    fn of(rule: &Value) -> Self {
        let texts = |member: &str| -> Vec<String> {
            let list = rule[member].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let split = |text: String| match text.split_once('/') {
            Some((resource, subresource)) => (resource.to_owned(), subresource.to_owned()),
            None => (text, String::new()),
        };
        Self {
            operations: texts("operations"),
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            resources: texts("resources").into_iter().map(split).collect(),
            names: texts("resourceNames"),
            scope: match rule["scope"].as_str() {
                Some("Cluster") => Scope::Cluster,
                Some("Namespaced") => Scope::Namespaced,
                _ => Scope::All,
            },
        }
    }

    /// Whether a request is one of those that are meant.
    pub(crate) fn matches(&self, target: &Target<'_>) -> bool {
        let names = |list: &[String], wanted: &str| list.iter().any(|each| is(each, wanted));
        names(&self.operations, target.operation)
            && names(&self.groups, target.group)
            && names(&self.versions, target.version)
            && self.resources.iter().any(|(resource, subresource)| {
                is(resource, target.resource) && is(subresource, target.subresource)
            })
            && (self.names.is_empty() || self.names.iter().any(|name| name == target.name))
            && match self.scope {
                Scope::All => true,
                Scope::Cluster => target.is_of_cluster(),
                Scope::Namespaced => !target.is_of_cluster(),
            }
    }
}

fn is(pattern: &str, wanted: &str) -> bool {
    pattern == "*" || pattern == wanted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn target<'a>(resource: &'a str, subresource: &'a str, namespace: &'a str) -> Target<'a> {
        let (group, version) = ("", "v1");
        Target { operation: "CREATE", group, version, resource, subresource, namespace, name: "a" }
    }

    fn rule(resources: &[&str]) -> Value {
        json!({ "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
            "resources": resources })
    }

    #[test]
    fn resources_and_subresources_are_named_or_all_of_them() {
        for (pattern, whole, status, other) in [
            ("pods", true, false, false),
            ("pods/status", false, true, false),
            ("pods/*", true, true, false),
            ("*", true, false, true),
            ("*/status", false, true, false),
            ("*/*", true, true, true),
        ] {
            let rule = Rule::of(&rule(&[pattern]));
            assert_eq!(rule.matches(&target("pods", "", "ns")), whole, "{pattern}");
            assert_eq!(rule.matches(&target("pods", "status", "ns")), status, "{pattern}");
            assert_eq!(rule.matches(&target("nodes", "", "")), other, "{pattern}");
        }
    }

    #[test]
    fn every_part_of_a_rule_must_match() {
        let pod = target("pods", "", "ns");
        for (member, value, expected) in [
            ("operations", json!(["*"]), true),
            ("operations", json!(["UPDATE", "DELETE"]), false),
            ("apiGroups", json!(["*"]), true),
            ("apiGroups", json!(["apps"]), false),
            ("apiVersions", json!(["v2"]), false),
            ("resources", json!([]), false),
            ("resourceNames", json!(["a"]), true),
            ("resourceNames", json!(["b"]), false),
        ] {
            let mut rule = rule(&["pods"]);
            rule[member] = value;
            assert_eq!(Rule::of(&rule).matches(&pod), expected, "{rule}");
        }
    }

    #[test]
    fn namespaces_belong_to_the_cluster() {
        for (scope, pod, node, namespace) in [
            ("*", true, true, true),
            ("Namespaced", true, false, false),
            ("Cluster", false, true, true),
        ] {
            let mut rule = rule(&["*"]);
            rule["scope"] = json!(scope);
            let rule = Rule::of(&rule);
            assert_eq!(rule.matches(&target("pods", "", "ns")), pod, "{scope}");
            assert_eq!(rule.matches(&target("nodes", "", "")), node, "{scope}");
            assert_eq!(rule.matches(&target("namespaces", "", "a")), namespace, "{scope}");
        }
    }
}
