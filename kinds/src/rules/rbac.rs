//! Roles and their bindings.

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};

use super::{checks, selector};
use crate::value::Members;

const GROUP: &str = "rbac.authorization.k8s.io";
const SUBJECTS: [&str; 3] = ["ServiceAccount", "User", "Group"];

/// The rules of a Role.
pub(crate) fn create_role(role: &Value, errors: &mut ErrorList) {
    validate_rules(errors, role, true);
}

/// The rules of a ClusterRole.
pub(crate) fn create_cluster_role(role: &Value, errors: &mut ErrorList) {
    validate_rules(errors, role, false);
    let aggregation = role.member("aggregationRule");
    if aggregation.is_null() {
        return;
    }
    let path = Path::new("aggregationRule").child("clusterRoleSelectors");
    let selectors = aggregation.items("clusterRoleSelectors");
    if selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(Error::required(&path, detail));
    }
    for (index, selected) in selectors.iter().enumerate() {
        selector::validate(errors, selected, &path.index(index));
    }
}

fn validate_rules(errors: &mut ErrorList, role: &Value, namespaced: bool) {
    for (index, rule) in role.items("rules").iter().enumerate() {
        validate_rule(errors, rule, namespaced, &Path::new("rules").index(index));
    }
}

fn validate_rule(errors: &mut ErrorList, rule: &Value, namespaced: bool, path: &Path) {
    checks::required(errors, rule, path, "verbs");
    if !rule.is_blank("nonResourceURLs") {
        let path = path.child("nonResourceURLs");
        let shown = || Shown::json(rule.member("nonResourceURLs"));
        if namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            errors.push(Error::invalid(&path, shown(), detail));
        }
        if ["apiGroups", "resources", "resourceNames"].iter().any(|list| !rule.is_blank(list)) {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            errors.push(Error::invalid(&path, shown(), detail));
        }
        return;
    }
    for (member, detail) in [
        ("apiGroups", "resource rules must supply at least one api group"),
        ("resources", "resource rules must supply at least one resource"),
    ] {
        if rule.is_blank(member) {
            errors.push(Error::required(&path.child(member), detail));
        }
    }
}

/// The rules of a RoleBinding.
pub(crate) fn create_role_binding(binding: &Value, errors: &mut ErrorList) {
    validate_binding(errors, binding, true);
}

/// The rules of a ClusterRoleBinding.
pub(crate) fn create_cluster_role_binding(binding: &Value, errors: &mut ErrorList) {
    validate_binding(errors, binding, false);
}

/// The rules of a changed RoleBinding.
pub(crate) fn update_role_binding(binding: &Value, old: &Value, errors: &mut ErrorList) {
    create_role_binding(binding, errors);
    same_role(errors, binding, old);
}

/// The rules of a changed ClusterRoleBinding.
pub(crate) fn update_cluster_role_binding(binding: &Value, old: &Value, errors: &mut ErrorList) {
    create_cluster_role_binding(binding, errors);
    same_role(errors, binding, old);
}

fn same_role(errors: &mut ErrorList, binding: &Value, old: &Value) {
    let role = binding.member("roleRef");
    if role != old.member("roleRef") {
        // As the reference's program sees it; its declared rule speaks before the handwritten one.
        let shown = json!({"APIGroup": role.text("apiGroup"), "Kind": role.text("kind"),
            "Name": role.text("name")});
        errors.push(Error::invalid(&Path::new("roleRef"), Shown::json(&shown), checks::IMMUTABLE));
    }
}

fn validate_binding(errors: &mut ErrorList, binding: &Value, namespaced: bool) {
    let (role, path) = (binding.member("roleRef"), Path::new("roleRef"));
    if role.text("apiGroup") != GROUP {
        errors.push(Error::not_supported(&path.child("apiGroup"), role.text("apiGroup"), &[GROUP]));
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&role.text("kind")) {
        errors.push(Error::not_supported(&path.child("kind"), role.text("kind"), kinds));
    }
    if checks::required(errors, role, &path, "name") {
        let name = role.text("name");
        checks::each_message(errors, &path.child("name"), name, format::path_segment(name));
    }
    for (index, subject) in binding.items("subjects").iter().enumerate() {
        validate_subject(errors, subject, namespaced, &Path::new("subjects").index(index));
    }
}

fn validate_subject(errors: &mut ErrorList, subject: &Value, namespaced: bool, path: &Path) {
    let (name, group) = (subject.text("name"), subject.text("apiGroup"));
    checks::required(errors, subject, path, "name");
    match subject.text("kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                let wrong = format::dns_subdomain(name, Unit::Characters);
                checks::each_message(errors, &path.child("name"), name, wrong);
            }
            if !group.is_empty() {
                errors.push(Error::not_supported(&path.child("apiGroup"), group, &[""]));
            }
            if !namespaced && subject.is_blank("namespace") {
                errors.push(Error::required(&path.child("namespace"), ""));
            }
        }
        "User" | "Group" if group != GROUP => {
            errors.push(Error::not_supported(&path.child("apiGroup"), group, &[GROUP]));
        }
        "User" | "Group" => {}
        other => errors.push(Error::not_supported(&path.child("kind"), other, &SUBJECTS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(check: impl Fn(&mut ErrorList)) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(&mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_are_about_resources_or_about_paths() {
        let role = json!({"rules": [{}, {"verbs": ["get"], "nonResourceURLs": ["/x"],
            "resources": ["pods"]}]});
        assert_eq!(
            texts(|errors| create_role(&role, errors)),
            [
                "rules[0].verbs: Required value",
                "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                "rules[0].resources: Required value: resource rules must supply at least one resource",
                "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to \
                 non-resource URLs",
                "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular \
                 resources and non-resource URLs",
            ]
        );
    }

    #[test]
    fn a_binding_binds_a_role_for_good() {
        let binding = |name: &str| {
            json!({"roleRef": {"apiGroup": GROUP, "kind": "Role", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": "a"}, {"kind": "Robot", "name": "b"}]})
        };
        assert_eq!(
            texts(|errors| update_role_binding(&binding("b"), &binding("a"), errors)),
            [
                "subjects[1].kind: Unsupported value: \"Robot\": supported values: \
                 \"ServiceAccount\", \"User\", \"Group\"",
                "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\
                 \"Kind\":\"Role\",\"Name\":\"b\"}: field is immutable",
            ]
        );
        let cluster = texts(|errors| create_cluster_role_binding(&binding("a"), errors));
        assert_eq!(
            cluster[..2],
            [
                "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"",
                "subjects[0].namespace: Required value",
            ]
        );
    }
}
